"""Ranges and tuples as values: membership, index, elements, bounds; characters of strings."""

import itertools

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.launching import run, run_as_python


@D.kernel
def memberships(out, a, start, stop, step):
    r = range(start, stop, step)
    for k in range(a.size):
        x = a[k]
        out[0, k] = x in r
        out[1, k] = x not in range(stop)
        out[2, k] = x in range(start, stop)
        out[3, k] = x in range(start, stop, -3)
        out[4, k] = x in range(-4, 9, 3)
        out[5, k] = r.count(x)
        out[6, k] = r.index(x) if x in r else -1
        out[7, k] = range(5, -9, -2).index(x) if x in range(5, -9, -2) else -1


@pytest.mark.parametrize("dtype", ["int64", "uint64", "int8", "uint32", "float32", "float64"])
def test_numbers_are_in_ranges_as_in_python(target, dtype):
    whole = [0, 1, 2, 3, 5, 7, 100, 127]
    values = whole if dtype[0] == "u" else [*whole, -1, -2, -7, -128]
    if dtype[0] == "f":
        values = [*values, 0.5, -0.5, 2.5, np.inf, -np.inf, np.nan, 1e30]
    if dtype == "int64":
        values += [2**63 - 1, -(2**63)]
    if dtype == "uint64":
        values += [2**64 - 1, 2**63]
    a = np.array(values, dtype)
    for bounds in itertools.product((-7, 0, 3), (-8, 4, 101), (1, -1, 3, -5)):
        out, expected = np.zeros((8, a.size)), np.zeros((8, a.size))
        memberships.underlying(expected, Listed(a), *bounds)
        run(memberships, out, a, *bounds)
        assert np.array_equal(out, expected), bounds


class Listed:
    """An array of Python's own numbers."""

    def __init__(self, a):
        self.values, self.size = a.tolist(), a.size

    def __getitem__(self, k):
        return self.values[k]


@D.kernel
def wide_memberships(out, x, start, stop, step):
    out[0] = x[0] in range(start[0], stop[0], step[0])
    out[1] = x[0] in range(stop[0] - 1, start[0], -step[0])


@pytest.mark.parametrize("x", [-(2**63), -(2**63) + 7, 2**63 - 2, 5, 0, 6])
def test_distances_that_fill_64_bits_are_exact(target, x):
    numbers = [np.array([v], np.int64) for v in (x, -(2**63), 2**63 - 1, 7)]
    out = np.zeros(2, bool)
    run(wide_memberships, out, *numbers)
    x, start, stop, step = (int(v[0]) for v in numbers)
    assert out.tolist() == [x in range(start, stop, step), x in range(stop - 1, start, -step)]


@D.kernel
def elements(out, n, i):
    r = range(n, 3 * n, 2)
    out[0] = r[0]
    out[1] = r[-1]
    out[2] = r[i]
    out[3] = r[-i]
    out[4] = len(r)
    out[5] = r.start + r.stop * r.step
    out[6] = range(10)[-3] + range(10)[i]
    out[7] = len(range(3)) + range(3).index(2) + range(3).count(5)
    out[8] = r == range(n, 3 * n + n % 2, 2)
    out[9] = range(n, n) == range(3, 1)
    out[10] = r != range(n, 3 * n, 3)
    out[11] = range(n, n + 1, 5) == range(n, n + 2, 7)
    out[12] = bool(r) + 2 * bool(range(n, n))
    out[13] = 5 if range(n - 9) else 6
    out[14] = min(r) + max(reversed(r)) + sum(reversed(range(n)))
    out[15] = 3.0 in range(4) and True in range(2) and 2.5 not in range(4)


@pytest.mark.parametrize(("n", "i"), [(3, 1), (4, 2), (9, 3), (10, 4)])
def test_ranges_are_values(target, n, i):
    run_as_python(elements, np.zeros(16), n, i)


@D.kernel
def tuple_methods(out, a, x):
    t = (a[0], a[1], 3, a[2], 3)
    out[0] = t.index(3)
    out[1] = t.index(x)
    out[2] = t.count(3)
    out[3] = t.count(x)
    out[4] = (5, 7, 5).index(7) + 10 * (5, 7, 5).count(5)
    out[5] = ((1, x), (x, 2), (1, x)).index((x, 2)) + 10 * ((1, 2), (1, x)).count((1, 2))
    out[6] = bool(t) + 2 * bool(()) + 4 * bool((0,))
    out[7] = a.shape.index(a.size)
    out[8] = len("grüße") + ("abc"[1] == "b") + 10 * ("bc" in "abc") + 20 * ("abc"[:-1] == "ab")
    out[9] = x in t


@pytest.mark.parametrize("x", [1, 2, 3, 9])
def test_tuples_have_index_and_count(target, x):
    run_as_python(tuple_methods, np.zeros(10, np.int64), np.array([1, 2, 9]), x)


@D.kernel
def place_in_tuple(out, a, x):
    out[0] = (a[0], a[1]).index(x)


@D.kernel
def place_in_range(out, a, x):
    out[0] = range(a[0], a[1]).index(x)


@pytest.mark.parametrize(("kernel", "what"), [(place_in_tuple, "tuple"), (place_in_range, "range")])
def test_the_index_of_what_is_not_there_is_a_value_error(target, kernel, what):
    out = np.full(1, -1)
    run(kernel, out, np.array([3, 8]), 3)
    assert out[0] == 0
    if target == "cuda":
        return
    with pytest.raises(ValueError, match=rf"{what}.index\(x\): x not in {what}") as caught:
        run(kernel, out, np.array([3, 8]), 9)
    assert isinstance(caught.value, errors.KernelFailure)
