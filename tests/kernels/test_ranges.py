"""Ranges and tuples as values: membership, index, elements, bounds; characters of strings."""

import itertools

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.launching import result_type, run, run_as_python


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


VALUES = {
    "int": (-3, 0, 7, 300),
    "uint8": (0, 3, 200),
    "int8": (-128, -2, 5, 127),
    "uint16": (1, 40000),
    "uint32": (0, 4, 2**32 - 2),
    "int32": (-5, 6),
    "int64": (-4, 9),
    "uint64": (0, 5, 2**62),
}
LARGE = (0, 2**63 + 4, 2**64 - 1)
MIXED = [
    *itertools.product(("int", "uint8", "int8", "uint32", "int64", "uint64"), repeat=2),
    *[("uint16", "int"), ("int", "uint16"), ("int32", "uint32"), ("uint32", "int32")],
    *[("uint32", "int", "int"), ("uint64", "int", "int"), ("int", "int", "uint64")],
    *[("int", "uint8", "int8"), ("uint8", "uint8", "int"), ("int8", "uint32", "uint8")],
    *[("uint64", "uint64", "int8"), ("uint32", "uint32", "int8"), ("uint64",) * 3],
]
MOST = 12


@D.kernel
def numbers_of_two(out, lengths, a, b):
    for k, x in zip(range(MOST), range(a, b), strict=False):
        out[0, k] = x
    n = 0
    for x in range(a, b):
        if n == MOST:
            break
        out[1, n] = x
        n += 1
    lengths[0], lengths[1] = n, 7 in range(a, b)


@D.kernel
def numbers_of_three(out, lengths, a, b, c):
    for k, x in zip(range(MOST), range(a, b, c), strict=False):
        out[0, k] = x
    n = 0
    for x in range(a, b, c):
        if n == MOST:
            break
        out[1, n] = x
        n += 1
    lengths[0], lengths[1] = n, 7 in range(a, b, c)


@pytest.mark.parametrize("types", MIXED, ids="-".join)
def test_bounds_of_differing_types_give_pythons_numbers(target, types):
    kernel = numbers_of_two if len(types) == 2 else numbers_of_three
    values = [LARGE if set(types) == {"uint64"} else VALUES[t] for t in types]
    for bounds in itertools.product(*values):
        if bounds[2:] == (0,):
            continue
        whole = range(*bounds)
        numbers = list(itertools.islice(whole, MOST))
        out, lengths = np.full((2, MOST), -99), np.zeros(2, np.int64)
        given = [
            b if t == "int" else np.dtype(t).type(b) for t, b in zip(types, bounds, strict=True)
        ]
        run(kernel, out, lengths, *given)
        expected = np.array([*numbers, *[-99] * (MOST - len(numbers))], object) % 2**64
        assert (out.astype(np.uint64) == expected.astype(np.uint64)).all(), bounds
        assert lengths.tolist() == [len(numbers), 7 in whole], bounds


@D.kernel
def counted_by_threads(out, n, u, k):
    t = D.thread_idx.x
    out[t, 0] = sum(1 for i in range(t, n))
    out[t, 1] = sum(1 for i in range(t, n, D.block_dim.x))
    out[t, 2] = sum(i for i in range(t, -1, -1))
    out[t, 3] = len(range(u, k)) + sum(range(u))
    out[t, 4] = range(u)[-1] + len(range(k, t)) + len(range(t, 300, 200))


@pytest.mark.parametrize(("n", "u", "k"), [(-3, 200, -1), (70, 255, 300), (0, 3, 2)])
def test_ranges_from_a_position_or_a_byte(target, n, u, k):
    out = np.zeros((64, 5), np.int64)
    run(counted_by_threads, out, n, np.uint8(u), k, block=64)
    for t in range(64):
        expected = [len(range(t, n)), len(range(t, n, 64)), sum(range(t + 1))]
        expected.append(len(range(u, k)) + sum(range(u)))
        expected.append(u - 1 + len(range(k, t)) + len(range(t, 300, 200)))
        assert out[t].tolist() == expected, t


