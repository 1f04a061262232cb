"""Atomic operations and fences (DEV-ATOM, DEV-ORDER, DEV-SCOPE, DEV-FENCE)."""

import inspect
import re

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.clauses import clause
from support.launching import run

INTEGERS = [np.int32, np.uint32, np.int64, np.uint64]
FLOATS = [np.float32, np.float64]
SMALL = [np.int8, np.uint8, np.int16, np.uint16]


# --- read-modify-writes ---


@D.kernel
def counts(total, olds, shared_total, local_total):
    """All threads meet at one element; each array starts at 100."""
    i = D.tid(1)
    s = D.shared_array(2, total.dtype)
    if D.thread_idx.x < 2:
        s[D.thread_idx.x] = total.dtype(100)
    D.syncthreads()
    if i % 5 != 4:
        olds[0, i] = D.atomic_ref(total, 0).add(1)
        olds[1, i] = D.atomic_ref(s, 0).add(total.dtype(2))
        D.atomic_ref(total, index=1).add(i % 3, memory="relaxed", scope="device")
        olds[2, i] = D.atomic_ref(total, 2).sub(1, "acq_rel", "block")
        D.atomic_ref(s, 1).sub(1)
    D.syncthreads()
    if D.thread_idx.x == 0:
        shared_total[D.block_idx.x] = s[0] + s[1]
    mine = D.local_array((2, 2), total.dtype)
    mine[1, 0] = total.dtype(7)
    ref = D.atomic_ref(mine, (1, 0))
    local_total[i] = ref.add(i % 4) * 100 + ref.load()


@clause("DEV-ATOM-17", "DEV-ATOM-18", "DEV-ATOM-06", "DEV-ATOM-25")
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_add_and_sub(target, dtype):
    blocks, block = 3, 80
    n = blocks * block
    active = np.arange(n) % 5 != 4
    total = np.full(3, 100, dtype)
    olds = np.zeros((3, n), dtype)
    shared, local = np.zeros(blocks, dtype), np.zeros(n, dtype)
    run(counts, total, olds, shared, local, grid=blocks, block=block)
    count = int(active.sum())
    sums = int((np.arange(n) % 3)[active].sum())
    start = np.array(100).astype(dtype)
    assert total.tolist() == [100 + count, 100 + sums, start - count]
    assert sorted(olds[0][active].tolist()) == [100 + k for k in range(count)]
    assert sorted((start - olds[2][active]).tolist()) == list(range(count))
    assert shared.tolist() == [200 + 64] * blocks
    assert all(len(set(row[row > 0])) == 64 for row in olds[1].reshape(blocks, block))
    assert local.tolist() == [700 + 7 + k % 4 for k in range(n)]


@D.kernel
def combines(a, x, olds):
    i = D.thread_idx.x
    if i < x.size:
        olds[0, i] = D.atomic_ref(a, 0).and_(x[i])
        olds[1, i] = D.atomic_ref(a, 1).or_(x[i], memory="release")
        olds[2, i] = D.atomic_ref(a, 2).xor(x[i], scope="thread")
        D.atomic_ref(a, 3).and_(x[i])
        D.atomic_ref(a, 4).xor(x[i], memory="acquire", scope="device")
        s = D.shared_array(8, a.dtype)
        s[i] = a.dtype(i)
        olds[3, i] = D.atomic_ref(s, i).or_(a.dtype(16))
        olds[4, i] = s[i]


@clause("DEV-ATOM-19", "DEV-ATOM-25")
@pytest.mark.parametrize("dtype", INTEGERS)
def test_bitwise(target, dtype):
    bits = np.dtype(dtype).itemsize * 8
    x = np.array([2**k | 1 << (bits - 2) for k in range(8)]).astype(dtype)
    a = np.full(5, -1 if np.dtype(dtype).kind == "i" else 2**bits - 1, dtype)
    start, wanted = a.copy(), []
    olds = np.zeros((5, 8), dtype)
    a[1] = a[2] = 0
    start[1:3] = 0
    run(combines, a, x, olds, block=32)
    for row, function in enumerate([np.bitwise_and, np.bitwise_or, np.bitwise_xor]):
        before = [start[row]]
        for value in x:
            before.append(function(before[-1], value))
        assert olds[row].tolist() == before[:-1]
        wanted.append(before[-1])
    wanted += [wanted[0], np.bitwise_xor.reduce(x) ^ start[4]]
    assert a.tolist() == wanted
    assert olds[3].tolist() == list(range(8))
    assert olds[4].tolist() == [k | 16 for k in range(8)]


