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