def test_types_of_numbers_of_ranges():
    def types_of(*types):
        one, two = (lambda a: range(a)[0]), (lambda a, b: range(a, b)[0])
        return result_type(one if len(types) == 1 else two, *types)

    assert types_of("uint8") == "int"
    assert types_of("int") == "int"
    assert types_of("uint32") == "uint32"
    assert types_of("uint32", "int") == "uint32"  # none is negative
    assert types_of("int", "uint32") == "int64"
    assert types_of("int32", "int") == "int32"
    assert types_of("uint64", "int64") == "uint64"
    assert types_of("int64", "uint64") == "int64"


@D.kernel
def steps(out, n, s):
    for i in range(0, n, s):
        out[0] += i


@D.kernel
def steps_of_a_value(out, n, s):
    out[0] = len(range(0, n, s))


@pytest.mark.parametrize("kernel", [steps, steps_of_a_value])
@pytest.mark.parametrize("step", [int, np.uint8, np.int64])
def test_a_step_of_zero_is_a_value_error(target, kernel, step):
    run(kernel, np.zeros(1), 9, step(2))
    if target == "cuda":
        return
    with pytest.raises(ValueError, match=r"range\(\) arg 3 must not be zero") as caught:
        run(kernel, np.zeros(1), 9, step(0))
    assert isinstance(caught.value, errors.KernelFailure)


def test_steps_that_are_sizes_of_the_launch_are_not_tested():
    def strides(out, n):
        x, stride = D.block_idx.x * D.block_dim.x + D.thread_idx.x, D.block_dim.x * D.grid_dim.x
        for i in range(x, n, stride):
            out[i] = 0
        for i in range(D.tid(1), n, D.grid_size(1)):
            out[i] = 1

    assert "check" not in D.kernel(strides).inspect(np.zeros(9), 9, what="ir")


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
def parts(out, n, i, j, k):
    r = range(n, 3 * n, 2)
    for row, part in enumerate(
        (r[i:j], r[::-1], r[i::k], r[:j:-2], r[2:][1:], range(9)[3:-2], r[:])
    ):
        out[row, 0] = len(part)
        for at, x in enumerate(part):
            out[row, at + 1] = x
    out[7, 0] = i in r[1:j]
    out[7, 1] = sum(range(20)[4:9:2])
    out[7, 2] = r[1:4] == range(n + 2, n + 8, 2)


@pytest.mark.parametrize("n", [0, 5, 12])
@pytest.mark.parametrize(("i", "j", "k"), [(0, 3, 2), (-3, -1, -1), (4, -20, 1), (2, 99, -3)])
def test_slices_of_ranges_are_ranges(target, n, i, j, k):
    run_as_python(parts, np.zeros((8, 30)), n, i, j, k)


@D.kernel
def downwards(out, u):
    for i in range(u)[::-1]:
        out[0] = 10 * out[0] + i
    out[1] = range(u)[-1]
    out[2] = range(D.uint8(u))[-2]


def test_ranges_without_a_sign_are_gone_through_backwards(target):
    out = np.zeros(3, np.int64)
    run(downwards, out, np.uint32(5))
    assert out.tolist() == [43210, 4, 3]


@D.kernel
def beyond(out, n, i):
    out[0] = range(n, 2 * n)[i]


@pytest.mark.parametrize("index", [int, np.int8, np.int64, np.uint8])
def test_an_index_beyond_a_range_is_an_index_error(target, index):
    out = np.zeros(1)
    run(beyond, out, 9, index(8))
    assert out[0] == 17
    if target == "cuda":
        return
    for i in (9, 100) if index is np.uint8 else (9, -10):
        with pytest.raises(IndexError, match="range object index out of range") as caught:
            run(beyond, out, 9, index(i))
    assert isinstance(caught.value, errors.KernelFailure)


@D.kernel
def index_in_a_part(out, a, x, i, j):
    t = (a[0], a[1], a[2], a[0], a[1])
    out[0] = t.index(x, 2)
    out[1] = t.index(x, i)
    out[2] = t.index(x, i, j)
    out[3] = t.index(x, -3, 5)


@pytest.mark.parametrize(("i", "j"), [(1, 4), (-4, -1), (3, 99), (-99, 1)])
def test_a_part_of_a_tuple_is_searched(target, i, j):
    run_as_python(index_in_a_part, np.zeros(4), np.array([7, 8, 9]), 7, i, j)
    if target != "cuda":
        with pytest.raises(ValueError, match="x not in tuple"):
            run(index_in_a_part, np.zeros(4), np.array([7, 8, 9]), 7, 1, 3)


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
