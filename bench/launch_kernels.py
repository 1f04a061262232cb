"""Kernels whose launches launch_cost.py and first_launch.py measure."""

from cuda import device as D


@D.kernel
def empty(a, n):
    """Does nothing, which no compiler can know."""
    if n != 0:
        a[0] = n


def exchanges(a):
    s = D.shared_array(256, D.float32)
    i = D.tid(1)
    t = D.thread_idx.x
    x = a[i]
    for _ in range(32):
        s[t] = x
        D.syncthreads()
        x = x + s[255 - t]
        D.syncthreads()
    a[i] = x


barriers = D.kernel(exchanges)
barriers_by_threads = D.kernel(exchanges, execution="threads")


@D.kernel
def no_barriers(a):
    """What barriers does, but each thread by itself."""
    s = D.shared_array(256, D.float32)
    i = D.tid(1)
    t = D.thread_idx.x
    x = a[i]
    for _ in range(32):
        s[t] = x
        x = x + s[t]
    a[i] = x


@D.kernel
def warps_at_barriers_of_their_own(a):
    """As `barriers`, but one warp waits at others than the rest."""
    s = D.shared_array(256, D.float32)
    i = D.tid(1)
    t = D.thread_idx.x
    x = a[i]
    if t < 32:
        for _ in range(32):
            s[t] = x
            D.syncthreads()
            x = x + s[255 - t]
            D.syncthreads()
    else:
        for _ in range(32):
            s[t] = x
            D.syncthreads()
            x = x + s[255 - t]
            D.syncthreads()
    a[i] = x


@D.kernel
def mandelbrot(image, limit):
    x, y = D.tid(2)
    cx = -2 + 3 * x / D.float32(image.shape[1])
    cy = -1.5 + 3 * y / D.float32(image.shape[0])
    zx = zy = D.float32(0)
    n = 0
    while n < limit and zx * zx + zy * zy <= 4:
        zx, zy = zx * zx - zy * zy + cx, 2 * zx * zy + cy
        n += 1
    image[y, x] = n


@D.kernel
def arithmetic(values, steps):
    i = D.tid(1)
    v = values[i]
    for _ in range(steps):
        v = v * 0.999 + 0.5
    values[i] = v


def counts_without_end(a):
    """Threads that change a variable at every look: no deadlock is found."""
    i = D.tid(1)
    looks = 0
    while D.atomic_ref(a, i).load() == 0:
        looks += 1
    a[i] = looks


counts_in_gangs = D.kernel(counts_without_end, execution="gangs")
counts_by_threads = D.kernel(counts_without_end, execution="threads")


@D.kernel
def saxpy(a, x, y):
    i = D.tid(1)
    if i < y.size:
        y[i] = a * x[i] + y[i]


@D.kernel
def one_store(a):
    a[D.tid(1)] = 1.0


@D.kernel
def sixteen(a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q):
    a[0] = b[0] + c[0] + d[0] + e[0] + f[0] + g[0] + h[0]
    i[0] = j[0] + k[0] + m[0] + n[0] + o[0] + p[0] + q[0]


def scaled(x, factor):
    """A helper that the host calls."""
    return x * factor
