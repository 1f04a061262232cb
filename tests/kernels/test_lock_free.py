"""Structures without locks: a hash table, a queue of work, a scan in one pass."""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run

EMPTY = -1

# --- a hash table with open addresses ---


def slot_of(keys, key):
    """The slot of a key, which is put there where it is new; size: a power of two."""
    last = D.int32(keys.size) - 1
    slot = (key * 0x45D9F3B) & last
    while True:
        found = D.atomic_ref(keys, slot).cas(EMPTY, key, "relaxed", "device")
        if found in (EMPTY, key):
            return slot
        slot = (slot + 1) & last


@D.kernel
def count_words(words, keys, counts, firsts):
    i = D.tid(1)
    if i < words.size:
        slot = slot_of(keys, words[i])
        D.atomic_ref(counts, slot).add(1, "relaxed", "device")
        D.atomic_ref(firsts, slot).min(D.int32(i), "relaxed", "device")


@clause("DEV-ATOM-15", "DEV-ATOM-17")
@pytest.mark.parametrize(("different", "size"), [(1, 8), (60, 64), (300, 512)])
def test_a_hash_table(target, different, size):
    rng = np.random.default_rng(different)
    names = rng.choice(10**9, different, replace=False).astype(np.int32)
    words = names[rng.integers(0, different, 1500)]
    keys, counts = np.full(size, EMPTY, np.int32), np.zeros(size, np.int32)
    firsts = np.full(size, 10**6, np.int32)
    run(count_words, words, keys, counts, firsts, grid=12, block=128)
    expected, first, count = np.unique(words, return_index=True, return_counts=True)
    used = np.flatnonzero(keys != EMPTY)
    order = used[np.argsort(keys[used])]
    assert keys[order].tolist() == expected.tolist()
    assert counts[order].tolist() == count.tolist()
    assert firsts[order].tolist() == first.tolist()
    assert not counts[keys == EMPTY].any()


# --- a queue of work, which those who work fill ---


@D.kernel
def visit(children, queue, taken, put, depth):
    """A block of one thread takes the node of its ticket, and puts that node's children into the
    queue. Whoever puts it there has an earlier ticket, so nobody waits for a block not begun."""
    ticket = D.atomic_ref(taken, 0).add(1, "relaxed", "device")
    place = D.atomic_ref(queue, ticket)
    place.wait(EMPTY, "acquire", "device")
    node = place.load("relaxed", "device")
    for k in range(children.shape[1]):
        child = children[node, k]
        if child != EMPTY:
            depth[child] = depth[node] + 1
            at = D.atomic_ref(put, 0).add(1, "relaxed", "device")
            D.atomic_ref(queue, at).store(child, "release", "device")


@clause("DEV-ATOM-17", "DEV-ATOM-29", "DEV-ORDER-07")
def test_a_queue_of_work(target):
    nodes = 500
    rng = np.random.default_rng(2)
    children = np.full((nodes, 4), EMPTY, np.int32)
    parents = [0] * nodes
    for node in range(1, nodes):
        earlier = np.arange(max(0, node - 30), node)
        parent = int(rng.choice(earlier[(children[earlier] == EMPTY).any(1)]))
        children[parent, np.argmax(children[parent] == EMPTY)] = node
        parents[node] = parent
    queue = np.full(nodes, EMPTY, np.int32)
    queue[0] = 0
    taken, put = np.zeros(1, np.int32), np.ones(1, np.int32)
    depth = np.zeros(nodes, np.int32)
    run(visit, children, queue, taken, put, depth, grid=nodes, block=1)
    assert (taken[0], put[0]) == (nodes, nodes)
    assert sorted(queue.tolist()) == list(range(nodes))
    expected = [0] * nodes
    for node in range(1, nodes):
        expected[node] = expected[parents[node]] + 1
    assert depth.tolist() == expected


# --- a scan in one pass: blocks look back at what those before them have told ---

ITS_SUM, ALL_SUMS = 1, 2


def sum_before(told, block):
    """The sum of all blocks before, by one thread. `told`: what is told and a sum, in one step."""
    total = D.int32(0)
    while block > 0:
        block -= 1
        pair = D.atomic_ref(told, block).load("relaxed", "device")
        while pair.x == 0:
            pair = D.atomic_ref(told, block).load("relaxed", "device")
        total += pair.y
        if pair.x == ALL_SUMS:
            break
    return total


@D.kernel
def scan(a, out, told, tickets):
    tile = D.shared_array(1, D.int32)
    before = D.shared_array(1, D.int32)
    sums = D.shared_array(32, D.int32)
    t = D.int32(D.thread_idx.x)
    if t == 0:
        tile[0] = D.atomic_ref(tickets, 0).add(1, "relaxed", "device")
    D.syncthreads()
    block = tile[0]
    i = block * D.int32(D.block_dim.x) + t
    value = a[i] if i < a.size else 0
    for distance in (1, 2, 4, 8, 16):
        below = D.shfl_up_sync(-1, value, distance)
        if D.lane_id >= distance:
            value += below
    if D.lane_id == 31:
        sums[t // 32] = value
    D.syncthreads()
    if t == 0:
        own = D.int32(0)
        for warp in range(D.int32(D.block_dim.x) // 32):
            own += sums[warp]
            sums[warp] = own
        D.atomic_ref(told, block).store(D.int32x2(ITS_SUM, own), "relaxed", "device")
        total = sum_before(told, block)
        D.atomic_ref(told, block).store(D.int32x2(ALL_SUMS, total + own), "relaxed", "device")
        before[0] = total
    D.syncthreads()
    if i < a.size:
        out[i] = value + before[0] + (sums[t // 32 - 1] if t >= 32 else 0)


@clause("DEV-ATOM-09", "DEV-ATOM-15")
@pytest.mark.parametrize("n", [1, 64, 65, 5000])
def test_a_scan_in_one_pass(target, n):
    a = np.random.default_rng(n).integers(-50, 50, n).astype(np.int32)
    blocks = -(-n // 64)
    for _ in range(5 if target not in ("interpreter", "ptx") else 1):
        out, tickets = np.zeros(n, np.int32), np.zeros(1, np.int32)
        told = D.zeros(blocks, dtype=D.int32x2, device="cpu")
        run(scan, a, out, told, tickets, grid=blocks, block=64)
        assert out.tolist() == a.cumsum().tolist()
