from cuda import device as D

BLOCK = 256


@D.kernel
def block_sums(out, source):
    part = D.shared_array(BLOCK, D.float32)
    i = D.tid(1)
    t = D.thread_idx.x
    part[t] = source[i] if i < source.size else 0.0
    D.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        D.syncthreads()
        step //= 2
    if t == 0:
        out[D.block_idx.x] = part[0]
