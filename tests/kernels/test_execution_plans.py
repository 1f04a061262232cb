"""How the host runs the threads of a kernel: as lanes of gangs, or each on a stack of its own.

Where nothing is asked for, the compiler chooses, by what threads may wait for.
"""

import time

import cloudpickle
import numpy as np
import pytest
from cuda import device as D
from support.launching import run
from support.sources import executed
from support.targets import use_target

FULL = 0xFFFFFFFF


def plan_of(kernel, *args, block=32, target="avx2"):
    return kernel.inspect(*args, block=block, what="plan", target=target)


def counts(n=4):
    return np.zeros(n, np.int32)


# --- kernels that the compiler runs by threads ---


@D.kernel
def spin_lock(a):
    while D.atomic_ref(a, 0).cas(0, 1, "acquire", "device") != 0:
        pass
    a[1] += 1
    D.atomic_ref(a, 0).store(0, "release", "device")


@D.kernel
def lock_by_exchange(a):
    while D.atomic_ref(a, 0).exch(1, "acquire", "device"):
        pass
    a[1] += 1
    D.atomic_ref(a, 0).store(0, "release", "device")


@D.kernel
def waits_for_a_flag(a):
    if D.thread_idx.x == 0:
        while D.atomic_ref(a, 0).load("acquire", "device") == 0:
            pass
        a[1] = 32
    if D.thread_idx.x == 31:
        D.atomic_ref(a, 0).store(1, "release", "device")


@D.kernel
def waits_by_wait(a):
    if D.thread_idx.x == 0:
        D.atomic_ref(a, 0).wait(0)
        a[1] = 32
    if D.thread_idx.x == 31:
        D.atomic_ref(a, 0).store(1)


@D.kernel
def waits_in_shared_memory(a):
    flag = D.shared_array(1, D.int32)
    if D.thread_idx.x == 0:
        flag[0] = 0
    D.syncthreads()
    if D.thread_idx.x == 3:
        while D.atomic_ref(flag, 0).load("acquire", "block") != 28:
            pass
        a[1] = 32
    elif D.thread_idx.x > 3:
        D.atomic_ref(flag, 0).add(1, "release", "block")


@D.kernel
def both_sides_shuffle(a):
    t = D.thread_idx.x
    if t < 16:  # noqa: SIM108 two places in the program
        x = D.shfl_sync(FULL, t, 31 - t)
    else:
        x = D.shfl_sync(FULL, t, 31 - t)
    D.atomic_ref(a, 1).add(D.int32(x == 31 - t))


@D.kernel
def two_ifs_shuffle(a):
    t = D.thread_idx.x
    if t < 16:
        D.atomic_ref(a, 1).add(D.int32(D.shfl_sync(FULL, t, 31 - t) == 31 - t))
    a[2] = 7
    if t >= 16:
        D.atomic_ref(a, 1).add(D.int32(D.shfl_sync(FULL, t, 31 - t) == 31 - t))


@D.kernel
def shuffles_and_leaves(a):
    t = D.thread_idx.x
    if t % 2 == 0:
        D.atomic_ref(a, 1).add(D.int32(D.shfl_xor_sync(FULL, t, 1) == t + 1))
        return
    D.atomic_ref(a, 1).add(D.int32(D.shfl_xor_sync(FULL, t, 1) == t - 1))


