"""Jacobi iteration for the Laplace equation, with the error reduced in shared memory."""

from __future__ import print_function

import numpy as np
from numbapro import *  # noqa: F403
from numbapro import cuda, f8

tpb = 16


@cuda.jit(f8(f8, f8), device=True, inline=True)
def get_max(a, b):
    if a > b:
        return a
    else:
        return b


@cuda.jit(void(f8[:, :], f8[:, :], f8[:, :]))  # noqa: F405
def jocabi_relax_core(A, Anew, error):
    err_sm = cuda.shared.array((tpb, tpb), dtype=f8)
    ty = cuda.threadIdx.x
    tx = cuda.threadIdx.y
    bx = cuda.blockIdx.x
    by = cuda.blockIdx.y
    n = A.shape[0]
    m = A.shape[1]
    i, j = cuda.grid(2)
    err_sm[ty, tx] = 0
    if j >= 1 and j < n - 1 and i >= 1 and i < m - 1:
        Anew[j, i] = 0.25 * (A[j, i + 1] + A[j, i - 1] + A[j - 1, i] + A[j + 1, i])
        err_sm[ty, tx] = Anew[j, i] - A[j, i]
    cuda.syncthreads()
    t = tpb // 2
    while t > 0:
        if ty < t:
            err_sm[ty, tx] = get_max(err_sm[ty, tx], err_sm[ty + t, tx])
        t //= 2
        cuda.syncthreads()
    t = tpb // 2
    while t > 0:
        if tx < t and ty == 0:
            err_sm[ty, tx] = get_max(err_sm[ty, tx], err_sm[ty, tx + t])
        t //= 2
        cuda.syncthreads()
    if tx == 0 and ty == 0:
        error[by, bx] = err_sm[0, 0]


if __name__ == "__main__":
    NN = NM = 64
    A = np.zeros((NN, NM), dtype=np.float64)
    A[:, 0] = 1.0
    Anew, want = A.copy(), A.copy()
    bpg = NN // tpb
    error_grid = np.zeros((bpg, bpg))
    stream = cuda.stream()
    dA = cuda.to_device(A, stream)
    dAnew = cuda.to_device(Anew, stream)
    derror_grid = cuda.to_device(error_grid, stream)
    for it in range(40):
        jocabi_relax_core[(bpg, bpg), (tpb, tpb), stream](dA, dAnew, derror_grid)
        derror_grid.copy_to_host(error_grid, stream=stream)
        stream.synchronize()
        dA, dAnew = dAnew, dA
        new = want.copy()
        new[1:-1, 1:-1] = 0.25 * (
            (want[1:-1, 2:] + want[1:-1, :-2]) + want[:-2, 1:-1] + want[2:, 1:-1]
        )
        assert np.isclose(np.abs(error_grid).max(), np.abs(new - want).max())
        want = new
    assert np.allclose(dA.copy_to_host(), want)
    print("laplace2d ok")
