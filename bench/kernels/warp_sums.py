from cuda import device as D

from .warp_steps import summed

BLOCK = 256


@D.kernel
def warp_sums(out, source):
    """The sum of each 256 elements: warps sum theirs, and the first one what they got."""
    part = D.shared_array(BLOCK // 32, D.float32)
    i = D.tid(1)
    t = D.thread_idx.x
    total = summed(source[i] if i < source.size else 0.0)
    if D.lane_id == 0:
        part[t // 32] = total
    D.syncthreads()
    if t < 32:
        total = summed(part[t] if t < BLOCK // 32 else 0.0)
        if t == 0:
            out[D.block_idx.x] = total
