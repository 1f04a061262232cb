"""Loops over generator expressions, searches of arrays, zip(strict=True): as in Python."""

# ruff: noqa: B905

import copy

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.launching import run


def as_python(kernel, out, *arguments):
    """Runs the kernel with one thread, and its source in Python, on copies of the arguments."""
    ours, theirs = copy.deepcopy(out), copy.deepcopy(out)
    run(kernel, ours, *copy.deepcopy(arguments))
    kernel.underlying(theirs, *copy.deepcopy(arguments))
    assert np.array_equal(ours, theirs), (ours, theirs)


@D.kernel
def gone_through(out, a, n):
    s = 0
    for x in (a[k] * 2 + s for k in range(n)):  # reads what the body changes
        s += x
    out[0] = s
    for x in (t * s + 1 for t in (1, 2.5, n)):
        s += x
    out[1] = s
    for k, x in enumerate(y + s for y in a):
        out[2] += k * x
    for (k, m), x in zip(((k, k * k) for k in range(n)), (y for y in a)):
        out[3] += k * x + m
    for x in (k for k in ()):
        out[4] = x
    else:
        out[4] += 7
    out[5] = sum(k * x for k, x in enumerate(y * y for y in a))


@pytest.mark.parametrize("n", [0, 1, 4])
def test_loops(target, n):
    as_python(gone_through, np.zeros(6), np.array([3, 1, 4, 1, 5]), n)


@D.func
def first_above(a, bound):
    for x in (v for v in a if v > bound):
        return x
    return -1


@D.kernel
def nested(out, a, n):
    s = 0
    for x in (a[k] * t + s for k in range(n) if k % 2 == 0 for t in (1, 2, 3) if t != k):
        if x > 30:
            break
        if x % 5 == 0:
            continue
        s += x
    else:
        s += 100
    out[0] = s
    s = 0
    for _ in range(2):
        for x in (v for v in a for w in (1, 2) if v > w):
            for y in (x * t for t in (1, 2)):
                if y > 5:
                    break
                s += y
            s += first_above(a, n)
    out[1] = s
    for t in (t for t in (1, 2.5) for _ in range(n)):
        out[2] += t * t
    for i, j in ((p, q) for p in range(n) for q in range(p)):
        out[3] += 10 * i + j


@pytest.mark.parametrize("n", [0, 2, 5])
def test_conditions_and_several_loops(target, n):
    as_python(nested, np.zeros(4), np.array([3, 1, 4, 1, 5]), n)


@D.kernel
def one_of_threads(out, a):
    i = D.tid(1)
    s = 0
    for x in (a[k] + s for k in range(i % 5) if a[k] != i):
        if x > 12:
            break
        s += x
    out[i] = s


def test_each_thread_goes_its_own_way(target):
    a = np.array([3, 1, 4, 1, 5])
    out, expected = np.zeros(64, np.int64), []
    run(one_of_threads, out, a, block=64)
    for i in range(64):
        s = 0
        for k in range(i % 5):
            if a[k] == i:
                continue
            if a[k] + s > 12:
                break
            s += a[k] + s
        expected.append(s)
    assert out.tolist() == expected


@D.kernel
def asked_of_arrays(out, a, b, n):
    out[0] = all(a) + 2 * any(a[:n]) + 4 * all(a[1:]) + 8 * any(a[:0]) + 16 * all(a[:0])
    out[1] = (n in a) + 2 * (n not in a) + 4 * (3.0 in a) + 8 * (2.5 in a) + 16 * (n in a[2:])
    out[2] = (n in b) + 2 * (7 in b[1]) + 4 * (n in (x * x for x in a))
    out[3] = (n in (x for x in a if x > 2)) + 2 * all(x in b for x in a)


@pytest.mark.parametrize("n", [0, 1, 3, 4, 9])
def test_arrays_are_searched(target, n):
    a, b = np.array([0, 3, 1, 4, 1]), np.arange(8, dtype=np.int16).reshape(4, 2)
    as_python(asked_of_arrays, np.zeros(4), a, b, n)


@D.kernel
def in_step(out, a, b, n):
    for x, y in zip(a, b, strict=True):
        out[0] += x * y
    for x, k in zip(a, range(n), strict=True):
        out[1] += x * k


def test_zip_of_equal_lengths(target):
    as_python(in_step, np.zeros(2), np.arange(4), np.arange(4.0), 4)


@pytest.mark.parametrize(("lengths", "n"), [((4, 3), 4), ((3, 4), 3), ((4, 4), 3), ((0, 0), 1)])
def test_zip_of_other_lengths_fails(target, lengths, n):
    a, b = (np.ones(length) for length in lengths)
    with pytest.raises(errors.KernelError if target == "cuda" else ValueError, match="strict=True"):
        run(in_step, np.zeros(2), a, b, n)


def test_a_range_below_zero_is_as_long_as_an_empty_array(target):
    as_python(in_step, np.zeros(2), np.zeros(0), np.zeros(0), -3)
