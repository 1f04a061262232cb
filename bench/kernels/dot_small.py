from cuda import device as D

from .small_floats import as_small_floats

BLOCK = 256


def viewed(values):
    return as_small_floats(values, "x", "y")


@D.kernel
def dot_small(out, x, y):
    part = D.shared_array(BLOCK, D.float32)
    t = D.thread_idx.x
    total = 0.0
    for i in range(D.tid(1), x.size, D.grid_size(1)):
        total += D.float32(x[i]) * D.float32(y[i])
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
