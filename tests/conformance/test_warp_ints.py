"""Lanes, distances and masks that are computed with builtin ints of 64 bits (DEV-WARP)."""

import numpy as np
from cuda import device as D
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
