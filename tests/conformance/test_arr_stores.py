"""Values stored into elements are converted (DEV-ARR-30, 31)."""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import run, run_as_python

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


@clause("DEV-ARR-30")
def test_literals_are_converted_to_the_element_type(target):
    floats, ints, bools = np.zeros(2), np.zeros(3, dtype=np.int16), np.array([False, True, False])
    run(store_literals, floats, ints, bools)
    assert floats.tolist() == [3.0, 1.0]
    assert ints.tolist() == [3, -3, 1]
    assert bools.tolist() == [True, False, True]


@clause("DEV-ARR-30")
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


@clause("DEV-ARR-30")
def test_a_stored_literal_must_fit():
    expect_refusal(stores_300, np.zeros(1, dtype=np.int8), words=("300", "int8"))
    expect_refusal(stores_minus_1, np.zeros(1, dtype=np.uint16), words=("-1", "uint16"))


# --- parts of arrays ---


@D.kernel
def fills(a, b, i, x):
    a[1:3] = 0
    a[-2:] = x
    a[::-3] += 1
    b[i] = 7
    b[:, i] = a[0]
    b[1:, 2:] *= 2
    b[::2, ::-2] -= x
    a[5:2] = 100
    b[..., -1] = True
    b[i : i + 1] = 3.9


@clause("DEV-ARR-30")
def test_a_part_is_filled_with_a_number(target):
    for dtype in (np.int16, np.float32):
        a, b = np.arange(9, dtype=dtype), np.arange(30, dtype=dtype).reshape(5, 6)
        run_as_python(fills, a, b, 2, 4)


@D.kernel
def copies(a, b, c, i, j):
    a[:] = b[0]
    a[1:4] = c[:, 0]
    b[i, :] = a
    b[i : i + 2] = a
    b[:, ::2] = c.T[0, None]
    b[-1] = a[::-1]
    c[...] = b[1:4, 2:4]
    c[:] += a[:2]
    c[1:] *= a[2, None]
    b[:, :3] = c[None, :, j]
    c[0] = a[j]


@clause("DEV-ARR-30")
def test_a_part_is_set_to_a_view(target):
    a, b, c = np.arange(6), np.arange(30.0).reshape(5, 6), np.arange(6, dtype=np.int16) - 9
    run_as_python(copies, a, b, c.reshape(3, 2), 2, 1)


@D.kernel
def moves(a, b, i, j):
    a[1:] = a[:-1]
    a[:-2] = a[2:]
    a[i:] = a[: a.size - i]
    a[: a.size - i] = a[i:]
    b[i, :] = b[j, :]
    b[:, 1:] = b[:, :-1]
    b[1:, :-1] = b[:-1, 1:]
    b[:-1, i:] = b[1:, : b.shape[1] - i]
    b[i:, j:] += b[: b.shape[0] - i, : b.shape[1] - j]
    b[::2] = b[1::2]
    b[::-1, 1:] += b[::-1, :-1]
    b[i, 1:] = b[j, :-1]
    b[1:, :2] = b[0, ::-2][:2]
    b[2, ::-1] = b[1]


@clause("DEV-ARR-30")
def test_overlapping_parts_are_read_before_they_are_overwritten(target):
    """As NumPy has it, whichever part is in front."""
    for i, j in ((1, 2), (2, 1), (1, 1)):
        run_as_python(moves, np.arange(9), np.arange(30.0).reshape(6, 5) ** 2, i, j)


@D.kernel
def copies_rows(out, a):
    y = D.tid(1)
    if y < a.shape[0]:
        out[y] = a[-1 - y, ::-1]
        out[y, 2:5] += 1


@clause("DEV-ARR-30")
def test_each_thread_sets_a_row(target):
    a = np.arange(50 * 7).reshape(50, 7)
    out = np.zeros((50, 7), dtype=np.float32)
    run(copies_rows, out, a, grid=2, block=32)
    expected = a[::-1, ::-1].astype(np.float32)
    expected[:, 2:5] += 1
    assert np.array_equal(out, expected)


@D.kernel
def sets(a, b):
    a[1:] = b


@clause("DEV-ARR-30")
def test_a_view_of_another_shape_is_an_error(target):
    a = np.zeros(5)
    run(sets, a, np.ones(4))
    assert a.tolist() == [0, 1, 1, 1, 1]
    with pytest.raises(ValueError, match="the shapes of an array and of the part"):
        run(sets, a, np.full(3, 2.0))
    assert a.tolist() == [0, 1, 1, 1, 1]


@D.kernel
def repeats(a, b, c):
    a[:2] = b
    a[2:, 1:] += b[:1, -1:]
    a[-1:] = c[:1]
    a[:, 0] = b[0, :1]
    c[:] *= b[0, :1]


@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (1, 4), (2, 4)])
@clause("DEV-ARR-30")
def test_axes_of_one_element_are_repeated(target, shape):
    """Where only the launch tells that they have one."""
    b = np.arange(3.0, 11.0).reshape(2, 4)[: shape[0], : shape[1]].copy()
    run_as_python(repeats, np.arange(20.0).reshape(5, 4), b, np.arange(2.0, 9.0))


@clause("DEV-ARR-30")
def test_other_extents_are_an_error(target):
    a = np.zeros((5, 4))
    for shape in ((3, 4), (2, 3), (0, 4), (2, 0)):
        with pytest.raises(ValueError, match="the shapes of an array and of the part"):
            run(repeats, a, np.ones(shape), np.ones(7))
        assert not a.any()


@D.kernel
def repeats_of_itself(a, n):
    a[:] += a[:n]


@clause("DEV-ARR-30")
def test_parts_of_one_array_are_not_repeated(target):
    """The element would be changed on the way."""
    a = np.arange(1.0, 6.0)
    run(repeats_of_itself, a, 5)
    assert a.tolist() == [2, 4, 6, 8, 10]
    with pytest.raises(ValueError, match="the shapes of an array and of the part"):
        run(repeats_of_itself, a, 1)
    assert a.tolist() == [2, 4, 6, 8, 10]


@D.kernel
def fills_of_its_own(out):
    own = D.local_array((3, 4), D.int32)
    own[...] = 1
    own[1:, ::2] = 5
    own[0] = own[1, ::-1]
    block = D.shared_array(8, D.float32)
    block[:] = 0
    block[2:6] = own[1]
    own[2, :2] = own[1:, 2:][0, ::-1]
    k = 0
    for row in own:
        for x in row:
            out[k] = x
            k += 1
    for x in block:
        out[k] = x
        k += 1


@clause("DEV-ARR-30")
def test_parts_of_the_kernels_own_arrays(target):
    out = np.zeros(20)
    run(fills_of_its_own, out)
    assert out.tolist() == [1, 5, 1, 5, 5, 1, 5, 1, 1, 5, 5, 1, 0, 0, 5, 1, 5, 1, 0, 0]


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
