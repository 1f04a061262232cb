"""sorted(), min() and max(): what they compare, and how Python breaks ties."""

import itertools
import operator
from dataclasses import dataclass

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.launching import result_type, run, run_as_python

FLOATS = np.array([3, -4, 1, 4, -1, 0.0, -0.0, 4, np.inf], np.float32)


def negative(x):
    return -x


def coarse(x):
    return x // 2


@D.kernel
def sorts(out, a, n, turned):
    t = (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8])
    for k, x in enumerate(sorted(t)):
        out[0, k] = x
    for k, x in enumerate(sorted(t, reverse=True)):
        out[1, k] = x
    for k, x in enumerate(sorted(t, key=abs)):
        out[2, k] = x
    for k, x in enumerate(sorted(t, key=negative, reverse=turned)):
        out[3, k] = x
    for k, (place, x) in enumerate(sorted(enumerate(t), key=lambda p: p[1])):
        out[4, k] = place
        out[5, k] = x
    for k, (x, place) in enumerate(sorted(zip(t, range(9), strict=True), reverse=True)):
        out[6, k] = place + x
    for k, x in enumerate(sorted(x * n for x in t[:4])):
        out[7, k] = x
    for k, place in enumerate(sorted(range(9), key=lambda i: coarse(a[i]))):
        out[8, k] = place
    first, *rest = sorted(t[1:3])
    out[9, 0] = first + rest[0] + len(sorted(())) + sorted((n,))[0]
    for k, x in enumerate(sorted((3, 1.5, -2), key=operator.neg)):
        out[10, k] = x


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int8", "int64"])
@pytest.mark.parametrize("turned", [False, True])
def test_sorted_is_stable_as_pythons_is(target, dtype, turned):
    rng = np.random.default_rng(len(dtype))
    for values in (FLOATS[:8], rng.integers(-3, 4, 9), rng.integers(-100, 100, 9)):
        a = np.resize(values, 9).astype(dtype)
        out = np.full((11, 9), -77.0)
        expected = out.copy()
        sorts.underlying(expected, a, 2, turned)
        run(sorts, out, a, 2, turned)
        assert np.array_equal(out, expected)
        assert np.array_equal(np.signbit(out), np.signbit(expected))


@D.kernel
def sorts_many(out, a):
    i = D.tid(1)
    if i < a.shape[0]:
        for k, x in enumerate(sorted(a[i, c] for c in range(32))):
            out[i, k] = x


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_the_longest_sort_in_every_thread(target, dtype):
    a = np.random.default_rng(3).integers(0, 200, (70, 32)).astype(dtype)
    out = np.zeros_like(a)
    run(sorts_many, out, a, grid=2, block=64)
    assert np.array_equal(out, np.sort(a))


def test_sorted_makes_one_type_of_its_elements():
    assert result_type(lambda x, y: sorted((x, y))[0], "int32", "float32") == "float32"
    assert result_type(lambda x: sorted((x, 1))[1], "int8") == "int8"


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int


@D.kernel
def bests(out, a, n):
    t = (a[0], a[1], a[2], a[3], a[4])
    out[0] = max(t, key=abs)
    out[1] = min(t, key=negative)
    out[2] = max(range(n), key=lambda i: a[i])
    out[3], out[4] = max(enumerate(t), key=lambda p: -p[1])
    out[5], out[6] = min((a[k], k) for k in range(n))
    out[7] = max((x for x in a if x > 100), default=-1.0)
    out[8] = min((), default=5)
    out[9] = max(range(n - 5), default=n)
    out[10] = max(a, key=abs)
    out[11] = min(a[1], a[2], a[3], key=coarse)
    out[12] = max((1, 2, a[0]), (1, 2, a[1]))[2]
    newest = max(Version(1, n), Version(1, 7), Version(0, 9))
    out[13] = newest.minor
    out[14] = max((k for k in range(n) if a[k] < 3), key=lambda k: a[k], default=-2)
    out[15] = min(a, key=None, default=0)


@pytest.mark.parametrize("n", [5, 9, 6])
def test_min_and_max_take_key_and_default(target, n):
    run_as_python(bests, np.zeros(16), FLOATS[[0, 1, 2, 3, 4, 7, 1, 0, 4]].copy(), n)


@D.kernel
def limits(out, a, b, c, d):
    out[0] = min(a[0], b[0]) == a[0]
    out[1] = max(a[0], b[0]) == b[0]
    out[2] = min(c[0], d[0]) == c[0]
    out[3] = max(d[0], c[0]) == d[0]


def test_signed_and_unsigned_numbers_are_compared_as_they_are(target):
    arrays = [
        np.array([v], t) for v, t in ((2**40, "i8"), (2**63 + 1, "u8"), (7, "i4"), (2**31, "u4"))
    ]
    out = np.zeros(4, bool)
    run(limits, out, *arrays)
    assert out.all()
    arrays[0][0], arrays[2][0] = -1, -1
    chosen = np.zeros(2)
    run(kinds, chosen, arrays[0], arrays[1])
    assert chosen.tolist() == [1, 0]


@D.kernel
def kinds(out, a, b):
    out[0] = max(a[0], b[0]) == b[0]
    out[1] = max((a[0], 0), (b[0], 1), key=lambda p: p[0])[1] == 0


