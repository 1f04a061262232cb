from cuda import device as D

BLOCK = 256


@D.kernel
def sum_parts(out, source):
    part = D.shared_array(BLOCK, D.float32)
    t = D.thread_idx.x
    total = 0.0
    for i in range(D.tid(1), source.size, D.grid_size(1)):
        total += source[i]
    part[t] = total
    D.syncthreads()
    step = BLOCK // 2
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        D.syncthreads()
        step //= 2
    if t == 0:
        out[D.block_idx.x] = part[0]
