"""Integer indices of arrays in device code (DEV-ARR-03, 07, 09)."""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import run
from support.layouts import launch_copy
from support.scalars import INTEGERS

A1, A2 = np.zeros(4), np.zeros((4, 4))
SHAPES = [(1,), (7,), (100,), (1, 1), (5, 7), (33, 10), (2, 3, 4), (5, 1, 9)]


@clause("DEV-ARR-03")
@pytest.mark.parametrize("shape", SHAPES)
def test_get_and_set(target, shape):
    a = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    out = np.full(shape, -1, dtype=np.float32)
    launch_copy(out, a)
    assert np.array_equal(out, a)


@clause("DEV-ARR-03")
def test_negative_indices_of_a_vector(target):
    a = np.arange(20)
    out = np.zeros(20, dtype=np.int64)
    run(ends, out, a)
    assert out[[0, 1, 18, 19]].tolist() == [19, 0, 1, 18]


@D.kernel
def ends(out, a):
    out[0] = a[-1]
    out[-1] = a[-2]
    out[1] = a[-20]
    out[-2] = a[1]


@D.kernel
def mirrored(out, a):
    x, y = D.tid(2)
    if y < a.shape[0] and x < a.shape[1]:
        out[y, x] = a[-1 - y, -x - 1]


@clause("DEV-ARR-03")
def test_negative_indices_on_every_axis(target):
    a = np.arange(77.0).reshape(7, 11)
    out = np.zeros_like(a)
    run(mirrored, out, a, grid=(3, 2), block=(4, 4))
    assert np.array_equal(out, a[::-1, ::-1])


@D.kernel
def reversed_set(out, a):
    i = D.tid(1)
    if i < a.size:
        out[-1 - i] = a[i]


@clause("DEV-ARR-03")
@pytest.mark.parametrize("n", [1, 31, 32, 33, 100])
def test_negative_indices_in_a_store(target, n):
    a = np.arange(n, dtype=np.int16)
    out = np.full(n, -1, dtype=np.int16)
    run(reversed_set, out, a, grid=n // 32 + 1, block=32)
    assert np.array_equal(out, a[::-1])


@D.kernel
def gather(out, a, index):
    i = D.tid(1)
    if i < index.size:
        out[i] = a[index[i]]


@D.kernel
def scatter(out, a, index):
    i = D.tid(1)
    if i < index.size:
        out[index[i]] = a[i]


@clause("DEV-ARR-03")
@pytest.mark.parametrize("name", INTEGERS)
def test_indices_of_every_integer_type(target, name):
    rng = np.random.default_rng(4)
    index = rng.permutation(100).astype(name)
    if name.startswith("int"):
        index[::3] -= 100  # the same elements, counted from the end
    a = rng.normal(size=100)
    out = np.zeros(100)
    run(gather, out, a, index, grid=4, block=32)
    assert np.array_equal(out, a[index.astype(np.int64)])
    run(scatter, out, a, index, grid=4, block=32)
    expected = np.zeros(100)
    expected[index.astype(np.int64)] = a
    assert np.array_equal(out, expected)


@clause("DEV-ARR-03")
def test_indices_of_builtin_int(target):
    a = np.arange(30).reshape(5, 6)
    for i, j in ((0, 0), (2, 3), (-1, 4), (4, -5), (-5, 1)):
        out = np.zeros(1, dtype=np.int64)
        run(element, out, a, i, j)
        assert out[0] == a[i, j]


@D.kernel
def element(out, a, i, j):
    out[0] = a[i, j]


@clause("DEV-ARR-03")
@pytest.mark.parametrize("name", ["int8", "uint16", "int64", "uint64", "float32", "float64"])
def test_an_element_has_the_type_of_the_array(target, name):
    """The sum of two elements wraps or rounds as that type does."""
    top = np.iinfo(name).max if np.dtype(name).kind in "iu" else 2 / 3
    a = np.array([top, 1 / 3 if np.dtype(name).kind == "f" else 1], dtype=name)
    out = np.zeros(1, dtype=np.float64 if a.dtype.kind == "f" else np.int64)
    run(sum_of_two, out, a)
    with np.errstate(over="ignore"):
        assert out[0] == np.array(a[0] + a[1]).astype(out.dtype)


@D.kernel
def sum_of_two(out, a):
    out[0] = a[0] + a[1]


@D.kernel
def augmented(a, b):
    i = D.tid(1)
    if i < a.size:
        a[i] += b[i]
        a[i] *= 2
        a[i] -= 1


@clause("DEV-ARR-03")
def test_augmented_assignment_to_an_element(target):
    a, b = np.arange(50), np.arange(50) ** 2
    expected = (a + b) * 2 - 1
    run(augmented, a, b, grid=2, block=32)
    assert np.array_equal(a, expected)


# --- refused ---


@D.kernel
def too_many_indices(out, a):
    out[0] = a[0, 0]  # refused


@D.kernel
def too_many_in_a_store(out, a):
    a[0, 0, 0] = out[0]  # refused


@D.kernel
def two_ellipses(out, a):
    out[0] = a[..., 0, ...]  # refused


@clause("DEV-ARR-07")
def test_too_many_indices_are_refused():
    expect_refusal(too_many_indices, A1, A1, words=("2", "1"))
    expect_refusal(too_many_in_a_store, A1, A2, words=("3", "2"))
    expect_refusal(two_ellipses, A1, A2, words=("ellipsis",))


@D.kernel
def indexed_by_an_array(out, a, index):
    out[0] = a[index]  # refused


@D.kernel
def indexed_by_a_float(out, a):
    out[0] = a[1.5]  # refused


@clause("DEV-ARR-09")
@pytest.mark.parametrize("index", [np.ones(4, dtype=bool), np.zeros(4, dtype=np.int64)], ids=repr)
def test_indexing_by_an_array_is_refused(index):
    expect_refusal(indexed_by_an_array, A1, A1, index, words=("index",))


def test_indexing_by_a_float_is_refused():
    expect_refusal(indexed_by_a_float, A1, A1, words=("index",))
