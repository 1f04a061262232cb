"""Kernels of a thread for each number, which tests of small floats share."""

import math

from cuda import device as D

from support.launching import run

BLOCK = 128


def launch(kernel, x, *args):
    run(kernel, x, *args, grid=len(x) // BLOCK + 1, block=BLOCK)


@D.kernel
def to_small(x, f2, bf, e4, e5):
    i = D.tid(1)
    if i < x.size:
        f2[i] = D.float16(x[i])
        bf[i] = D.bfloat16(x[i])
        e4[i] = D.float8e4m3(x[i])
        e5[i] = D.float8e5m2(x[i])


@D.kernel
def arithmetic(x, y, add, sub, mul, div, least, most, root, minus, size, sign):
    i = D.tid(1)
    if i < x.size:
        a = x[i]
        b = y[i]
        add[i] = a + b
        sub[i] = a - b
        mul[i] = a * b
        div[i] = a / b
        least[i] = min(a, b)
        most[i] = max(a, b)
        root[i] = math.sqrt(a)
        minus[i] = -a
        size[i] = abs(a)
        sign[i] = math.copysign(a, b)