@D.kernel
def extremes(a, x, olds, shared):
    """One thread after the other on a[0 .. 3], each on one of its own after these."""
    i = D.thread_idx.x
    if i < x.size:
        olds[0, i] = D.atomic_ref(a, 0).max(x[i])
        olds[1, i] = D.atomic_ref(a, 1).min(x[i])
        olds[2, i] = D.atomic_ref(a, 2).nanmax(x[i])
        olds[3, i] = D.atomic_ref(a, 3).nanmin(x[i])
        s = D.shared_array(4, a.dtype)
        if i == 0:
            for k in range(4):
                s[k] = x[0]
        D.atomic_ref(s, 0).max(x[i])
        D.atomic_ref(s, 1).min(x[i])
        D.atomic_ref(s, 2).nanmax(x[i])
        D.atomic_ref(s, 3).nanmin(x[i])
        if i == x.size - 1:
            for k in range(4):
                shared[k] = s[k]


def greatest(old, new):
    return new if new > old else old


def least(old, new):
    return new if new < old else old


def of_numbers(function):
    return lambda old, new: new if old != old else function(old, new)


RULES = [greatest, least, of_numbers(greatest), of_numbers(least)]


@clause("DEV-ATOM-20", "DEV-ATOM-21", "DEV-ATOM-22", "DEV-ATOM-25")
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_max_and_min(target, dtype):
    is_float = np.dtype(dtype).kind == "f"
    limits = np.finfo(dtype) if is_float else np.iinfo(dtype)
    rows = [[5, 3, 9, limits.min, 9, limits.max, 0, 4]]
    if is_float:
        nan = np.nan
        rows += [[1, nan, 2, -3], [nan, 2, nan, 7, -1], [nan, nan, nan]]
    for row in rows:
        x = np.array(row, dtype)
        a = np.full(4, x[0], dtype)
        olds = np.zeros((4, x.size), dtype)
        shared = np.zeros(4, dtype)
        run(extremes, a, x, olds, shared, block=32)
        for k, rule in enumerate(RULES):
            before = [x[0]]
            for value in x:
                before.append(rule(before[-1], value))
            np.testing.assert_array_equal(olds[k], before[:-1])
            np.testing.assert_array_equal(a[k], before[-1])
            np.testing.assert_array_equal(shared[k], before[-1])


# --- exchange, compare and swap, load, store ---


@D.kernel
def moves(a, token, olds, tries):
    i = D.tid(1)
    olds[i] = D.atomic_ref(token, 0).exch(a.dtype(i + 1))
    slot = D.atomic_ref(a, i)
    slot.store(a.dtype(i % 100), memory="release")
    tries[0, i] = slot.cas(a.dtype(i % 100), a.dtype(3))
    tries[1, i] = slot.cas(a.dtype(99), a.dtype(4))
    tries[2, i] = slot.load("acquire")
    counter = D.atomic_ref(token, 1)
    old = counter.load()
    while True:
        seen = counter.cas(old, old + a.dtype(1))
        if seen == old:
            break
        old = seen


@clause("DEV-ATOM-13", "DEV-ATOM-15", "DEV-ATOM-25")
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + SMALL)
def test_moves(target, dtype):
    n = 96
    a, token = np.zeros(n, dtype), np.zeros(2, dtype)
    olds, tries = np.zeros(n, dtype), np.zeros((3, n), dtype)
    run(moves, a, token, olds, tries, grid=2, block=48)
    assert sorted([*olds.tolist(), token[0]]) == list(range(n + 1))
    assert token[1] == n
    expected = [k % 100 for k in range(n)]
    assert tries[0].tolist() == expected
    assert tries[1].tolist() == tries[2].tolist() == a.tolist() == [3] * n


# --- what many threads do at once ---


@D.kernel
def histogram(values, out):
    bins = D.shared_array(16, D.int32)
    t = D.thread_idx.x
    if t < 16:
        bins[t] = 0
    D.syncthreads()
    for k in range(t, values.size, D.block_dim.x):
        D.atomic_ref(bins, values[k]).add(1, memory="relaxed", scope="block")
    D.syncthreads()
    if t < 16:
        D.atomic_ref(out, t).add(bins[t], memory="relaxed")


def test_histogram(target):
    values = np.random.default_rng(1).integers(0, 16, 3000).astype(np.int32)
    out = np.zeros(16, np.int64)
    run(histogram, values, out, grid=2, block=64)
    assert out.tolist() == (2 * np.bincount(values, minlength=16)).tolist()


