"""Three kernels in the guide's language and in NumbaPro's, with the same types."""

import math

from cuda import device as D
from cuda.device.numbapro import cuda, float32, int32

TILE = 16


@D.kernel
def saxpy(out, x, y, a):
    i = D.tid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


@cuda.autojit
def saxpy_2014(out, x, y, a):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a * x[i] + y[i]


@D.kernel
def multiply(out, a, b):
    left = D.shared_array((TILE, TILE), D.float32)
    right = D.shared_array((TILE, TILE), D.float32)
    x, y = D.tid(2)
    tx, ty = D.int32(D.thread_idx.x), D.int32(D.thread_idx.y)
    total = D.float32(0)
    for k in range(0, D.int32(a.shape[1]), TILE):
        left[ty, tx] = a[y, k + tx]
        right[ty, tx] = b[k + ty, x]
        D.syncthreads()
        for j in range(TILE):
            total += left[ty, j] * right[j, tx]
        D.syncthreads()
    out[y, x] = total


@cuda.autojit
def multiply_2014(out, a, b):
    left = cuda.shared.array((TILE, TILE), float32)
    right = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(0, int32(a.shape[1]), TILE):
        left[ty, tx] = a[y, k + tx]
        right[ty, tx] = b[k + ty, x]
        cuda.syncthreads()
        for j in range(TILE):
            total += left[ty, j] * right[j, tx]
        cuda.syncthreads()
    out[y, x] = total


@D.func
def escape(cx, cy, limit):
    x, y = D.float32(0), D.float32(0)
    n = D.int32(0)
    while n < limit and x * x + y * y <= D.float32(4):
        x, y = x * x - y * y + cx, D.float32(2) * x * y + cy
        n += 1
    return n


def escape_2014(cx, cy, limit):
    x, y = float32(0), float32(0)
    n = int32(0)
    while n < limit and x * x + y * y <= float32(4):
        x, y = x * x - y * y + cx, float32(2) * x * y + cy
        n += 1
    return n


@D.kernel
def mandelbrot(out, left, top, step, limit):
    x, y = D.tid(2)
    if x < out.shape[1] and y < out.shape[0]:
        cx, cy = left + D.float32(x) * step, top + D.float32(y) * step
        out[y, x] = math.sqrt(D.float32(escape(cx, cy, limit)))


@cuda.autojit
def mandelbrot_2014(out, left, top, step, limit):
    x, y = cuda.grid(2)
    if x < out.shape[1] and y < out.shape[0]:
        cx, cy = left + float32(x) * step, top + float32(y) * step
        out[y, x] = math.sqrt(float32(escape_2014(cx, cy, limit)))


ARRAY, TABLE = "array[float32, 1]", "array[float32, 2]"
KERNELS = [
    (saxpy, saxpy_2014, (ARRAY, ARRAY, ARRAY, "float32"), 256),
    (multiply, multiply_2014, (TABLE, TABLE, TABLE), (TILE, TILE)),
    (mandelbrot, mandelbrot_2014, (TABLE, "float32", "float32", "float32", "int32"), (32, 8)),
]
