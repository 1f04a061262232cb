"""Threads of a block that come to different barriers because their data are different: they meet
all the same, as on GPUs. On the host such kernels run in gangs."""

import numpy as np
import pytest
from cuda import device as D
from support.barriers import threads
from support.clauses import clause
from support.launching import run

FULL = D.WarpMask(-1)
BLOCKS = pytest.mark.parametrize("block", [1, 32, 33, 100])
RANDOM = np.random.default_rng(11).integers(0, 9, 100).astype(np.int32)
# All threads of a block agree; some of a gang do not; whole gangs do not.
BY_GANG = np.repeat([7, 2, 1, 8], [32, 32, 32, 4]).astype(np.int32)
DATA = {"agree": np.full(100, 7, np.int32), "lanes": RANDOM, "gangs": BY_GANG}
DATA = pytest.mark.parametrize("a", DATA.values(), ids=DATA)


def launch(kernel, *arguments, block):
    out = np.full(block, -1, np.int32)
    run(kernel, out, *arguments, block=block)
    return out.tolist()


def model(thread, block, *arguments):
    """What each thread leaves: `thread(t, s, ...)`, with one `s` for the block."""
    s = [0] * block
    return threads(lambda t: thread(t, s, *arguments), block)


@D.kernel
def one_side(out, a):
    """Everyone writes before the first barrier that it comes to, and reads after it."""
    s = D.shared_array(128, D.int32)
    t = D.int32(D.thread_idx.x)
    n = D.int32(D.block_dim.x)
    x = 0
    if a[t] > 4:
        s[t] = 10 * a[t]
        D.syncthreads()
        x = 1000 * s[(t + 1) % n]
    else:
        s[t] = -a[t]
    D.syncthreads()
    out[t] = x + s[(t + 5) % n]


def of_one_side(t, s, a, n):
    x = 0
    if a[t] > 4:
        s[t] = 10 * int(a[t])
        yield
        x = 1000 * s[(t + 1) % n]
    else:
        s[t] = -int(a[t])
    yield
    return x + s[(t + 5) % n]


@clause("DEV-BLK-01")
@BLOCKS
@DATA
def test_a_side_of_an_if_has_a_barrier_and_one_follows(target, block, a):
    assert launch(one_side, a, block=block) == model(of_one_side, block, a, block)


@D.kernel
def own_lengths(out, a):
    """Counts at each barrier those that are in the loop and those that have left it."""
    t = D.int32(D.thread_idx.x)
    n = 0
    for k in range(1, a[t], 2):
        n = 3 * n + D.syncthreads_count(lambda: k % 3 == 0)  # noqa: B023
        if n % 7 == 3:
            break
        n += k
    else:
        n += 1000
    for _ in range(2):
        n = 3 * n + D.syncthreads_count(lambda: n % 2 == 0)  # noqa: B023
    out[t] = n


def of_own_lengths(t, s, a):
    n = 0
    for k in range(1, int(a[t]), 2):
        n = 3 * n + sum((yield k % 3 == 0))
        if n % 7 == 3:
            break
        n += k
    else:
        n += 1000
    for _ in range(2):
        n = 3 * n + sum((yield n % 2 == 0))
    return n


@clause("DEV-BLK-02")
@BLOCKS
@DATA
def test_a_loop_of_each_threads_own_length_and_one_of_all(target, block, a):
    assert launch(own_lengths, a, block=block) == model(of_own_lengths, block, a)


def search(x):
    """How many steps it takes to 1, unless few are left that take more."""
    k = 0
    while x != 1:
        if D.syncthreads_count(lambda: x > 20) == 1:  # noqa: B023
            return -k
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        k += 1
    return k


@D.kernel
def searches(out, a):
    t = D.int32(D.thread_idx.x)
    if a[t] == 0:
        out[t] = -5
        return
    k = search(a[t])
    n = D.syncthreads_count(lambda: k > 3)
    out[t] = 1000 * k + 10 * n + D.syncthreads_count(lambda: True)


def of_searches(t, s, a):
    def found(x):
        k = 0
        while x != 1:
            if sum((yield x > 20)) == 1:
                return -k
            x = x // 2 if x % 2 == 0 else 3 * x + 1
            k += 1
        return k

    if a[t] == 0:
        return -5
    k = yield from found(int(a[t]))
    n = sum((yield k > 3))
    return 1000 * k + 10 * n + sum((yield True))


@BLOCKS
@DATA
def test_threads_return_early_from_a_helper_and_from_the_kernel(target, block, a):
    assert launch(searches, a, block=block) == model(of_searches, block, a)


@D.kernel
def kept_answers(out, a):
    """What barriers have answered while all agreed is known when threads no longer do."""
    t = D.int32(D.thread_idx.x)
    n = D.syncthreads_count(lambda: a[t] > 1)
    m = 0
    for k in range(3):
        low = D.syncthreads_count(lambda: a[t] > k)  # noqa: B023
        if a[t] > 2 * k + 1:
            m += 7 * D.syncthreads_count(lambda: True)
        m += low
    out[t] = 100 * n + m + D.syncthreads_count(lambda: m > 9)


