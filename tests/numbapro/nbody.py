"""Gravitation between all pairs of bodies, a tile of bodies in shared memory at a time."""

from __future__ import print_function

import math

import numpy as np
from numbapro import cuda, float32

BLOCK = 32
EPS = 0.01


@cuda.jit(device=True, inline=True)
def body_body(xi, yi, zi, xj, yj, zj, mj):
    dx = xj - xi
    dy = yj - yi
    dz = zj - zi
    r2 = dx * dx + dy * dy + dz * dz + float32(EPS)
    s = mj / (r2 * math.sqrt(r2))
    return dx * s, dy * s, dz * s


@cuda.autojit
def accelerations(pos, acc):
    tile = cuda.shared.array((BLOCK, 4), float32)
    i = cuda.grid(1)
    t = cuda.threadIdx.x
    ax = float32(0)
    ay = float32(0)
    az = float32(0)
    for first in range(0, pos.shape[0], BLOCK):
        for k in range(4):
            tile[t, k] = pos[first + t, k]
        cuda.syncthreads()
        for j in range(BLOCK):
            x, y, z = body_body(
                pos[i, 0], pos[i, 1], pos[i, 2], tile[j, 0], tile[j, 1], tile[j, 2], tile[j, 3]
            )
            ax += x
            ay += y
            az += z
        cuda.syncthreads()
    acc[i, 0] = ax
    acc[i, 1] = ay
    acc[i, 2] = az


if __name__ == "__main__":
    n = 4 * BLOCK
    np.random.seed(7)
    pos = np.random.random((n, 4)).astype(np.float32)
    acc = np.zeros((n, 3), np.float32)
    accelerations[n // BLOCK, BLOCK](pos, acc)
    p = pos[:, :3].astype(np.float64)
    d = p[None] - p[:, None]
    s = pos[None, :, 3] / ((d**2).sum(2) + EPS) ** 1.5
    assert np.allclose(acc, (d * s[..., None]).sum(1), rtol=1e-3)
    print("nbody ok")