@D.kernel
def collisions(places, sums, rests, all_bits, bits, most, least, shared_sums):
    """One operand for all lanes, of which some meet; every seventh thread stays away."""
    counts = D.shared_array(64, sums.dtype)
    t = D.thread_idx.x
    if t < 64:
        counts[t] = 0
    D.syncthreads()
    for k in range(t, places.size, D.block_dim.x):
        at = places[k]
        D.atomic_ref(sums, at).add(3, "relaxed", "device")
        if k % 7 != 2:
            D.atomic_ref(rests, at).sub(2)
            D.atomic_ref(all_bits, at).and_(D.int32(6))
            D.atomic_ref(bits, at).or_(D.int32(9), "relaxed")
            D.atomic_ref(most, at).max(D.int32(5))
            D.atomic_ref(least, at).min(D.int32(-5))
            D.atomic_ref(counts, at).add(1, "relaxed", "block")
    D.syncthreads()
    if t < 64:
        shared_sums[t] = counts[t]


@pytest.mark.parametrize("dtype", [np.uint32, np.int64])
@pytest.mark.parametrize("meet", [0, 0.2, 0.3, 0.9, 1])
def test_lanes_that_meet_at_the_first_ones_element(target, dtype, meet):
    """Those may be combined; what the others do must not be lost, nor done twice."""
    rng = np.random.default_rng(int(meet * 10))
    places = rng.permutation(np.arange(1000) % 64)
    places[rng.random(1000) < meet] = 7
    joins = np.arange(1000) % 7 != 2
    sums = np.full(64, 2, dtype)
    rests, numbers = np.full(64, 2000), [np.full(64, n, np.int32) for n in (15, 4, 2, 3)]
    shared = np.zeros(64, dtype)
    run(collisions, places, sums, rests, *numbers, shared, block=96)
    every, some = (np.bincount(p, minlength=64) for p in (places, places[joins]))
    assert (sums == 2 + 3 * every).all()
    assert (rests == 2000 - 2 * some).all()
    for found, before, after in zip(numbers, (15, 4, 2, 3), (6, 13, 5, -5), strict=True):
        assert (found == np.where(some > 0, after, before)).all()
    assert (shared == some).all()


@D.kernel
def publishes(data, flags, out):
    """Block b waits for block b - 1, which it reads plain data of."""
    b = D.block_idx.x
    if b > 0:
        while D.atomic_ref(flags, b - 1).load(memory="acquire", scope="device") == 0:
            pass
        out[b] = data[b - 1]
    data[b] = out[b] + 1
    D.atomic_ref(flags, b).store(1, memory="release", scope="device")


@clause("DEV-ORDER-07", partial="on the targets of this machine")
def test_message_passing(target):
    n = 500
    data, flags, out = (np.zeros(n, np.int32) for _ in range(3))
    run(publishes, data, flags, out, grid=n)
    assert out.tolist() == list(range(n))


@D.kernel
def publishes_by_fences(data, flags, out):
    b = D.block_idx.x
    if b > 0:
        while D.atomic_ref(flags, b - 1).load("relaxed", "device") == 0:
            pass
        D.threadfence("acquire", scope="device")
        out[b] = data[b - 1]
    data[b] = out[b] + 1
    D.threadfence(memory="release", scope="device")
    D.atomic_ref(flags, b).store(1, "relaxed", "device")


@clause("DEV-FENCE-02")
def test_fences_publish(target):
    n = 500
    data, flags, out = (np.zeros(n, np.int32) for _ in range(3))
    run(publishes_by_fences, data, flags, out, grid=n)
    assert out.tolist() == list(range(n))


@D.kernel
def locks(lock, total):
    """A ticket lock around a plain counter: one thread a block."""
    for _ in range(10):
        mine = D.atomic_ref(lock, 0).add(1, "relaxed")
        while D.atomic_ref(lock, 1).load("acquire") != mine:
            pass
        total[0] = total[0] + 1
        D.atomic_ref(lock, 1).add(1, "release")


def test_ticket_lock(target):
    lock, total = np.zeros(2, np.int32), np.zeros(1, np.int32)
    run(locks, lock, total, grid=40)
    assert total[0] == 400


@D.kernel
def inserts(keys, table, slots):
    """A hash table with linear probing."""
    i = D.tid(1)
    if i < keys.size:
        at = (keys[i] * 7) % table.size
        while True:
            seen = D.atomic_ref(table, at).cas(-1, keys[i])
            if seen == -1 or seen == keys[i]:
                break
            at = (at + 1) % table.size
        slots[i] = at


