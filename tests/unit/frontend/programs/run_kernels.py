"""Whole kernels."""

F32, F64, I32 = "array[float32, 1]", "array[float64, 1]", "array[int32, 1]"


@case(F64, F64, F64, args=[np.arange(8.0), np.arange(8.0) * 0.5, np.zeros(8)], grid=2, block=4)
@kernel
def vec_add(a, b, c):
    i = device.thread_idx.x + device.block_idx.x * device.block_dim.x
    c[i] = a[i] + b[i]


@case("float", F32, F32, "int", args=[2.0, np.arange(6, dtype=np.float32), np.ones(6, np.float32), 6], grid=2, block=4)
@kernel
def saxpy(a, x, y, n):
    i = device.tid(1)
    if i < n:
        y[i] = a * x[i] + y[i]


@case("array[int32, 2]", "float", "float", "float", "int",
      args=[np.zeros((6, 8), np.int32), -2.0, -1.5, 0.5, 40], grid=(2, 2), block=(4, 3))
@kernel
def mandelbrot(out, x0, y0, step, limit):
    i, j = device.tid(2)
    height, width = out.shape
    if i >= width or j >= height:
        return
    cr = x0 + i * step
    ci = y0 + j * step
    zr = zi = 0.0
    n = 0
    while n < limit and zr * zr + zi * zi < 4.0:
        zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
        n += 1
    out[j, i] = n


def cnd(d):
    k = 1.0 / (1.0 + 0.25 * abs(d))
    w = k * (0.5 + k * (-0.25 + k * 0.125))
    if d > 0:
        return 1.0 - w
    return w


@case(F64, F64, F64, "float64", args=[np.linspace(1, 2, 5), np.linspace(2, 1, 5), np.zeros(5), np.float64(0.25)], block=5)
@kernel
def option(price, strike, out, rate):
    i = device.tid(1)
    s = price[i]
    x = strike[i]
    d = (s - x) * rate
    out[i] = s * cnd(d) - x * cnd(-d)


@case("array[float64, 2]", "array[float64, 2]", "array[float64, 2]",
      args=[np.arange(12.0).reshape(3, 4), np.arange(20.0).reshape(4, 5), np.zeros((3, 5))], block=(5, 3))
@kernel
def matmul(a, b, c):
    j, i = device.tid(2)
    s = 0
    for k in range(a.shape[1]):
        s += a[i, k] * b[k, j]
    c[i, j] = s


@case(I32, I32, args=[np.arange(10, dtype=np.int32), np.zeros(10, np.int32)], block=10)
@kernel
def reverse(a, b):
    i = device.tid(1)
    b[-1 - i] = a[i]
    b[-1] = a[-10] + 100
