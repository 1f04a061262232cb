"""Masks in kernels: what they begin as, what an int32 does, what the host does with them too."""

import math

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run

PATTERN = 0x80000005


def signed(pattern):
    return pattern - (1 << 32) if pattern >> 31 else pattern


# --- masks that begin as integers ---


@D.func
def all_or_some(every, mask):
    if every:
        return -1
    return mask


@D.kernel
def masks_that_begin_as_ints(out, bits, every, number):
    lane = D.lane_id
    mask = -1
    for i in range(4):
        if not D.WarpMask(mask)[lane]:
            break
        mask = D.ballot_sync(mask, lambda: lane > i * 5)  # noqa: B023 called at once
    out[0, lane] = mask
    bits[0, lane] = isinstance(mask, D.WarpMask)
    peers = 0xFFFFFFFF
    for bit in range(3):
        one = lane >> bit & 1 == 1
        vote = D.ballot_sync(-1, lambda: one)  # noqa: B023 called at once
        peers &= vote if one else ~vote
    out[1, lane] = peers
    half = 0xFFFF if lane < 16 else 0xFFFF0000
    out[2, lane] = D.shfl_sync(half, lane, 3 if lane < 16 else 20)
    out[3, lane] = D.ballot_sync(
        0xFF if lane < 8 else 0xFF00 if lane < 16 else -65536, lambda: True
    )
    some = D.WarpMask(6) if lane % 2 else 0x80000001
    out[4, lane] = some
    bits[1, lane] = isinstance(some, D.WarpMask)
    out[5, lane] = all_or_some(every > 0, D.WarpMask(5))
    begun = number
    if lane > 3:
        begun = D.WarpMask(9)
    out[6, lane] = begun
    pair = (0xFFFFFFFE, 1)
    if lane == 4:
        pair = (D.lanemask_lt(), 2)
    out[7, lane] = pair[0]


@clause("DEV-WARP-01", "DEV-WARP-12")
@pytest.mark.parametrize("every", [0, 1])
def test_masks_begin_as_ints(target, every):
    out, bits = np.zeros((8, 32), np.int32), np.zeros((2, 32), bool)
    run(masks_that_begin_as_ints, out, bits, every, -7, block=32)
    lane = np.arange(32)
    full, left = 0xFFFFFFFF, []
    for i in range(4):  # what lanes have that leave before the (i+1)th ballot
        left.append(sum(1 << o for o in range(32) if o > i * 5))
    last = [next((m for m in left if not m >> o & 1), left[3]) for o in range(32)]
    peers = [sum(1 << o for o in range(32) if o % 8 == i % 8) for i in range(32)]
    votes = np.where(lane < 8, 0xFF, np.where(lane < 16, 0xFF00, 0xFFFF0000))
    expected = [
        last,
        peers,
        np.where(lane < 16, 3, 20),
        votes,
        np.where(lane % 2 == 1, 6, 0x80000001),
        [full if every else 5] * 32,
        np.where(lane > 3, 9, full - 6),
        np.where(lane == 4, 15, 0xFFFFFFFE),
    ]
    assert out.view(np.uint32).tolist() == [list(map(int, row)) for row in expected]
    assert bits.all()


# --- what an int32 does ---


def as_int32(x: D.int32):
    return x + 1


def as_int64(x: D.int64):
    return x


@D.kernel
def masks_are_int32s(a, out, wide, bits, floats, number, cells):
    m, three = D.WarpMask(number), D.WarpMask(3)
    bits[0] = isinstance(m, D.int32)
    bits[1] = isinstance(m, D.WarpMask)
    bits[2] = isinstance(m, (D.uint32, D.int64, int, float))
    bits[3] = isinstance(D.activemask(), D.int32)
    out[0] = as_int32(m)
    wide[0] = as_int64(m)
    declared: D.int32 = m
    out[1] = declared
    out[2] = a[three]
    a[three] += 40
    a[D.WarpMask(1)] = 50
    out[3] = (7, 8, 9)[D.WarpMask(2)]
    rest = a[D.WarpMask(2) : D.WarpMask(6)]
    out[4] = len(rest)
    for i in range(three):
        out[5] += i + 1
    for i in range(D.WarpMask(2), D.WarpMask(9), three):
        out[6] += i
    out[7] = abs(m)
    out[8] = round(m)
    out[9] = divmod(m, 7)[1]
    out[10] = m.bit_count()
    floats[0] = math.sqrt(D.float64(three) * three)
    floats[1] = math.fabs(~D.WarpMask(4))
    D.atomic_ref(cells, 0).or_(m)
    cells[three] = m
    wide[1] = m.astype(D.int64)
    out[11] = -m
    out[12] = m.view(D.uint32) >> 31
    vector = D.int32x2(m, three)
    out[13] = vector.x + vector.y
    out[14] = math.gcd(m, 4)
    out[15] = np.maximum(m, three)


