"""Masks and operations of a warp that are wrong, and what their author is told (DEV-WARP)."""

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.bad_programs import FLOATS, BadPrograms
from support.clauses import clause
from support.errors import check_error

bad = BadPrograms()
DOUBLES = np.ones(4, np.complex128)


@bad.kernel(FLOATS, 3, clause="DEV-WARP-03", partial="checked kernels")
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


@bad.kernel(FLOATS, 3, clause="DEV-WARP-05", partial="checked kernels")
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
    # error at `a[0]`: WarpMask() takes a WarpMask or an integer, found float32
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    x = D.WarpMask(a[0])
    # error at `0x100000000`: 4294967296 is out of the range of a WarpMask, which has 32 lanes
    # hint: -2**31 to 2**32 - 1 (all lanes: -1 or 0xFFFFFFFF)
    y = D.WarpMask(0x100000000)
    # error at `wide > 0`: 'mask' of syncwarp() takes a WarpMask or an integer, found bool
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.syncwarp(wide > 0)
    # error at `wide`: 'declared' is WarpMask, but the value is int64
    # hint: write device.WarpMask(...)
    declared: D.WarpMask = wide
    # error at `1 << 33`: 8589934592 is out of the range of a WarpMask, which has 32 lanes
    # hint: -2**31 to 2**32 - 1 (all lanes: -1 or 0xFFFFFFFF)
    begun = 1 << 33
    if wide > 2:
        begun = D.WarpMask(1)
    D.syncwarp(begun)
    # error at `None`: 'mask' of shfl_sync() takes a WarpMask or an integer, found None
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    z = D.shfl_sync(None, 1, 2)
    # error at `1.0`: 'mask' of all_sync() takes a WarpMask or an integer, found float
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


@D.struct
class Spread:
    """As (int16, int32, int16), which has its places."""

    first: D.int16
    second: D.int32
    third: D.int16


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
    m = D.int16(n), D.int32(n), D.int16(n)
    # error at `m`: shfl_sync() moves at most 8 bytes, but (int16, int32, int16) has 12
    # hint: move its parts one by one
    e = D.shfl_sync(-1, m, 1)
    # error at `Spread(1, n, 2)`: shfl_sync() moves at most 8 bytes, but Spread has 12
    # hint: move its parts one by one
    f = D.shfl_sync(-1, Spread(1, n, 2), 1)
    # error at `(D.int64(n), True)`: shfl_sync() moves at most 8 bytes, but (int64, bool) has 16
    # hint: move its parts one by one
    g = D.shfl_sync(-1, (D.int64(n), True), 1)
    # error at `((m[0], n), m[2])`: shfl_sync() moves at most 8 bytes, but ((int16, int), int16) has 12
    # hint: move its parts one by one
    h = D.shfl_sync(-1, ((m[0], n), m[2]), 1)
    # All of these have room.
    i = D.shfl_sync(-1, (m[0], m[2], n), 1), D.shfl_sync(-1, (), 1)


@bad.kernel(FLOATS, 3, clause=["DEV-WARP-16", "DEV-WARP-23"], partial="checked kernels")
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
    # error at `2.0`: 'src_lane' of shfl_sync() is an integer, found float
    # hint: convert it with device.int32()
    w = D.shfl_sync(-1, n, 2.0)
    # error at `D.shfl_down_sync(-1, n)`: shfl_down_sync() misses the argument 'delta'
    # hint: its parameters are mask, value, delta
    v = D.shfl_down_sync(-1, n)
    # error at `array`: 'flag' of match_any_sync() is an integer, found array[float32, 1]
    # hint: convert it with device.int32()
    u = D.match_any_sync(-1, n, array)


