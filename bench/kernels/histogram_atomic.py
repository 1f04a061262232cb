from cuda import device as D

BINS = 256


@D.kernel
def histogram_atomic(out, source, share):
    """The threads of a block count together."""
    count = D.shared_array(BINS, D.int32)
    t, threads = D.thread_idx.x, D.block_dim.x
    for k in range(t, BINS, threads):
        count[k] = 0
    D.syncthreads()
    first = D.block_idx.x * share
    for i in range(first + t, first + share, threads):
        D.atomic_ref(count, source[i]).add(1, "relaxed", "block")
    D.syncthreads()
    for k in range(t, BINS, threads):
        out[D.block_idx.x, k] = count[k]
