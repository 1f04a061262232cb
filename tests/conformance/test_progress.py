"""Threads that wait for each other by memory: every thread that can go on does so, some time."""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run
from support.mutexes import ticket_mutex

FULL = 0xFFFFFFFF

# Where every thread goes on while others wait. On the interpreter in order, and in random orders.
TARGETS = (
    "interpreter",
    "interpreter-seed1",
    "interpreter-seed2",
    "avx512",
    "avx2",
    "sse4",
    "avx512-threads",
    "ptx",
)
# Where threads that wait for each other for ever are found, and the launch ends with an error.
FINDS_DEADLOCKS = ("interpreter", "interpreter-seed1", "avx512", "avx2", "avx512-threads")

pytestmark = pytest.mark.targets(*TARGETS)
on_finders = pytest.mark.targets(*FINDS_DEADLOCKS)


def awaits(flags, i, value):
    while D.atomic_ref(flags, i).load("acquire", "device") != value:
        pass


def awaits_at_least(flags, i, value):
    """Others may have gone on before this thread looks."""
    while D.atomic_ref(flags, i).load("acquire", "device") < value:
        pass


def reaches(counter, i, value):
    while D.atomic_ref(counter, i).load("acquire", "device") < value:
        pass


# --- locks ---


@D.kernel
def locked_by_cas(lock, total, rounds):
    for _ in range(rounds):
        while D.atomic_ref(lock, 0).cas(0, 1, "acquire", "device") != 0:
            pass
        total[0] = total[0] + 1
        D.atomic_ref(lock, 0).store(0, "release", "device")


@D.kernel
def locked_by_exch(lock, total, rounds):
    for _ in range(rounds):
        taken = False
        while not taken:
            if D.atomic_ref(lock, 0).exch(1, "acquire", "device") == 0:
                total[0] += 1
                D.atomic_ref(lock, 0).store(0, "release", "device")
                taken = True


@D.kernel
def locked_by_try(lock, total, rounds):
    """Between two tries the lock is only read."""
    for _ in range(rounds):
        while D.atomic_ref(lock, 0).exch(1, "acquire", "device") == 1:
            while D.atomic_ref(lock, 0).load("relaxed", "device") == 1:
                pass
        total[0] += 1
        D.threadfence("release", "device")
        D.atomic_ref(lock, 0).store(0, "relaxed", "device")


@D.kernel
def locked_by_ticket(lock, total, rounds):
    for _ in range(rounds):
        mine = D.atomic_ref(lock, 0).add(1, "relaxed", "device")
        awaits(lock, 1, mine)
        total[0] += 1
        D.atomic_ref(lock, 1).add(1, "release", "device")


SHAPES = {
    "one warp": (1, 32),
    "some warps": (1, 100),
    "blocks of one thread": (17, 1),
    "blocks": (5, 48),
}


@clause("DEV-ATOM-13", "DEV-ATOM-15", "DEV-ORDER-07")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "kernel",
    [locked_by_cas, locked_by_exch, locked_by_try, locked_by_ticket],
    ids=lambda k: k.__name__,
)
def test_locks(target, kernel, shape):
    grid, block = SHAPES[shape]
    lock, total = np.zeros(2, np.int32), np.zeros(1, np.int32)
    run(kernel, lock, total, 7, grid=grid, block=block)
    assert total[0] == 7 * grid * block


@D.kernel
def guarded(mutexes, plain):
    m = mutexes[0]
    for _ in range(3):
        m.lock()
        plain[0] += 1
        plain[1] = plain[1] ^ plain[0]
        m.unlock()


@clause("DEV-STRUCT-15", "DEV-ATOM-29")
@pytest.mark.parametrize("shape", SHAPES)
def test_the_mutex_of_the_guide(target, shape):
    grid, block = SHAPES[shape]
    mutexes, plain = D.zeros(1, dtype=ticket_mutex), np.zeros(2, np.int32)
    run(guarded, mutexes, plain, grid=grid, block=block)
    n = 3 * grid * block
    assert plain.tolist() == [n, np.bitwise_xor.reduce(np.arange(n + 1))]
    assert mutexes["line"][0] == mutexes["current"][0] == n


# --- producers and consumers ---


