"""heat_program.py STEPS FILE KIND: a heat equation on the ranks of MPI, each with a strip of rows.

The rows at the edges of a strip go to its neighbours from the memory that kernels write: of
HostArrays, or of Arrays in "device", "pinned" or "managed" memory of a GPU, which MPI has to know.
Rank 0 writes the whole into the file.
"""

import sys

import numpy as np
from cuda import device as D
from cuda.device import array_api as xp
from mpi4py import MPI

ROWS, COLUMNS = 64, 48


@D.kernel
def step(out, a, rate: D.float64):
    y, x = D.tid(2)
    h, w = a.shape
    if 0 < y < h - 1 and 0 < x < w - 1:
        around = a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1]
        out[y, x] = a[y, x] + rate * (around - 4 * a[y, x])


def start():
    y, x = np.mgrid[0:ROWS, 0:COLUMNS]
    return 100.0 * ((y - 20) ** 2 + (x - 30) ** 2 < 80)


def advance(a, b):
    h, w = a.shape
    D.launch(step, b, a, np.float64(0.2), grid=(-(-h // 8), -(-w // 16)), block=(8, 16))


def exchange(comm, a):
    """The rows next to a strip, from its neighbours."""
    above = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
    below = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
    comm.Sendrecv(a[1], dest=above, recvbuf=a[-1], source=below)
    comm.Sendrecv(a[-2], dest=below, recvbuf=a[0], source=above)


def made(values, kind):
    if kind != "host":
        return D.asarray(values, device="cuda", memory=kind, copy=True)
    a = xp.zeros(values.shape)
    a[:] = values
    assert type(a) is type(a[1]) is xp.HostArray
    return a


def main(steps, file, kind):
    comm = MPI.COMM_WORLD
    each = ROWS // comm.size
    first = comm.rank * each
    whole = np.pad(start(), ((1, 1), (0, 0)))
    a, b = (made(whole[first : first + each + 2], kind) for _ in range(2))
    for _ in range(steps):
        exchange(comm, a)
        b[0], b[-1] = a[0], a[-1]
        advance(a, b)
        if kind != "host":
            D.core.Device(0).sync()  # MPI does not see what is queued
        a, b = b, a
    found = made(np.empty((ROWS, COLUMNS)), "host") if comm.rank == 0 else None
    comm.Gather(a[1:-1], found)
    # A kernel of this program, sent as an object.
    sent = comm.bcast(step if comm.rank == 0 else None)
    assert sent is step
    if found is not None:
        np.save(file, D.to_host(found))
        print("ranks", comm.size)


if __name__ == "__main__":
    if sys.argv[3] != "host":
        from support.gpu_program import run_all_on_fake

        run_all_on_fake()
    main(int(sys.argv[1]), *sys.argv[2:])
