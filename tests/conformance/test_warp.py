"""Warps in kernels: masks, votes, shuffles and matches (DEV-WARP)."""

from functools import partial
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run

FULL = 0xFFFFFFFF
PATTERN = 0x80000001


def signed(pattern):
    return pattern - (1 << 32) if pattern >> 31 & 1 else pattern


# --- masks ---


@D.struct
class Pair:
    first: D.int32
    second: D.float32


def without_lane(mask: D.WarpMask, i):
    mask[i] = False
    return mask


@D.kernel
def masks(out, bits, number):
    t = D.thread_idx.x
    m = D.WarpMask(PATTERN)
    own = D.WarpMask(number)
    bits[0, t] = m[t]
    bits[1, t] = m[31] and m[0] and not m[30]
    m[t] = True
    m[31] = False
    m[0] = t > 100
    bits[2, t] = isinstance(m, D.WarpMask)
    out[0, t] = m
    out[1, t] = ~m
    out[2, t] = m & 0xFF | own
    out[3, t] = (own ^ -1) >> 28
    out[4, t] = own << t
    out[5, t] = int(own) + D.int32(own)
    out[6, t] = D.popc(~D.WarpMask(0)) * 100 + D.ffs(own) * 10
    out[7, t] = without_lane(own, t)
    own &= PATTERN
    out[8, t] = own
    bits[3, t] = own == PATTERN
    bits[4, t] = own > 1 and own != 0 and D.WarpMask(-1) == 0xFFFFFFFF and D.WarpMask(-1) > own
    bits[5, t] = not own
    if own:
        bits[6, t] = True
    chosen = own if t % 2 else ~own
    out[9, t] = chosen
    out[10, t] = D.lanemask_lt()


@clause("DEV-WARP-01", "DEV-WARP-02", "DEV-WARP-04", "DEV-WARP-07")
def test_masks(target):
    out = np.zeros((11, 32), np.int32)
    bits = np.zeros((7, 32), bool)
    own = 0xC0000005
    run(masks, out, bits, signed(own), block=32)
    t = np.arange(32, dtype=np.uint64)
    lane = np.uint64(1) << t
    m = (np.uint64(PATTERN) | lane) & np.uint64(0x7FFFFFFE)
    own = np.uint64(own)
    expected = [
        m,
        m ^ np.uint64(FULL),
        m & np.uint64(0xFF) | own,
        np.full(32, (int(own) ^ FULL) >> 28),
        own << t,
        np.full(32, 2 * int(own)),
        np.full(32, 3210),
        own & ~lane,
        np.full(32, PATTERN),
        np.where(t % 2 == 1, np.uint64(PATTERN), np.uint64(PATTERN ^ FULL)),
        lane - np.uint64(1),
    ]
    assert out.view(np.uint32).tolist() == [(e.astype(np.uint64) & FULL).tolist() for e in expected]
    where = (t == 0) | (t == 31)
    assert bits.tolist() == [where.tolist()] + [
        [x] * 32 for x in (True, True, True, True, False, True)
    ]


MASK = D.WarpMask(PATTERN)


@D.struct
class Lanes:
    first: D.int8
    mask: D.WarpMask


@D.kernel
def masks_from_outside(a, records, mask, lanes):
    a[0] = mask >> 31
    a[1] = MASK >> 31
    a[2] = lanes.mask >> 31
    a[3] = Lanes(1, 0x80000001).mask >> 31
    record = records[0]
    a[4] = record.mask >> 31
    records[1] = Lanes(3, ~mask)
    own = D.local_array(2, D.WarpMask)
    own[1] = mask
    a[5] = own[1] >> 31
    a[6] = D.popc(mask)


@clause("DEV-WARP-01")
def test_masks_are_arguments_constants_and_members(target):
    assert Lanes.numpy_dtype.itemsize == 8
    assert Lanes(1, MASK).mask >> 31 == 1
    with pytest.raises(TypeError, match=r"attribute 'mask' of Lanes is of type WarpMask: a Warp"):
        Lanes(1, 1.5)
    a = np.zeros(7, np.int32)
    records = np.zeros(2, Lanes.numpy_dtype)
    records["mask"] = -(2**31)
    run(masks_from_outside, a, records, MASK, Lanes(1, MASK), block=1)
    assert a.tolist() == [1, 1, 1, 1, 1, 1, 2]
    assert records["mask"].tolist() == [-(2**31), 0x7FFFFFFE]


