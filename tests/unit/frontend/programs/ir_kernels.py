"""Kernels whose IR is looked at as a whole."""

F32 = "array[float32, 1]"


@case(F32, F32, F32)
@kernel
def vec_add(a, b, c):
    i = device.thread_idx.x + device.block_idx.x * device.block_dim.x
    c[i] = a[i] + b[i]


@case("float", F32, F32, "int")
@kernel
def saxpy(a, x, y, n):
    i = device.tid(1)
    if i >= n:
        return
    y[i] = a * x[i] + y[i]


@case("array[int32, 2]", "float", "float", "int")
@kernel
def mandelbrot(out, x0, step, limit):
    i, j = device.tid(2)
    cr, ci = x0 + i * step, x0 + j * step
    zr = zi = 0.0
    n = 0
    while n < limit and zr * zr + zi * zi < 4.0:
        zr, zi = zr * zr - zi * zi + cr, 2.0 * zr * zi + ci
        n += 1
    out[j, i] = n


def sign(x):
    if x > 0:
        return 1
    for k in range(3):
        if x == k:
            return k
    return 0


@case(F32)
@kernel
def inlined(a):
    i = device.tid(1)
    a[-1] = sign(a[i])


@case("array[float64, 1]", "(int; float32)", "int8")
def constants_and_tuples(a, t, n):
    scale = 0.1
    a[0] = t[1] * scale + a[1] * scale
    a[n] = t[0] ** 3 if n > 2 or n < -2 else n
