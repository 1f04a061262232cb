from cuda import device as D

from .warp_steps import scanned

BLOCK = 256


@D.kernel
def warp_scans(out, source):
    """Sums up to and with each element of 256: warps scan theirs, the first one their sums."""
    part = D.shared_array(BLOCK // 32, D.float32)
    i = D.tid(1)
    t = D.thread_idx.x
    value = scanned(source[i] if i < source.size else 0.0)
    if D.lane_id == 31:
        part[t // 32] = value
    D.syncthreads()
    if t < 32:
        sums = scanned(part[t] if t < BLOCK // 32 else 0.0)
        if t < BLOCK // 32:
            part[t] = sums
    D.syncthreads()
    if t >= 32:
        value += part[t // 32 - 1]
    if i < source.size:
        out[i] = value
