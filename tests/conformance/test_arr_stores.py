"""Values stored into elements are converted (DEV-ARR-30, 31)."""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import run

A1 = np.zeros(4)


@D.kernel
def store_literals(floats, ints, bools):
    floats[0] = 3
    floats[1] = True
    ints[0] = 3.9
    ints[1] = -3.9
    ints[2] = True
    bools[0] = 2
    bools[1] = 0.0
    bools[2] = -0.5


@D.kernel
def store_values(out, x):
    i = D.tid(1)
    if i < x.size:
        out[i] = x[i]


SLICES = "assignment to slices"


@clause("DEV-ARR-30", partial=SLICES)
def test_literals_are_converted_to_the_element_type(target):
    floats, ints, bools = np.zeros(2), np.zeros(3, dtype=np.int16), np.array([False, True, False])
    run(store_literals, floats, ints, bools)
    assert floats.tolist() == [3.0, 1.0]
    assert ints.tolist() == [3, -3, 1]
    assert bools.tolist() == [True, False, True]


@clause("DEV-ARR-30", partial=SLICES)
def test_values_are_converted_to_the_element_type(target):
    out = np.zeros(4, dtype=np.int8)
    run(store_values, out, np.array([300, -300, 127, 128]), block=4)
    assert out.tolist() == [44, -44, 127, -128]
    run(store_values, out, np.array([300.5, -300.5, np.nan, -2.9]), block=4)
    assert out.tolist() == [127, -128, 0, -2]
    wide = np.zeros(4)
    run(store_values, wide, np.array([1, 2, 3, 2**24 + 1], dtype=np.uint32), block=4)
    assert wide.tolist() == [1, 2, 3, 2**24 + 1]


@D.kernel
def stores_300(a):
    a[0] = 300  # refused


@D.kernel
def stores_minus_1(a):
    a[0] = -1  # refused


@clause("DEV-ARR-30", partial=SLICES)
def test_a_stored_literal_must_fit():
    expect_refusal(stores_300, np.zeros(1, dtype=np.int8), words=("300", "int8"))
    expect_refusal(stores_minus_1, np.zeros(1, dtype=np.uint16), words=("-1", "uint16"))


@D.kernel
def stores_complex(a, x):
    a[0] = 1j  # refused


@D.kernel
def stores_text(a, x):
    a[0] = "text"  # refused


@D.kernel
def stores_none(a, x):
    a[0] = None  # refused


@D.kernel
def stores_an_array(a, x):
    a[0] = x  # refused


@D.kernel
def stores_a_tuple(a, x):
    a[0] = (1, 2)  # refused


@D.kernel
def stores_a_function(a, x):
    a[0] = len  # refused


@clause("DEV-ARR-31")
@pytest.mark.parametrize(
    "kernel",
    [stores_complex, stores_text, stores_none, stores_an_array, stores_a_tuple, stores_a_function],
)
def test_only_real_numbers_go_into_a_real_element(kernel):
    expect_refusal(kernel, A1, A1)
