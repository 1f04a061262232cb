"""Masks and operations of a warp that are wrong, and what their author is told (DEV-WARP)."""

import numpy as np
import pytest
from cuda import device as D
from support.bad_programs import FLOATS, BadPrograms
from support.clauses import clause
from support.errors import check_error

bad = BadPrograms()
DOUBLES = np.ones(4, np.complex128)


@bad.kernel(FLOATS, 3, clause="DEV-WARP-03")
def lanes_that_are_read(a, n):
    m = D.WarpMask(5)
    # error at `32`: a WarpMask has no lane 32
    # hint: lanes are 0 to 31
    x = m[32]
    # error at `-1`: a WarpMask has no lane -1
    # hint: lanes are 0 to 31
    x = m[-1]
    # error at `1.5`: an index must be an integer, found float
    # hint: convert it with int()
    x = m[1.5]


@bad.kernel(FLOATS, 3, clause="DEV-WARP-05")
def lanes_that_are_set(a, n):
    m = D.WarpMask(5)
    # error at `32`: a WarpMask has no lane 32
    # hint: lanes are 0 to 31
    m[32] = True
    # error at `-1`: a WarpMask has no lane -1
    # hint: lanes are 0 to 31
    m[-1] = False
    # error at `n`: a lane is in a WarpMask or not: True or False, found int
    # hint: compare it, for example with != 0
    m[0] = n


@bad.kernel(FLOATS, np.int64(3))
def what_is_no_mask(a, wide):
    # error at `a[0]`: WarpMask() takes a WarpMask or an integer of at most 32 bits, found float32
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    x = D.WarpMask(a[0])
    # error at `0x100000000`: 4294967296 is out of the range of a WarpMask, which has 32 lanes
    # hint: -2**31 to 2**32 - 1 (all lanes: -1 or 0xFFFFFFFF)
    y = D.WarpMask(0x100000000)
    # error at `wide`: 'mask' of syncwarp() takes a WarpMask or an integer of at most 32 bits, found
    # ... int64
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.syncwarp(wide)
    # error at `None`: 'mask' of shfl_sync() takes a WarpMask or an integer of at most 32 bits,
    # ... found None
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    z = D.shfl_sync(None, 1, 2)
    # error at `1.0`: 'mask' of all_sync() takes a WarpMask or an integer of at most 32 bits, found
    # ... float
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    w = D.all_sync(1.0, lambda: True)


@bad.kernel(FLOATS, 3, clause="DEV-WARP-13")
def predicates(a, n):
    # error at `True`: the predicate of all_sync() is a function without parameters, found bool
    # hint: write all_sync(lambda: ...)
    x = D.all_sync(-1, True)
    # error at `n > 0`: the predicate of any_sync() is a function without parameters, found bool
    # hint: write any_sync(lambda: ...)
    y = D.any_sync(-1, n > 0)
    # error at `7`: the predicate of eq_sync() is a function without parameters, found int
    # hint: write eq_sync(lambda: ...)
    z = D.eq_sync(-1, pred=7)
    # error at `lambda: n`: the predicate of ballot_sync() gives a bool, found int
    # hint: compare it, for example with != 0
    w = D.ballot_sync(-1, lambda: n)
    # error at `D.ballot_sync(-1)`: ballot_sync() misses the argument 'pred'
    # hint: its parameters are mask, pred
    v = D.ballot_sync(-1)


@bad.kernel(DOUBLES, 3, clause="DEV-WARP-17")
def values_that_are_too_large(a, n):
    v = D.float32x4(1, 2, 3, 4)
    # error at `a[0]`: shfl_sync() moves at most 8 bytes, but complex128 has 16
    # hint: move its parts one by one
    x = D.shfl_sync(-1, a[0], 1)
    # error at `v`: shfl_up_sync() moves at most 8 bytes, but float32x4 has 16
    # hint: move its parts one by one
    y = D.shfl_up_sync(-1, v, 1)
    # error at `(n, n, n)`: shfl_down_sync() moves at most 8 bytes, but (int, int, int) has 12
    # hint: move its parts one by one
    z = D.shfl_down_sync(-1, (n, n, n), 1)
    # error at `D.thread_idx`: shfl_xor_sync() moves at most 8 bytes, but uint32x3 has 12
    # hint: move its parts one by one
    w = D.shfl_xor_sync(-1, D.thread_idx, 1)
    # error at `a`: shfl_sync() takes numbers, and what is made of them, found array[complex128, 1]
    # hint: give it a number, a vector, a tuple or a struct
    b = D.shfl_sync(-1, a, 1)


@bad.kernel(FLOATS, 3, clause=["DEV-WARP-16", "DEV-WARP-23"])
def lanes_that_there_are_not(array, n):
    # error at `32`: 'src_lane' of shfl_sync() is 0 to 31, found 32
    # hint: a warp has 32 lanes
    x = D.shfl_sync(-1, n, 32)
    # error at `-1`: 'delta' of shfl_up_sync() is 0 to 31, found -1
    # hint: a warp has 32 lanes
    y = D.shfl_up_sync(0xF, n, -1)
    # error at `32`: 'flag' of shfl_xor_sync() is 0 to 31, found 32
    # hint: a warp has 32 lanes
    z = D.shfl_xor_sync(-1, n, 32)
    # error at `2.0`: 'src_lane' of shfl_sync() is an integer of at most 32 bits, found float
    # hint: convert it with device.int32()
    w = D.shfl_sync(-1, n, 2.0)
    # error at `D.shfl_down_sync(-1, n)`: shfl_down_sync() misses the argument 'delta'
    # hint: its parameters are mask, value, delta
    v = D.shfl_down_sync(-1, n)
    # error at `array`: 'flag' of match_any_sync() is an integer of at most 32 bits, found
    # ... array[float32, 1]
    # hint: convert it with device.int32()
    u = D.match_any_sync(-1, n, array)


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()


# --- lanes of one mask on different paths ---


@D.kernel(execution="gangs")
def on_two_paths(a):
    lane = D.lane_id
    if lane < 7:
        a[lane] = D.shfl_sync(-1, lane, 0)
    else:
        a[lane] = D.shfl_sync(-1, lane, 1)


@D.kernel
def of_a_loop(a, mask):
    lane = D.lane_id
    mine = D.WarpMask(0xFF) if lane < 8 else D.WarpMask(mask)
    for i in range(lane + 1):
        a[lane] = D.popc(D.ballot_sync(mine, lambda: i > 0))  # noqa: B023 called at once


PATHS = (
    "kernel '{}': the lanes of the mask of {}() come to it on different paths, and do not "
    'wait for each other as lanes of a vector; write @kernel(execution="threads"), or give it the '
    "lanes of this path alone (test_warps.py:L+{}, block (0, 0, 0), thread ({}, 0, 0))"
)


@clause("DEV-WARP-27", partial="checked kernels")
def test_lanes_of_a_mask_on_different_paths():
    a = np.zeros(32, np.int32)
    with pytest.raises(NotImplementedError) as raised:
        D.launch(on_two_paths, a, grid=1, block=32)
    check_error(raised, PATHS.format("on_two_paths", "shfl_sync", 4, 0), at=on_two_paths)
    with pytest.raises(NotImplementedError) as raised:
        D.launch(of_a_loop, a, -256, grid=1, block=32)
    check_error(raised, PATHS.format("of_a_loop", "ballot_sync", 5, 1), at=of_a_loop)
