"""Sums up to and with each element of a whole array, in one pass (Merrill and Garland, Single-pass
parallel prefix scan with decoupled look-back, 2016)."""

from cuda import device as D

from .warp_steps import FULL, scanned, summed

BLOCK, ROWS = 256, 4  # threads of a block, and elements of each
WARPS, TILE = BLOCK // 32, BLOCK * ROWS
ITS_SUM, ALL_SUMS = 1.0, 2.0  # what a block has told: of its tile, or of all up to it; 0: nothing


def viewed(values):
    return values | {"told": values["told"].view(D.float32x2)[:, 0]}


def look_back(told, tile, own):
    """What comes before the tile, whose sum is `own`. The block's first warp looks at 32 tiles at a
    time, back to the nearest that knows the sum of all up to it."""
    lane = D.lane_id
    before = D.float32(0)
    if tile > 0:
        if lane == 0:
            D.atomic_ref(told, tile).store(D.float32x2(ITS_SUM, own), "relaxed", "device")
        last = tile - 1
        looking = True
        while looking:
            kind, value = D.float32(ALL_SUMS), D.float32(0)
            if lane <= last:
                kind = D.float32(0)
            while D.any_sync(FULL, lambda: kind == 0):  # noqa: B023 called at once
                if kind == 0:
                    pair = D.atomic_ref(told, last - lane).load("relaxed", "device")
                    kind, value = pair.x, pair.y
            ends = D.ballot_sync(FULL, lambda: kind == ALL_SUMS)  # noqa: B023 called at once
            nearest = D.ffs(ends) - 1
            before += summed(value if nearest < 0 or lane <= nearest else 0.0)
            last -= 32
            looking = nearest < 0
    if lane == 0:
        D.atomic_ref(told, tile).store(D.float32x2(ALL_SUMS, before + own), "relaxed", "device")
    return before


# Blocks wait for earlier ones alone: a gang may wait for another block's.
@D.kernel(execution="gangs")
def scan_lookback(out, told, state, source):
    """state: the next tile, and the blocks that are done; the last block clears it and `told`."""
    tile_of_block = D.shared_array(1, D.int32)
    start = D.shared_array(1, D.float32)
    sums = D.shared_array(WARPS, D.float32)
    values = D.local_array(ROWS, D.float32)
    t = D.int32(D.thread_idx.x)
    lane = D.lane_id
    if (
        t == 0
    ):  # tiles go to blocks in the order in which they begin: nobody waits for one that has not
        tile_of_block[0] = D.atomic_ref(state, 0).add(1, "relaxed", "device")
    D.syncthreads()
    tile = tile_of_block[0]
    first = tile * TILE + t // 32 * (32 * ROWS) + lane
    total = D.float32(0)
    for row in range(ROWS):
        i = first + 32 * row
        values[row] = total + scanned(source[i] if i < source.size else 0.0)
        total = D.shfl_sync(FULL, values[row], 31)
    if lane == 0:
        sums[t // 32] = total
    D.syncthreads()
    if t < 32:
        up_to = scanned(sums[t] if t < WARPS else 0.0)
        if t < WARPS:
            sums[t] = up_to
        before = look_back(told, tile, D.shfl_sync(FULL, up_to, 31))
        if t == 0:
            start[0] = before
    D.syncthreads()
    before = start[0] + (sums[t // 32 - 1] if t >= 32 else 0.0)
    for row in range(ROWS):
        i = first + 32 * row
        if i < source.size:
            out[i] = before + values[row]
    if t == 0:
        done = D.atomic_ref(state, 1).add(1, "acq_rel", "device")
        if done == D.grid_dim.x - 1:
            state[0] = 0
            state[1] = 0
            for k in range(D.grid_dim.x):
                told[k] = D.float32x2(0.0, 0.0)