@D.kernel
def through_a_ring(a, out, n):
    """Warp 0 writes into a ring of four lines, warp 1 reads them."""
    ring = D.shared_array((4, 32), D.int32)
    written = D.shared_array(32, D.int32)
    read = D.shared_array(32, D.int32)
    lane, warp = D.lane_id, D.thread_idx.x // 32
    written[lane] = 0
    read[lane] = 0
    D.syncthreads()
    for k in range(n):
        if warp == 0:
            while D.atomic_ref(read, lane).load("acquire", "block") < k - 3:
                pass
            ring[k % 4, lane] = a[k, lane] * 2
            D.atomic_ref(written, lane).store(k + 1, "release", "block")
        else:
            other = 31 - lane
            while D.atomic_ref(written, other).load("acquire", "block") <= k:
                pass
            out[k, lane] = ring[k % 4, other]
            D.atomic_ref(read, other).store(k + 1, "release", "block")


@clause("DEV-SCOPE-03", "DEV-ORDER-07")
def test_a_ring_between_warps(target):
    a = np.arange(50 * 32, dtype=np.int32).reshape(50, 32)
    out = np.zeros_like(a)
    run(through_a_ring, a, out, 50, grid=1, block=64)
    assert out.tolist() == (2 * a[:, ::-1]).tolist()


@D.kernel
def between_lanes(flags, data):
    """From the last lane to the first, and so on in each warp."""
    t = D.tid(1)
    if D.lane_id < 31:
        awaits(flags, t + 1, 1)
        data[t] = data[t + 1] + 1
    else:
        data[t] = t
    D.atomic_ref(flags, t).store(1, "release", "device")


@clause("DEV-ORDER-07")
def test_from_the_last_lane_to_the_first(target):
    flags, data = np.zeros(128, np.int32), np.zeros(128, np.int32)
    run(between_lanes, flags, data, grid=2, block=64)
    lane, last = np.arange(128) % 32, np.arange(128) // 32 * 32 + 31
    assert data.tolist() == (last + 31 - lane).tolist()


@D.kernel
def waits_and_notifies(box, out, rounds):
    """Thread 0 hands numbers to the last thread of the block, which answers each."""
    me, last = D.thread_idx.x, D.block_dim.x - 1
    question = D.atomic_ref(box, (D.block_idx.x, 0))
    answer = D.atomic_ref(box, (D.block_idx.x, 1))
    if me == 0:
        for k in range(1, rounds + 1):
            question.store(k, "release", "device")
            question.notify_one("device")
            answer.wait(k - 1, "acquire", "device")
            out[D.block_idx.x] += answer.load("relaxed", "device")
    elif me == last:
        for k in range(1, rounds + 1):
            question.wait(k - 1, "acquire", "device")
            answer.store(k, "release", "device")
            answer.notify_all("device")


@clause("DEV-ATOM-29")
@pytest.mark.parametrize("block", [2, 32, 65])
def test_wait_and_notify_within_a_block(target, block):
    box, out = np.zeros((3, 2), np.int32), np.zeros(3, np.int32)
    run(waits_and_notifies, box, out, 10, grid=3, block=block)
    assert out.tolist() == [55] * 3


@D.kernel
def of_later_blocks(flags, out):
    b = D.block_idx.x
    if b + 1 < D.grid_dim.x:
        awaits(flags, b + 1, 1)
        out[b] = out[b + 1] + 1
    D.atomic_ref(flags, b).store(1, "release", "device")


@clause("DEV-ORDER-07")
def test_flags_of_later_blocks(target):
    n = 40
    flags, out = np.zeros(n, np.int32), np.zeros(n, np.int32)
    run(of_later_blocks, flags, out, grid=n)
    assert out.tolist() == list(range(n))[::-1]


@D.kernel
def gives_up(flags, out, kind):
    """What an iteration keeps goes to another variable each time, and the flag stays as it is."""
    first, second, looks = 0, 0, 0
    if kind == 0:
        while D.atomic_ref(flags, 0).load("acquire", "device") == 0:
            if first == 0:
                first = 1
            elif second == 0:
                second = 1
            else:
                break
    elif kind == 1:
        while D.atomic_ref(flags, 0).load("acquire", "device") == 0 and looks < 50:
            looks += 1
    else:
        for i in range(50):
            if D.atomic_ref(flags, 0).cas(1, 2, "acquire", "device") == 1:
                break
            looks = i + 1
    out[D.block_idx.x * D.block_dim.x + D.thread_idx.x] = first + second + looks


@clause("DEV-ORDER-07")
@pytest.mark.parametrize(("kind", "expected"), [(0, 2), (1, 50), (2, 50)])
def test_loops_that_give_up(target, kind, expected):
    """A loop that has read the same twice goes on all the same where it has changed a variable."""
    out = np.zeros(40, np.int32)
    run(gives_up, np.zeros(2, np.int32), out, kind, grid=1, block=40)
    assert out.tolist() == [expected] * 40


