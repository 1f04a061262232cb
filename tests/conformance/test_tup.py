"""Tuples and iteration (DEV-TUP): kernels are compared with what Python says of their source."""

# ruff: noqa: B007, B905, RUF005, SIM113

import copy
import math

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run


def as_python(kernel, *arguments):
    """Runs the kernel with one thread, and its source in Python, on copies of the arguments."""
    ours, theirs = copy.deepcopy(arguments), copy.deepcopy(arguments)
    run(kernel, *ours)
    kernel.underlying(*theirs)
    for mine, right in zip(ours, theirs, strict=True):
        if isinstance(mine, np.ndarray):
            assert np.array_equal(mine, right, equal_nan=True), (mine, right)
    return ours


def results(n):
    return np.full(n, -77.0)


@D.func
def swapped(pair):
    a, b = pair
    return b, a


@D.func
def chosen(n, t):
    if n > 3:
        return t, 1
    if n > 2:
        return (t[1], t[0]), 2.5
    return t, n


@D.kernel
def elements(out, t, n):
    a, k, (x, flag) = t
    out[0] = a[k] + x + flag
    nested = ((1, 2), (n, (x, 4)))
    out[1] = nested[1][1][0] * nested[1][0] + nested[0][1]
    (p, q), r = swapped((n, (x, k)))
    out[2] = p * 100 + q * 10 + r
    s, m = chosen(n, (k, n))
    out[3] = s[0] * 100 + s[1] * 10 + m
    joined = (1, 2.5) if n > 2 else (n, k)
    out[4] = joined[0] + joined[1]
    for i in range(3):
        joined = (joined[1], joined[0] + i)
    out[5] = joined[0] * 10 + joined[1]
    out[6] = len(t) + len(()) + len(nested[1])


@clause("DEV-TUP-01")
@pytest.mark.parametrize("n", [1, 3, 5])
def test_elements(target, n):
    as_python(elements, results(7), (np.arange(6.0), 3, (1.5, True)), n)


@D.kernel
def parts(out, t, n):
    a, *b = t
    *c, d = t
    e, *f, g = t
    (h, *_), *rest = t, 6, 7
    out[0] = a + b[0] * 10 + b[-1] * 100
    out[1] = c[0] + c[1] * 10 + d * 100
    out[2] = e + len(f) * 10 + g * 100
    out[3] = h + rest[0] * 10 + rest[1] * 100
    first, *nothing = (8,)
    out[4] = first + len(nothing)
    u = t[1:] + t[:-2] + (n,) * 2 + 2 * t[::-1] + t[3:0:-2] + t[-2:]
    out[5] = len(u)
    out[6] = 0.0
    for k, x in enumerate(u):
        out[6] += x * (k + 1)
    u = t[:2]
    u += (n, 0.5)
    out[7] = u[0] + u[1] * 2 + u[2] * 4 + u[3] * 8
    out[8] = (*t, n, *t)[5]
    out[9] = len(t[5:]) + len(t[2:1]) + len(t[:100]) + len(t[-100:2])


def test_parts(target):
    as_python(parts, results(10), (3, 1.5, 2, 7, 11), 4)


@D.kernel
def compared(out, n, x):
    t = (n, x, 3)
    k = 0
    for u in (
        (n, x, 3),
        (n, x, 4),
        (n, x + 1, 0),
        (n - 1, x, 9),
        (n,),
        (),
        (n, x, 3, 0),
        (n + 0.5,),
    ):
        out[k] = (t == u) + 2 * (t != u) + 4 * (t < u) + 8 * (t <= u) + 16 * (t > u) + 32 * (t >= u)
        k += 1
    out[k] = (
        ((1, None, "a") == (1, None, "a"))
        + 2 * ((1, None) < (2, None))
        + 4 * ((None, 1) < (None, 2))
    )
    out[k + 1] = (
        ((n, x) < (n, x, 0) < (n, x, 1))
        + 2 * (n in t)
        + 4 * (7 not in t)
        + 8 * ((n, x) in ((1, 2), (n, x)))
    )
    out[k + 2] = ((n, (x, n)) <= (n, (x, n + 1))) + 2 * ((n, (x, n)) > (n, (x,)))


@pytest.mark.parametrize("x", [2.0, 3.0])
def test_compared(target, x):
    as_python(compared, results(11), 2, x)


@D.kernel
def indexed(out, at, t, n):
    for i in range(at.shape[0]):
        k = at[i]
        out[0, i] = t[k]
        out[1, i] = (1, 2, 4, 8, 16, 32)[k]
        out[2, i] = (n, 0.5, n * 2, 1, 2, 3)[k]
        a, b = ((1, n), (2, 5), (3, 6), (4, 7), (5, 8), (6.5, 9))[k]
        out[3, i] = a * 10 + b
        out[4, i] = t[1:][abs(k) % 5]
        out[5, i] = (7,)[0 * k]


