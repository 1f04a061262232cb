"""Kernels that several tests launch."""

from cuda import device as D


@D.kernel
def spin(a, n):  # takes about as many nanoseconds as n
    x = D.uint32(a[0])
    i = 0
    while i < n:
        x = x * 1664525 + 1013904223
        i += 1
    a[0] = x


@D.kernel
def busy(a, steps):
    """The same in floats, that of the array."""
    v = a[0]
    for _ in range(steps):
        v = v * 0.999 + 0.5
    a[0] = v


@D.kernel
def add(a, b):
    i = D.tid(1)
    if i < a.size:
        a[i] += b[i]


@D.kernel
def add_one(a):
    i = D.tid(1)
    if i < a.size:
        a[i] += 1


@D.kernel
def triad(a, b, c, s, n):
    i = D.tid(1)
    if i < n:
        a[i] = b[i] + s * c[i]