@D.kernel
def words_of_all_sizes(small, short, word, wide, out):
    """Each thread waits for a word of its size: how many threads are after it."""
    t = D.thread_idx.x
    kind = t % 4
    after = D.int32(0)
    if t < 32:
        if kind == 0:
            while D.atomic_ref(small, t).load("acquire", "block") == 200:
                pass
            after = D.int32(small[t])
        elif kind == 1:
            while D.atomic_ref(short, t).load("acquire", "block") == -3:
                pass
            after = -3 - D.int32(short[t])
        elif kind == 2:
            while D.atomic_ref(word, t).load("acquire", "block") == 2:
                pass
            after = word[t] - 2
        else:
            while D.atomic_ref(wide, t).load("acquire", "block") == -5:
                pass
            after = D.int32((wide[t] + 5) >> 40)
    out[t] = after
    if t > 0:
        D.atomic_ref(small, t - 1).store(D.uint8(after + 1), "release", "block")
        D.atomic_ref(short, t - 1).store(D.int16(-4 - after), "release", "block")
        D.atomic_ref(word, t - 1).store(after + 3, "release", "block")
        D.atomic_ref(wide, t - 1).store((D.int64(after + 1) << 40) - 5, "release", "block")


@clause("DEV-ORDER-07")
def test_words_of_all_sizes(target):
    words = [np.full(33, 200, np.uint8), np.full(33, -3, np.int16)]
    words += [np.full(33, 2, np.int32), np.full(33, -5, np.int64)]
    out = np.zeros(33, np.int32)
    run(words_of_all_sizes, *words, out, grid=1, block=33)
    after = np.arange(32, -1, -1)
    assert out.tolist() == after.tolist()
    written = [after, -3 - after, 2 + after, (after << 40) - 5]
    for found, wanted in zip(words, written, strict=True):
        assert found[:32].tolist() == wanted[:32].tolist()


@D.kernel
def looks_back(a, status, sums, out):
    """A prefix sum in one launch: each block adds up what blocks before it have made known."""
    shared = D.shared_array(1, D.int32)
    t = D.thread_idx.x
    b = D.int32(D.block_idx.x)
    v = a[D.tid(1)]
    scan = v
    d = 1
    while d < 32:
        below = D.shfl_up_sync(FULL, scan, d)
        if D.lane_id >= d:
            scan += below
        d *= 2
    if t == 31:
        sums[0, b] = scan
        D.atomic_ref(status, b).store(1, "release", "device")
        before = 0
        k = b - 1
        while k >= 0:
            known = D.atomic_ref(status, k).load("acquire", "device")
            if known == 2:
                before += sums[1, k]
                break
            if known == 1:
                before += sums[0, k]
                k -= 1
        sums[1, b] = before + scan
        D.atomic_ref(status, b).store(2, "release", "device")
        shared[0] = before
    D.syncthreads()
    out[D.tid(1)] = shared[0] + scan


@clause("DEV-ORDER-07")
def test_look_back_over_blocks(target):
    n = 30
    a = np.random.default_rng(4).integers(0, 100, 32 * n).astype(np.int32)
    status, sums, out = np.zeros(n, np.int32), np.zeros((2, n), np.int32), np.zeros_like(a)
    run(looks_back, a, status, sums, out, grid=n, block=32)
    assert out.tolist() == a.cumsum().tolist()


# --- barriers made by hand ---


@D.kernel
def block_barriers(out, rounds):
    """The last thread that comes lets the others go."""
    came = D.shared_array(1, D.int32)
    phase = D.shared_array(1, D.int32)
    values = D.shared_array(96, D.int32)
    t, n = D.thread_idx.x, D.block_dim.x
    if t == 0:
        came[0] = 0
        phase[0] = 0
    D.syncthreads()
    values[t] = t
    for k in range(rounds):
        if D.atomic_ref(came, 0).add(1, "acq_rel", "block") == n - 1:
            D.atomic_ref(came, 0).store(0, "relaxed", "block")
            D.atomic_ref(phase, 0).store(2 * k + 1, "release", "block")
        awaits(phase, 0, 2 * k + 1)
        got = values[(t + 1) % n]
        if D.atomic_ref(came, 0).add(1, "acq_rel", "block") == n - 1:
            D.atomic_ref(came, 0).store(0, "relaxed", "block")
            D.atomic_ref(phase, 0).store(2 * k + 2, "release", "block")
        awaits(phase, 0, 2 * k + 2)
        values[t] = got
    out[D.tid(1)] = values[t]


