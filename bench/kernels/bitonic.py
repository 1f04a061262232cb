from cuda import device as D

SIZE = 1024


@D.kernel
def bitonic(out, source):
    """Sorts each 1024 elements with 512 threads, each a pair that it compares and exchanges."""
    key = D.shared_array(SIZE, D.float32)
    t = D.thread_idx.x
    first = D.block_idx.x * SIZE
    key[t] = source[first + t]
    key[t + SIZE // 2] = source[first + t + SIZE // 2]
    D.syncthreads()
    k = 2
    while k <= SIZE:
        j = k // 2
        while j > 0:
            low = 2 * t - (t & (j - 1))
            a = key[low]
            b = key[low + j]
            if (a > b) == ((low & k) == 0):
                key[low] = b
                key[low + j] = a
            D.syncthreads()
            j //= 2
        k *= 2
    out[first + t] = key[t]
    out[first + t + SIZE // 2] = key[t + SIZE // 2]
