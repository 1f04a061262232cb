from cuda import device as D

BLOCK = 256


@D.kernel
def block_scans(out, source):
    part = D.shared_array((2, BLOCK), D.float32)
    i = D.tid(1)
    t = D.thread_idx.x
    now = 0
    part[now, t] = source[i] if i < source.size else 0.0
    D.syncthreads()
    step = 1
    while step < BLOCK:
        if t >= step:
            part[1 - now, t] = part[now, t] + part[now, t - step]
        else:
            part[1 - now, t] = part[now, t]
        D.syncthreads()
        now = 1 - now
        step *= 2
    if i < source.size:
        out[i] = part[now, t]
