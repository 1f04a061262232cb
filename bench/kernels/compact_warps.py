from cuda import device as D

from .warp_steps import FULL


@D.kernel
def compact_warps(out, total, state, source):
    """The positive elements, in any order: a warp takes room for all of its own at once. state: the
    next free place, and the blocks that are done, both of which the last block clears."""
    i = D.tid(1)
    x = source[i] if i < source.size else 0.0
    kept = D.ballot_sync(FULL, lambda: x > 0)
    start = 0
    if D.lane_id == 0:
        start = D.atomic_ref(state, 0).add(D.popc(kept), "relaxed", "device")
    start = D.shfl_sync(FULL, start, 0)
    if x > 0:
        out[start + D.popc(kept & D.lanemask_lt())] = x
    D.syncthreads()
    if D.thread_idx.x == 0:
        done = D.atomic_ref(state, 1).add(1, "acq_rel", "device")
        if done == D.grid_dim.x - 1:
            total[0] = state[0]
            state[0] = 0
            state[1] = 0
