"""Control around barriers: who comes to them, who decides, what is kept from one to the next."""

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing
from support.launching import run

RNG = np.random.default_rng(11)
BLOCKS = [1, 33, 100, (7, 5, 3)]


def threads(block):
    return int(np.prod(block))


def linear():
    x, y, z = D.thread_idx
    return x + D.block_dim.x * (y + D.block_dim.y * z)


# --- whose votes count ---


@D.kernel
def asks_those_who_are_there(out, n):
    t = linear()
    out[0, t] = D.syncthreads_and(lambda: t < n)
    out[1, t] = D.syncthreads_or(lambda: t >= n)
    out[2, t] = D.syncthreads_count(lambda: t >= n)
    out[3, t] = D.syncthreads_count(lambda: t < n)


@pytest.mark.parametrize("block", BLOCKS)
def test_lanes_beyond_the_block_have_no_vote(target, block):
    n = threads(block)
    out = np.full((4, n), -1, np.int32)
    run(asks_those_who_are_there, out, n, block=block)
    assert out.tolist() == [[1] * n, [0] * n, [0] * n, [n] * n]


@D.kernel
def asks_those_who_stay(out, gone):
    t = linear()
    if t < gone:
        return
    out[0, t] = D.syncthreads_and(lambda: t >= gone)
    out[1, t] = D.syncthreads_or(lambda: t < gone)
    out[2, t] = D.syncthreads_count(lambda: t < gone + 2)


@pytest.mark.parametrize("block", BLOCKS)
@pytest.mark.parametrize("gone", [1, 31, 64, 99])
def test_threads_that_have_left_have_no_vote(target, block, gone):
    n = threads(block)
    out = np.full((3, n), -1, np.int32)
    run(asks_those_who_stay, out, gone, block=block)
    stay = max(n - gone, 0)
    left = [-1] * (n - stay)
    assert out.tolist() == [left + [v] * stay for v in (1, 0, min(stay, 2))]


@D.kernel
def asks_what_was_answered(out, a, n):
    t = linear()
    mine = False
    for j in range(n):
        D.syncthreads()
        mine = a[t] > j
    all_large = D.syncthreads_and(lambda: a[t] >= 5)
    again = D.syncthreads_or(lambda: all_large)
    out[t] = 10 * again + mine + 100 * D.syncthreads_count(lambda: again)


@pytest.mark.parametrize("value", [0, 1, 5])
def test_the_answer_of_a_barrier_is_the_word_at_the_next(target, value):
    out = np.zeros(33, np.int32)
    run(asks_what_was_answered, out, np.full(33, value, np.int32), 1, block=33)
    assert out.tolist() == [3310 * (value == 5) + (value > 0)] * 33


# --- who decides ---


@D.kernel
def the_others_go_on(out, a, gone):
    t = D.thread_idx.x
    left = a[t]
    if t < gone:
        return
    came = 0
    while left > 0:
        came += D.syncthreads_count(lambda: True)
        left -= 1
    if left == 0:
        D.syncthreads()
        came += 1000
    out[t] = came


@pytest.mark.parametrize("gone", [0, 1, 33, 64, 99, 100])
@pytest.mark.parametrize("theirs", [0, 9])
def test_threads_that_have_left_do_not_decide(target, gone, theirs):
    a = np.full(100, 3, np.int32)
    a[:gone] = theirs
    out = np.full(100, -1, np.int32)
    run(the_others_go_on, out, a, gone, block=100)
    stay = 100 - gone
    assert out.tolist() == [-1] * gone + [3 * stay + 1000] * stay


@D.kernel
def all_leave_in_a_loop(out, rounds):
    t = D.thread_idx.x
    seen = rounds
    for k in range(rounds):
        if t // 40 == k or k == 2:
            return
        D.syncthreads()
        seen = D.syncthreads_count(lambda: seen >= 0)  # noqa: B023
        out[t] = seen


