from cuda import device as D

THREADS, BINS = 32, 256


@D.kernel
def histogram(out, source, share):
    """Every thread counts in a row of its own; then the rows are added up."""
    count = D.shared_array((THREADS, BINS), D.int32)
    t = D.thread_idx.x
    for row in range(THREADS):
        for k in range(t, BINS, THREADS):
            count[row, k] = 0
    D.syncthreads()
    first = D.block_idx.x * share
    for i in range(first + t, first + share, THREADS):
        count[t, source[i]] += 1
    D.syncthreads()
    for k in range(t, BINS, THREADS):
        total = 0
        for row in range(THREADS):
            total += count[row, k]
        out[D.block_idx.x, k] = total