NUMBERS = {
    "int": (-70000, -1, 0, 200, 2**31 - 1),
    "uint8": (0, 255),
    "int8": (-128, 127),
    "uint32": (0, 5, 2**32 - 1),
    "int64": (-(2**63), -1, 2**63 - 1),
    "uint64": (0, 2**63 + 1),
}


@D.kernel
def both_ways(out, large, a, b):
    out[0], out[1] = min(a, b), min(b, a)
    large[0], large[1] = max(a, b), max(b, a)


@pytest.mark.parametrize("types", itertools.product(NUMBERS, repeat=2), ids="-".join)
def test_the_best_of_two_types_of_integers_is_pythons(target, types):
    """As numbers of 64 bits; the largest of a uint64 may be one."""
    for values in itertools.product(*(NUMBERS[t] for t in types)):
        given = [
            v if t == "int" else np.dtype(t).type(v) for t, v in zip(types, values, strict=True)
        ]
        wide = np.uint64 if "uint64" in types else np.int64
        out, large = np.zeros(2, wide if set(types) == {"uint64"} else np.int64), np.zeros(2, wide)
        run(both_ways, out, large, *given)
        assert out.tolist() == [min(values)] * 2, values
        assert large.tolist() == [max(values)] * 2, values


@D.kernel
def sorted_of_two_types(out, u, w, k):
    out[0], out[1], out[2] = sorted((u, k, 300))
    out[3], out[4] = sorted((w, k), reverse=True)
    out[5] = min(w, k, key=coarse)
    out[6] = max((u, k), (k, k), (w, 1))[0]


@pytest.mark.parametrize("k", [-1, 7, 70000])
def test_sorted_keeps_all_numbers_of_two_types(target, k):
    out, u, w = np.zeros(7, np.int64), 255, 2**32 - 1
    run(sorted_of_two_types, out, np.uint8(u), np.uint32(w), k)
    expected = [*sorted((u, k, 300)), *sorted((w, k), reverse=True), min(w, k), w]
    assert out.tolist() == expected


def test_types_of_the_best_of_two():
    assert result_type(lambda a, b: min(a, b), "uint32", "int") == "int"
    assert result_type(lambda a, b: max(a, b), "uint32", "int") == "uint32"
    assert result_type(lambda a, b: max(a, b), "uint8", "int") == "int"
    assert result_type(lambda a, b: min(a, b), "int64", "uint64") == "int64"
    assert result_type(lambda a: min(a, 5), "uint8") == "uint8"
    assert result_type(lambda a: min(a, -5), "uint8") == "int"


@D.kernel
def largest(out, a, n):
    out[0] = max(a[k] for k in range(n))


@D.kernel
def smallest(out, a, n):
    out[0] = min(a[:n])


@D.kernel
def longest(out, a, n):
    out[0] = max(range(n), key=lambda k: a[k])


@pytest.mark.parametrize("kernel", [largest, smallest, longest])
def test_the_best_of_nothing_is_a_value_error(target, kernel):
    out = np.zeros(1)
    run(kernel, out, FLOATS, 4)
    if target == "cuda":
        return
    name = "min" if kernel is smallest else "max"
    with pytest.raises(ValueError, match=rf"{name}\(\) arg is an empty sequence") as caught:
        run(kernel, out, FLOATS, 0)
    assert isinstance(caught.value, errors.KernelFailure)


@dataclass(frozen=True, order=True)
class Entry:
    weight: int
    name: str


@D.kernel
def with_texts(n, x):
    first = (n, "left")
    print(max(first, (2, "right"), (2, "middle")), min(first, (x, "low")))
    print(sorted(((n, "b"), (x, "c"), (n, "a"))) == ((n, "a"), (n, "b"), (x, "c")))
    heaviest = max((Entry(n, "a"), Entry(x, "b"), Entry(2, "c")))
    print(heaviest.name, heaviest.weight, min("left", "right" if n > 1 else "alone"))
    print(max((1, "one"), (n, "n"), (x, "x"), key=lambda p: -p[0])[1])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_what_holds_texts(capsys, n, on_the_host):
    with_texts_in_python(n, 3)
    expected = capsys.readouterr().out
    D.launch(with_texts, n, 3, grid=1, block=1)
    assert capsys.readouterr().out == expected


def with_texts_in_python(n, x):
    """What sorted() gives is a list in Python."""
    first = (n, "left")
    print(max(first, (2, "right"), (2, "middle")), min(first, (x, "low")))
    print(sorted(((n, "b"), (x, "c"), (n, "a"))) == [(n, "a"), (n, "b"), (x, "c")])
    heaviest = max((Entry(n, "a"), Entry(x, "b"), Entry(2, "c")))
    print(heaviest.name, heaviest.weight, min("left", "right" if n > 1 else "alone"))
    print(max((1, "one"), (n, "n"), (x, "x"), key=lambda p: -p[0])[1])


@D.kernel
def best_function(out, x):
    f = max((negative, coarse, abs), key=lambda g: g(x))
    out[0] = f(10)


@pytest.mark.parametrize("x", [-7, 0, 9])
def test_functions_are_chosen_by_a_key(target, x):
    run_as_python(best_function, np.zeros(1, np.int32), x)


@D.kernel
def of_one_range(out, n):
    out[0] = len(sorted((range(n),), key=len)[0])


def test_one_element_is_sorted_whatever_it_is(target):
    run_as_python(of_one_range, np.zeros(1, np.int32), 5)