@bad.kernel(FLOATS, 3, raises=errors.CompileTypeError)
def counts_of_arguments(a, n):
    # error at `D.ballot_sync(-1, n, n)`: ballot_sync() takes 2 arguments, but 3 are given
    # hint: its parameters are mask, pred
    x = D.ballot_sync(-1, n, n)
    # error at `D.shfl_sync(-1, n, 1, 32)`: shfl_sync() takes 3 arguments, but 4 are given
    # hint: its parameters are mask, value, src_lane
    y = D.shfl_sync(-1, n, 1, 32)
    # error at `D.match_any_sync(-1, n, 0, 0)`: match_any_sync() takes 2 to 3 arguments, but 4 are given
    # hint: its parameters are mask, value, flag
    z = D.match_any_sync(-1, n, 0, 0)
    # error at `D.syncwarp(-1, 0)`: syncwarp() takes at most 1 argument, but 2 are given
    # hint: its parameters are mask
    D.syncwarp(-1, 0)
    m = D.WarpMask(5)
    # error at `m.with_lane(1)`: with_lane() misses the argument 'val'
    # hint: its parameters are i, val
    u = m.with_lane(1)
    # error at `m.with_lane(1, True, 2)`: with_lane() takes 2 arguments, but 3 are given
    # hint: its parameters are i, val
    v = m.with_lane(1, True, 2)
    # error at `32`: a WarpMask has no lane 32
    # hint: lanes are 0 to 31
    w = m.with_lane(32, True)


GLOBAL = D.WarpMask(3)


@D.struct
class Group:
    lanes: D.WarpMask


@bad.kernel(FLOATS, 3, clause="DEV-WARP-04")
def lanes_of_what_is_no_variable(a, n):
    m = D.WarpMask(5)
    # error at `0:3`: an index must be an integer, found a slice
    # hint: lanes are asked for one by one; several at once are the bits of mask & bits
    x = m[0:3]
    # error at `0:3`: an index must be an integer, found a slice
    # hint: lanes are asked for one by one; several at once are the bits of mask & bits
    m[0:3] = True
    g = Group(3)
    # error at `g.lanes[n]`: a lane of 'g.lanes' cannot be assigned: it is a value, not a variable
    # hint: make a changed one: device.replace(g, lanes=g.lanes.with_lane(n, val))
    g.lanes[n] = True
    t = (m, n)
    # error at `t[0][3]`: a lane of 't[0]' cannot be assigned: it is a value, not a variable
    # hint: make a changed one: t[0].with_lane(3, val)
    t[0][3] = True
    # error at `GLOBAL[3]`: a lane of the global 'GLOBAL' cannot be assigned
    # hint: names and elements of arrays can
    GLOBAL[3] = True

    own = D.local_array(2, D.WarpMask)
    # error at `32`: a WarpMask has no lane 32
    # hint: lanes are 0 to 31
    own[1][32] = True
    # error at `n + 1`: a lane is in a WarpMask or not: True or False, found int
    # hint: compare it, for example with != 0
    own[1][3] = n + 1


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()


@D.kernel
def changes_masks_within(a):
    m = D.WarpMask(5)
    v = D.float32x2(1, 2)

    def inner():
        m[3] = True
        v[0] = 2

    inner()


OUTER = (
    "{} of '{}' cannot be assigned here: the variable is one of the function around",
    "return the changed one, and assign it to '{}' there",
)


def test_variables_of_the_function_around():
    with pytest.raises(errors.CompileError) as raised:
        D.launch(changes_masks_within, FLOATS, grid=1, block=1)
    found = [(d.message, d.hint) for d in raised.value.diagnostics]
    parts = ("a lane", "m"), ("a component", "v")
    assert found == [(OUTER[0].format(*part), OUTER[1].format(part[1])) for part in parts]


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
    D.syncwarp()


PATHS = (
    "kernel '{}': lanes of the mask of {}() do not come to it, and may come to a barrier or to "
    "another operation of their warp, which lanes of a vector cannot wait for; give it the lanes "
    'that come here alone, or write @kernel(execution="threads") '
    "(test_warps.py:L+{}, block (0, 0, 0), thread ({}, 0, 0))"
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