def of_kept_answers(t, s, a):
    n = sum((yield a[t] > 1))
    m = 0
    for k in range(3):
        low = sum((yield a[t] > k))
        if a[t] > 2 * k + 1:
            m += 7 * sum((yield True))
        m += low
    return 100 * n + m + sum((yield m > 9))


@clause("DEV-BLK-02")
@BLOCKS
@DATA
def test_answers_are_known_where_threads_no_longer_agree(target, block, a):
    assert launch(kept_answers, a, block=block) == model(of_kept_answers, block, a)


@D.kernel
def three_kinds(out, a):
    t = D.int32(D.thread_idx.x)
    n = D.syncthreads_count(lambda: a[t] > 1)
    for k in range(a[t]):
        n += D.syncthreads_count(lambda: k > 1)  # noqa: B023
        D.syncthreads()
    for k in range(8 - a[t]):
        n += 10 * D.syncthreads_count(lambda: k > 1)  # noqa: B023
        D.syncthreads()
    if D.syncthreads_or(lambda: t == 31):
        n += 1000
    out[t] = n


def of_three_kinds(t, s, a):
    n = sum((yield a[t] > 1))
    for k in range(int(a[t])):
        n += sum((yield k > 1))
        yield
    for k in range(8 - int(a[t])):
        n += 10 * sum((yield k > 1))
        yield
    return n + 1000 * any((yield t == 31))


@clause("DEV-BLK-02", "DEV-BLK-04")
@BLOCKS
@DATA
def test_barriers_of_three_kinds_are_met_in_step(target, block, a):
    assert launch(three_kinds, a, block=block) == model(of_three_kinds, block, a)


@D.kernel
def solves(out, a):
    """Each warp adds up what all have left: one number, though that is not proven."""
    s = D.shared_array(4, D.float32)
    t = D.int32(D.thread_idx.x)
    x = a[t]
    error = D.float32(1000.0)
    k = 0
    while error > 1.0:
        part = x
        for step in (16, 8, 4, 2, 1):
            part += D.shfl_xor_sync(FULL, part, step)
        s[t // 32] = part
        D.syncthreads()
        error = s[t % 4]
        for step in (2, 1):
            error += D.shfl_xor_sync(FULL, error, step)
        D.syncthreads()
        x *= 0.5
        k += 1
    D.syncthreads()
    out[t] = k


def test_a_loop_on_which_all_agree(target):
    a = np.full(128, 1.0, np.float32)
    assert launch(solves, a, block=128) == [8] * 128


def inspect(kernel, *arguments, what, block=100):
    out = np.zeros(block, np.int32)
    return kernel.inspect(out, *arguments, grid=1, block=block, what=what, target="avx2")


@pytest.mark.parametrize("kernel", [one_side, own_lengths, searches, kept_answers])
def test_they_are_lanes_of_gangs(kernel):
    assert inspect(kernel, RANDOM, what="plan").startswith("gangs: ")


def test_nothing_is_predicated_as_long_as_all_agree():
    """In the first copy, which threads leave where they disagree."""
    text = inspect(one_side, RANDOM, what="ir")
    first = text[: text.index("leave")]
    assert "barrier_and" in first
    before_the_vote = first[: first.index("barrier_and")]
    assert "select" not in before_the_vote
    assert "if %" not in before_the_vote


@D.kernel
def handed_on(out, a):
    """The first warp takes the next tile while the second one adds up the last."""
    tiles = D.shared_array((2, 64), D.int32)
    t = D.int32(D.thread_idx.x)
    steps = a.size // 64
    if t < 32:
        for step in range(steps):
            tiles[step % 2, t] = a[step * 64 + t]
            tiles[step % 2, t + 32] = a[step * 64 + t + 32]
            D.syncthreads()
        D.syncthreads()
    else:
        total = 0
        D.syncthreads()
        for step in range(steps):
            for k in range(64):
                total += tiles[step % 2, k] * (t + k)
            D.syncthreads()
        out[t - 32] = total


def tiles_of(steps):
    return RANDOM[np.arange(64 * steps) % 100]


def test_a_warp_hands_tiles_on(target):
    a = tiles_of(5)
    t, k = np.arange(32)[:, None] + 32, np.arange(a.size)[None]
    out = np.zeros(32, np.int32)
    run(handed_on, out, a, block=64)
    np.testing.assert_array_equal(out, (a[k] * (t + k % 64)).sum(1))


def test_what_warps_count_that_part_by_their_number_is_not_gathered():
    facts = inspect(handed_on, tiles_of(5), what="facts", block=64)
    assert "2 gangs in a block" in facts, "lanes of one gang would part"
    loads = [line for line in facts.splitlines() if " = load " in line]
    assert len(loads) == 6
    assert not [line for line in loads if "under a mask: gathered" in line]
