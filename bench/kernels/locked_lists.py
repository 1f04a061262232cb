from cuda import device as D

from .runs import end_run


@D.kernel
def locked_lists(following, heads, locks, state, lists):
    """Puts element i at the front of the list that lists[i] names, under the lock of that list. A
    head has the number of the run above its element: one of an earlier run is empty. state: as in
    end_run."""
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
    end_run(state)
