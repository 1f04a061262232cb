"""What functions that are called when the kernel runs are given and give back: local and shared
arrays, variables of the functions around them, tuples and structs."""

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.clauses import clause
from support.launching import run

# ------------------------------------------------------------------ local arrays of the caller


def quicksort(a, first, last):
    if last - first < 2:
        return
    pivot = a[(first + last) // 2]
    i = first
    j = last - 1
    while i <= j:
        while a[i] < pivot:
            i += 1
        while a[j] > pivot:
            j -= 1
        if i <= j:
            a[i], a[j] = a[j], a[i]
            i += 1
            j -= 1
    quicksort(a, first, j + 1)
    quicksort(a, i, last)


@D.kernel
def sorts(rows):
    t = D.tid(1)
    own = D.local_array(12, D.int32)
    for k in range(12):
        own[k] = rows[t, k]
    quicksort(own, 0, 12)
    for k in range(12):
        rows[t, k] = own[k]


@clause("DEV-FUNC-02")
def test_a_local_array_is_sorted_in_place(target):
    rows = np.random.default_rng(1).integers(0, 50, (8, 12)).astype(np.int32)
    expected = np.sort(rows, axis=1)
    run(sorts, rows, block=8)
    assert rows.tolist() == expected.tolist()


def place_queens(columns, row, n):
    """How many ways there are to fill the other rows."""
    if row == n:
        return 1
    found = 0
    for c in range(n):
        free = True
        for r in range(row):
            if columns[r] == c or abs(columns[r] - c) == row - r:
                free = False
        if free:
            columns[row] = c
            found += place_queens(columns, row + 1, n)
    return found


@D.kernel
def queens(out, n):
    columns = D.local_array(8, D.int8)
    columns[0] = D.tid(1)
    out[D.tid(1)] = place_queens(columns, 1, n)


@clause("DEV-FUNC-02")
def test_backtracking_in_a_local_array(target):
    out = np.zeros(6, dtype=np.int32)
    run(queens, out, 6, block=6)
    assert out.tolist() == [0, 1, 1, 1, 1, 0]


def mirrored(a, b, n):
    """Changes the roles of the arrays in each call; makes one of its own, and lends that too."""
    if n == 0:
        return
    own = D.local_array(3, D.int32)
    for k in range(3):
        own[k] = a[k] + n
    mirrored(b, own, n - 1)
    for k in range(3):
        a[k] += b[k] + own[2 - k]


def mirrored_in_python(a, b, n):
    if n == 0:
        return
    own = [x + n for x in a]
    mirrored_in_python(b, own, n - 1)
    for k in range(3):
        a[k] += b[k] + own[2 - k]


@D.kernel
def mirrors(out, n):
    t = D.tid(1)
    a = D.local_array(3, D.int32)
    b = D.local_array(3, D.int32)
    for k in range(3):
        a[k] = t + k
        b[k] = t * k
    mirrored(a, b, n)
    for k in range(3):
        out[t, k] = a[k]


@clause("DEV-FUNC-02")
def test_arrays_change_places_and_are_lent_on(target):
    out = np.zeros((5, 3), dtype=np.int32)
    run(mirrors, out, 6, block=5)
    for t in range(5):
        a, b = [t + k for k in range(3)], [t * k for k in range(3)]
        mirrored_in_python(a, b, 6)
        assert out[t].tolist() == a


def twice(a, b, n):
    """a and b may be one array."""
    if n == 0:
        return a[0] + b[0]
    a[0] = n
    b[0] += 10
    before = a[0]
    return before + twice(a, b, n - 1)


@D.kernel
def twices(out, n):
    a = D.local_array(1, D.int32)
    b = D.local_array(1, D.int32)
    a[0] = b[0] = 0
    out[0] = twice(a, b, n)
    a[0] = b[0] = 0
    out[1] = twice(a, a, n)


@clause("DEV-FUNC-02")
def test_one_array_may_be_given_twice(target):
    def expected(a, b, n):
        if n == 0:
            return a[0] + b[0]
        a[0] = n
        b[0] += 10
        return a[0] + expected(a, b, n - 1)

    out = np.zeros(2, dtype=np.int32)
    run(twices, out, 4)
    same = [0]
    assert out.tolist() == [expected([0], [0], 4), expected(same, same, 4)]


def total_of(tile, first, last):
    if last - first == 1:
        return tile[first, 0] - tile[first, 1]
    middle = (first + last) // 2
    return total_of(tile, first, middle) + total_of(tile, middle, last)


def row_sum(row, k):
    return 0 if k == row.size else row[k] + row_sum(row, k + 1)


@D.kernel
def views(out, a):
    t = D.tid(1)
    tile = D.local_array((4, 6), D.int32)
    for i in range(4):
        for j in range(6):
            tile[i, j] = a[t, i * 6 + j]
    out[t, 0] = total_of(tile, 0, 4)
    out[t, 1] = total_of(tile[1:, 2:], 0, 3)
    out[t, 2] = total_of(tile.T, 0, 6)
    out[t, 3] = row_sum(tile[t % 4], 0)
    out[t, 4] = row_sum(tile[:, t % 6], t % 2)


@clause("DEV-FUNC-02")
def test_views_of_local_arrays(target):
    a = np.random.default_rng(2).integers(-90, 90, (7, 24)).astype(np.int32)
    out = np.zeros((7, 5), dtype=np.int32)
    run(views, out, a, block=7)
    for t in range(7):
        tile = a[t].reshape(4, 6)
        assert out[t].tolist() == [
            (tile[:, 0] - tile[:, 1]).sum(),
            (tile[1:, 2] - tile[1:, 3]).sum(),
            (tile.T[:, 0] - tile.T[:, 1]).sum(),
            tile[t % 4].sum(),
            tile[t % 2 :, t % 6].sum(),
        ]


@D.struct
class Particle:
    mass: D.float64
    hits: D.int8


@D.func(inline="never")
def heavier(particles, k):
    particles[k].mass += 0.5
    particles[k].hits = particles[k].hits + 1
    return particles[k].mass


@D.func(inline="never")
def count_up(counter, by):
    counter.add(by)


@D.kernel
def structs(out):
    t = D.tid(1)
    particles = D.local_array(2, Particle)
    counter = D.Atomic(D.int32)
    for k in range(2):
        particles[k].mass = t + k
        particles[k].hits = k
    for n in range(3):
        heavier(particles, n % 2)
        count_up(counter, t)
    out[t, 0] = particles[0].mass
    out[t, 1] = particles[1].mass + particles[1].hits
    out[t, 2] = counter.load()


@clause("DEV-FUNC-02")
def test_local_arrays_of_structs_and_local_atomics(target):
    out = np.zeros((4, 3))
    run(structs, out, block=4)
    assert out.tolist() == [[t + 1.0, t + 1.5 + 2, 3.0 * t] for t in range(4)]


@D.func(inline="never")
def larger_of(a, b):
    return a if a[0] > b[0] else b


@D.func(inline="never")
def sum_of_parts(pair, scale):
    first, rest = pair
    return scale * first[0] + rest[0][1] - rest[1]


@D.kernel
def passed_in_tuples(out):
    t = D.tid(1)
    a = D.local_array(2, D.int32)
    b = D.local_array(2, D.int32)
    for k in range(2):
        a[k] = t + k
        b[k] = 3 - t + k
    out[t, 0] = sum_of_parts((a, (b, t)), 100)
    larger = larger_of(a, b)
    larger[1] = 77
    out[t, 1] = a[1]
    out[t, 2] = b[1]


@clause("DEV-FUNC-02")
def test_local_arrays_in_tuples_and_as_results(target):
    out = np.zeros((4, 3), dtype=np.int32)
    run(passed_in_tuples, out, block=4)
    assert out.tolist() == [
        [100 * t + 4 - t - t, 77 if t > 3 - t else t + 1, 4 - t if t > 3 - t else 77]
        for t in range(4)
    ]


@D.func(inline="never")
def whole_size(a):
    """Its shape is a constant, as where it is inlined."""
    if D.target(D.is_host):
        return 0
    scratch = D.local_array(a.shape[0] * 2, D.int32)
    for k in range(scratch.size):
        scratch[k] = a[k // 2]
    total = 0
    for k in range(scratch.size):
        total += scratch[k]
    return total


@D.kernel
def sizes(out):
    a = D.local_array(3, D.int32)
    b = D.local_array(5, D.int32)
    for k in range(3):
        a[k] = k
    for k in range(5):
        b[k] = k
    out[0] = whole_size(a)
    out[1] = whole_size(b)


@clause("DEV-FUNC-02")
def test_shapes_of_lent_arrays_are_constants(target):
    out = np.zeros(2, dtype=np.int32)
    run(sizes, out)
    assert out.tolist() == [6, 20]
    ir = sizes.inspect(out, what="ir")
    assert ir.count('"whole_size"') == 2  # one for each shape


@D.func(inline="never")
def store_two(a, k, v):
    a[k] = v
    a[k + 1] = v + 1


@D.kernel
def one_function(out):
    t = D.tid(1)
    a = D.local_array(4, D.int32)
    b = D.local_array(4, D.int32)
    store_two(a, 0, t)
    store_two(b, 2, 10 * t)
    store_two(a, 2, 20 * t)
    out[t] = a[0] + a[1] + a[2] + a[3] + b[2] + b[3]


@clause("DEV-FUNC-02")
def test_one_function_serves_all_arrays_of_a_shape(target):
    out = np.zeros(6, dtype=np.int32)
    run(one_function, out, block=6)
    assert out.tolist() == [t + t + 1 + 40 * t + 1 + 20 * t + 1 for t in range(6)]
    # Constants of a call are its function's.
    assert one_function.inspect(out, block=6, what="ir").count('"store_two"') == 2


# ------------------------------------------------------------------ variables of functions around


@D.kernel
def capturing(out, n):
    t = D.tid(1)
    k = n * t

    def down(m):
        return k if m == 0 else 1 + down(m - 1)

    out[t, 0] = down(n)
    k += 5
    out[t, 1] = down(n)


@clause("DEV-FUNC-02")
def test_a_captured_number_is_read_when_it_is_called(target):
    out = np.zeros((6, 2), dtype=np.int32)
    run(capturing, out, 4, block=6)
    assert out.tolist() == [[4 * t + 4, 4 * t + 9] for t in range(6)]


@D.kernel
def capturing_arrays(out, n):
    t = D.tid(1)
    s = D.local_array((4, 4), D.int32)
    for k in range(16):
        s[k // 4, k % 4] = t * k
    row = s[2]
    pair = (1, (s[t % 4], 2.5))
    x = D.Atomic(D.int32)

    def total(i):
        return 0 if i == 4 else s[i, i] + total(i + 1)

    def of_row(i):
        return 0 if i == 4 else row[i] + of_row(i + 1)

    def of_pair(i):
        return 0.0 if i == 4 else pair[1][0][i] * pair[1][1] + of_pair(i + 1)

    def count(m):
        if m == 0:
            return
        x.add(m)
        count(m - 1)

    count(n)
    out[t, 0] = total(n - 3)
    out[t, 1] = of_row(n - 3)
    out[t, 2] = of_pair(n - 3)
    out[t, 3] = x.load()


@clause("DEV-FUNC-02")
def test_captured_local_arrays_views_tuples_and_atomics(target):
    out = np.zeros((6, 4), dtype=np.float32)
    run(capturing_arrays, out, 3, block=6)
    for t in range(6):
        s = t * np.arange(16).reshape(4, 4)
        assert out[t].tolist() == [np.trace(s), s[2].sum(), s[t % 4].sum() * 2.5, 6]


def applied(f, n):
    return 0 if n == 0 else f(n - 1) + applied(f, n - 1)


@D.kernel
def passing_lambdas(out, n):
    t = D.tid(1)
    s = D.local_array(4, D.int32)
    for k in range(4):
        s[k] = t + k
    scale = t - 2
    out[t, 0] = applied(lambda i: s[i] * scale, n)
    out[t, 1] = applied(lambda i: applied(lambda j: s[j] + i * scale, i), n)


@clause("DEV-FUNC-02")
def test_lambdas_that_capture_are_passed_on(target):
    out = np.zeros((5, 2), dtype=np.int32)
    run(passing_lambdas, out, 4, block=5)
    for t in range(5):
        s, scale = [t + k for k in range(4)], t - 2
        assert out[t].tolist() == [
            applied(lambda i: s[i] * scale, 4),  # noqa: B023
            applied(lambda i: applied(lambda j: s[j] + i * scale, i), 4),  # noqa: B023
        ]


def outer(n):
    s = D.local_array(4, D.int32)
    for k in range(4):
        s[k] = n * k

    def total(i):
        return 0 if i == 4 else s[i] + total(i + 1)

    return 0 if n == 0 else outer(n - 1) + total(n - n)


@D.kernel
def capturing_in_called(out):
    out[D.tid(1)] = outer(D.tid(1))


@clause("DEV-FUNC-02")
def test_each_call_of_the_function_around_has_its_own_variables(target):
    out = np.zeros(6, dtype=np.int32)
    run(capturing_in_called, out, block=6)
    assert out.tolist() == [sum(6 * k for k in range(n + 1)) for n in range(6)]


@D.kernel
def mutual(out, n):
    t = D.tid(1)
    step = t + 1
    limit = 3 * n

    def even(m):
        return 0 if m >= limit else step + odd(m + 1)

    def odd(m):
        return 100 if m >= limit else 2 * step + even(m + 1)

    out[t] = even(0) - odd(n)


@clause("DEV-FUNC-02")
def test_closures_call_each_other(target):
    def expected(t, n):
        def even(m):
            return 0 if m >= 3 * n else t + 1 + odd(m + 1)

        def odd(m):
            return 100 if m >= 3 * n else 2 * (t + 1) + even(m + 1)

        return even(0) - odd(n)

    out = np.zeros(4, dtype=np.int32)
    run(mutual, out, 5, block=4)
    assert out.tolist() == [expected(t, 5) for t in range(4)]


@D.kernel
def defaults(out, n):
    t = D.tid(1)
    x = t * t

    def down(m, by=x, *, last=n):
        return by - last if m == 0 else by + down(m - 1)

    x = 1000
    out[t] = down(3) + x


@clause("DEV-FUNC-02")
def test_defaults_that_are_variables(target):
    """They are what they were where the function was made."""
    out = np.zeros(5, dtype=np.int32)
    run(defaults, out, 7, block=5)
    assert out.tolist() == [4 * t * t - 7 + 1000 for t in range(5)]


def visits(n, then):
    if n == 0:
        return then(1)
    return visits(n - 1, lambda m: m + then(n))


@D.kernel
def within_itself(out, n):
    out[0] = visits(n, lambda m: m)


def test_a_function_within_the_called_one_is_refused_as_its_argument():
    with pytest.raises(errors.CompileError) as raised:
        run(within_itself, np.zeros(1, dtype=np.int32), 3)
    assert "visits" in str(raised.value)
    assert "when the kernel runs" in str(raised.value) or "nested" in str(raised.value)


# ------------------------------------------------------------------ shared arrays


@D.func(inline="never")
def reversed_in_block(x):
    if D.target(D.is_host):
        return x
    tile = D.shared_array(32, D.int32)
    t = D.thread_idx.x
    tile[t] = x
    D.syncthreads()
    result = tile[31 - t]
    D.syncthreads()
    return result


@D.kernel
def shared_in_called(out, a):
    i = D.tid(1)
    out[i] = reversed_in_block(a[i]) - 2 * reversed_in_block(i)


@clause("DEV-FUNC-02")
def test_shared_arrays_made_in_called_functions(target):
    a = np.arange(64, dtype=np.int32) ** 2
    out = np.zeros(64, dtype=np.int32)
    run(shared_in_called, out, a, grid=2, block=32)
    flipped = lambda v: v.reshape(2, 32)[:, ::-1].ravel()  # noqa: E731
    assert out.tolist() == (flipped(a) - 2 * flipped(np.arange(64))).tolist()


# ------------------------------------------------------------------ results


@D.struct
class Range:
    low: D.int32
    high: D.float64


def bounds(a, first, last):
    """A struct in a tuple with a tuple."""
    if last - first == 1:
        return Range(a[first], a[first]), (first, (a[first] > 0, D.int8(1)))
    middle = (first + last) // 2
    left, (_, (some, n)) = bounds(a, first, middle)
    right, (at, (others, m)) = bounds(a, middle, last)
    both = Range(min(left.low, right.low), max(left.high, right.high))
    return both, (at, (some and others, n + m))


@D.kernel
def results(out, a):
    t = D.tid(1)
    found, (at, (positive, n)) = bounds(a[t], 0, a.shape[1])
    out[t, 0] = found.low
    out[t, 1] = found.high
    out[t, 2] = at
    out[t, 3] = positive
    out[t, 4] = n


@clause("DEV-FUNC-02")
def test_structs_and_nested_tuples_are_returned(target):
    a = np.random.default_rng(3).integers(-20, 200, (6, 9)).astype(np.int32)
    out = np.zeros((6, 5))
    run(results, out, a, block=6)
    for t in range(6):
        assert out[t].tolist() == [a[t].min(), a[t].max(), 8, (a[t] > 0).all(), 9]
