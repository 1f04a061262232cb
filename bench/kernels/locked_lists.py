from cuda import device as D


@D.kernel
def locked_lists(following, heads, locks, state, lists):
    """Puts element i at the front of the list that lists[i] names, under the lock of that list. A
    head has the number of the run above its element: one of an earlier run is empty. state: as in
    hash_insert."""
    i = D.int32(D.tid(1))
    run = D.uint64(state[0]) << 32
    if i < lists.size:
        k = lists[i]
        lock = D.atomic_ref(locks, k)
        while lock.exch(1, "acquire", "device") != 0:
            pass
        head = heads[k]
        following[i] = D.int32(head & 0xFFFFFFFF) if head >> 32 == run >> 32 else -1
        heads[k] = run | D.uint64(i)
        lock.store(0, "release", "device")
    D.syncthreads()
    if D.thread_idx.x == 0:
        done = D.atomic_ref(state, 1).add(1, "acq_rel", "device")
        if done == D.grid_dim.x - 1:
            state[0] += 1
            state[1] = 0
