"""Sum of two vectors in slices, each on a stream of its own, with events that measure it."""

from __future__ import print_function

import numpy as np
from numbapro import cuda


@cuda.autojit
def vecadd(a, b, c):
    i = cuda.threadIdx.x + cuda.blockIdx.x * cuda.blockDim.x
    step = cuda.gridsize(1)
    n = c.shape[0]
    while i < n:
        c[i] = a[i] + b[i]
        i += step


if __name__ == "__main__":
    n, nstreams = 1 << 14, 4
    a = np.arange(n, dtype=np.float32)
    b = np.random.random(n).astype(np.float32)
    c = np.zeros_like(a)
    part = n // nstreams
    streams = [cuda.stream() for _ in range(nstreams)]
    begin, end = cuda.event(), cuda.event()
    begin.record()
    with cuda.pinned(a, b, c):
        pieces = []
        for k, stream in enumerate(streams):
            here = slice(k * part, (k + 1) * part)
            da, db = cuda.to_device(a[here], stream), cuda.to_device(b[here], stream)
            dc = cuda.device_array(part, dtype=np.float32, stream=stream)
            vecadd[8, 64, stream](da, db, dc)
            pieces.append((dc, here))
        for dc, here in pieces:
            dc.copy_to_host(c[here])
    end.record()
    end.synchronize()
    assert cuda.event_elapsed_time(begin, end) >= 0
    cuda.synchronize()
    assert (c == a + b).all()
    print("vectoradd ok")