@pytest.mark.parametrize("dtype", ["int32", "int64", "int8"])
def test_indexed_at_run_time(target, dtype):
    at = np.arange(-6, 6, dtype=dtype)
    as_python(indexed, np.zeros((6, 12)), at, (1.5, 2.0, -3.0, 4.0, 5.0, 6.25), 3)
    as_python(
        indexed, np.zeros((6, 6)), np.arange(6, dtype="uint" + dtype[3:]), (1, 2, 3, 4, 5, 6), 3
    )


@D.kernel
def chosen_without_loss(out, i1, i4, u4, u8, f2, f4, f8, n):
    for i in range(2):
        out[0, i] = (i4[0], f8[0])[i]
        out[1, i] = (f2[0], i1[0])[i]
        out[2, i] = (u4[0], i4[0])[i]
        out[3, i] = (True, u8[0])[i]
        out[4, i] = (n, f4[0])[i]
        out[5, i] = (D.int64(3), f4[0])[i]
        out[6, i] = (D.float32(u8[0]), f4[0])[i]
        out[7, i] = (f4[0], 2**31)[i]
        out[8, i] = ((i4[0], 1), (f8[0], 2))[i][0]
        z = (D.complex64(1j), f2[0])[i]
        out[9, i] = z.real + 2 * z.imag


@clause("DEV-TUP-01")
def test_elements_chosen_at_run_time_keep_their_values(target):
    out = np.zeros((10, 2))
    numbers = [
        np.array([-7], "int8"),
        np.array([-(2**31)], "int32"),
        np.array([2**32 - 1], "uint32"),
    ]
    numbers += [np.array([2**64 - 1], "uint64")]
    numbers += [np.array([0.1], t) for t in ("float16", "float32", "float64")]
    run(chosen_without_loss, out, *numbers, 3)
    i1, i4, u4, u8, f2, f4, f8 = (float(x[0]) for x in numbers)
    expected = [
        (i4, f8),
        (f2, i1),
        (u4, i4),
        (1, u8),
        (3, f4),
        (3, f4),
        (u8, f4),
        (f4, 2.0**31),
        (i4, f8),
        (2, f2),
    ]
    assert np.array_equal(out, np.array(expected))


@D.func
def twice(x):
    return 2 * x


@D.func
def plus_one(x):
    return x + 1


@D.kernel
def loops(out, t, arrays, n):
    # Each copy of the body has its own types.
    total = 0
    for x in t:
        y = x * 2
        total = total + y
    out[0] = total + y
    k = 0
    for a in arrays:
        out[1 + k] = a[k]
        a[k] = 50 + k
        k += 1
    for f in (twice, plus_one):
        total = f(total)
    out[4] = total
    squares = ()
    for x in t:
        squares = squares + (x * x,)
    out[5] = squares[0] + squares[-1]
    for i in (0, 1, 2):
        out[6 + i] = t[i] * (1, 10, 100)[i]
    last = 0
    for x in t:
        if x > n:
            last = x
            break
        last = x + 0.5
    else:
        last = -1
    out[9] = last
    for k, (a, x) in enumerate(zip(arrays, t, strict=True)):
        out[10 + k] = a[0] + x
    for x in t:
        for y in (x, 2.5):
            if y > n:
                continue
            out[13] += y
    for x in ():
        out[14] = 1000
    for pair in ((1, 2), (3, 4, 5), ()):
        out[14] += len(pair)
        for x in pair:
            out[14] += x
    while n > 0:
        for x in t:
            n -= 1
            if n == 2:
                break
        out[15] = n + x


@clause("DEV-TUP-01")
@pytest.mark.parametrize("n", [1, 2, 9])
def test_loops(target, n):
    arrays = np.arange(3.0), np.arange(3, dtype=np.int32), np.arange(4, dtype=np.float32) + 2
    ours = as_python(loops, results(16), (1, 2.5, 4), arrays, n)
    assert [a.tolist()[k] for k, a in enumerate(ours[2])] == [50, 51, 52]


@D.kernel
def counted(out, n, m, step):
    k = 0
    for i in reversed(range(n)):
        out[k] = i
        k += 1
    for i, x in enumerate(range(3, m, 2)):
        out[k] = i * 100 + x
        k += 1
    for i, x in enumerate(range(n), 10):
        out[k] = i * 100 + x
        k += 1
    for a, b in zip(range(n), range(n, 3 * n, 2)):
        out[k] = a * 100 + b
        k += 1
    for i, (a, b) in enumerate(zip(range(n), reversed(range(-m, m, step))), start=n):
        out[k] = i * 10000 + a * 100 + b
        k += 1
    for x, i in zip((1.5, 2, 3), range(n), strict=False):
        if i == 2:
            continue
        out[k] = x * 100 + i
        k += 1
    else:
        out[k] = 12345
        k += 1
    for i, x in enumerate(reversed((1, 2.5, 3))):
        out[k] = i * 100 + x
        k += 1
    for x in map(twice, (1, 2.5)):
        out[k] = x
        k += 1
    for x in map(plus_one, range(n)):
        out[k] = x
        k += 1
    for a, b in zip():
        out[k] = a
    for i in reversed(range(m, -m, -step)):
        out[k] = i
        k += 1
    out[k] = len(range(n)) + 10 * len(range(m, n)) + 100 * len(range(m, -m, -step)) + len(range(7))


