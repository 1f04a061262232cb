"""Threads of a block that wait at different barriers of the program: they meet all the same, as on
GPUs. On the host such kernels run in gangs, but thread by thread where their barriers are of
several kinds."""

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.clauses import clause
from support.launching import run

BLOCKS = pytest.mark.parametrize("block", [32, 64, 100])
HOSTS = pytest.mark.targets("avx512", "avx2", "sse4", "avx512-threads")


def launch(kernel, *arguments, block):
    out = np.full(block, -1, np.int32)
    run(kernel, out, *arguments, block=block)
    return out.tolist()


def plan_of(kernel, *arguments, block=32):
    out = np.zeros(block, np.int32)
    return kernel.inspect(out, *arguments, block=block, what="plan", target="avx2")


# --- branches by the thread's place ---


@D.kernel
def exchanges(out):
    """Odd threads and even ones, each in a branch of their own."""
    s = D.shared_array(128, D.int32)
    t = D.int32(D.thread_idx.x)
    s[t] = -1
    D.syncthreads()
    if t % 2 == 0:
        s[t] = 10 * t
        D.syncthreads()
        out[t] = s[t + 1]
    else:
        s[t] = 100 * t
        D.syncthreads()
        out[t] = s[t - 1]


@clause("DEV-BLK-01")
@BLOCKS
def test_threads_of_both_branches_meet(target, block):
    expected = [100 * (t + 1) if t % 2 == 0 else 10 * (t - 1) for t in range(block)]
    assert launch(exchanges, block=block) == expected


@D.kernel
def votes(out):
    t = D.int32(D.thread_idx.x)
    if t < 10:
        n = D.syncthreads_count(lambda: t % 2 == 0)
        every = D.syncthreads_and(lambda: t < 50)
        some = D.syncthreads_or(lambda: t == 3)
    elif t < 20:
        n = D.syncthreads_count(lambda: t % 3 == 0)
        every = D.syncthreads_and(lambda: True)
        some = D.syncthreads_or(lambda: t > 90)
    else:
        n = D.syncthreads_count(lambda: True)
        every = D.syncthreads_and(lambda: t != 99)
        some = D.syncthreads_or(lambda: False)
    out[t] = 100 * n + 10 * int(every) + int(some)


@clause("DEV-BLK-02", "DEV-BLK-03", "DEV-BLK-04")
@BLOCKS
def test_votes_of_threads_in_three_branches(target, block):
    n = sum(t % 2 == 0 if t < 10 else t % 3 == 0 if t < 20 else True for t in range(block))
    assert launch(votes, block=block) == [100 * n + 10 * (block < 100) + 1] * block


@D.kernel
def produces_and_consumes(out, a, rounds):
    """The first warp fills one of two lines, while the others add up the one before."""
    lines = D.shared_array((2, 32), D.int32)
    t = D.int32(D.thread_idx.x)
    if t < 32:
        for k in range(rounds):
            lines[k % 2, t] = a[k, t]
            D.syncthreads()
        D.syncthreads()
    else:
        total = 0
        D.syncthreads()
        for k in range(rounds):
            total += lines[k % 2, (t + k) % 32]
            D.syncthreads()
        out[t] = total


@BLOCKS
@pytest.mark.parametrize("rounds", [1, 7])
def test_a_warp_produces_for_the_others(target, block, rounds):
    a = np.arange(7 * 32, dtype=np.int32).reshape(7, 32)
    got = launch(produces_and_consumes, a, rounds, block=block)
    for t in range(32, block):
        assert got[t] == sum(int(a[k, (t + k) % 32]) for k in range(rounds))


@D.kernel
def meets_later(out):
    """Those that skip the first barrier are let go by the others' first one, at their second."""
    t = D.int32(D.thread_idx.x)
    n = 0
    if t < 7:
        n = 100 * D.syncthreads_count(lambda: True)
    n += D.syncthreads_count(lambda: True)
    out[t] = n