def test_hash_table(target):
    keys = np.random.default_rng(2).integers(0, 150, 400).astype(np.int32)
    table, slots = np.full(256, -1, np.int32), np.zeros(400, np.int32)
    run(inserts, keys, table, slots, grid=7, block=64)
    assert sorted(table[table >= 0].tolist()) == sorted(set(keys.tolist()))
    assert table[slots].tolist() == keys.tolist()


# --- order and scope in PTX ---


@D.kernel
def ordered(a):
    relaxed = D.atomic_ref(a, 0).load(memory="relaxed", scope="device")
    consumed = D.atomic_ref(a, 1).load(memory="consume", scope="block")
    acquired = D.atomic_ref(a, 2).load(memory="acquire", scope="system")
    D.atomic_ref(a, 3).store(relaxed + consumed + acquired, memory="release", scope="device")
    D.atomic_ref(a, 4).add(1, memory="acq_rel", scope="device")
    D.atomic_ref(a, 5).add(1, memory="acquire", scope="block")
    D.atomic_ref(a, 6).max(1, memory="release", scope="thread")
    D.atomic_ref(a, 7).cas(1, 2, memory="relaxed", scope="system")


@D.kernel
def sequential(a):
    D.atomic_ref(a, 0).store(D.atomic_ref(a, 1).load())
    D.atomic_ref(a, 2).exch(D.atomic_ref(a, 3).sub(1, scope="device"))
    D.atomic_ref(a, 4).cas(1, 2)
    D.atomic_ref(a, 5).add(1)
    D.atomic_ref(a, 6).and_(1)
    D.atomic_ref(a, 7).or_(1)
    D.atomic_ref(a, 8).xor(1)
    D.atomic_ref(a, 9).max(1)
    D.atomic_ref(a, 10).nanmax(1)
    D.atomic_ref(a, 11).min(1)
    D.atomic_ref(a, 12).nanmin(1)


@D.kernel
def fences():
    D.threadfence()
    D.threadfence("acquire", "device")
    D.threadfence("release", "block")
    D.threadfence(memory="acq_rel")
    D.threadfence("consume", scope="device")
    D.threadfence("relaxed")
    D.threadfence(scope="thread")
    D.threadfence("seq_cst", "device")


def instructions(kernel, *args, arch):
    text = kernel.inspect(*args, what="ptx", target=arch)
    found = re.findall(r"^\s*((?:ld|st|atom|fence)\.[\w.]+)", text, re.MULTILINE)
    return [i for i in found if not i.startswith("ld.param")]


ARCHS = ["sm_75", "sm_90"]


@clause("DEV-ORDER-01", "DEV-ORDER-02", "DEV-ORDER-03", "DEV-ORDER-04", "DEV-ORDER-05")
@clause("DEV-SCOPE-01", "DEV-SCOPE-02", "DEV-SCOPE-03", "DEV-SCOPE-04")
@pytest.mark.parametrize("arch", ARCHS)
def test_orders_and_scopes_in_ptx(arch):
    assert instructions(ordered, np.zeros(8, np.int32), arch=arch) == [
        "ld.relaxed.gpu.global.b32",
        "ld.acquire.cta.global.b32",
        "ld.acquire.sys.global.b32",
        "st.release.gpu.global.b32",
        "atom.acq_rel.gpu.global.add.s32",
        "atom.acquire.cta.global.add.s32",
        "atom.relaxed.cta.global.max.s32",
        "atom.relaxed.sys.global.cas.b32",
    ]


@clause("DEV-ORDER-06", partial="store-buffer litmus test: tests/litmus")
@clause("DEV-ATOM-26")
@pytest.mark.parametrize("arch", ARCHS)
def test_sequential_consistency_in_ptx(arch):
    found = instructions(sequential, np.zeros(13, np.int64), arch=arch)
    assert found[:8] == [
        "fence.sc.sys",
        "ld.acquire.sys.global.b64",
        "fence.sc.sys",
        "st.relaxed.sys.global.b64",
        "fence.sc.gpu",
        "atom.acquire.gpu.global.add.u64",
        "fence.sc.sys",
        "atom.acquire.sys.global.exch.b64",
    ]
    names = ["cas.b64", "add.u64", "and.b64", "or.b64", "xor.b64"]
    names += ["max.s64", "max.s64", "min.s64", "min.s64"]
    atoms = [f"atom.acquire.sys.global.{name}" for name in names]
    assert found[8:] == [i for atom in atoms for i in ("fence.sc.sys", atom)]


