"""Copy kernels of one to three dimensions, and arrays of every layout that NumPy offers."""

import numpy as np
from cuda import device as D

from support.launching import run


@D.kernel
def copy_1d(out, a):
    i = D.tid(1)
    if i < len(a):
        out[i] = a[i]


@D.kernel
def copy_2d(out, a):
    x, y = D.tid(2)
    if y < a.shape[0] and x < a.shape[1]:
        out[y, x] = a[y, x]


@D.kernel
def copy_3d(out, a):
    x, y, z = D.tid(3)
    if z < a.shape[0] and y < a.shape[1] and x < a.shape[2]:
        out[z, y, x] = a[z, y, x]


COPY = {1: copy_1d, 2: copy_2d, 3: copy_3d}


def launch_copy(out, a):
    block = {1: (32,), 2: (8, 4), 3: (4, 4, 2)}[a.ndim]
    grid = tuple(-(-n // b) for n, b in zip(a.shape[::-1], block, strict=True))
    run(COPY[a.ndim], out, a, grid=grid, block=block)


def layouts():
    base = np.arange(24 * 30, dtype=np.float64).reshape(24, 30)
    record = np.zeros((6, 5), dtype=np.dtype([("x", "i4"), ("y", "f8")], align=True))
    record["y"] = np.arange(30).reshape(6, 5)
    return {
        "contiguous": base,
        "Fortran order": np.asfortranarray(base),
        "transposed": base.T,
        "stepped rows": base[::3],
        "stepped columns": base[:, 1::4],
        "stepped both": base[1::2, ::5],
        "reversed rows": base[::-1],
        "reversed columns": base[:, ::-1],
        "reversed both, stepped": base[::-2, ::-3],
        "one column": base[:, 3:4],
        "inner block": base[2:9, 3:21],
        "broadcast rows": np.broadcast_to(base[0], (9, 30)),
        "broadcast columns": np.broadcast_to(base[:, :1], (24, 9)),
        "broadcast scalar": np.broadcast_to(base[3, 4], (5, 6)),
        "field of a record": record["y"],
        "vector, stepped": base.reshape(-1)[5::7],
        "vector, reversed": base.reshape(-1)[::-1],
        "vector, broadcast": np.broadcast_to(np.float64(2.5), (40,)),
        "box, permuted": base.reshape(4, 6, 30).transpose(2, 0, 1),
        "box, stepped": base.reshape(4, 6, 30)[::2, ::-1, ::7],
        "float32, stepped": base.astype(np.float32)[::2, ::3],
        "bytes, reversed": base.astype(np.int8)[:, ::-1],
    }