@BLOCKS
def test_some_meet_others_at_a_later_barrier(target, block):
    assert launch(meets_later, block=block) == [100 * block + 7] * 7 + [block] * (block - 7)


@D.kernel
def leaves_early(out):
    s = D.shared_array(128, D.int32)
    t = D.int32(D.thread_idx.x)
    s[t] = t
    if t % 32 < 3:
        D.syncthreads()
        out[t] = s[(t + 5) % D.block_dim.x]
        return
    s[t] = 1000 + t
    D.syncthreads()
    out[t] = s[t - 3]
    out[t] += D.syncthreads_count(lambda: True)


@BLOCKS
def test_a_branch_that_ends_in_a_return_has_a_barrier(target, block):
    s = [t if t % 32 < 3 else 1000 + t for t in range(block)]
    left = sum(t % 32 < 3 for t in range(block))
    expected = [s[(t + 5) % block] if t % 32 < 3 else s[t - 3] + block - left for t in range(block)]
    assert launch(leaves_early, block=block) == expected


@D.kernel
def as_often_as_it_likes(out):
    """Threads that have left the kernel do not count."""
    t = D.int32(D.thread_idx.x)
    n = 0
    for _ in range(1 + t % 3):
        n = 1000 * n + D.syncthreads_count(lambda: True)
    out[t] = n


@clause("DEV-BLK-01")
@BLOCKS
def test_loops_of_different_lengths(target, block):
    def value(t):
        n = 0
        for k in range(1 + t % 3):
            n = 1000 * n + sum(u % 3 >= k for u in range(block))
        return n

    assert launch(as_often_as_it_likes, block=block) == [value(t) for t in range(block)]


@D.kernel
def one_sided(out, wait):
    """The others leave the kernel, which lets those that wait go on."""
    s = D.shared_array(128, D.int32)
    t = D.int32(D.thread_idx.x)
    s[t] = 3 * t
    if t < 16:
        if wait:
            D.syncthreads()
        out[t] = s[t + 16]
    else:
        s[t] = 5 * t
        out[t] = 0


@BLOCKS
def test_threads_that_leave_let_those_at_a_barrier_go(target, block):
    expected = [5 * (t + 16) if t < 16 else 0 for t in range(block)]
    assert launch(one_sided, True, block=block) == expected


@D.kernel
def some_left_before(out):
    """Whoever waits for threads that leave may do so where others have left."""
    s = D.shared_array(128, D.int32)
    t = D.int32(D.thread_idx.x)
    s[t] = 3 * t
    if t >= 20:
        return
    if t < 10:
        D.syncthreads()
        out[t] = s[t + 10]
    else:
        s[t] = 5 * t


@BLOCKS
def test_threads_wait_for_others_to_leave_where_some_have(target, block):
    assert launch(some_left_before, block=block) == [5 * (t + 10) for t in range(10)] + [-1] * (
        block - 10
    )


@D.kernel
def hardly_ever(out, more):
    t = D.int32(D.thread_idx.x)
    if t < 16:
        if more:
            D.syncthreads()
        out[t] = 1
    else:
        if more:
            D.syncthreads()
        out[t] = 2


@BLOCKS
@pytest.mark.parametrize("more", [False, True])
def test_barriers_that_are_perhaps_reached(target, block, more):
    assert launch(hardly_ever, more, block=block) == [1] * 16 + [2] * (block - 16)


def sides(s, t):
    """Inlined, with a return for each side."""
    if t % 2 == 0:
        s[t] = 2 * t
        D.syncthreads()
        return s[t + 1]
    s[t] = 7 * t
    D.syncthreads()
    return s[t - 1]


@D.kernel
def by_helper(out):
    s = D.shared_array(128, D.int32)
    t = D.int32(D.thread_idx.x)
    x = sides(s, t)
    out[t] = x + D.syncthreads_count(lambda: True)


@BLOCKS
def test_branches_of_a_helper(target, block):
    expected = [(7 * (t + 1) if t % 2 == 0 else 2 * (t - 1)) + block for t in range(block)]
    assert launch(by_helper, block=block) == expected


# --- branches by data ---