@clause("DEV-ATOM-26")
def test_defaults_on_the_host():
    methods = ["load", "store", "exch", "cas", "add", "sub", "and_", "or_", "xor"]
    methods += ["max", "nanmax", "min", "nanmin"]
    for name in methods:
        parameters = inspect.signature(getattr(D.AtomicInterface, name)).parameters
        assert parameters["memory"].default == "seq_cst"
        assert parameters["scope"].default == "system"


@clause("DEV-FENCE-01")
@pytest.mark.parametrize("arch", ARCHS)
def test_fences_in_ptx(arch):
    assert instructions(fences, arch=arch) == [
        "fence.sc.sys",
        "fence.acq_rel.gpu",
        "fence.acq_rel.cta",
        "fence.acq_rel.sys",
        "fence.acq_rel.gpu",
        "fence.sc.gpu",
    ]


def test_in_host_code():
    with pytest.raises(errors.DeviceOnlyError):
        D.threadfence()


# --- padding ---


@D.struct(align=8)
class Padded:
    a: D.int8
    b: D.int32


@D.kernel
def swaps_beside_padding(out, words):
    """Memory of ones between the numbers; the second swap expects what the first has replaced."""
    s = D.shared_array(2, D.int64)
    s[0] = s[1] = -1
    for place in (s.view(Padded), words.view(Padded)):
        place[0] = Padded(0, 0)
        ref = D.atomic_ref(place, 0)
        first = ref.cas(Padded(0, 0), Padded(1, 7))
        second = ref.cas(Padded(0, 0), Padded(2, 9))
        ref.wait(Padded(0, 0))
        now = place[0]
        D.atomic_ref(out, 0).add(first.a + 10 * first.b + 100 * second.a + 1000 * second.b)
        D.atomic_ref(out, 1).add(now.a + 100 * now.b)


@clause("DEV-ATOM-15")
def test_padding_is_not_compared(target):
    out = np.zeros(2, np.int32)
    run(swaps_beside_padding, out, np.full(2, -1, np.int64))
    assert out.tolist() == [2 * 7100, 2 * 701]


def test_padding_is_not_compared_in_host_code():
    memory = np.full(8, 255, np.uint8).view(Padded.numpy_dtype)
    memory["a"] = memory["b"] = 0
    ref = D.atomic_ref(memory, 0)
    assert ref.cas(Padded(0, 0), Padded(1, 7)) == Padded(0, 0)
    assert ref.cas(Padded(0, 0), Padded(2, 9)) == Padded(1, 7)
    memory.view(np.uint8)[1:4] = 255
    ref.wait(Padded(0, 0))  # it is not that
    assert (memory["a"], memory["b"]) == (1, 7)


# --- views of other types ---


@D.kernel
def counts_in_bits(a):
    """The order of positive floats is that of their bits."""
    one = D.int32(0x3F800000)
    D.atomic_ref(a.view(D.int32), 0).max(one + D.int32(D.thread_idx.x))
    D.atomic_ref(a.view(D.uint32), 1).add(1)


def test_updates_of_retyped_elements(target):
    a = np.zeros(2, np.float32)
    run(counts_in_bits, a, block=50)
    assert a[0] == 1 + 49 * np.finfo(np.float32).eps
    assert a.view(np.uint32)[1] == 50


@D.struct
class Numbered:
    n: D.Atomic(int)
    m: int


@D.kernel
def matches_references(out, q):
    match q[0]:
        case Numbered(m=v):
            out[0] = v
        case _:
            out[0] = -1
    match q[0]:
        case Numbered(m=8):
            out[1] = -1
        case Numbered(n=ref):
            out[1] = ref.load()


def test_structs_with_atomics_are_matched(target):
    out, q = np.zeros(2, np.int32), np.zeros(1, Numbered.numpy_dtype)
    q["n"], q["m"] = 5, 7
    run(matches_references, out, q)
    assert out.tolist() == [7, 5]


@D.kernel
def adds_products(out, x, y):
    t = D.thread_idx.x
    own = D.local_array(1, D.float32)
    tile = D.shared_array(64, D.float32)
    own[0] = tile[t] = out[0, t] = 0.7
    D.atomic_ref(own, 0).add(x[t] * y[t])
    D.atomic_ref(tile, t).add(x[t] * y[t], scope="thread")
    D.atomic_ref(out, (0, t)).add(x[t] * y[t], scope="thread")
    out[1, t] = tile[t]
    out[2, t] = own[0]


