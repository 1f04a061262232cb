"""Lanes, distances and masks that are integers of 64 bits (DEV-WARP)."""

import numpy as np
from cuda import device as D
from support.clauses import clause
from support.launching import run


@D.kernel(builtins=64)
def butterflies(sums, downs, low, count):
    lane = D.lane_id
    total = D.int32(lane)
    for i in range(5):
        total += D.shfl_xor_sync(-1, total, 1 << i)
    sums[lane] = total
    distance = 16
    value = D.int32(lane)
    while distance > 0:
        value += D.shfl_down_sync((1 << 32) - 1, value, distance)
        distance //= 2
    downs[lane] = value
    if lane < count:
        low[lane] = D.popc(D.ballot_sync((1 << count) - 1, lambda: lane % 2 == 0))


def test_builtin_ints_of_64_bits(target):
    sums, downs, low = (np.zeros(32, np.int32) for _ in range(3))
    run(butterflies, sums, downs, low, 5, block=32)
    assert (sums == 496).all()
    assert downs[0] == 496
    assert low.tolist() == [3] * 5 + [0] * 27


@D.kernel
def wide_numbers(a, out, masks, bits, lanes):
    lane = D.lane_id
    v = a[lane]
    for k in range(out.shape[1]):
        out[0, lane] += D.shfl_sync(-1, v, k) * (k + 1)
    out[1, lane] = D.shfl_up_sync(-1, v, len(a) - 31)
    out[2, lane] = D.shfl_down_sync(-1, v, out.shape[1] // 2)
    out[3, lane] = D.shfl_xor_sync(-1, v, D.uint64(a.size - 1))
    out[4, lane] = D.shfl_sync(masks[1], v, lanes[0])
    if lane < masks[0]:
        out[5, lane] = D.ballot_sync((D.int64(1) << masks[0]) - 1, lambda: lane > 1)
        D.syncwarp(D.uint64((1 << masks[0]) - 1))
    out[6, lane] = D.WarpMask(masks[2])
    out[7, lane] = D.WarpMask(0x0F0F) & masks[2]
    own = D.WarpMask(4)
    own[lanes[1]] = True
    bits[5] = own[lanes[1]]
    out[8, lane] = own
    out[9, lane] = D.WarpMask(-1) << lanes[2]
    out[10, lane] = D.WarpMask(-1) >> lanes[1]
    out[11, lane] = D.match_any_sync(masks[1], lane // 16, masks[1])
    full = D.WarpMask(-1)
    bits[0] = full == masks[1] and masks[3] == full and not full != masks[3]  # noqa: SIM202 it is asked
    bits[1] = full == masks[4] or full > masks[4] or full <= masks[5]
    bits[2] = full < masks[4] and D.WarpMask(0) > masks[5]
    bits[3] = D.WarpMask(5) == masks[6]
    bits[4] = D.WarpMask(0x80000000) == -masks[7] and D.WarpMask(0x80000000) == masks[7]


@clause("DEV-WARP-12", "DEV-WARP-14", "DEV-WARP-18", "DEV-WARP-20", "DEV-WARP-22")
def test_numbers_of_64_bits(target):
    lane = np.arange(32)
    a = (lane * lane % 37).astype(np.int32)
    masks = [
        12,
        -1,
        (5 << 32) + 0xF1F2,
        0xFFFFFFFF,
        1 << 32,
        -(1 << 31) - 1,
        (1 << 32) + 5,
        1 << 31,
    ]
    lanes = np.array([(3 << 32) + 7, 9, 1 << 32], np.int64)
    out, bits = np.zeros((12, 32), np.int32), np.zeros(6, bool)
    run(wide_numbers, a, out, np.array(masks, np.int64), bits, lanes, block=32)
    group = np.where(lane < 16, 0xFFFF, 0xFFFF0000)
    expected = [
        np.full(32, (a * (lane + 1)).sum()),
        a[np.where(lane < 1, lane, lane - 1)],
        a[np.where(lane < 16, lane + 16, lane)],
        a[lane ^ 31],
        np.full(32, a[7]),
        np.where(lane < 12, 0xFFC, 0),
        np.full(32, 0xF1F2),
        np.full(32, 0x0102),
        np.full(32, 4 | 1 << 9),
        np.zeros(32),
        np.full(32, 0xFFFFFFFF >> 9),
        group,
    ]
    assert out.view(np.uint32).tolist() == [row.astype(np.int64).tolist() for row in expected]
    assert bits.tolist() == [True, False, True, False, True, True]


@D.kernel(builtins=64)
def compares_builtins(bits, n):
    bits[0] = D.WarpMask(0) == n
    bits[1] = D.WarpMask(-1) == n - (1 << 32) - 1
    bits[2] = D.WarpMask(-1) < n


def test_builtin_ints_keep_their_place(target):
    bits = np.zeros(3, bool)
    run(compares_builtins, bits, 1 << 32)
    assert bits.tolist() == [False, True, True]
