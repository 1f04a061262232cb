"""Functions that call themselves with arguments that are not known before the kernel runs."""

import inspect
import math

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.clauses import clause
from support.launching import run

# ------------------------------------------------------------------------------- one function


def factorial(n):
    if n <= 1:
        return 1
    return n * factorial(n - 1)


@D.kernel
def factorials(out, n):
    i = D.tid(1)
    if i < out.size:
        out[i] = factorial(i + n)


@clause("DEV-FUNC-02")
def test_factorial(target):
    out = np.zeros(12, dtype=np.int32)
    run(factorials, out, 0, grid=2, block=8)
    assert out.tolist() == [factorial(i) for i in range(12)]


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


@D.kernel
def fibonaccis(out):
    i = D.tid(1)
    if i < out.size:
        out[i] = fibonacci(i)


@clause("DEV-FUNC-02")
def test_two_calls(target):
    out = np.zeros(15, dtype=np.int32)
    run(fibonaccis, out, grid=1, block=32)
    assert out.tolist() == [fibonacci(i) for i in range(15)]


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@D.kernel
def ackermanns(out):
    m, n = D.tid(2)
    out[m, n] = ackermann(m, n)


@clause("DEV-FUNC-02")
def test_ackermann(target):
    out = np.zeros((3, 5), dtype=np.int64)
    run(ackermanns, out, block=(3, 5))
    assert out.tolist() == [[ackermann(m, n) for n in range(5)] for m in range(3)]


# ------------------------------------------------------------------------------ several functions


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@D.kernel
def parities(even, odd):
    i = D.tid(1)
    even[i] = is_even(i)
    odd[i] = is_odd(i)


@clause("DEV-FUNC-02")
def test_mutual_recursion(target):
    even, odd = np.zeros(20, dtype=bool), np.zeros(20, dtype=bool)
    run(parities, even, odd, block=20)
    assert even.tolist() == [i % 2 == 0 for i in range(20)]
    assert odd.tolist() == [i % 2 == 1 for i in range(20)]


def collatz(n, steps):
    if n == 1:
        return steps
    return halved(n, steps + 1) if n % 2 == 0 else tripled(n, steps + 1)