@clause("DEV-WARP-01")
def test_masks_are_int32s(target):
    a = np.arange(10, dtype=np.int32) * 10
    out, wide, bits = np.zeros(16, np.int32), np.zeros(2, np.int64), np.zeros(4, bool)
    floats, cells = np.zeros(2), np.full(4, 2, np.int32)
    m = D.WarpMask(PATTERN)
    run(masks_are_int32s, a, out, wide, bits, floats, signed(PATTERN), cells, block=1)
    n = int(m)
    assert bits.tolist() == [
        isinstance(m, D.int32),
        isinstance(m, D.WarpMask),
        isinstance(m, (D.uint32, D.int64, int, float)),
        True,
    ]
    assert bits.tolist() == [True, True, False, True]
    expected = [n + 1, n, 30, 9, 4, 6, 2 + 5 + 8, abs(n), round(m), n % 7, m.bit_count(), -n, 1]
    expected += [n + 3, math.gcd(n, 4), np.maximum(m, 3)]
    assert out.tolist() == expected
    assert a[[1, 3]].tolist() == [50, 70]
    assert wide.tolist() == [n, n]
    assert floats.tolist() == [3, 5]
    assert cells.tolist() == [signed(PATTERN | 2), 2, 2, n]


# --- what both sides have ---


@D.func
def on_both_sides(m, i):
    m = m.with_lane(i, True).with_lane(val=False, i=31)
    numbers, lanes = 0, 0
    for k, lane in enumerate(m):
        if lane:
            numbers += k
    for lane in m:
        lanes += 1 if lane else 10
    first, second, *_ = m
    return m, numbers, lanes, m.bit_count(), first, second


@D.kernel
def in_a_kernel(out, number):
    i = D.lane_id
    m, numbers, lanes, count, first, second = on_both_sides(D.WarpMask(number), i)
    out[0, i] = m
    out[1, i] = numbers
    out[2, i] = lanes
    out[3, i] = count
    out[4, i] = first
    out[5, i] = second


@clause("DEV-WARP-02", "DEV-WARP-04")
def test_masks_on_both_sides(target):
    out = np.zeros((6, 32), np.int32)
    run(in_a_kernel, out, signed(PATTERN), block=32)
    host = [on_both_sides(D.WarpMask(PATTERN), i) for i in range(32)]
    assert out.T.tolist() == [[int(x) for x in row] for row in host]


# --- lanes of masks in memory ---


@D.struct
class Group:
    size: D.int16
    lanes: D.WarpMask

    def grown(self, i):
        return D.replace(self, lanes=self.lanes.with_lane(i, True))


@D.struct
class Shared:
    count: D.Atomic(D.int32)
    lanes: D.WarpMask

    def add(self, i):
        self.lanes[i] = True
        self.lanes[0] |= False


@D.kernel
def lanes_in_memory(out, groups, nested, shared, n):
    own = D.local_array(3, D.WarpMask)
    for k in range(3):
        own[k] = 0x80000001
    own[1][3] = True
    own[n][31] = False
    own[n - 2][n + 2] = own[1][3]
    own[2][4] |= True
    own[2][0] &= False
    for k in range(3):
        out[k] = own[k]
    groups[0].lanes[31] = True
    groups[n]["lanes"][n] = True
    groups[1].lanes[0] = False
    nested[0].group.lanes[5] = True
    shared[0].add(n)
    out[3] = Group(1, 4).grown(n).lanes
    block = D.shared_array(2, Group)
    block[0] = Group(3, 0)
    block[0].lanes[7] = n > 1
    block[0].lanes[8] = n > 2
    out[4] = block[0].lanes


@D.struct
class Nested:
    number: D.int8
    group: Group


@clause("DEV-WARP-04")
def test_lanes_of_masks_in_memory(target):
    out = np.zeros(5, np.int32)
    groups, nested = np.zeros(3, Group.numpy_dtype), np.zeros(1, Nested.numpy_dtype)
    groups["lanes"] = 1
    shared = D.zeros(1, dtype=Shared)
    run(lanes_in_memory, out, groups, nested, shared, 2, block=1)
    assert out.view(np.uint32).tolist() == [0x80000011, 0x80000009, 0x10, 4, 0x80]
    assert groups["lanes"].tolist() == [signed(0x80000001), 0, 5]
    assert groups["size"].tolist() == [0, 0, 0]
    assert nested["group"]["lanes"].tolist() == [32]
    assert D.to_host(shared)["lanes"].tolist() == [4]
