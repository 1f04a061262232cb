from cuda import device as D


@D.kernel
def compact(out, total, state, source):
    """The positive elements, in any order. state: the next free place, and the blocks that are
    done, both of which the last block clears."""
    i = D.tid(1)
    if i < source.size:
        x = source[i]
        if x > 0:
            out[D.atomic_ref(state, 0).add(1, "relaxed", "device")] = x
    D.syncthreads()
    if D.thread_idx.x == 0:
        done = D.atomic_ref(state, 1).add(1, "acq_rel", "device")
        if done == D.grid_dim.x - 1:
            total[0] = state[0]
            state[0] = 0
            state[1] = 0