@pytest.mark.parametrize(("n", "m", "step"), [(0, 0, 1), (2, 9, 3), (5, 4, 2), (3, 7, 1)])
def test_counted(target, n, m, step):
    as_python(counted, results(100), n, m, step)


@D.kernel
def reduced(out, t, a, n):
    out[0] = sum(t) + sum(t, 0.5) + sum(t, start=n) + sum(())
    out[1] = sum(a[k] for k in range(n))
    out[2] = sum(a[k] * x for k, x in enumerate(t))
    out[3] = sum(a[i] * j for i in range(n) for j in range(i) if j != 1)
    out[4] = min(t) + 10 * max(t) + 100 * max(x * x for x in t)
    out[5] = min(a[k] for k in range(1, n + 1)) + 100 * max(
        a[k] - k for k in range(n + 1) if k != 2
    )
    out[6] = all(t) + 2 * any(t) + 4 * all(()) + 8 * any(()) + 16 * all((n, 0))
    out[7] = all(a[k] >= 0 for k in range(n)) + 2 * any(a[k] == 3 for k in range(n))
    out[8] = (
        any(x > 3 for x in t)
        + 2 * all(x > 1 for x in t)
        + 4 * any(x == y for x in t for y in (n, 7))
    )
    out[9] = all(k < n and a[k] < 9 for k in (0, 1, 2, 3)) + 2 * any(x > n for x in t if x > 1)
    squares = tuple(x * x for x in t)
    out[10] = squares[0] + squares[-1] + len(tuple(x for x in t for _ in (1, 2)))
    p, *q = (x + n for x in t if True)
    out[11] = p + 10 * len(q)
    out[12] = sum(tuple(range(5))) + sum(map(twice, t)) + sum(range(n))
    out[13] = math.prod(t) + math.prod(a[k] + 1 for k in range(n)) + math.prod((), start=n)
    x = 5
    out[14] = sum(x for x in t) + x
    out[15] = max(*t, n) + min(*(1, n), *t[1:])
    out[16] = sum(sum(a[i] * a[j] for j in range(i)) for i in range(n))


@pytest.mark.parametrize("n", [1, 3, 4])
def test_reduced(target, n):
    as_python(reduced, results(17), (2, 1.5, 4), np.array([1.0, 3.0, 0.5, -2.0, 8.0, 1.0]), n)


@D.kernel
def asked(out, n, x, t, b):
    out[0] = (
        isinstance(n, int)
        + 2 * isinstance(x, float)
        + 4 * isinstance(t, tuple)
        + 8 * isinstance(n, float)
    )
    out[1] = isinstance(x, (int, float)) + 2 * isinstance(True, int) + 4 * isinstance(b, D.float32)
    out[2] = isinstance(b, float) + 2 * isinstance(D.float64(1), float) + 4 * isinstance(n, tuple)
    out[3] = 0
    for e in t:
        if isinstance(e, float):
            out[3] += e
        elif isinstance(e, tuple):
            out[3] += len(e)


def test_asked(target):
    as_python(asked, results(4), 1, 2.5, (1, 2.5, (1, 2, 3)), np.float32(1))


@D.kernel
def through_arrays(out, a, b, t):
    k = 0
    for i, x in enumerate(a):
        out[k] = 10 * i + x
        k += 1
    for x, row in zip(reversed(a), b):
        out[k] = x + row[0] * row[1]
        k += 1
    for i, (x, y) in enumerate(zip(a, t)):
        out[k] = 100 * i + x * y
        k += 1
    out[k] = sum(a) + max(a) + min(reversed(a)) + sum(x * y for x, y in zip(a, t))
    out[k + 1] = any(x > 4 for x in a) + 2 * all(row[0] < row[1] for row in b)


@pytest.mark.parametrize("n", [2, 5])
def test_through_arrays(target, n):
    b = np.arange(8, dtype=np.int16).reshape(4, 2)
    as_python(through_arrays, results(20), np.arange(n) + 1.0, b, (1, 2.5, 3))


@D.kernel
def of_ranges(out, t):
    squares = tuple(k * t[k] for k in range(3))
    out[0] = squares[0] + 10 * squares[1] + 100 * squares[2]
    a, b = (k + 1 for k in range(2))
    out[1] = a + 10 * b
    out[2] = sum(k * k for k in range(100))
    out[3] = len(tuple((i, j) for i in range(3) for j in range(i) if i != 1))


def test_tuples_of_ranges(target):
    as_python(of_ranges, results(4), (1, 2.5, 3))


@D.kernel
def formats_of_sums(out, a, b):
    out[0] = sum(x for x in (a, a))
    out[1] = sum((a, a, b))


def test_sums_have_the_types_of_their_parts(target):
    a, b, out = np.int8(100), np.int64(1000), np.zeros(2)
    run(formats_of_sums, out, a, b)
    assert out.tolist() == [-56, 944]