def test_products_are_rounded_before_they_are_added_in_any_memory(target):
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 40), np.float32)
    out = np.zeros((3, 40), np.float32)
    run(adds_products, out, x, y, block=40)
    wanted = np.float32(0.7) + x * y
    assert (out == wanted).all()
    fused = (0.7 + x.astype(float) * y).astype(np.float32)
    assert (fused != wanted).any()  # or nobody could tell


# --- in host code ---


@D.struct
class Counter:
    n: D.Atomic(int)
    limit: int

    def take(self):
        return self.n.add(1) < self.limit


@D.kernel
def takes(counters, taken):
    if counters[1].take():
        D.atomic_ref(taken, 0).add(1)


@D.struct
class Account:
    lock: D.Atomic(int)
    sum: int
    largest: int

    def put(self, value):
        while self.lock.exch(1, "acquire", "device") != 0:
            pass
        self.sum += value
        if value > self.largest:
            self.largest = value
        self.lock.store(0, "release", "device")


@D.kernel(execution="threads")
def puts(accounts):
    accounts[1].put(int(D.thread_idx.x))
    mine = accounts[0]
    if D.thread_idx.x == 3:
        mine.sum = 7


@clause("DEV-STRUCT-14")
def test_plain_attributes_through_references(target):
    accounts = np.zeros(2, Account.numpy_dtype)
    run(puts, accounts, block=40)
    assert accounts["sum"].tolist() == [7, 40 * 39 // 2]
    assert accounts["largest"].tolist() == [0, 39]


@clause("DEV-STRUCT-14", partial="in host memory")
def test_structs_with_atomics_in_host_code(target):
    counters, taken = D.zeros(2, dtype=Counter, device="cpu"), np.zeros(1, np.int32)
    counter = D.atomic_ref(counters, 1)
    counter.limit = 5
    assert counter.take()
    assert counter.n.load() == 1
    run(takes, counters, taken, block=40)
    assert taken.tolist() == [4]
    assert (counter.n.load(), counter.limit) == (41, 5)
    assert not counter.take()
    with pytest.raises(AttributeError, match="its methods change it"):
        counter.n = 3
    with pytest.raises(AttributeError, match="no attribute 'm' to assign"):
        counter.m = 3


def test_arrays_of_atomics_in_host_code():
    numbers = D.zeros(4, dtype=D.Atomic(D.int32), device="cpu")
    assert D.atomic_ref(numbers, 1).add(5) == 0
    assert D.atomic_ref(numbers, 1).load() == 5
    vectors = D.zeros(4, dtype=D.Atomic(D.int8x3), device="cpu")
    assert D.atomic_ref(vectors, 2).cas(D.int8x3(0, 0, 0), D.int8x3(1, 2, 3)) == D.int8x3(0, 0, 0)
    assert D.atomic_ref(vectors, 2).load() == D.int8x3(1, 2, 3)


def test_mistakes_in_host_code():
    with pytest.raises(ValueError, match="not in this machine's byte order"):
        D.atomic_ref(np.zeros(4, ">i4"), 0)
    for value in ([5, 6], np.array([5]), (1,)):
        with pytest.raises(TypeError, match="takes a number"):
            D.atomic_ref(np.zeros(4, np.int32), 0).add(value)
    with pytest.raises(TypeError, match="is an int or a tuple of ints, found True"):
        D.atomic_ref(np.zeros(4, np.int32), True)
    with pytest.raises(TypeError, match="an array in host memory, found 'list'"):
        D.atomic_ref([1, 2], 0)


@D.kernel
def annotated(out):
    mine: D.Atomic(int) = D.Atomic(int)
    mine.add(3)
    out[0] = mine.load()


def test_annotated_atomics(target):
    out = np.zeros(1, np.int32)
    run(annotated, out)
    assert out[0] == 3


@D.kernel
def stores_a_pair(a):
    a[0].store(D.float64x2(1, 2))


def test_misplaced_atomics_are_refused(target):
    memory = np.zeros(9, np.float64)
    start = (memory.ctypes.data // 8) % 2
    kind = D.Atomic(D.float64x2).numpy_dtype
    run(stores_a_pair, memory[start : start + 8].view(kind))
    assert memory[start : start + 2].tolist() == [1, 2]
    with pytest.raises(errors.CompileError, match="do not lie at multiples of their size"):
        run(stores_a_pair, memory[1 - start : 9 - start][:8].view(kind))