@D.kernel
def apart_by_data(a):
    """Threads take numbers: who is who nobody knows beforehand."""
    ticket = D.atomic_ref(a, 0).add(1, "relaxed", "device")
    if ticket < 5:
        D.atomic_ref(a, 1).add(D.popc(D.ballot_sync(FULL, lambda: True)) // 32)
    if ticket >= 5:
        D.atomic_ref(a, 1).add(D.popc(D.ballot_sync(FULL, lambda: True)) // 32)


@D.kernel
def leaves_by_data(a):
    ticket = D.atomic_ref(a, 0).add(1, "relaxed", "device")
    if ticket % 2 == 0:
        D.atomic_ref(a, 1).add(D.popc(D.ballot_sync(FULL, lambda: True)) // 32)
        return
    D.atomic_ref(a, 1).add(D.popc(D.ballot_sync(FULL, lambda: True)) // 32)


@D.kernel
def bit_lock_by_cas(a):
    lock = D.atomic_ref(a, 0)
    while True:
        free = lock.load("relaxed", "device") & ~1
        if lock.cas(free, free | 1, "acquire", "device") == free:
            break
    a[1] += 1
    lock.store(0, "release", "device")


@D.kernel
def semaphore_by_cas(a):
    """One at a time: the element says how many are inside, and one."""
    inside = D.atomic_ref(a, 0)
    while True:
        found = inside.load("relaxed", "device")
        if found == 0 and inside.cas(0, 1, "acquire", "device") == 0:
            break
    a[1] += 1
    inside.sub(1, "release", "device")


@D.kernel
def waits_beside_a_swap(a):
    """It swaps one element and waits for another."""
    done = False
    while not done:
        old = D.atomic_ref(a, 0).load("relaxed", "device")
        D.atomic_ref(a, 0).cas(old, old + 1, "relaxed", "device")
        done = D.thread_idx.x == 31 or D.atomic_ref(a, 2).load("acquire", "device") == 1
    D.atomic_ref(a, 1).add(1, "relaxed", "device")
    if D.thread_idx.x == 31:
        D.atomic_ref(a, 2).store(1, "release", "device")


@D.kernel
def lock_by_add(a):
    while D.atomic_ref(a, 0).add(1, "acquire", "device") != 0:
        D.atomic_ref(a, 0).sub(1, "relaxed", "device")
    a[1] += 1
    D.atomic_ref(a, 0).sub(1, "release", "device")


@D.kernel
def flag_in_an_array(a):
    done = D.local_array(4, D.int32)
    done[D.thread_idx.x % 4] = 0
    while done[D.thread_idx.x % 4] == 0:
        if D.atomic_ref(a, 0).exch(1, "acquire", "device") == 0:
            a[1] += 1
            D.atomic_ref(a, 0).store(0, "release", "device")
            done[D.thread_idx.x % 4] = 1


@D.kernel
def lock_of_limited_tries(a):
    for _ in range(100000):
        if D.atomic_ref(a, 0).exch(1, "acquire", "device") == 0:
            a[1] += 1
            D.atomic_ref(a, 0).store(0, "release", "device")
            break


@D.kernel
def ticket_of_two_words(a):
    """The number that is served is another word than the one that is swapped."""
    while True:
        served = D.atomic_ref(a, 2).load("acquire", "device")
        if D.atomic_ref(a, 0).cas(served, served + 1, "acq_rel", "device") == served:
            break
    a[1] += 1
    D.atomic_ref(a, 2).add(1, "release", "device")


def all_here():
    return D.int32(D.popc(D.ballot_sync(-1, lambda: True)) == 32)


@D.kernel
def by_bits_of_the_lane(a):
    if D.lane_id < 16:
        D.atomic_ref(a, 1).add(all_here())
    if D.lane_id & 16 != 0:
        D.atomic_ref(a, 1).add(all_here())


@D.kernel
def by_parity_of_data(a):
    x = D.atomic_ref(a, 2).add(1, "relaxed", "device")
    if x % 2 == 0:
        D.atomic_ref(a, 1).add(all_here())
    y = x + 1
    if y % 2 == 0:
        D.atomic_ref(a, 1).add(all_here())


@D.kernel
def loops_of_different_lengths(a):
    number = D.int32(D.lane_id % 6)
    for _ in range(number):
        D.atomic_ref(a, 2).add(1 - all_here())
    for _ in range(6 - number):
        D.atomic_ref(a, 2).add(1 - all_here())
    D.atomic_ref(a, 1).add(D.int32(D.atomic_ref(a, 2).load() == 0))


@D.kernel
def whiles_of_different_lengths(a):
    number, i = D.int32(D.lane_id % 6), 0
    while i < number:
        D.atomic_ref(a, 2).add(1 - all_here())
        i += 1
    while i < 6:
        D.atomic_ref(a, 2).add(1 - all_here())
        i += 1
    D.atomic_ref(a, 1).add(D.int32(D.atomic_ref(a, 2).load() == 0))


@D.kernel
def other_iterations(a):
    for i in range(2):
        if D.lane_id % 2 == i:
            continue
        D.atomic_ref(a, 1).add(all_here())


@D.kernel
def other_iterations_from_deep_inside(a):
    for i in range(2):
        if a.size > 0:
            if D.lane_id % 2 == i:
                continue
            a[3] = i
        D.atomic_ref(a, 1).add(all_here())


@D.kernel
def breaks_and_votes_later(a):
    number = D.int32(D.lane_id % 3)
    for i in range(3):
        if i == number:
            break
        D.atomic_ref(a, 2).add(1 - all_here())
    for _ in range(3 - number):
        D.atomic_ref(a, 2).add(1 - all_here())
    D.atomic_ref(a, 1).add(D.int32(D.atomic_ref(a, 2).load() == 0))


@D.kernel
def part_of_a_mask_in_loops(a):
    number = D.int32(D.lane_id % 4)
    if D.lane_id >= 16:
        D.atomic_ref(a, 1).add(1)
        return
    missed = 0
    for _ in range(number):
        missed += D.int32(D.popc(D.ballot_sync(0xFFFF, lambda: True)) != 16)
    for _ in range(4 - number):
        missed += D.int32(D.popc(D.ballot_sync(0xFFFF, lambda: True)) != 16)
    D.atomic_ref(a, 1).add(D.int32(missed == 0))


@D.kernel
def votes_in_the_else_of_a_loop(a):
    low = D.lane_id < 16
    for i in range(3):
        if low and i == 1:
            break
    else:
        D.atomic_ref(a, 1).add(all_here())
    if low:
        D.atomic_ref(a, 1).add(all_here())


def of_high_lanes(lane):
    if lane < 16:
        return D.int32(0)
    return all_here()


@D.kernel
def leaves_a_function_before_its_vote(a):
    lane = D.int32(D.lane_id)
    n = of_high_lanes(lane)
    D.atomic_ref(a, 1).add(n + of_high_lanes(31 - lane))


@D.kernel
def parts_after_its_ballot(a):
    """The mask names the lanes of both sides."""
    low = D.lane_id < 16
    here = D.ballot_sync(-1, lambda: True)
    if low:
        D.atomic_ref(a, 1).add(D.int32(D.popc(D.match_any_sync(here, a[2])) == 32))
    if not low:
        D.atomic_ref(a, 1).add(D.int32(D.popc(D.match_any_sync(here, a[2])) == 32))


@D.kernel
def votes_in_a_condition(a):
    i = 0
    while i < D.int32(D.lane_id) and D.any_sync(-1, lambda: True):
        i += 1
    D.atomic_ref(a, 1).add(1)


@D.kernel
def hands_a_token_on(a):
    """Two lanes set each word by turns, and go to the next one when they have."""
    words = D.shared_array(2, D.int32)
    words[D.lane_id % 2] = 0
    D.syncthreads()
    me, i = D.int32(D.lane_id % 2), 0
    if D.lane_id < 2:
        while i < 16:
            if D.atomic_ref(words, i % 2).cas(me, 1 - me, "acq_rel", "block") == me:
                i += 1
    D.atomic_ref(a, 1).add(i, "relaxed", "device")


@D.kernel
def hands_on_while_it_goes_round(a):
    """It looks at another word each time, of which only this operation changes any."""
    words = D.shared_array(2, D.int32)
    words[D.lane_id % 2] = 0
    D.syncthreads()
    me, i, passed = D.int32(D.lane_id % 2), 0, 0
    if D.lane_id < 2:
        while passed < 16:
            passed += D.int32(D.atomic_ref(words, i).cas(me, 1 - me, "acq_rel", "block") == me)
            i = 1 - i
    D.atomic_ref(a, 1).add(passed, "relaxed", "device")


@D.kernel
def meets_at_bits(a):
    words = D.shared_array(32, D.int32)
    words[D.lane_id] = 0
    D.syncthreads()
    me, i = D.int32(D.lane_id % 2), 0
    if D.lane_id < 2:
        while i < 16:
            if D.atomic_ref(words, i).or_(1 << me, "acq_rel", "block") == 3:
                i += 1
    D.atomic_ref(a, 1).add(i, "relaxed", "device")


@D.kernel
def meets_at_counters(a):
    """It counts itself once at each, and then only looks."""
    counters = D.shared_array(32, D.int32)
    counters[D.lane_id] = 0
    D.syncthreads()
    i, by = 0, 1
    if D.lane_id < 2:
        while i < 16:
            if D.atomic_ref(counters, i).add(by, "acq_rel", "block") + by == 2:
                i += 1
                by = 1
            else:
                by = 0
    D.atomic_ref(a, 1).add(i, "relaxed", "device")


def counts_flags(a, next_index):
    """The first lane goes through the flags that the high half sets, one lane a flag."""
    flags = D.shared_array(32, D.int32)
    flags[D.lane_id] = 0
    D.syncthreads()
    t, i = D.int32(D.lane_id), 0
    if t == 0:
        for _ in range(1000000):
            i = next_index(i, D.atomic_ref(flags, i).load("acquire", "block"))
            if i == 16:
                break
    elif t >= 16:
        D.atomic_ref(flags, t - 16).store(1, "release", "block")
    D.atomic_ref(a, 1).add(2 * i, "relaxed", "device")


@D.kernel
def finds_one_after_the_other(a):
    def next_index(i, found):
        if found != 0:
            i += 1
        return i

    counts_flags(a, next_index)


@D.kernel
def adds_what_it_finds(a):
    counts_flags(a, lambda i, found: i + found)


@D.kernel
def begins_again_until_all_are_there(a):
    counts_flags(a, lambda i, found: i + 1 if found != 0 else 0)


@D.kernel
def goes_on_by_a_variable(a):
    def next_index(i, found):
        step = 0
        if found != 0:
            step = 1
        return i + step

    counts_flags(a, next_index)


def third_or_those_who_vote(n):
    k = 0
    while k < n:
        if k == 3:  # the same for all that are still in the loop
            return k
        k += 1
    return D.popc(D.ballot_sync(FULL, lambda: True))


@D.kernel
def leaves_a_loop_that_others_left(a):
    i = D.int32(D.thread_idx.x)
    found = third_or_those_who_vote((a[0] + i) % 6)
    both = found + D.popc(D.ballot_sync(FULL, lambda: found == 3))
    D.atomic_ref(a, 1).add(both == (35 if i % 6 > 3 else 32), "relaxed", "block")


@D.kernel
def returns_out_of_a_loop_for_some(a):
    i = D.int32(D.thread_idx.x)
    found = 0
    while a[0] + i % 6 > 3:
        found = 1
        break
    else:
        found = D.popc(D.ballot_sync(FULL, lambda: True))
    both = D.popc(D.ballot_sync(FULL, lambda: found > 0))
    D.atomic_ref(a, 1).add(both == (32 if i % 6 > 3 else 22), "relaxed", "block")


THREADS = [
    leaves_a_loop_that_others_left,
    returns_out_of_a_loop_for_some,
    hands_a_token_on,
    hands_on_while_it_goes_round,
    meets_at_bits,
    meets_at_counters,
    finds_one_after_the_other,
    adds_what_it_finds,
    begins_again_until_all_are_there,
    goes_on_by_a_variable,
    ticket_of_two_words,
    by_bits_of_the_lane,
    by_parity_of_data,
    loops_of_different_lengths,
    whiles_of_different_lengths,
    other_iterations,
    other_iterations_from_deep_inside,
    breaks_and_votes_later,
    part_of_a_mask_in_loops,
    votes_in_the_else_of_a_loop,
    leaves_a_function_before_its_vote,
    parts_after_its_ballot,
    votes_in_a_condition,
    bit_lock_by_cas,
    semaphore_by_cas,
    waits_beside_a_swap,
    lock_by_add,
    flag_in_an_array,
    lock_of_limited_tries,
    spin_lock,
    lock_by_exchange,
    waits_for_a_flag,
    waits_by_wait,
    waits_in_shared_memory,
    both_sides_shuffle,
    two_ifs_shuffle,
    shuffles_and_leaves,
    apart_by_data,
    leaves_by_data,
]


@pytest.mark.parametrize("kernel", THREADS, ids=lambda k: k.__name__)
def test_threads_that_wait_run_one_by_one(kernel):
    text = plan_of(kernel, counts())
    assert text.startswith("threads: ")
    assert "test_execution_plans.py:" in text


@pytest.mark.parametrize("kernel", THREADS, ids=lambda k: k.__name__)
def test_the_plan_does_not_hang_on_the_shape_of_a_block(kernel):
    """After some shapes the code of a kernel is that for all of them."""
    assert plan_of(kernel, counts(), block=None).startswith("threads: ")


def test_more_shapes_of_blocks_than_have_code_of_their_own(target):
    for warps in range(1, 13):
        a = counts()
        run(by_bits_of_the_lane, a, block=32 * warps)
        assert a[1] == 32 * warps


@D.kernel
def of_the_second_block(a):
    i = D.int32(D.tid(1))
    if i >= 48:
        D.atomic_ref(a, 1).add(all_here())
    if i < 48:
        D.atomic_ref(a, 1).add(all_here())


def test_paths_that_part_in_the_second_block(target):
    a = counts()
    run(of_the_second_block, a, grid=2, block=32)
    assert a[1] == 64


@pytest.mark.parametrize("kernel", THREADS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("form", ["avx512", "avx2", "sse4"])
def test_threads_that_wait_finish(kernel, form):
    a = counts()
    with use_target(form):
        run(kernel, a, block=32)
    assert a[1] == 32


# --- kernels that stay vectors ---


@D.kernel
def takes_numbers(a):
    while True:
        i = D.atomic_ref(a, 0).add(1, "relaxed", "device")
        if i >= 100:
            break
        D.atomic_ref(a, 1).add(1, "relaxed", "device")


@D.kernel
def updates_by_cas(a):
    old = D.atomic_ref(a, 1).load("relaxed", "device")
    while True:
        found = D.atomic_ref(a, 1).cas(old, old + 1, "relaxed", "device")
        if found == old:
            break
        old = found


@D.kernel
def reads_and_swaps(a):
    done = False
    while not done:
        old = D.atomic_ref(a, 1).load("relaxed", "device")
        done = D.atomic_ref(a, 1).cas(old, old + 1, "relaxed", "device") == old


@D.kernel
def inserts_into_a_table(a):
    key = D.thread_idx.x + 1
    slot = D.int32(key * 7 % 64)
    while True:
        found = D.atomic_ref(a, slot).cas(0, key, "relaxed", "device")
        if found == 0 or found == key:
            break
        slot = (slot + 1) % 64


@D.kernel
def inserts_with_a_branch_at_the_end(a):
    key = D.thread_idx.x + 1
    slot = D.int32(key * 7 % 64)
    while True:
        found = D.atomic_ref(a, slot).cas(0, key, "relaxed", "device")
        if found == 0 or found == key:
            break
        if slot == 63:
            slot = 0
        else:
            slot += 1


@D.kernel
def steps_unless_it_is_done(a):
    """The last thing that an iteration does, in an else."""
    key = D.thread_idx.x + 1
    slot = D.int32(key * 7 % 64)
    done = False
    while not done:
        found = D.atomic_ref(a, slot).cas(0, key, "relaxed", "device")
        if found == 0 or found == key:
            done = True
        else:
            slot = (slot + 1) % 64


@D.kernel
def claims_by_exchange(a):
    i = 0
    while D.atomic_ref(a, i).exch(1, "relaxed", "device") != 0:
        i += 1


@D.kernel
def follows_links(a):
    i = D.int32(D.thread_idx.x)
    while True:
        to = D.atomic_ref(a, i).load("relaxed", "device")
        if to == i:
            break
        i = to
    D.atomic_ref(a, i).load("relaxed", "device")


@D.kernel
def looks_where_numbers_lead(a):
    table = D.shared_array(64, D.int32)
    table[D.thread_idx.x] = 0
    table[D.thread_idx.x + 32] = 0
    D.syncthreads()
    while True:
        i = D.atomic_ref(a, 0).add(1, "relaxed", "device")
        if i >= 40 or D.atomic_ref(table, i).load("relaxed", "block") == 1:
            break


@D.kernel
def looks_into_a_table(a):
    key = D.thread_idx.x + 1
    slot = D.int32(key * 7 % 64)
    found = D.atomic_ref(a, slot).load("relaxed", "device")
    while found != key and found != 0:
        slot = (slot + 1) % 64
        found = D.atomic_ref(a, slot).load("relaxed", "device")


@D.kernel
def inserts_into_a_shared_table(a):
    table = D.shared_array(64, D.int32)
    table[D.thread_idx.x] = 0
    table[D.thread_idx.x + 32] = 0
    D.syncthreads()
    key = D.thread_idx.x + 1
    slot = D.int32(key * 7 % 64)
    while True:
        found = D.atomic_ref(table, slot).cas(0, key, "relaxed", "block")
        if found == 0 or found == key:
            break
        slot = (slot + 1) % 64
    D.syncthreads()
    a[D.thread_idx.x] = table[D.thread_idx.x]


@D.kernel
def loops_with_barriers(a):
    s = D.shared_array(1, D.int32)
    if D.thread_idx.x == 0:
        s[0] = 0
    D.syncthreads()
    while s[0] < 3:
        D.syncthreads()
        if D.thread_idx.x == 0:
            s[0] += 1
        D.syncthreads()
    a[D.thread_idx.x % 4] = s[0]


@D.kernel
def lanes_of_one_path(a):
    t = D.thread_idx.x
    if t < 16:
        a[t % 4] = D.ballot_sync(D.activemask(), lambda: t > 3)
    else:
        a[t % 4] = D.ballot_sync(D.activemask(), lambda: t > 20)


@D.kernel
def uniform_branch(a, yes):
    t = D.thread_idx.x
    if yes:
        a[t % 4] = D.shfl_sync(FULL, t, 3)
    else:
        a[t % 4] = D.shfl_sync(FULL, t, 4)


@D.kernel
def guarded_shuffles(a):
    """Guards of whole warps, for all that the compiler knows."""
    i = D.int32(D.tid(1))
    v = i
    if i < a.size:
        v += D.shfl_xor_sync(FULL, v, 16)
    a[2] = 1
    if i < a.size:
        v += D.shfl_xor_sync(FULL, v, 8)
        a[i] = v


@D.kernel
def lanes_of_a_mask(a):
    t = D.int32(D.thread_idx.x)
    if t < 16:
        t += D.shfl_xor_sync(0xFFFF, t, 8)
        if t < 0:  # never
            return
        if D.lane_id < 8:
            t += D.shfl_xor_sync(0xFF, t, 4)
    if t >= 16 and D.lane_id >= 16:
        t += D.shfl_xor_sync(0xFFFF0000, t, 8)
    a[D.lane_id] = t


@D.kernel
def those_who_stay_shuffle(a):
    t = D.int32(D.thread_idx.x)
    if t >= 24:
        return
    a[t] = D.shfl_xor_sync(FULL, t, 8)
    if a.size > 1000:
        return
    a[t] += D.shfl_down_sync(FULL, t, 1)


@D.kernel
def warps_of_their_own(a):
    """Whole warps take different sides."""
    t = D.int32(D.thread_idx.x)
    if t < 32:
        a[t] = D.shfl_xor_sync(FULL, t, 8)
    else:
        a[t] = D.shfl_xor_sync(FULL, t, 4)


@D.kernel
def masks_of_those_that_are_here(a):
    """In loops that lanes leave one by one."""
    t = D.int32(D.lane_id)
    for i in range(t):
        here = D.activemask()
        a[i] = D.popc(D.ballot_sync(here, lambda: True))
    some = D.ballot_sync(FULL, lambda: t > 4)
    if t > 4:
        for _ in range(2):
            t += D.shfl_sync(some, t, 7)
    a[t % 64] = t


@D.kernel
def masks_of_each_iteration(a):
    t = D.int32(D.lane_id)
    for i in range(4):
        some = D.ballot_sync(FULL, lambda: a[t + i] >= 0)  # noqa: B023 called at once
        if a[t + i] >= 0:
            t += D.shfl_sync(some, 1, 7)
    a[t] = t


@D.kernel
def guards_in_a_loop(a):
    i = D.int32(D.tid(1))
    v = i
    for _ in range(3):
        if i < a.size:
            v += D.shfl_xor_sync(FULL, v, 16)
    if i < a.size:
        a[i] = v


@D.kernel
def some_shuffle_and_the_others_leave(a):
    i = D.tid(1)
    if i < 18:
        v = a[i] + i
        v += D.shfl_xor_sync(FULL, v, 1)
        if D.any_sync(FULL, lambda: v > 3):
            a[i] = D.popc(D.ballot_sync(FULL, lambda: v % 8 == 1))


@D.kernel
def strides_that_end_in_a_warp(a):
    i = D.tid(1)
    while i < 50:
        a[i] = D.popc(D.ballot_sync(FULL, lambda: i % 2 == 0))  # noqa: B023 called at once
        i += 32


@D.kernel
def shuffles_where_data_say_so(a):
    i = D.lane_id
    if a[i] == 0 and i % 8 != 7:
        a[i] = i + D.shfl_xor_sync(FULL, i, 2)
    elif i >= 8:
        a[i] = 1


GANGS = [
    some_shuffle_and_the_others_leave,
    strides_that_end_in_a_warp,
    shuffles_where_data_say_so,
    masks_of_those_that_are_here,
    masks_of_each_iteration,
    guards_in_a_loop,
    guarded_shuffles,
    lanes_of_a_mask,
    those_who_stay_shuffle,
    warps_of_their_own,
    takes_numbers,
    updates_by_cas,
    reads_and_swaps,
    inserts_into_a_table,
    inserts_with_a_branch_at_the_end,
    steps_unless_it_is_done,
    claims_by_exchange,
    follows_links,
    looks_where_numbers_lead,
    looks_into_a_table,
    inserts_into_a_shared_table,
    loops_with_barriers,
    lanes_of_one_path,
]


@pytest.mark.parametrize("kernel", GANGS, ids=lambda k: k.__name__)
def test_threads_that_need_not_wait_are_lanes(kernel):
    assert plan_of(kernel, counts(64)).startswith("gangs: ")


@D.kernel
def some_shuffle_before_a_barrier(a):
    i = D.lane_id
    if a[i] == i:
        a[i] = D.shfl_xor_sync(FULL, i, 1)
    D.syncthreads()


@D.kernel
def some_wait_at_a_barrier_and_shuffle_later(a):
    i = D.lane_id
    if a[i] == i:
        D.syncthreads()
    a[i] = D.shfl_xor_sync(FULL, i, 1)


@D.kernel
def some_shuffle_and_all_vote(a):
    i = D.lane_id
    if a[i] == i:
        a[i] = D.shfl_xor_sync(FULL, i, 1)
    a[i] += D.any_sync(FULL, lambda: i > 3)


@D.kernel
def some_shuffle_again(a):
    i = D.lane_id
    for _ in range(2):
        if a[i] == i:
            a[i] = D.shfl_xor_sync(FULL, i, 1)
        else:
            a[i] = i


@D.kernel
def by_a_mask_from_a_shuffle(a):
    i = D.lane_id
    everyone = D.ballot_sync(FULL, lambda: True)
    if a[i] == i:
        here = D.activemask()
        theirs = D.shfl_sync(here, everyone, D.ffs(here) - 1)
        a[i] = D.shfl_xor_sync(theirs, i, 1)
    a[i] += D.any_sync(FULL, lambda: i > 3)


@D.kernel
def by_a_mask_of_numbers(a):
    i = D.lane_id
    every = a[31] - 1  # -1, in all lanes
    if a[i] == i:
        a[i] = D.shfl_xor_sync(D.WarpMask((every & (every | 1)) & (every & (every | 2))), i, 1)
    a[i] += D.any_sync(FULL, lambda: i > 3)


@D.kernel
def by_what_another_iteration_found(a):
    i = D.lane_id
    j = 0
    while True:
        m = 0
        while True:
            v = a[(i + j) % 32]
            m += 1
            if m >= a[31] + 1:
                break
        if v > 0:
            D.syncthreads()
        j += 1
        if j == 2 + a[31]:
            break
    if v > 0:
        a[i] = D.shfl_xor_sync(FULL, i, 1)


@D.kernel
def some_wait_and_all_shuffle(a):
    i = D.lane_id
    for _ in range(a[i]):
        D.syncthreads()
    a[i] = D.shfl_xor_sync(FULL, i, 1)


@D.kernel
def some_pass_a_barrier_of_the_warp(a):
    i = D.lane_id
    if a[i] == i:
        D.syncwarp()
        a[i] = D.shfl_xor_sync(FULL, i, 1) + a[31]
    else:
        a[31] = 5


@pytest.mark.parametrize(
    "kernel",
    [
        by_a_mask_from_a_shuffle,
        by_a_mask_of_numbers,
        some_wait_and_all_shuffle,
        some_shuffle_before_a_barrier,
        some_wait_at_a_barrier_and_shuffle_later,
        some_shuffle_and_all_vote,
    ],
    ids=lambda k: k.__name__,
)
@pytest.mark.parametrize("form", ["avx512", "avx2"])
def test_lanes_that_meet_others_are_not_gone(kernel, form):
    """Threads wait for them in vain; lanes do not wait, and say so."""
    assert plan_of(kernel, counts(32)).startswith("gangs: ")
    a = np.where(LANES < 9, LANES, 0)
    with use_target(form):
        message = r"lanes of the mask of shfl_xor_sync\(\) do not come to it, and may come to a ba"
        with pytest.raises(NotImplementedError, match=message):
            run(kernel, a.astype(np.int32), block=32)
        threads = D.kernel(kernel.__wrapped__, execution="threads")
        with pytest.raises(D.errors.KernelError, match="deadlock"):
            run(threads, a.astype(np.int32), block=32)


@pytest.mark.parametrize("form", ["avx512", "avx2"])
def test_iterations_of_a_loop_that_ends_before(form):
    a = np.where(LANES == 0, 1, 0).astype(np.int32)
    with use_target(form), pytest.raises(NotImplementedError, match="do not come to it"):
        run(by_what_another_iteration_found, a, block=32)


@pytest.mark.parametrize("form", ["avx512", "avx2"])
def test_barriers_of_warps_wait_for_what_lanes_write_that_leave(form):
    a = np.where(LANES < 8, LANES, 0).astype(np.int32)
    with use_target(form), pytest.raises(NotImplementedError, match=r"syncwarp\(\) do not come"):
        run(some_pass_a_barrier_of_the_warp, a, block=32)
    threads = D.kernel(some_pass_a_barrier_of_the_warp.__wrapped__, execution="threads")
    run(threads, a, block=32)
    assert a[:8].tolist() == [6, 5, 8, 7, 10, 9, 12, 11]


def test_lanes_that_come_back_in_a_loop_are_not_gone():
    assert plan_of(some_shuffle_again, counts(32)).startswith("threads: ")


@D.kernel
def never_unlocked(a):
    while D.atomic_ref(a, 0).cas(0, 1, "acquire", "device") != 0:
        pass
    a[1] += 1


def test_a_lock_that_is_never_released_is_found():
    with pytest.raises(D.errors.KernelError, match=r"31 threads at .*test_execution_plans\.py"):
        run(never_unlocked, counts(), block=32)


LANES = np.arange(32)


def beyond(values):
    """64 elements of which these are the first, and the others are not written."""
    return [*values, *[0] * (64 - len(values))]


def table():
    """Each key of 1 to 32 in its slot, of which no two have the same."""
    return [next((k for k in range(1, 33) if k * 7 % 64 == slot), 0) for slot in range(64)]


# What each kernel makes of 64 zeros in one block of 32 threads.
RESULTS = {
    some_shuffle_and_the_others_leave: beyond([10] * 18),
    strides_that_end_in_a_warp: beyond([16] * 32 + [9] * 18),
    shuffles_where_data_say_so: beyond(
        np.where(LANES % 8 == 7, LANES > 8, np.where(LANES % 8 == 5, -1, LANES + (LANES ^ 2)))
    ),
    masks_of_those_that_are_here: [
        *range(5),
        *(31 - i for i in range(5, 26)),
        *range(26, 53),
        *[0] * 11,
    ],
    masks_of_each_iteration: [0] * 4 + list(range(4, 36)) + [0] * 28,
    guards_in_a_loop: beyond(4 * (LANES + (LANES ^ 16))),
    guarded_shuffles: beyond(LANES + (LANES ^ 16) + (LANES ^ 8) + (LANES ^ 24)),
    lanes_of_a_mask: beyond(
        LANES + (LANES ^ 8) + np.where(LANES < 8, (LANES ^ 4) + (LANES ^ 12), 0)
    ),
    those_who_stay_shuffle: beyond((LANES[:16] ^ 8) + LANES[:16] + 1),
    warps_of_their_own: beyond(LANES ^ 8),
    takes_numbers: beyond([132, 100]),
    updates_by_cas: beyond([0, 32]),
    reads_and_swaps: beyond([0, 32]),
    inserts_into_a_table: table(),
    inserts_with_a_branch_at_the_end: table(),
    steps_unless_it_is_done: table(),
    claims_by_exchange: beyond([1] * 32),
    follows_links: beyond([]),
    looks_where_numbers_lead: beyond([72]),
    looks_into_a_table: beyond([]),
    inserts_into_a_shared_table: beyond(table()[:32]),
    loops_with_barriers: beyond([3] * 4),
    lanes_of_one_path: beyond([0xFFF0] * 4),
}


@pytest.mark.parametrize("kernel", GANGS, ids=lambda k: k.__name__)
def test_lanes_that_need_not_wait_finish(target, kernel):
    a = counts(64)
    run(kernel, a, block=32)
    if kernel is those_who_stay_shuffle:  # those from lane 16 on read lanes that have left
        a[16:24] = 0
    if kernel is shuffles_where_data_say_so:  # they read lanes that have left
        a[[5, 13, 21, 29]] = -1
    if kernel is lanes_of_one_path:  # both sides write, and either may be last
        a[a.view(np.uint32) == 0xFFE00000] = 0xFFF0
    assert a.tolist() == RESULTS[kernel]


def test_a_branch_of_whole_warps_keeps_lanes():
    assert plan_of(uniform_branch, counts(), np.bool_(True)).startswith("gangs: ")


PARTED = """
    if v > {k}:
        s[{k} % 2, t] = x
        D.syncthreads()
        x += s[{k} % 2, (t + 32) % 64] + {k}
"""


def with_barriers(count):
    """Each thread comes to as many of them as its element says."""
    head = "@D.kernel\ndef kernel(a, o):\n    t = D.thread_idx.x\n    v = a[t]\n    x = v\n"
    head += "    s = D.shared_array((2, 64), D.int32)\n    s[0, t] = 0\n    s[1, t] = 0\n"
    steps = "".join(PARTED.format(k=k) for k in range(1, count))
    return executed(f"{head}    D.syncthreads()\n{steps}    o[t] = x\n")["kernel"]


@pytest.mark.parametrize("count", [32, 33])
def test_the_most_barriers_at_which_gangs_part(count):
    """The code for more takes long to compile. On both sides of the limit results are right."""
    kernel = with_barriers(count)
    text = plan_of(kernel, counts(64), counts(64), block=64)
    if count == 32:
        assert text.startswith("gangs: ")
    else:
        reason = "threads may come to different ones of more than 32 barriers"
        assert text.startswith(f"threads: {reason}")
    t = np.arange(64)
    a, out = (t * 7 % 40).astype(np.int32), counts(64)
    with use_target("avx2"):
        run(kernel, a, out, grid=1, block=64)
    x, s = a.copy(), np.zeros((2, 64), np.int32)
    for k in range(1, count):
        comes = a > k
        s[k % 2, comes] = x[comes]
        x[comes] += s[k % 2, (t[comes] + 32) % 64] + k
    assert out.tolist() == x.tolist()


STEP = """
    v += D.shfl_xor_sync(-1, v, {step})
    if a[t + {k}] == {k}:
        return
"""


def test_many_early_returns_are_looked_at_soon():
    """Each operation of the warp is under the conditions of all returns before it."""
    head = "@D.kernel\ndef kernel(a):\n    t = D.int32(D.thread_idx.x)\n    v = t\n"
    steps = "".join(STEP.format(k=k, step=k % 31 + 1) for k in range(300))
    kernel = executed(f"{head}{steps}    a[t] = v\n")["kernel"]
    begin = time.process_time()
    assert plan_of(kernel, counts(400)).startswith("gangs: ")
    assert time.process_time() - begin < 10


# --- what is asked for ---


def doubled(a, b):
    i = D.tid(1)
    b[i] = 2 * a[i]


@pytest.mark.parametrize("execution", ["gangs", "threads"])
def test_a_kernel_may_ask(execution):
    kernel = D.kernel(execution=execution)(doubled)
    a, b = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)
    assert plan_of(kernel, a, b) == f"{execution}: it is asked for\n"
    run(kernel, a, b, grid=10, block=10)
    assert b.tolist() == (2 * a).tolist()
    assert kernel.stats(a, b, grid=10, block=10).gang == (1 if execution == "threads" else 32)


def test_both_give_kernels_of_their_own():
    a, b = np.ones(32, np.float32), np.zeros(32, np.float32)
    one, other = (D.kernel(execution=e)(doubled) for e in ("gangs", "threads"))
    assert "zmm" in one.inspect(a, b, block=32, what="asm", target="avx512")
    assert "zmm" not in other.inspect(a, b, block=32, what="asm", target="avx512")


@D.kernel(execution="threads")
def asked(a, b):
    b[D.tid(1)] = 2 * a[D.tid(1)]


def test_what_is_asked_for_travels_with_the_kernel():
    a, b = np.ones(32, np.float32), np.zeros(32, np.float32)
    copy = cloudpickle.loads(cloudpickle.dumps(asked))
    assert plan_of(copy, a, b) == "threads: it is asked for\n"


def test_a_target_may_ask():
    a, b = np.ones(32, np.float32), np.zeros(32, np.float32)
    kernel = D.kernel(doubled)
    for execution in ("gangs", "threads"):
        text = plan_of(kernel, a, b, target=f"avx2-{execution}")
        assert text == f"{execution}: it is asked for\n"


@pytest.mark.parametrize("execution", ["fibres", "Threads", 1, True, ""])
def test_other_words_are_refused(execution):
    with pytest.raises(TypeError) as caught:
        D.kernel(execution=execution)
    assert str(caught.value) == (
        f"@kernel: execution must be 'gangs' or 'threads', found {execution!r}; leave it out and "
        "the compiler chooses"
    )


def test_functions_take_none():
    with pytest.raises(TypeError, match="it takes fmad, fastmath, builtins and inline"):
        D.func(execution="threads")


def test_gpus_have_no_plan():
    with pytest.raises(Exception, match="it is made for: avx512, avx2, sse4"):
        plan_of(D.kernel(doubled), counts(), counts(), target="sm_90")