@pytest.mark.parametrize("rounds", [0, 1, 2, 3, 10])
def test_a_block_whose_threads_have_all_left_is_done(target, rounds):
    out = np.full(100, -1, np.int32)
    run(all_leave_in_a_loop, out, rounds, block=100)
    last = {0: [-1, -1, -1], 1: [-1, 60, 60]}.get(rounds, [-1, 60, 20])
    assert out.tolist() == [last[t // 40] for t in range(100)]


# --- ways out of loops ---

STEPS = (3, 5, 7)


def first_beyond(held, t, limit, stop):
    """A return leaves three scopes at once: those of the step, of the loop and of the call."""
    for k in STEPS:
        if k == stop:
            break
        held[t] = t * k
        D.syncthreads()
        if k == limit:
            continue
        right = held[(t + 1) % D.block_dim.x]
        D.syncthreads()
        if k > limit:
            return right
    D.syncthreads()
    return -1


@D.kernel
def looks_for_the_first(out, limit, stop):
    held = D.shared_array(40, D.int32)
    t = D.thread_idx.x
    out[t] = first_beyond(held, t, limit, stop)


@pytest.mark.parametrize("limit", [0, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("stop", [0, 3, 5, 7])
def test_a_return_from_a_loop_over_a_tuple(target, limit, stop):
    out = np.zeros(40, np.int32)
    run(looks_for_the_first, out, limit, stop, block=40)
    steps = STEPS[: STEPS.index(stop)] if stop else STEPS
    found = next((k for k in steps if k > limit), None)
    assert out.tolist() == [-1 if found is None else found * ((t + 1) % 40) for t in range(40)]


def place_of(held, t, wanted, end):
    """Neither way out of the loop is a barrier's, but threads that return miss the one after."""
    held[t] = 3 * t
    D.syncthreads()
    k = 0
    while k < held.size:
        if held[k] == end:
            break
        if held[k] >= wanted:
            return k
        k += 1
    D.syncthreads()
    return -k


@D.kernel
def looks_for_a_place(out, wanted, end):
    held = D.shared_array(36, D.int32)
    t = D.thread_idx.x
    out[t] = place_of(held, t, wanted, end)


@pytest.mark.parametrize(
    ("wanted", "end", "place"), [(0, 30, 0), (10, 30, 4), (31, 30, -10), (200, -1, -36), (0, 0, 0)]
)
def test_a_search_before_a_barrier(target, wanted, end, place):
    out = np.full(36, 99, np.int32)
    run(looks_for_a_place, out, wanted, end, block=36)
    assert out.tolist() == [place] * 36


@D.kernel
def returns_at_the_end_of_a_round(out, rounds):
    t = D.thread_idx.x
    for k in range(rounds):
        out[t] = D.syncthreads_count(lambda: True)
        if k >= t % 3:
            return


@pytest.mark.parametrize("rounds", [0, 1, 2, 5])
def test_a_return_at_the_end_of_a_loop(target, rounds):
    out = np.full(33, -1, np.int32)
    run(returns_at_the_end_of_a_round, out, rounds, block=33)
    came = [33, 22, 11]
    last = [came[min(rounds - 1, t % 3)] if rounds else -1 for t in range(33)]
    assert out.tolist() == last


@D.kernel
def breaks_and_elses(out, stop, skip):
    t = D.thread_idx.x
    came = 0
    k = 0
    while k < 6:
        k += 1
        if k == skip:
            D.syncthreads()
            continue
        came += D.syncthreads_count(lambda: t % 2 == 0)
        if k == stop:
            break
    else:
        D.syncthreads()
        came += 1000
    for j in range(4):
        if j + 1 == skip:
            D.syncthreads()
            continue
        came += D.syncthreads_count(lambda: t % 2 == 1)
        if j == stop:
            break
    else:
        came += 5000
    out[t] = came


@pytest.mark.parametrize("stop", [0, 1, 3, 6, 9])
@pytest.mark.parametrize("skip", [0, 1, 2, 4, 6])
def test_break_continue_and_else(target, stop, skip):
    out = np.zeros(41, np.int32)
    run(breaks_and_elses, out, stop, skip, block=41)
    came = 0
    for k in range(1, 7):
        if k == skip:
            continue
        came += 21
        if k == stop:
            break
    else:
        came += 1000
    for j in range(4):
        if j + 1 == skip:
            continue
        came += 20
        if j == stop:
            break
    else:
        came += 5000
    assert out.tolist() == [came] * 41


@D.kernel
def inner_loop_ends_the_outer(out, a):
    held = D.shared_array(1, D.int32)
    t = D.thread_idx.x
    rounds = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if t == 0:
                held[0] = a[i, j]
            D.syncthreads()
            found = held[0]
            D.syncthreads()
            if found < 0:
                break
            if found > 9:
                if found > 99:
                    return
                out[t, i] = -j
            rounds += 1
        else:
            continue
        rounds += 100
        if i > 1:
            break
    out[t, -1] = rounds


@pytest.mark.parametrize("seed", range(6))
def test_loops_in_loops(target, seed):
    rng = np.random.default_rng(seed)
    a = rng.choice([0, 1, 10, -1, 100], (4, 3), p=[0.4, 0.2, 0.2, 0.15, 0.05]).astype(np.int32)
    out = np.full((35, 5), 7, np.int32)
    run(inner_loop_ends_the_outer, out, a, block=35)
    row = [7] * 5
    row[4] = 0
    for i in range(4):
        for j in range(3):
            if a[i, j] < 0:
                break
            if a[i, j] > 99:
                row[4] = None
                break
            if a[i, j] > 9:
                row[i] = -j
            row[4] += 1
        else:
            continue
        if row[4] is None:
            row[4] = 7
            break
        row[4] += 100
        if i > 1:
            break
    assert out.tolist() == [row] * 35


# --- how often ---


@D.kernel
def counts_by(out, start, stop, step):
    t = D.thread_idx.x
    came = 0
    for k in range(start, stop, step):
        if came < out.shape[1]:
            out[t, came] = k
        came += 1  # noqa: SIM113
        D.syncthreads()


MOST, LEAST = 2**31 - 1, -(2**31)
INTS = [
    (0, 5, 1), (5, 0, 1), (0, 5, -1), (5, 0, -1), (3, 3, 1), (3, 3, -1), (0, 6, 2), (0, 7, 2),
    (7, 0, -2), (6, 0, -3), (MOST - 5, MOST, 3), (LEAST + 5, LEAST, -3), (LEAST, MOST, 2**30),
    (MOST, LEAST, -(2**30)), (MOST, LEAST, LEAST), (0, MOST, MOST), (3, 3, 2), (3, 3, -2),
]  # fmt: skip


def check_range(start, stop, step, type_=None):
    out = np.full((34, 6), -7, np.int64)
    given = [v if type_ is None else type_(v) for v in (start, stop, step)]
    run(counts_by, out, *given, block=34)
    expected = [*range(start, stop, step)]
    assert len(expected) <= 6
    assert out.tolist() == [expected + [-7] * (6 - len(expected))] * 34


@pytest.mark.parametrize(("start", "stop", "step"), INTS)
def test_bounds_that_only_a_launch_knows(target, start, stop, step):
    check_range(start, stop, step)


TYPED = [
    (np.uint8, 250, 255, 3), (np.uint8, 255, 250, 3), (np.int8, -128, 127, 100),
    (np.int8, 127, -128, -100), (np.uint32, 2**32 - 5, 2**32 - 1, 2),
    (np.int64, -(2**63), 2**63 - 1, 2**62), (np.int64, 2**40, 2**40 - 9, -4),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "start", "stop", "step"), TYPED)
def test_bounds_of_other_types(target, type_, start, stop, step):
    check_range(start, stop, step, type_)


@D.kernel
def bounds_of_its_own(out, a, gone):
    t = D.thread_idx.x
    start, stop, step = a[t, 0], a[t, 1], a[t, 2]
    if t < gone:
        return
    came = 0
    for k in range(start, stop, step):
        D.syncthreads()
        if came < out.shape[1]:
            out[t, came] = k
        came += 1  # noqa: SIM113


@pytest.mark.parametrize("bounds", [(0, 4, 1), (7, -3, -4), (2, 2, 1), (-5, 6, 5)])
@pytest.mark.parametrize("gone", [0, 2, 40, 70])
def test_bounds_that_each_thread_reads(target, bounds, gone):
    a = np.tile(np.array(bounds, np.int32), (70, 1))
    a[:gone] = (1, 9, 2)
    out = np.full((70, 4), -7, np.int64)
    run(bounds_of_its_own, out, a, gone, block=70)
    expected = [*range(*bounds)]
    assert out[:gone].tolist() == [[-7] * 4] * gone
    assert out[gone:].tolist() == [expected + [-7] * (4 - len(expected))] * (70 - gone)


@D.kernel
def counters_are_a_threads_own(out, n):
    t = D.thread_idx.x
    total = 0
    for k in range(2, n, 3):
        D.syncthreads()
        total += k
        k = t
        D.syncthreads()
        total += k
    out[t, 0] = total
    k = 50
    for k in range(n):  # noqa: B007
        D.syncthreads()
    out[t, 1] = k


@pytest.mark.parametrize("n", [0, 3, 12])
def test_what_a_loop_counts_may_be_assigned(target, n):
    out = np.zeros((37, 2), np.int32)
    run(counters_are_a_threads_own, out, n, block=37)
    ks = range(2, n, 3)
    last = n - 1 if n else 50
    assert out.tolist() == [[sum(ks) + len(ks) * t, last] for t in range(37)]


# --- what is kept ---


@D.kernel
def of_every_shape(out, step, rounds):
    t = linear()
    place = t * step
    warp = t // 32
    alike = D.block_idx.x
    own = t * t
    row = D.thread_idx.y
    for k in range(rounds):
        D.syncthreads()
        place += k
        row = row * 3 + k
        warp = warp * 3 + k
        alike = alike * 5 + k
        own = own * 7 - k
    out[0, t] = place
    out[1, t] = warp
    out[2, t] = alike
    out[3, t] = own
    out[4, t] = row


@pytest.mark.parametrize("block", [1, 100, 256, (8, 8), (7, 5, 3), (32, 5), (64, 3)])
@pytest.mark.parametrize("rounds", [0, 1, 4])
def test_values_of_every_shape_across_barriers(target, block, rounds):
    n = threads(block)
    out = np.zeros((5, n), np.int64)
    run(of_every_shape, out, 11, rounds, block=block)
    x, y, _ = (block, 1, 1) if isinstance(block, int) else (*block, 1)[:3]
    t = np.arange(n)
    place, warp, alike, own, row = t * 11, t // 32, t * 0, t * t, t // x % y
    for k in range(rounds):
        place, warp, alike, own = place + k, warp * 3 + k, alike * 5 + k, own * 7 - k
        row = row * 3 + k
    assert out.tolist() == [(v % 2**32).tolist() for v in (place, warp, alike, own, row)]


@D.kernel
def overwritten_after(out, a, rounds):
    t = D.thread_idx.x
    n = D.block_dim.x
    x = a[n - 1 - t]
    D.syncthreads()
    a[t] = -1
    D.syncthreads()
    out[0, t] = x
    new, old = x, 1
    for _ in range(rounds):
        last = old
        old = new
        D.syncthreads()
        new = last + old
        D.syncthreads()
        out[1, t] = last
    out[2, t] = new


@pytest.mark.parametrize("rounds", [0, 1, 2, 7])
def test_what_was_read_before_a_barrier_stays(target, rounds):
    a = np.arange(40, dtype=np.int32)
    out = np.zeros((3, 40), np.int32)
    run(overwritten_after, out, a, rounds, block=40)
    new, old, last = np.arange(40)[::-1], 1, 0
    assert (a == -1).all()
    assert out[0].tolist() == new.tolist()
    for _ in range(rounds):
        last, old = old, new
        new = last + old
    assert (out[1] == last).all()
    assert out[2].tolist() == new.tolist()


@D.kernel
def assigned_on_some_paths(out, rounds, wanted):
    t = D.thread_idx.x
    for k in range(rounds):
        D.syncthreads()
        if k + t > wanted:
            own = k * t + 7
        if k > wanted:
            alike = k
    D.syncthreads()
    out[0, t] = own
    out[1, t] = alike
    if t < 10:
        few = t + 1
    out[2, t] = few


def test_variables_that_no_path_assigned_are_zero(target):
    """Whatever other kernels, and other blocks, have left in the memory between barriers."""
    a = RNG.integers(0, 2**31 - 1, 40).astype(np.int32)
    run(overwritten_after, np.zeros((3, 40), np.int32), a, 3, block=40)
    out = np.full((3, 40), -1, np.int64)
    run(assigned_on_some_paths, out, 3, 1, block=40)
    assert out[0].tolist() == [2 * t + 7 if t > 0 else 7 for t in range(40)]
    assert out[1].tolist() == [2] * 40
    assert out[2].tolist() == [t + 1 if t < 10 else 0 for t in range(40)]
    run(assigned_on_some_paths, out, 3, 30, block=40)
    assert out[0].tolist() == [2 * t + 7 if t + 2 > 30 else 0 for t in range(40)]
    assert out[1].tolist() == [0] * 40


def swapped(held, t, value):
    """Each call has an array of its own, that it keeps from one round to the next."""
    mine = D.shared_array(33, D.int32)
    old = mine[t] if held else 0
    D.syncthreads()
    mine[(t + 1) % 33] = value
    D.syncthreads()
    return old


@D.kernel
def two_calls_in_a_loop(out):
    t = D.thread_idx.x
    for k in range(4):
        first = swapped(k > 0, t, 10 * k + t)
        second = swapped(k > 0, t, 1000 + 10 * k + t)
        out[k, t, 0] = first
        out[k, t, 1] = second


def test_each_call_of_a_helper_has_its_own_array(target):
    out = np.full((4, 33, 2), -1, np.int32)
    run(two_calls_in_a_loop, out, block=33)
    assert not out[0].any()
    for k in range(1, 4):
        left = 10 * (k - 1) + np.roll(np.arange(33), 1)
        assert out[k, :, 0].tolist() == left.tolist()
        assert out[k, :, 1].tolist() == (1000 + left).tolist()


@D.kernel
def any_block(out, a):
    held = D.shared_array(1024, D.int32)
    mine = D.local_array(5, D.int16, align=16)
    t = linear()
    n = D.block_dim.x * D.block_dim.y * D.block_dim.z
    for k in range(5):
        mine[(k + t) % 5] = t + k
    held[t] = a[t]
    left = a[t]
    rounds = 0
    while D.syncthreads_or(lambda: left > 0):  # noqa: B023
        left -= held[n - 1 - t] + 1
        rounds += 1
    out[t, 0] = rounds
    for k in range(5):
        out[t, 1 + k] = mine[(k + t) % 5]


def test_more_block_shapes_than_are_compiled_for(target):
    """Beyond eight shapes one kernel serves all others; what it keeps has room for 1024 threads."""
    rng = np.random.default_rng(3)
    before = _testing.counters()["specialisations"]
    for block in (1, 5, 32, 33, 40, 64, 65, 100, 1024, 1000, 128, 31, (7, 5, 3), (32, 32), (1, 9)):
        n = threads(block)
        a = rng.integers(0, 20, n).astype(np.int32)
        out = np.full((n, 6), -1, np.int32)
        run(any_block, out, a, block=block)
        rounds = int(np.ceil(a / (a[::-1] + 1)).max())
        t, k = np.indices((n, 5))
        assert (out[:, 0] == rounds).all(), block
        assert (out[:, 1:] == t + k).all(), block
    made = _testing.counters()["specialisations"] - before
    assert made <= 9  # eight shapes and one for all others; fewer after tests on other targets


@D.kernel
def counted_on_from_before(out, limits, n):
    """Inside of the loop x is alike in all lanes of a gang; what it starts with is not of the
    region that the loop is in."""
    t = D.int32(D.thread_idx.x)
    x = 3 * t + 1
    D.syncthreads()
    for _ in range(n):
        if limits[t] < x:
            break
        x += 5
    out[t] = x


@pytest.mark.parametrize("block", [1, 33, 100])
def test_a_loop_begins_with_what_was_there_before_the_barrier(target, block):
    t = np.arange(block)
    limits = RNG.integers(0, 3 * block + 40, block).astype(np.int32)
    out = np.zeros(block, np.int32)
    run(counted_on_from_before, out, limits, 7, block=block)
    steps = np.clip((limits - 3 * t - 1) // 5 + 1, 0, 7)
    assert out.tolist() == (3 * t + 1 + 5 * steps).tolist()


# --- memory of a thread's own ---


@D.kernel
def bytes_of_words(out, a):
    words = D.local_array((2, 3), D.uint32, align=16)
    t = linear()
    for k in range(6):
        words[k // 3, k % 3] = a[t, k]
    D.syncthreads()
    for k in range(2):
        part = words[k, ::-1].view(D.uint32)[1:]
        small = words[k].view(D.uint8)
        for j in range(2):
            out[t, k, j] = part[(j + t) % 2]
        for j in range(12):
            out[t, k, 2 + j] = small[(j + t) % 12]


@pytest.mark.parametrize("block", BLOCKS)
def test_views_of_local_arrays_with_other_elements(target, block):
    n = threads(block)
    a = np.random.default_rng(5).integers(0, 2**32, (n, 6), dtype=np.uint32)
    out = np.zeros((n, 2, 14), np.int64)
    run(bytes_of_words, out, a, block=block)
    words = a.reshape(n, 2, 3)
    for t in range(n):
        parts = np.roll(words[t, :, ::-1][:, 1:], -t, axis=1)
        small = np.roll(words[t].copy().view(np.uint8), -t, axis=1)
        assert out[t, :, :2].tolist() == parts.tolist()
        assert out[t, :, 2:].tolist() == small.tolist()


@D.kernel
def rows_of_local_arrays(out):
    table = D.local_array((3, 4), D.int32)
    t = D.int32(linear())
    for i in range(3):
        for j in range(4):
            table[i, j] = t + 10 * i + j
    D.syncthreads()
    part = table[1:, ::-1]
    row = part[t % 2]
    out[t, 0] = row[t % 4]
    out[t, 1] = part[1:, 1:3][0, t % 2]
    out[t, 2] = table.T[t % 4, t % 3]
    out[t, 3] = table.reshape(2, 6)[t % 2, t % 6]


@pytest.mark.parametrize("block", BLOCKS)
def test_views_of_views_of_local_arrays(target, block):
    n = threads(block)
    out = np.zeros((n, 4), np.int32)
    run(rows_of_local_arrays, out, block=block)
    for t in range(n):
        table = t + 10 * np.arange(3)[:, None] + np.arange(4)
        part = table[1:, ::-1]
        expected = [
            part[t % 2][t % 4],
            part[1:, 1:3][0, t % 2],
            table.T[t % 4, t % 3],
            table.reshape(2, 6)[t % 2, t % 6],
        ]
        assert out[t].tolist() == expected


@D.kernel
def loops_with_jumps(out, n, m):
    mine = D.local_array(4, D.int32)
    t = D.tid(1)
    for k in range(4):
        mine[k] = -1
    for k in range(4):
        mine[k] = 10 * k + t
        for j in range(n):
            if j + k == m + t % 2:
                break
        else:
            break
    else:
        mine[0] += 1000
    for k in range(4):
        out[t, k] = mine[k]
    for k in range(3):
        mine[k] += 5
    else:
        mine[3] += 7
    out[t, 4] = mine[3]


@pytest.mark.parametrize("n", [0, 1, 2, 4, 8])
@pytest.mark.parametrize("m", [0, 1, 3, 9])
def test_loops_over_local_arrays_that_end_early(target, n, m):
    out = np.zeros((5, 5), np.int32)
    run(loops_with_jumps, out, n, m, block=5)
    for t in range(5):
        mine = [-1] * 4
        for k in range(4):
            mine[k] = 10 * k + t
            if not any(j + k == m + t % 2 for j in range(n)):
                break
        else:
            mine[0] += 1000
        assert out[t].tolist() == [*mine, mine[3] + 7]


@D.kernel
def out_of_range_where_nobody_comes(out, n):
    mine = D.local_array((2, 3), D.int32)
    other = D.local_array(2, D.int32)
    for k in range(6):
        mine[k // 3, k % 3] = k
    other[0] = 50
    other[1] = 51
    if n > 5:
        mine[2, 0] = 7
        mine[0, 5] = 8
        other[300] = 9
        out[0] = other[300] + mine[0, 4000]
    for k in range(6):
        out[k] = mine[k // 3, k % 3]
    out[6] = other[0] + other[1]


def test_a_constant_index_out_of_range_that_is_not_reached(target):
    out = np.zeros(7, np.int32)
    run(out_of_range_where_nobody_comes, out, 3)
    assert out.tolist() == [0, 1, 2, 3, 4, 5, 101]


@D.kernel
def views_at_whole_elements(out, n):
    rows = D.local_array((4, 3), D.uint32, align=8)
    memory = D.dynamic_shared_array()
    for k in range(12):
        rows[k // 3, k % 3] = k
    out[0] = rows[2, :2].view(D.uint64)[0] >> 32
    out[1] = rows[1:2, 1:].view(D.uint64)[0, 0] >> 32
    out[2] = rows[1::2, :2].T.size
    memory[12:].view(D.float32)[0] = 2
    memory[4 * n :].view(D.uint32)[1] = 7
    out[3] = memory[12:].view(D.uint8)[3]
    out[4] = memory[8:].view(D.uint64)[1:].view(D.uint32)[0]


def test_views_of_parts_that_begin_at_whole_elements(target):
    out = np.zeros(5, np.uint64)
    run(views_at_whole_elements, out, 3, shared=24)
    assert out.tolist() == [7, 5, 4, 0x40, 7]