@clause("DEV-ATOM-17", "DEV-SCOPE-03")
@pytest.mark.parametrize("block", [32, 96])
def test_a_barrier_of_a_block_by_a_counter(target, block):
    out = np.zeros(2 * block, np.int32)
    run(block_barriers, out, 5, grid=2, block=block)
    assert out.tolist() == 2 * np.roll(np.arange(block), -5).tolist()


@D.kernel
def grid_barriers(a, b, counter, rounds):
    """All threads of the grid meet twice a round: each takes over what the one after it has."""
    t, n = D.tid(1), D.grid_size(1)
    for k in range(rounds):
        b[t] = a[(t + 1) % n]
        D.atomic_ref(counter, 0).add(1, "release", "device")
        reaches(counter, 0, n * (2 * k + 1))
        a[t] = b[t] + 1
        D.atomic_ref(counter, 0).add(1, "release", "device")
        reaches(counter, 0, n * (2 * k + 2))


@D.kernel
def grid_barriers_by_blocks(a, b, counter, rounds):
    """One thread of each block waits for the other blocks, the rest for that one."""
    t, n = D.tid(1), D.grid_size(1)
    for k in range(2 * rounds):
        if k % 2 == 0:
            b[t] = a[(t + 1) % n]
        else:
            a[t] = b[t] + 1
        D.syncthreads()
        if D.thread_idx.x == 0:
            D.atomic_ref(counter, 0).add(1, "acq_rel", "device")
            reaches(counter, 0, D.int32(D.grid_dim.x) * (k + 1))
        D.syncthreads()


@D.kernel
def grid_barriers_by_flags(a, b, flags, rounds):
    """Each block has a flag, and looks at those of all."""
    t, n = D.tid(1), D.grid_size(1)
    me = D.thread_idx.x
    for k in range(2 * rounds):
        if k % 2 == 0:
            b[t] = a[(t + 1) % n]
        else:
            a[t] = b[t] + 1
        D.syncthreads()
        if me == 0:
            D.atomic_ref(flags, D.block_idx.x).store(k + 1, "release", "device")
        for other in range(me, D.grid_dim.x, D.block_dim.x):
            while D.atomic_ref(flags, other).load("acquire", "device") <= k:
                pass
        D.syncthreads()


@clause("DEV-ATOM-17", "DEV-ORDER-07")
@pytest.mark.parametrize(
    "kernel",
    [grid_barriers, grid_barriers_by_blocks, grid_barriers_by_flags],
    ids=lambda k: k.__name__,
)
def test_barriers_of_the_grid(target, kernel):
    grid, block, rounds = 9, 33, 3
    n = grid * block
    a, b, counter = np.arange(n, dtype=np.int32), np.zeros(n, np.int32), np.zeros(grid, np.int32)
    run(kernel, a, b, counter, rounds, grid=grid, block=block)
    assert a.tolist() == (np.roll(np.arange(n), -rounds) + rounds).tolist()


# --- lanes that meet from both branches of an if ---


@D.kernel
def meet_from_both_branches(out, flags):
    lane, t = D.lane_id, D.tid(1)
    if lane % 2 == 0:
        got = D.shfl_xor_sync(FULL, lane * 10, 1)
        votes = D.ballot_sync(FULL, lambda: lane < 7)
        out[2, t] = lane
        D.syncwarp(FULL)
        seen = out[2, t + 1]
    else:
        got = D.shfl_xor_sync(FULL, lane * 100, 1)
        votes = D.ballot_sync(FULL, lambda: lane > 28)
        out[2, t] = lane
        D.syncwarp(FULL)
        seen = out[2, t - 1]
    out[0, t] = got
    out[1, t] = votes
    out[3, t] = seen
    # The first of them after a wait for the others.
    if lane == 0:
        while D.atomic_ref(flags, D.block_idx.x).load("acquire", "device") < 31:
            pass
        out[4, t] = D.shfl_sync(FULL, 5, 31)
    else:
        D.atomic_ref(flags, D.block_idx.x).add(1, "release", "device")
        out[4, t] = D.shfl_sync(FULL, lane, 31)


