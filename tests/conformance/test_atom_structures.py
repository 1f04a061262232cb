"""Structures that threads share without locks: free slots, union-find, sums (DEV-ATOM)."""

import numpy as np
from cuda import device as D
from support.clauses import clause
from support.launching import run


@D.func
def root_of(parent, x):
    """With shorter paths for those who come later."""
    while True:
        up = D.atomic_ref(parent, x).load("relaxed")
        if up == x:
            return x
        above = D.atomic_ref(parent, up).load("relaxed")
        D.atomic_ref(parent, x).cas(up, above, "relaxed")
        x = above


@D.func
def unite(parent, x, y):
    while True:
        x = root_of(parent, x)
        y = root_of(parent, y)
        if x == y:
            break
        low, high = min(x, y), max(x, y)
        if D.atomic_ref(parent, high).cas(high, low) == high:
            break


@D.func
def pop(head, after):
    """A slot of the free ones; the upper half of head counts, so that none is taken for another."""
    seen = head.load("acquire")
    while True:
        slot = D.int32(seen & D.uint64(0xFFFFFFFF))
        if slot < 0:
            return slot
        following = D.uint64(D.uint32(D.atomic_ref(after, slot).load("relaxed")))
        count = (seen >> D.uint64(32)) + D.uint64(1)
        old = head.cas(seen, count << D.uint64(32) | following, "acq_rel")
        if old == seen:
            return slot
        seen = old


@D.func
def push(head, after, slot):
    seen = head.load("acquire")
    while True:
        D.atomic_ref(after, slot).store(D.int32(seen & D.uint64(0xFFFFFFFF)), "relaxed")
        count = (seen >> D.uint64(32)) + D.uint64(1)
        old = head.cas(seen, count << D.uint64(32) | D.uint64(slot), "acq_rel")
        if old == seen:
            break
        seen = old


@D.kernel
def structures(heads, after, used, clashes, parent, edges, sums, x):
    i = D.tid(1)
    head = heads[0]
    slot = pop(head, after)
    if slot >= 0:
        if D.atomic_ref(used, slot).exch(1) != 0:
            D.atomic_ref(clashes, 0).add(1)
        D.atomic_ref(used, slot).store(0, "release")
        push(head, after, slot)
    else:
        D.atomic_ref(clashes, 1).add(1)
    if i < edges.shape[0]:
        unite(parent, edges[i, 0], edges[i, 1])
    total = D.atomic_ref(sums, 0)
    old = total.load("relaxed")
    while True:
        found = total.cas(old, old + x[i % x.size], "relaxed")
        if found == old:
            break
        old = found
    D.atomic_ref(sums, 1).add(x[i % x.size], "relaxed", "device")


def components(count, edges):
    label = list(range(count))
    for a, b in edges.tolist():
        first, second = label[a], label[b]
        label = [min(first, second) if k in (first, second) else k for k in label]
    return label


@clause("DEV-ATOM-15", "DEV-ATOM-17")
def test_structures_without_locks(target):
    rng = np.random.default_rng(7)
    heads = D.zeros(1, dtype=D.Atomic(D.uint64))
    slots, nodes = 64, 100
    after = np.arange(1, slots + 1, dtype=np.int32)
    after[-1] = -1
    used, clashes = np.zeros(slots, np.int32), np.zeros(2, np.int32)
    parent = np.arange(nodes, dtype=np.int32)
    edges = rng.integers(0, nodes, (80, 2)).astype(np.int32)
    x, sums = np.arange(1.0, 9, dtype=np.float32), np.zeros(2, np.float32)
    run(structures, heads, after, used, clashes, parent, edges, sums, x, grid=4, block=40)
    assert clashes[0] == 0
    assert not used.any()
    free, at = [], int(heads["value"][0]) & 0xFFFFFFFF
    while at != 0xFFFFFFFF:
        free.append(at)
        at = int(after[at]) & 0xFFFFFFFF
    assert sorted(free) == list(range(slots))
    roots = parent.copy()
    while (roots != parent[roots]).any():
        roots = parent[roots]
    assert roots.tolist() == components(nodes, edges)
    assert sums.tolist() == [20.0 * 36] * 2