# --- votes ---


@D.kernel
def votes(out, rounds):
    t = D.thread_idx.x + D.block_dim.x * (D.thread_idx.y + D.block_dim.y * D.thread_idx.z)
    lane = D.lane_id
    out[0, t] = D.ballot_sync(FULL, lambda: lane % 2 == 0)
    out[1, t] = D.all_sync(-1, lambda: lane >= 0)
    out[2, t] = D.all_sync(-1, lambda: lane != 5)
    out[3, t] = D.any_sync(-1, lambda: lane == 5)
    out[4, t] = D.any_sync(-1, pred=lambda: lane > 40)
    out[5, t] = D.eq_sync(-1, lambda: lane < 40)
    out[6, t] = D.eq_sync(-1, lambda: lane > 40)
    out[7, t] = D.eq_sync(mask=-1, pred=lambda: lane == 3)
    out[8, t] = D.activemask()
    # Each group of eight votes alone.
    group = D.WarpMask(0xFF) << (lane // 8 * 8)
    out[9, t] = D.ballot_sync(group, lambda: lane % 3 == 0)
    out[10, t] = D.all_sync(group, lambda: lane > 7)
    out[11, t] = D.any_sync(group, lambda: lane == 9)
    out[12, t] = D.eq_sync(group, lambda: lane < 12)
    if lane < 7:
        out[13, t] = D.activemask()
        out[14, t] = D.lanemask_lt()
        out[15, t] = D.ballot_sync(D.activemask(), lambda: lane > 2)
        out[16, t] = D.all_sync(0x7F, lambda: lane < 7)
    elif lane >= 24:
        out[15, t] = D.ballot_sync(0xFF000000, lambda: lane > 28)
    # Lanes leave a loop one after another; the rest goes on voting.
    for i in range(rounds):
        if i > lane:
            break
        out[17, t] += D.popc(D.ballot_sync(D.activemask(), lambda: lane % 2 == i % 2))  # noqa: B023 called at once
    if D.ballot_sync(-1, lambda: lane < 3) == 7:
        out[18, t] = 1


def lanes_where(condition):
    return sum(1 << lane for lane in range(32) if condition(lane))


def votes_of(lane, rounds):
    group = 0xFF << lane // 8 * 8
    loop = sum(
        sum(1 for other in range(i, 32) if other % 2 == i % 2) for i in range(min(rounds, lane + 1))
    )
    first = lanes_where(lambda o: o > 2 and o < 7)
    last = lanes_where(lambda o: o > 28)
    return [
        *[0x55555555, 1, 0, 1, 0, 1, 1, 0, FULL],
        lanes_where(lambda o: o % 3 == 0) & group,
        lane > 7,
        8 <= lane < 16,
        not 8 <= lane < 16,
        0x7F if lane < 7 else 0,
        (1 << lane) - 1 if lane < 7 else 0,
        first if lane < 7 else last if lane >= 24 else 0,
        lane < 7,
        loop,
        1,
    ]


@clause(*(f"DEV-WARP-{n:02}" for n in (6, 7, 9, 10, 11, 12)), "DEV-POS-11")
@pytest.mark.parametrize("block", [32, (8, 4, 2)])
def test_votes(target, block):
    n = int(np.prod(block))
    out = np.zeros((19, n), np.int32)
    run(votes, out, 20, block=block)
    expected = np.array([votes_of(t % 32, 20) for t in range(n)], np.int64)
    assert ((expected & FULL) == out.view(np.uint32).T).all()


@D.func
def in_the_first_half():
    if D.target(D.is_device):
        return D.lane_id < 16
    else:
        return False


@D.func
def is_below(lane, end):
    return lane < end


@D.kernel
def votes_by_functions(a, out, end):
    lane = D.lane_id
    v = a[lane]

    def is_odd():
        return v % 2 == 1

    def is_late():
        first = lane - end
        if first < 0:
            return False
        return first % 3 == 0

    below = partial(is_below, lane, end)
    out[0, lane] = D.ballot_sync(-1, is_odd)
    out[1, lane] = D.ballot_sync(-1, in_the_first_half)
    out[2, lane] = D.ballot_sync(-1, pred=below)
    out[3, lane] = D.ballot_sync(-1, is_late)
    out[4, lane] = D.all_sync(-1, is_odd)
    out[5, lane] = D.any_sync(-1, is_late)
    out[6, lane] = D.eq_sync(-1, in_the_first_half)
    half = D.WarpMask(0xFFFF) << (lane // 16 * 16)
    out[7, lane] = D.all_sync(half, in_the_first_half)
    out[8, lane] = D.any_sync(half, below)
    out[9, lane] = D.eq_sync(half, pred=in_the_first_half)
    if lane >= end:
        out[10, lane] = D.ballot_sync(D.activemask(), is_odd)


@clause("DEV-WARP-09", "DEV-WARP-10", "DEV-WARP-11", "DEV-WARP-12", "DEV-WARP-13")
def test_predicates_are_functions_of_every_kind(target):
    """Nested ones, those of the module, and partial ones; test_votes has lambdas."""
    a = np.random.default_rng(3).integers(0, 9, 32).astype(np.int32)
    out, end, lane = np.zeros((11, 32), np.int32), 11, np.arange(32)
    run(votes_by_functions, a, out, end, block=32)
    odd = lanes_where(lambda o: a[o] % 2 == 1)
    expected = [
        *(odd, 0xFFFF, (1 << end) - 1, lanes_where(lambda o: o >= end and (o - end) % 3 == 0)),
        *(0, 1, 0),
        *(lane < 16, lane < 16, 1),
        np.where(lane >= end, odd >> end << end, 0),
    ]
    rows = [np.broadcast_to(row, 32).astype(np.uint32).tolist() for row in expected]
    assert out.view(np.uint32).tolist() == rows


# --- shuffles ---


class Point(NamedTuple):
    x: float
    y: float


@D.kernel
def shuffles(a, out, by):
    lane = D.lane_id
    v = a[lane]
    out[0, lane] = D.shfl_sync(FULL, v, 5)
    out[1, lane] = D.shfl_sync(FULL, v, by)
    out[2, lane] = D.shfl_sync(FULL, v, 31 - lane)
    out[3, lane] = D.shfl_up_sync(FULL, v, 3)
    out[4, lane] = D.shfl_up_sync(FULL, v, by)
    out[5, lane] = D.shfl_down_sync(FULL, v, 16)
    out[6, lane] = D.shfl_down_sync(FULL, value=v, delta=by)
    out[7, lane] = D.shfl_xor_sync(FULL, v, 8)
    out[8, lane] = D.shfl_xor_sync(FULL, v, D.WarpMask(by))
    out[9, lane] = D.shfl_sync(FULL, v, lane * 7 % 32)
    half = D.WarpMask(0xFFFF) << (lane // 16 * 16)
    out[10, lane] = D.shfl_sync(half, v, lane // 16 * 16 + 1)


def shuffled(a, by):
    lane = np.arange(32)
    up = lambda d: a[np.where(lane >= d, lane - d, lane)]  # noqa: E731
    down = lambda d: a[np.where(lane + d < 32, lane + d, lane)]  # noqa: E731
    sources = [
        a[np.full(32, 5)],
        a[np.full(32, by)],
        a[31 - lane],
        up(3),
        up(by),
        down(16),
        down(by),
    ]
    sources += [a[lane ^ 8], a[lane ^ by], a[lane * 7 % 32], a[lane // 16 * 16 + 1]]
    return np.stack(sources)


TYPES = [
    *(np.bool_, np.int8, np.uint16, np.int32, np.int64, np.float16, np.float32, np.float64),
    *(ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, np.complex64),
]


@clause(*(f"DEV-WARP-{n}" for n in (14, 18, 20, 22)), partial="vectors and structs: below")
@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: np.dtype(t).name)
def test_shuffles(target, dtype):
    raw = np.random.default_rng(3).integers(0, 100, 32)
    a = (raw % 2 if dtype is np.bool_ else raw).astype(dtype)
    if np.dtype(dtype).kind == "c":
        a = a + a[::-1] * dtype(1j)
    out = np.zeros((11, 32), dtype)
    run(shuffles, a, out, 13, block=32)
    assert out.tobytes() == shuffled(a, 13).tobytes()


@D.kernel
def shuffled_records(numbers, out):
    lane = D.lane_id
    x = numbers[lane]
    pair = D.shfl_sync(-1, Pair(lane, x), 31 - lane)
    out[0, lane] = pair.first
    out[1, lane] = pair.second
    vector = D.shfl_xor_sync(-1, D.float32x2(x, 2 * x), 1)
    out[2, lane] = vector.x + 100 * vector.y
    small = D.shfl_up_sync(-1, D.int8x4(lane, lane + 1, lane + 2, lane + 3), 1)
    out[3, lane] = small.x + 10 * D.int32(small.w)
    y, i, flag = D.shfl_down_sync(-1, (x, D.int16(lane), lane % 2 == 0), 2)
    out[4, lane] = i + 100 * y + (1000 if flag else 0)
    point = D.shfl_sync(-1, Point(x, D.float32(lane)), lane)
    out[5, lane] = point.x + point.y
    mask = D.shfl_sync(-1, D.WarpMask(1) << lane, 4)
    out[6, lane] = 1 if mask[4] else 0
    out[7, lane] = D.shfl_sync(-1, 7, 0)


@clause(*(f"DEV-WARP-{n}" for n in (14, 18, 20, 22)))
def test_shuffles_take_values_apart(target):
    x = np.arange(32, dtype=np.float32) * 3
    lane = np.arange(32)
    out = np.zeros((8, 32), np.float32)
    run(shuffled_records, x, out, block=32)
    up = np.where(lane >= 1, lane - 1, lane)
    down = np.where(lane + 2 < 32, lane + 2, lane)
    expected = [
        lane[::-1],
        x[::-1],
        201 * x[lane ^ 1],
        up + 10 * (up + 3),
        down + 100 * x[down] + 1000 * (down % 2 == 0),
        x + lane,
        np.ones(32),
        np.full(32, 7),
    ]
    assert out.tolist() == np.array(expected, np.float32).tolist()


# --- matches ---


@D.kernel
def matches(a, out):
    lane = D.lane_id
    v = a[lane]
    out[0, lane] = D.match_any_sync(-1, v)
    out[1, lane] = D.match_any_sync(FULL, v, 0)
    half = D.WarpMask(0xFFFF) << (lane // 16 * 16)
    out[2, lane] = D.match_any_sync(half, v)
    mask, same = D.match_all_sync(-1, v)
    out[3, lane] = mask
    out[4, lane] = same
    mask, same = D.match_all_sync(-1, value=a[3], flag=1)
    out[5, lane] = mask
    out[6, lane] = same
    mask, same = D.match_all_sync(half, v)
    out[7, lane] = mask
    out[8, lane] = D.match_any_sync(-1, (v, lane % 2))
    if lane < 20:
        out[9, lane] = D.match_any_sync(0xFFFFF, v)


@clause("DEV-WARP-24", "DEV-WARP-25")
@pytest.mark.parametrize(
    "dtype", [np.int32, np.float32, np.uint8, np.int64, np.float64, np.float16, np.complex128]
)
def test_matches(target, dtype):
    lane = np.arange(32)
    a = (lane // 4 % 6).astype(dtype)
    a[16:] = 5
    kind = np.dtype(dtype).kind
    if kind == "f":  # bits are compared
        a[0], a[1], a[2], a[3] = -0.0, 0.0, np.nan, np.nan
    out = np.zeros((10, 32), np.int32)
    run(matches, a, out, block=32)
    raw = [x.tobytes() for x in a]

    def alike(mask, key=lambda o: raw[o]):
        return [
            sum(1 << o for o in range(32) if mask(i) >> o & 1 and key(o) == key(i)) for i in lane
        ]

    half = lambda i: 0xFFFF << int(i) // 16 * 16  # noqa: E731
    everyone = alike(lambda i: FULL)
    expected = [
        *(everyone, everyone, alike(half)),
        *([0] * 32, [0] * 32, [FULL] * 32, [1] * 32),
        [0] * 16 + [0xFFFF0000] * 16,
        alike(lambda i: FULL, lambda o: (raw[o], o % 2)),
        [*alike(lambda i: 0xFFFFF)[:20], *[0] * 12],
    ]
    assert out.view(np.uint32).tolist() == expected


# --- algorithms ---


@D.kernel
def algorithms(a, sums, scans, kept, counts, sorted_, keys, by_key):
    t = D.tid(1)
    lane = D.lane_id
    warp = D.thread_idx.x // 32 + D.block_idx.x * (D.block_dim.x // 32)
    v = a[t]
    total = v
    for d in (16, 8, 4, 2, 1):
        total += D.shfl_down_sync(-1, total, d)
    butterfly = v
    d = 1
    while d < 32:
        butterfly += D.shfl_xor_sync(-1, butterfly, d)
        d *= 2
    scan = v
    d = 1
    while d < 32:
        below = D.shfl_up_sync(-1, scan, d)
        if lane >= d:
            scan += below
        d *= 2
    scans[t] = scan
    if lane == 0:
        sums[warp] = total + 1000 * butterfly
    # Compaction of the odd numbers of the warp.
    odd = D.ballot_sync(-1, lambda: v % 2 == 1)
    if v % 2 == 1:
        kept[warp, D.popc(odd & D.lanemask_lt())] = v
    counts[warp] = D.popc(odd)
    # Bitonic sort.
    x = v
    for k in (2, 4, 8, 16, 32):
        j = k // 2
        while j > 0:
            other = D.shfl_xor_sync(-1, x, j)
            up = lane & k == 0
            lower = lane & j == 0
            x = min(x, other) if up == lower else max(x, other)
            j //= 2
    sorted_[t] = x
    # Segmented sum: the lowest lane of each key adds what the others have.
    key = keys[t]
    peers = D.match_any_sync(-1, key)
    leader = D.ffs(peers) - 1
    rest = peers
    part = 0
    while D.any_sync(-1, lambda: rest != 0):  # noqa: B023 called at once
        source = D.ffs(rest) - 1
        given = D.shfl_sync(-1, v, max(source, 0))
        if rest:
            part += given
        rest &= int(rest) - 1
    if lane == leader:
        by_key[warp, key] = part


@clause("DEV-WARP-18", "DEV-WARP-20", "DEV-WARP-22", "DEV-WARP-24")
def test_algorithms(target):
    warps = 6
    rng = np.random.default_rng(5)
    a = rng.integers(0, 90, 32 * warps).astype(np.int32)
    keys = rng.integers(0, 5, 32 * warps).astype(np.int32)
    sums, counts = np.zeros(warps, np.int32), np.zeros(warps, np.int32)
    scans, ordered = np.zeros_like(a), np.zeros_like(a)
    kept, by_key = np.zeros((warps, 32), np.int32), np.zeros((warps, 5), np.int32)
    run(algorithms, a, sums, scans, kept, counts, ordered, keys, by_key, grid=3, block=64)
    rows = a.reshape(warps, 32)
    assert sums.tolist() == (1001 * rows.sum(1)).tolist()
    assert scans.tolist() == rows.cumsum(1).reshape(-1).tolist()
    assert ordered.tolist() == np.sort(rows, axis=1).reshape(-1).tolist()
    for w in range(warps):
        odd = rows[w][rows[w] % 2 == 1]
        assert counts[w] == len(odd)
        assert kept[w, : len(odd)].tolist() == odd.tolist()
    for w, k in np.ndindex(warps, 5):
        assert by_key[w, k] == rows[w][keys.reshape(warps, 32)[w] == k].sum()


@D.kernel
def warp_per_row(starts, columns, values, x, y):
    row = D.tid(1) // 32
    if row >= y.size:
        return
    total = D.float64(0)
    for k in range(starts[row] + D.lane_id, starts[row + 1], 32):
        total += values[k] * x[columns[k]]
    for d in (16, 8, 4, 2, 1):
        total += D.shfl_xor_sync(-1, total, d)
    if D.lane_id == 0:
        y[row] = total


@clause("DEV-WARP-22")
def test_a_warp_for_each_row_of_a_matrix(target):
    rng = np.random.default_rng(1)
    dense = rng.integers(0, 9, (21, 70)) * (rng.random((21, 70)) < 0.6)
    starts = np.concatenate([[0], np.cumsum((dense != 0).sum(1))]).astype(np.int32)
    columns = np.nonzero(dense)[1].astype(np.int32)
    values, x = dense[dense != 0].astype(np.float64), rng.integers(0, 9, 70).astype(np.float64)
    y = np.zeros(21)
    run(warp_per_row, starts, columns, values, x, y, grid=6, block=128)
    assert y.tolist() == (dense @ x).tolist()


# --- memory ---


@D.kernel
def exchanged(a, out, n):
    t = D.thread_idx.x
    shared = D.shared_array(96, D.int32)
    if t >= n:
        return
    shared[t] = a[t]
    D.syncwarp()
    left = shared[t - 1] if D.lane_id > 0 else 0
    D.syncwarp(D.activemask())
    shared[t] = left * 2
    D.syncwarp(mask=D.activemask())
    out[t] = shared[t ^ 1]


@clause("DEV-WARP-08")
def test_syncwarp_orders_shared_memory(target):
    a = np.arange(1, 97, dtype=np.int32)
    out = np.zeros(96, np.int32)
    run(exchanged, a, out, 70, block=96)
    left = np.where(np.arange(96) % 32 > 0, np.roll(a, 1), 0) * 2
    expected = np.where(np.arange(96) < 70, left[np.arange(96) ^ 1], 0)
    assert out.tolist() == expected.tolist()


# --- blocks that are no whole number of warps, threads that have left, barriers ---


@D.kernel
def incomplete(out, limit):
    t = D.thread_idx.x
    if t % 32 >= limit:
        return
    out[0, t] = D.ballot_sync(-1, lambda: t % 2 == 0)
    out[1, t] = D.all_sync(-1, lambda: t < 1000)
    out[2, t] = D.activemask()
    shared = D.shared_array(2, D.int32)
    here = D.popc(D.activemask())
    if D.lane_id == 0:
        shared[t // 32] = here
    D.syncthreads()
    out[3, t] = D.shfl_sync(-1, shared[0], 0)
    out[4, t] = D.match_any_sync(-1, t // 2)
    some, same = D.match_all_sync(-1, t // 64)
    out[5, t] = some
    out[6, t] = same


@clause("DEV-WARP-06", "DEV-WARP-09", "DEV-WARP-12", "DEV-WARP-24", "DEV-WARP-25")
@pytest.mark.parametrize("block", [20, 50])
def test_lanes_that_are_not_there_do_not_count(target, block):
    out = np.zeros((7, block), np.int32)
    run(incomplete, out, 27, block=block)
    t = np.arange(block)
    there = [sum(1 << o for o in range(min(27, block - 32 * (i // 32)))) for i in t]
    live = t % 32 < 27
    one = min(27, block)
    expected = [
        [m & 0x55555555 for m in there],
        np.ones(block, int).tolist(),
        there,
        [one] * block,
        [(3 << i % 32 // 2 * 2) & m for i, m in zip(t, there, strict=True)],
        there,
        np.ones(block, int).tolist(),
    ]
    assert out.view(np.uint32).tolist() == np.where(live, expected, 0).tolist()


@D.kernel
def asks_for_equals(a):
    a[D.lane_id] = D.match_any_sync(FULL, a[D.lane_id])[0]


@clause("DEV-WARP-28")
@pytest.mark.parametrize("architecture", ["sm_60", "sm_61", "sm_52"])
def test_architectures_without_matches_are_refused(architecture):
    supported = "sm_75, sm_80, sm_86, sm_89, sm_90, sm_100, sm_120"
    for ask in (
        lambda: asks_for_equals.inspect("array[int32, 1]", what="ptx", target=architecture),
        lambda: asks_for_equals.stats("array[int32, 1]", target=architecture),
    ):
        with pytest.raises(
            D.errors.CompileError, match=f"unknown target '{architecture}'"
        ) as raised:
            ask()
        assert f"emulated-avx512, {supported}" in str(raised.value)