def halved(n, steps):
    return collatz(n // 2, steps)


def tripled(n, steps):
    return collatz(3 * n + 1, steps)


@D.kernel
def collatzes(out):
    i = D.tid(1)
    out[i] = collatz(i + 1, 0)


@clause("DEV-FUNC-02")
def test_a_cycle_of_three(target):
    out = np.zeros(27, dtype=np.int32)
    run(collatzes, out, block=27)
    assert out.tolist() == [collatz(i + 1, 0) for i in range(27)]


# ------------------------------------------------------------------------------ what it is given


@D.kernel
def tree_sums(out, left, right, value):
    def total(node):
        if node < 0:
            return 0.0
        return value[node] + total(left[node]) + total(right[node])

    i = D.tid(1)
    if i < out.size:
        out[i] = total(i)


def random_tree(n, rng):
    left, right = np.full(n, -1, dtype=np.int32), np.full(n, -1, dtype=np.int32)
    for node in range(1, n):
        at = 0
        while True:
            child = left if rng.integers(2) else right
            if child[at] < 0:
                child[at] = node
                break
            at = child[at]
    return left, right


@clause("DEV-FUNC-02")
def test_sum_over_a_tree(target):
    rng = np.random.default_rng(1)
    left, right = random_tree(100, rng)
    value = rng.integers(0, 100, 100).astype(np.float32)  # sums are exact
    expected = value.copy()
    for node in range(99, -1, -1):
        expected[node] += sum(expected[c] for c in (left[node], right[node]) if c >= 0)
    out = np.zeros(100, dtype=np.float32)
    run(tree_sums, out, left, right, value, grid=2, block=64)
    assert np.array_equal(out, expected)


def extremes(a, first, last):
    if last - first == 1:
        return a[first], a[first]
    middle = (first + last) // 2
    low, high = extremes(a, first, middle)
    other_low, other_high = extremes(a, middle, last)
    return min(low, other_low), max(high, other_high)


@D.kernel
def all_extremes(out, a):
    i = D.tid(1)
    row = a[i]
    low, high = extremes(row, 0, row.size)
    out[i, 0] = low
    out[i, 1] = high


@clause("DEV-FUNC-02")
def test_tuples_and_views(target):
    a = np.random.default_rng(2).random((6, 13)).astype(np.float32)
    out = np.zeros((6, 2), dtype=np.float32)
    run(all_extremes, out, a, block=6)
    assert np.array_equal(out, np.stack([a.min(axis=1), a.max(axis=1)], axis=1))


def mean_of(points, first, last):
    if last - first == 1:
        return D.float32x2(points[first, 0], points[first, 1])
    middle = (first + last) // 2
    return (mean_of(points, first, middle) + mean_of(points, middle, last)) * D.float32(0.5)


@D.kernel
def means(out, points):
    mean = mean_of(points, 0, points.shape[0])
    out[0] = mean.x
    out[1] = mean.y


@clause("DEV-FUNC-02")
def test_vectors(target):
    points = np.random.default_rng(3).integers(0, 64, (16, 2)).astype(np.float32)
    out = np.zeros(2, dtype=np.float32)
    run(means, out, points)
    assert np.array_equal(out, points.mean(axis=0))


def count(tree, node, depth, widest):
    if node >= tree.size:
        return depth
    widest[depth] += 1
    left = count(tree, 2 * node + 1, depth + 1, widest)
    return max(left, count(tree, 2 * node + 2, depth + 1, widest))


@D.kernel
def depths(out, tree, widest):
    out[0] = count(tree, 0, 0, widest)


@clause("DEV-FUNC-02")
def test_a_constant_that_grows(target):
    """The depth is a constant in each call, another one each time."""
    out, widest = np.zeros(1, dtype=np.int32), np.zeros(8, dtype=np.int32)
    run(depths, out, np.zeros(20), widest)
    assert (out[0], widest.tolist()) == (5, [1, 2, 4, 8, 5, 0, 0, 0])


def fill(a, first, last, value):
    if first == last:
        return
    a[first] = value
    fill(a, first + 1, last, value * 2)


@D.kernel
def fills(a):
    fill(a, D.tid(1), a.size, 1.0)


@clause("DEV-FUNC-02")
def test_nothing_is_returned(target):
    a = np.zeros(10, dtype=np.float32)
    run(fills, a)
    assert a.tolist() == [2.0**k for k in range(10)]


def corner_sum(a):
    return 0 if a.shape[0] == 0 else a[0, 0] + corner_sum(a[1:])


def top_sum(a):
    return 0 if a.shape[1] == 0 else a[0, 0] + top_sum(a[:, 1:])


def sum_of_all(a):
    if a.ndim == 1:
        return 0 if a.size == 0 else a[0] + sum_of_all(a[1:])
    return 0 if a.shape[0] == 0 else sum_of_all(a[0]) + sum_of_all(a[1:])


@D.kernel
def slices(out, a):
    out[0] = corner_sum(a)
    out[1] = top_sum(a)
    out[2] = sum_of_all(a)


@clause("DEV-FUNC-02")
def test_slices_of_an_array_of_two_axes(target):
    a = np.arange(20, dtype=np.int32).reshape(4, 5) + 1
    out = np.zeros(3, dtype=np.int32)
    run(slices, out, a)
    assert out.tolist() == [a[:, 0].sum(), a[0].sum(), a.sum()]


def two_more(x):
    return x + 2


def walk(n, x):
    return x if n == 0 else walk(n - 1, two_more(x))


@D.kernel
def walks(out, n):
    out[0] = walk(n, 1)


@clause("DEV-FUNC-02")
def test_a_helper_gives_the_constant_that_grows(target):
    out = np.zeros(1, dtype=np.int32)
    run(walks, out, 5)
    assert out[0] == walk(5, 1)


def halve_in_place(n):
    scratch = D.local_array(4, D.int32)
    for k in range(4):
        scratch[k] = n + k
    below = halve_in_place(n // 2) if n > 0 else 0
    total = 0
    for k in range(4):
        total += scratch[(k + n) % 4]
    return below + total


@D.kernel
def local_arrays(out):
    i = D.tid(1)
    out[i] = halve_in_place(i)


@clause("DEV-FUNC-02")
def test_each_call_has_its_own_local_arrays(target):
    def expected(n):
        return (expected(n // 2) if n > 0 else 0) + 4 * n + 6

    out = np.zeros(9, dtype=np.int32)
    run(local_arrays, out, block=9)
    assert out.tolist() == [expected(i) for i in range(9)]


# ------------------------------------------------------------------------------ algorithms


def solutions(n, row, columns, up, down):
    if row == n:
        return 1
    found = 0
    free = ~(columns | up | down) & ((1 << n) - 1)
    while free != 0:
        bit = free & -free
        free ^= bit
        found += solutions(n, row + 1, columns | bit, (up | bit) << 1, (down | bit) >> 1)
    return found


@D.kernel
def queens(out, n):
    column = D.tid(1)
    if column < n:
        bit = 1 << column
        out[column] = solutions(n, 1, bit, bit << 1, bit >> 1)


@clause("DEV-FUNC-02")
def test_queens(target):
    out = np.zeros(6, dtype=np.int32)
    run(queens, out, 6, block=8)
    assert out.sum() == 4


def in_circle(first, count, box, x, y, size, px, py, radius, node):
    """How many points of a quadtree lie in a circle."""
    dx = max(abs(px - x) - size, 0.0)
    dy = max(abs(py - y) - size, 0.0)
    if dx * dx + dy * dy > radius * radius:
        return 0
    if first[node] < 0:
        found = 0
        for k in range(count[node]):
            p = -first[node] - 1 + k
            ex = box[p, 0] - px
            ey = box[p, 1] - py
            if ex * ex + ey * ey <= radius * radius:
                found += 1
        return found
    half = size * 0.5
    found = 0
    for k in range(4):
        nx = x + (half if k % 2 == 1 else -half)
        ny = y + (half if k >= 2 else -half)
        found += in_circle(first, count, box, nx, ny, half, px, py, radius, first[node] + k)
    return found


@D.kernel
def circles(out, first, count, points, queries, radius):
    i = D.tid(1)
    if i < out.size:
        out[i] = in_circle(
            first, count, points, 0.5, 0.5, 0.5, queries[i, 0], queries[i, 1], radius, 0
        )


def quadtree(points, leaf=4):
    """first[node]: its first child, or minus one minus its first point; the points in order."""
    first, count, order = [0], [0], []

    def build(node, inside, x, y, size):
        if len(inside) <= leaf:
            first[node], count[node] = -len(order) - 1, len(inside)
            order.extend(inside)
            return
        children = len(first)
        first[node] = children
        first.extend([0] * 4)
        count.extend([0] * 4)
        half = size / 2
        for k in range(4):
            right, upper = k % 2 == 1, k >= 2
            part = [
                p for p in inside if (points[p, 0] >= x) == right and (points[p, 1] >= y) == upper
            ]
            build(
                children + k,
                part,
                x + (half if right else -half),
                y + (half if upper else -half),
                half,
            )

    build(0, list(range(len(points))), 0.5, 0.5, 0.5)
    return np.array(first, np.int32), np.array(count, np.int32), points[order]


@clause("DEV-FUNC-02")
def test_quadtree(target):
    rng = np.random.default_rng(4)
    points = rng.random((200, 2)).astype(np.float32)
    queries = rng.random((40, 2)).astype(np.float32)
    first, count, ordered = quadtree(points)
    out = np.zeros(40, dtype=np.int32)
    run(circles, out, first, count, ordered, queries, 0.2, grid=2, block=32)
    distance = ((queries[:, None, :] - points[None, :, :]).astype(np.float64) ** 2).sum(axis=2)
    assert np.array_equal(out, (distance <= 0.04).sum(axis=1))


# ------------------------------------------------------------------------------ blocks and failures


@D.kernel
def with_barriers(out):
    shared = D.shared_array(32, D.int32)
    i = D.thread_idx.x
    shared[i] = fibonacci(i % 8)
    D.syncthreads()
    total = 0
    for k in range(32):
        total += shared[(i + k) % 32]
    out[D.tid(1)] = total


@clause("DEV-FUNC-02")
def test_barriers_of_the_kernel(target):
    out = np.zeros(64, dtype=np.int32)
    run(with_barriers, out, grid=2, block=32)
    assert (out == 4 * sum(fibonacci(k) for k in range(8))).all()


def shared_sum(a, first, last):
    if last - first == 1:
        return a[first]
    middle = (first + last) // 2
    return shared_sum(a, first, middle) + shared_sum(a, middle, last)


@D.kernel
def sums_in_shared(out, a):
    shared = D.shared_array(16, D.int32)
    i = D.thread_idx.x
    shared[i] = a[D.tid(1)]
    D.syncthreads()
    out[D.tid(1)] = shared_sum(shared, 0, i + 1)


@clause("DEV-FUNC-02")
def test_shared_arrays_as_arguments(target):
    a = np.arange(32, dtype=np.int32)
    out = np.zeros(32, dtype=np.int32)
    run(sums_in_shared, out, a, grid=2, block=16)
    assert np.array_equal(out.reshape(2, 16), a.reshape(2, 16).cumsum(axis=1))


def guarded(n):
    assert n != 13, "unlucky"
    if n == 77:
        raise ValueError("too lucky")
    return 0 if n == 0 else 1 + guarded(n - 1)


@D.kernel
def guards(out, n):
    out[D.tid(1)] = guarded(n)


def failure(kernel, *args, raises, **dims):
    with pytest.raises(raises) as caught:
        run(kernel, *args, **dims)
    assert isinstance(caught.value, errors.KernelFailure)
    return str(caught.value)


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return f"{__file__}:{first + next(i for i, line in enumerate(lines) if text in line)}"


@clause("DEV-FUNC-02")
def test_checks_within(target):
    if target == "cuda":
        pytest.skip("for other targets: a failure ends the context of a GPU")
    out = np.zeros(1, dtype=np.int32)
    run(guards, out, 12)
    assert out[0] == 12
    text = failure(guards, out, 20, raises=AssertionError)
    assert "unlucky" in text
    assert line_of(guarded, "assert n") in text
    text = failure(guards, out, 77, raises=ValueError)
    assert line_of(guarded, "raise ValueError") in text


def endless(n):
    return endless(n + 1) + 1


def ends_at(n, last):
    return 0 if n == last else 1 + ends_at(n + 1, last)


@D.kernel
def to_the_end(out, n, last):
    i = D.tid(1)
    if i == 3:
        out[0] = ends_at(n, last)


@clause("DEV-FUNC-02")
def test_too_deep(target):
    if target == "cuda":
        pytest.skip("for other targets: a failure ends the context of a GPU")
    out = np.zeros(1, dtype=np.int32)
    run(to_the_end, out, 0, 990, block=8)
    assert out[0] == 990
    text = failure(to_the_end, out, 0, 1100, raises=RecursionError, block=8)
    assert "'ends_at' is called more than 1000 calls deep" in text
    assert line_of(ends_at, "def ends_at") in text
    assert "thread (3, 0, 0)" in text
    run(to_the_end, out, 0, 7, block=8)
    assert out[0] == 7


def turned(n, *values):
    return values[0] if n == 0 else turned(n - 1, *values[1:], values[0])


def turned_tuple(n, *values):
    if n == 0:
        return values
    return turned_tuple(n - 1, *values[1:], values[0])


@D.kernel
def of_many_values(out, n):
    i = D.int32(D.tid(1))
    values = tuple(i + k for k in range(30))
    out[i, 0] = turned(n, *values)
    out[i, 1] = turned_tuple(n, *values)[7]


@clause("DEV-FUNC-02")
def test_too_deep_with_many_arguments_and_results(target):
    """What registers do not hold lies on the stack, at every depth."""
    if target == "cuda":
        pytest.skip("for other targets: a failure ends the context of a GPU")
    out = np.zeros((64, 2), dtype=np.int32)
    run(of_many_values, out, 995, block=64)
    assert out.tolist() == [[i + 995 % 30, i + (995 + 7) % 30] for i in range(64)]
    text = failure(of_many_values, out, 2000, raises=RecursionError, block=64)
    assert "'turned' is called more than 1000 calls deep" in text


# ------------------------------------------------------------------------------ what is refused


def never_ends(n):
    return never_ends(n + 1) + 1


@D.kernel
def without_type(out, n):
    out[0] = never_ends(n)


def test_no_type():
    with pytest.raises(errors.CompileTypeError, match="'never_ends' calls itself, and every value"):
        run(without_type, np.zeros(1), 3)


# ---------------------------------------------------------------------------- threads that meet


def meets(x, n):
    """Threads of a block come to each depth together."""
    total = D.syncthreads_count(lambda: x > n)
    return total if n == 0 else total + meets(x, n - 1)


@D.kernel
def meeting(out, n):
    out[D.tid(1)] = meets(D.thread_idx.x, n)


@clause("DEV-FUNC-02")
def test_barriers_in_functions_that_call_themselves(target):
    out = np.zeros(2 * 40, dtype=np.int32)
    run(meeting, out, 5, grid=2, block=40)
    assert out.tolist() == [sum(39 - k for k in range(6))] * 80


FULL = D.WarpMask(0xFFFFFFFF)


def votes(x, n):
    some = 100 if D.any_sync(FULL, lambda: x < n) else 0
    return x if n == 0 else some + votes(D.shfl_up_sync(FULL, x, 1), n - 1)


@D.kernel
def voting(out, n):
    out[D.tid(1)] = votes(D.lane_id, n)


@clause("DEV-FUNC-02")
def test_warp_operations_in_functions_that_call_themselves(target):
    out = np.zeros(64, dtype=np.int32)
    run(voting, out, 6, grid=2, block=32)
    assert out.tolist() == [600 + max(lane - 6, 0) for lane in range(32)] * 2


@D.func(inline="never")
def sum_of_block(tile, x):
    if D.target(D.is_host):
        return x
    t = D.thread_idx.x
    tile[t] = x
    D.syncthreads()
    half = tile.size // 2
    while half > 0:
        if t < half:
            tile[t] += tile[t + half]
        D.syncthreads()
        half //= 2
    result = tile[0]
    D.syncthreads()
    return result


@D.kernel
def sums_of_blocks(out, a):
    tile = D.shared_array(64, D.int32)
    i = D.tid(1)
    out[i] = sum_of_block(tile, a[i]) - sum_of_block(tile, i)


@clause("DEV-FUNC-02")
def test_shared_arrays_and_barriers_in_called_functions(target):
    a = np.arange(192, dtype=np.int32) ** 2
    out = np.zeros(192, dtype=np.int32)
    run(sums_of_blocks, out, a, grid=3, block=64)
    differences = (a - np.arange(192)).reshape(3, 64).sum(axis=1)
    assert out.tolist() == np.repeat(differences, 64).tolist()


# ---------------------------------------------------------------------------- constants that grow


def scaled(n, x):
    return x if n == 0 else scaled(n - 1, x * 10)


def remainders(n, x, y):
    return 1 if n == 0 else remainders(n - 1, x * 1000, y * 3) + x % 7 + y % 5


@D.func(inline="never")
def never_scaled(n, x):
    return x if n == 0 else never_scaled(n - 1, x * 100)


def product_to(n, x, weight):
    return x * weight if n == 0 else product_to(n - 1, x * n, weight)


@D.kernel
def growing(out, n):
    out[0] = scaled(n, 1)
    out[1] = remainders(n, 1, 5)
    out[2] = never_scaled(n // 2, 3)
    out[3] = product_to(20, 1, out[4])


@clause("DEV-FUNC-02")
def test_constants_grow_until_a_number_ends_the_calls(target):
    """They are int32 then; where constants end the calls they stay exact."""
    out = np.array([0, 0, 0, 0, 4.0])
    run(growing, out, 4)
    expected = [10**4, remainders(4, 1, 5), 3 * 100**2, math.factorial(20) * 4, 4]
    assert out.tolist() == expected


# ---------------------------------------------------------- results in tuples and loops over them


def within(n):
    total = 0
    if n <= 0:
        return 1
    for x in (within(n - 1), 1, n):
        total += x
    return total


def paired(n):
    return (1, 2) if n <= 0 else (paired(n - 1)[1], n)


def halves(n):
    return (0.5, n) if n <= 0 else (halves(n - 1)[0] + n, n)


def chosen(n):
    t = (chosen(n - 1), n) if n > 0 else (0, 0)
    return t[0] + t[1]


def looped(n):
    v = factorial(n)
    total = 0
    for y in (0, v):
        total += y
    for x, y in zip((1, 2), (factorial(n), 3), strict=True):
        total += x * y
    for i, x in enumerate((factorial(n), 2)):
        total += (i + 1) * x
    for x in paired(n):
        total = total * 2 + x
    return total


@D.kernel
def results_in_tuples(out, n):
    i = D.tid(1)
    out[i, 0] = looped(i + n)
    out[i, 1] = within(i + n)
    out[i, 2] = halves(i + n)[0]
    out[i, 3] = chosen(i + n)


@clause("DEV-FUNC-02")
def test_results_in_tuples_and_loops_over_them(target):
    out = np.zeros((8, 4), dtype=np.float32)
    run(results_in_tuples, out, 0, block=8)
    assert out.tolist() == [[looped(i), within(i), halves(i)[0], chosen(i)] for i in range(8)]


def sums(n, a, w):
    if n <= 0:
        return D.int32(1)
    one = sums(n - 3, w[:, n & 1], w)
    return one + a[n & 1] + sums(n - 1, a, w)


@D.kernel
def sums_of_rows(out, a, w):
    t = D.tid(1)
    if t < out.size:
        out[t] = sums(D.int32(t), a, w)


@clause("DEV-FUNC-02")
def test_recursion_over_parts_of_several_arrays(target):
    """A function is made for each array, not one for arrays that are chosen."""
    a, w = np.array([3, 50], np.int32), np.array([[7, 900], [20, 1000]], np.int32)
    out = np.zeros(10, np.int32)
    run(sums_of_rows, out, a, w, block=32)
    assert out.tolist() == [sums(n, a, w) for n in range(10)]