@clause("DEV-WARP-08", "DEV-WARP-12", "DEV-WARP-22")
@clause("DEV-WARP-27", partial="checked kernels")
def test_lanes_of_both_branches_meet(target):
    out, flags = np.zeros((5, 64), np.int32), np.zeros(2, np.int32)
    run(meet_from_both_branches, out, flags, grid=2, block=32)
    lane = np.arange(64) % 32
    other = lane ^ 1
    votes = sum(1 << i for i in range(32) if (i < 7 if i % 2 == 0 else i > 28))
    assert out[0].tolist() == np.where(other % 2 == 0, other * 10, other * 100).tolist()
    assert out[1].view(np.uint32).tolist() == [votes] * 64
    assert out[3].tolist() == other.tolist()
    assert out[4].tolist() == [31] * 64


@D.kernel
def meet_across_ifs(out, a):
    """Each lane comes to one operation of a kind, wherever in the program."""
    lane, t = D.lane_id, D.tid(1)
    v = a[t]
    if lane < 16:
        out[0, t] = D.shfl_xor_sync(FULL, v, 16)
        out[1, t] = D.ballot_sync(FULL, lambda: lane % 3 == 0)
    out[3, t] = -1
    if lane >= 16:
        out[0, t] = D.shfl_xor_sync(FULL, v + 100, 16)
        out[1, t] = D.ballot_sync(FULL, lambda: lane % 5 == 0)
    if v % 2 == 0:
        out[2, t] = D.match_any_sync(FULL, v // 8)
    elif v % 3 == 0:
        out[2, t] = D.match_any_sync(FULL, v // 8 + 1)
    if v % 2 != 0 and v % 3 != 0:
        out[2, t] = D.match_any_sync(FULL, v // 8)
    if lane == 7:
        out[3, t] = t
        D.syncwarp(FULL)
        out[4, t] = D.int32(D.all_sync(FULL, lambda: v < 90))
        return
    D.syncwarp(FULL)
    out[3, t] = out[3, t // 32 * 32 + 7]
    out[4, t] = D.int32(D.all_sync(FULL, lambda: v < 90))


@clause("DEV-WARP-08", "DEV-WARP-12", "DEV-WARP-22", "DEV-WARP-24")
@clause("DEV-WARP-27", partial="checked kernels")
def test_lanes_meet_across_ifs_and_after_a_return(target):
    a = np.random.default_rng(3).integers(0, 95, 64).astype(np.int32)
    out = np.zeros((5, 64), np.int32)
    run(meet_across_ifs, out, a, grid=2, block=32)
    t = np.arange(64)
    lane = t % 32
    other = t ^ 16
    assert out[0].tolist() == np.where(lane < 16, a[other] + 100, a[other]).tolist()
    votes = sum(1 << i for i in range(32) if (i % 3 == 0 if i < 16 else i % 5 == 0))
    assert out[1].view(np.uint32).tolist() == [votes] * 64
    key = np.where((a % 2 != 0) & (a % 3 == 0), a // 8 + 1, a // 8)
    same = (key[:, None] == key) & (t[:, None] // 32 == t // 32)
    alike = [sum(1 << int(lane[j]) for j in np.flatnonzero(row)) for row in same]
    assert out[2].view(np.uint32).tolist() == alike
    assert out[3].tolist() == (t // 32 * 32 + 7).tolist()
    assert out[4].tolist() == np.repeat([(a[:32] < 90).all(), (a[32:] < 90).all()], 32).tolist()


# --- deadlocks ---

DEADLOCK = r"^kernel '{}': its threads wait for each other and none can go on \(deadlock\): {}"


def standing(target, threads, thread, function, below, operation):
    """What the error says of so many threads in a line, so many below the first of the function:
    the interpreter names the operation."""
    line = function.__code__.co_firstlineno + below
    place = rf".*test_progress\.py:{line}\b"
    if target.startswith("interpreter"):
        place = rf"'[^']*\b{operation}\b[^']*' in line {line}\b"
    return rf"{threads} threads (?=[^']*\(0, 0, 0\), thread \({thread}, 0, 0\)).*at {place}"


def expect_deadlock(kernel, *args, places, grid=1, block=1):
    text = DEADLOCK.format(kernel.underlying.__name__, ".*".join(places))
    with pytest.raises(D.errors.KernelError, match=text):
        run(kernel, *args, grid=grid, block=block)


@D.kernel
def waits_in_vain(flags):
    awaits(flags, 0, 1)


@on_finders
@clause("DEV-ATOM-09")
def test_a_flag_that_nobody_sets(target):
    places = [standing(target, 80, 0, awaits, 1, "atomic_load")]
    expect_deadlock(waits_in_vain, np.zeros(1, np.int32), places=places, grid=2, block=40)


@D.kernel
def opposite_order(locks, there):
    """Two warps, one thread of each: each has one lock before it asks for the other."""
    warp = D.thread_idx.x // 32
    if D.lane_id == 0:
        while D.atomic_ref(locks, warp).exch(1, "acquire", "block") == 1:
            pass
        D.atomic_ref(there, 0).add(1, "relaxed", "block")
        awaits(there, 0, 2)
        while D.atomic_ref(locks, 1 - warp).exch(1, "acquire", "block") == 1:
            pass
        D.atomic_ref(locks, 1 - warp).store(0, "release", "block")
        D.atomic_ref(locks, warp).store(0, "release", "block")


@on_finders
@clause("DEV-ATOM-13")
def test_locks_in_opposite_order(target):
    places = [standing(target, 2, 0, opposite_order.underlying, 9, "atomic_rmw")]
    expect_deadlock(
        opposite_order, np.zeros(2, np.int32), np.zeros(1, np.int32), places=places, block=64
    )


@D.kernel
def barrier_not_reached(flags):
    if D.thread_idx.x >= 32:
        awaits(flags, 0, 1)
    D.syncthreads()
    flags[0] = 1


@on_finders
@clause("DEV-BLK-05", partial="checked kernels")
def test_a_barrier_that_a_warp_does_not_reach(target):
    places = [
        standing(target, 32, 32, awaits, 1, "atomic_load"),
        standing(target, 32, 0, barrier_not_reached.underlying, 4, "barrier"),
    ]
    expect_deadlock(barrier_not_reached, np.zeros(1, np.int32), places=places, block=64)


# --- threads that meet in a loop that waits ---


def is_unset(flags):
    return D.atomic_ref(flags, 0).load("acquire", "device") == 0


def by_a_vote(flags):
    while D.any_sync(FULL, lambda: is_unset(flags)):
        pass


def by_a_vote_of_the_block(flags):
    while D.syncthreads_or(lambda: is_unset(flags)):
        pass


def by_shared_memory(flags):
    """One thread looks, and tells the others."""
    seen = D.shared_array(1, D.int32)
    while True:
        if D.thread_idx.x == 0:
            seen[0] = D.atomic_ref(flags, 0).load("acquire", "device")
        D.syncthreads()
        found = seen[0]
        D.syncthreads()
        if found != 0:
            break


def with_the_warp(flags):
    while is_unset(flags):
        D.syncwarp()


def by_a_shuffle(flags):
    """One lane looks, and tells the others."""
    found = 0
    while found == 0:
        if D.lane_id == 0:
            found = D.atomic_ref(flags, 0).load("acquire", "device")
        found = D.shfl_sync(FULL, found, 0)


def with_the_active_lanes(flags):
    lanes = D.activemask()
    while is_unset(flags):
        lanes |= D.activemask()


def kernel_that_waits(wait):
    @D.kernel
    def waits_together(flags, out, last):
        if D.block_idx.x == last:
            D.atomic_ref(flags, 0).store(1, "release", "device")
        wait(flags)
        out[D.tid(1)] = 1

    return waits_together


WAITS_TOGETHER = [
    by_a_vote,
    by_a_vote_of_the_block,
    by_shared_memory,
    by_a_shuffle,
    with_the_active_lanes,
]


@clause("DEV-ORDER-07")
@pytest.mark.parametrize("wait", [*WAITS_TOGETHER, with_the_warp], ids=lambda w: w.__name__)
def test_threads_that_meet_until_a_later_block_comes(target, wait):
    out = np.zeros(3 * 64, np.int32)
    run(kernel_that_waits(wait), np.zeros(1, np.int32), out, 2, grid=3, block=64)
    assert out.tolist() == [1] * 192


@pytest.mark.targets("interpreter", "interpreter-seed1", "avx2")
@pytest.mark.parametrize("wait", [*WAITS_TOGETHER, with_the_warp], ids=lambda w: w.__name__)
def test_threads_that_meet_in_vain(target, wait):
    out = np.zeros(64, np.int32)
    with pytest.raises(
        D.errors.KernelError, match=r"none can go on \(deadlock\): \d+ threads?"
    ) as caught:
        run(kernel_that_waits(wait), np.zeros(1, np.int32), out, 1, grid=1, block=64)
    if target == "avx2":
        assert "test_progress.py" in str(caught.value)