@D.kernel
def by_roles(out, roles, a):
    s = D.shared_array(128, D.int32)
    t = D.int32(D.thread_idx.x)
    if roles[t] > 0:
        s[t] = a[t]
        D.syncthreads()
        out[t] = s[t ^ 1]
    else:
        s[t] = -a[t]
        D.syncthreads()
        out[t] = 2 * s[t ^ 1]


@D.kernel
def by_roles_of_warps(out, roles, a):
    s = D.shared_array(128, D.int32)
    t = D.int32(D.thread_idx.x)
    role = roles[t // 32]
    if role == 1:
        s[t] = a[t]
        D.syncthreads()
        out[t] = 0
        return
    D.syncthreads()
    out[t] = s[t ^ 32]


@clause("DEV-BLK-01")
@pytest.mark.parametrize("block", [32, 100])
def test_roles_of_threads_that_data_gives(target, block):
    rng = np.random.default_rng(block)
    roles = rng.integers(0, 2, block).astype(np.int32)
    a = rng.integers(1, 99, block).astype(np.int32)
    held = np.where(roles > 0, a, -a)[np.arange(block) ^ 1]
    expected = np.where(roles > 0, held, 2 * held)
    assert launch(by_roles, roles, a, block=block) == expected.tolist()


def test_roles_of_warps_that_data_gives(target):
    a = np.arange(128, dtype=np.int32)
    roles = np.array([0, 1, 1, 0], np.int32)
    expected = np.where(np.repeat(roles, 32) == 1, 0, a ^ 32)
    assert launch(by_roles_of_warps, roles, a, block=128) == expected.tolist()


# --- plans ---

# Their barriers are of one kind.
IN_GANGS = {
    exchanges: (),
    produces_and_consumes: (np.zeros((7, 32), np.int32), 2),
    meets_later: (),
    as_often_as_it_likes: (),
    one_sided: (True,),
    some_left_before: (),
    hardly_ever: (False,),
    by_roles: (np.zeros(64, np.int32), np.zeros(64, np.int32)),
    by_roles_of_warps: (np.zeros(2, np.int32), np.zeros(64, np.int32)),
}
BY_THREADS = {votes: (), leaves_early: (), by_helper: ()}


@pytest.mark.parametrize("kernel", IN_GANGS, ids=lambda k: k.underlying.__name__)
def test_they_are_lanes_of_gangs(kernel):
    assert plan_of(kernel, *IN_GANGS[kernel], block=64).startswith("gangs: ")


@pytest.mark.parametrize("kernel", BY_THREADS, ids=lambda k: k.underlying.__name__)
def test_threads_run_one_by_one_where_barriers_are_of_several_kinds(kernel):
    text = plan_of(kernel, *BY_THREADS[kernel], block=64)
    assert text.startswith("threads: ")
    assert "barrier" in text
    assert "test_parted_barriers.py:" in text


def test_the_plan_names_the_first_barrier_that_is_missed():
    line = votes.underlying.__code__.co_firstlineno + 4
    text = plan_of(votes)
    assert text.startswith("threads: some threads of a block do not come to this barrier (")
    assert text.endswith(f"test_parted_barriers.py:{line})\n")


@D.kernel
def whole_blocks(out, n):
    t = D.int32(D.thread_idx.x)
    if n > 3:
        D.syncthreads()
        out[t] = 1
    elif D.block_idx.x == 7:
        D.syncthreads()
        out[t] = 2


@D.kernel
def what_all_read(out, mode):
    s = D.shared_array(1, D.int32)
    t = D.int32(D.thread_idx.x)
    if t == 0:
        s[0] = mode[1]
    if mode[0] > 3:
        D.syncthreads()
        out[t] = s[0]
    else:
        D.syncthreads()
        out[t] = -s[0]


@D.kernel
def all_of_the_block(out):
    t = D.int32(D.thread_idx.x)
    if t < 1000:
        D.syncthreads()
        out[t] = 1
    else:
        D.syncthreads()
        out[t] = 2


@D.kernel
def those_that_are_left(out, n):
    t = D.int32(D.thread_idx.x)
    if n > 100:
        return
    if t >= 16:
        return
    if t < 16:
        D.syncthreads()
        out[t] = 1


@D.kernel
def each_for_good(out):
    t = D.int32(D.thread_idx.x)
    for k in range(40):
        if t == k:
            break
        D.syncthreads()
    out[t] = 1


TOGETHER = {
    whole_blocks: (2,),
    what_all_read: (np.zeros(2, np.int32),),
    all_of_the_block: (),
    those_that_are_left: (3,),
    each_for_good: (),
}


@pytest.mark.parametrize("kernel", TOGETHER, ids=lambda k: k.underlying.__name__)
def test_threads_that_part_elsewhere_are_lanes(kernel):
    assert plan_of(kernel, *TOGETHER[kernel]).startswith("gangs: ")


# --- what never meets ---


@D.kernel
def two_kinds(out):
    t = D.int32(D.thread_idx.x)
    if t < 16:
        D.syncthreads()
    else:
        out[t] = D.syncthreads_count(lambda: True)


@D.kernel
def two_kinds_by_data(out, roles):
    t = D.int32(D.thread_idx.x)
    if roles[t] == 0:
        D.syncthreads()
    else:
        out[t] = D.syncthreads_or(lambda: t == 3)


MIXED = {two_kinds: (), two_kinds_by_data: (np.arange(40, dtype=np.int32) // 16,)}
DEADLOCK = (
    r"its threads wait for each other and none can go on \(deadlock\): "
    r"24 threads at .*parted_barriers\.py:{} \(block \(0, 0, 0\), thread \(16, 0, 0\) is one\), "
    r"16 threads at .*parted_barriers\.py:{} \(block \(0, 0, 0\), thread \(0, 0, 0\) is one\)"
)


@HOSTS
@clause("DEV-BLK-05", partial="without check=, barriers of two kinds alone are told apart")
@pytest.mark.parametrize("kernel", MIXED, ids=lambda k: k.underlying.__name__)
def test_barriers_of_different_kinds_are_a_deadlock(target, kernel):
    line = kernel.underlying.__code__.co_firstlineno
    with pytest.raises(errors.KernelError, match=DEADLOCK.format(line + 6, line + 4)):
        launch(kernel, *MIXED[kernel], block=40)


@D.kernel
def two_kinds_in_turn(out, roles):
    """Threads that skip the first barrier come to the second one."""
    t = D.int32(D.thread_idx.x)
    for k in range(3):
        if roles[t] == k:
            D.syncthreads()
    out[t] = D.syncthreads_count(lambda: t < 7)


@pytest.mark.targets("avx512", "avx2", "sse4")
@clause("DEV-BLK-05", partial="without check=, barriers of two kinds alone are told apart")
@pytest.mark.parametrize("role", [0, 2, 5])
def test_gangs_report_barriers_of_different_kinds(target, role):
    line = two_kinds_in_turn.underlying.__code__.co_firstlineno
    roles = np.full(40, role, np.int32)
    assert launch(two_kinds_in_turn, roles, block=40) == [7] * 40
    roles[21] = 1 if role == 5 else 5
    message = rf"at barriers of different kinds, .*parted_barriers\.py:{line + 6}"
    with pytest.raises(RuntimeError, match=message) as raised:
        launch(two_kinds_in_turn, roles, block=40)
    assert "deadlock" in str(raised.value)


@pytest.mark.targets("interpreter", "interpreter-seed1")
@clause("DEV-BLK-05", partial="without check=, barriers of two kinds alone are told apart")
@pytest.mark.parametrize("kernel", MIXED, ids=lambda k: k.underlying.__name__)
def test_the_interpreter_names_barriers_of_different_kinds(target, kernel):
    message = r"barriers of different kinds: thread \(0, 0, 0\) at .*thread \(16, 0, 0\) at "
    with pytest.raises(errors.KernelError, match=message):
        launch(kernel, *MIXED[kernel], block=40)
