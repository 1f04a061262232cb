"""Litmus tests of memory orders: outcomes that the model of ISO C++ forbids are never seen.

Each program has a function for each of its blocks of one thread. Round k of the program has
variables of its own: x and y are elements k of two rows. Before each round the blocks meet, where
they run side by side; a block that nobody meets for long goes on alone, so a launch ends on one
worker too.
"""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.launching import run

ROUNDS = 20_000


def meet(met, k, blocks, patience):
    """Whether all blocks have come to round k before the patience is at its end."""
    place = D.atomic_ref(met, k)
    place.add(1, "relaxed", "device")
    while patience > 0:
        if place.load("relaxed", "device") == blocks:
            return True
        patience -= 1
    return False


# --- message passing: y tells that x is there ---


def mp_writes(x, y, r, k):
    x[k] = 1
    D.atomic_ref(y, k).store(1, "release")


def mp_reads(x, y, r, k):
    r[1, k] = D.atomic_ref(y, k).load("acquire")
    r[2, k] = x[k] if r[1, k] == 1 else 1


def mp_fences_write(x, y, r, k):
    D.atomic_ref(x, k).store(1, "relaxed")
    D.threadfence("release")
    D.atomic_ref(y, k).store(1, "relaxed")


def mp_fences_read(x, y, r, k):
    r[1, k] = D.atomic_ref(y, k).load("relaxed")
    D.threadfence("acquire")
    r[2, k] = D.atomic_ref(x, k).load("relaxed")


# --- store buffering: one of two threads sees the other's store ---


def sb_first(x, y, r, k):
    D.atomic_ref(x, k).store(1)
    r[1, k] = D.atomic_ref(y, k).load()


def sb_second(x, y, r, k):
    D.atomic_ref(y, k).store(1)
    r[2, k] = D.atomic_ref(x, k).load()


def sb_fence_first(x, y, r, k):
    D.atomic_ref(x, k).store(1, "relaxed")
    D.threadfence()
    r[1, k] = D.atomic_ref(y, k).load("relaxed")


def sb_fence_second(x, y, r, k):
    D.atomic_ref(y, k).store(1, "relaxed")
    D.threadfence()
    r[2, k] = D.atomic_ref(x, k).load("relaxed")


# --- load buffering: loads see no stores that come after them ---


def lb_first(x, y, r, k):
    r[1, k] = D.atomic_ref(x, k).load("acquire")
    D.atomic_ref(y, k).store(1, "release")


def lb_second(x, y, r, k):
    r[2, k] = D.atomic_ref(y, k).load("acquire")
    D.atomic_ref(x, k).store(1, "release")


# --- independent reads of independent writes: readers agree on the order ---


def iriw_x(x, y, r, k):
    D.atomic_ref(x, k).store(1)


def iriw_y(x, y, r, k):
    D.atomic_ref(y, k).store(1)


def iriw_reads_x(x, y, r, k):
    r[0, k] = D.atomic_ref(x, k).load()
    r[1, k] = D.atomic_ref(y, k).load()


def iriw_reads_y(x, y, r, k):
    r[2, k] = D.atomic_ref(y, k).load()
    r[3, k] = D.atomic_ref(x, k).load()


# --- two and two writes: the last ones are of different threads or of one ---


def w22_first(x, y, r, k):
    D.atomic_ref(x, k).store(1)
    D.atomic_ref(y, k).store(2)


def w22_second(x, y, r, k):
    D.atomic_ref(y, k).store(1)
    D.atomic_ref(x, k).store(2)


# --- coherence: one element does not go back ---


def corr_writes(x, y, r, k):
    D.atomic_ref(x, k).store(1, "relaxed")
    D.atomic_ref(x, k).store(2, "relaxed")


def corr_reads(x, y, r, k):
    r[1, k] = D.atomic_ref(x, k).load("relaxed")
    r[2, k] = D.atomic_ref(x, k).load("relaxed")


PROGRAMS = {
    "MP": ((mp_writes, mp_reads), lambda x, y, r: (r[1] == 1) & (r[2] == 0)),
    "MP+fences": ((mp_fences_write, mp_fences_read), lambda x, y, r: (r[1] == 1) & (r[2] == 0)),
    "SB": ((sb_first, sb_second), lambda x, y, r: (r[1] == 0) & (r[2] == 0)),
    "SB+fences": ((sb_fence_first, sb_fence_second), lambda x, y, r: (r[1] == 0) & (r[2] == 0)),
    "LB": ((lb_first, lb_second), lambda x, y, r: (r[1] == 1) & (r[2] == 1)),
    "IRIW": (
        (iriw_x, iriw_y, iriw_reads_x, iriw_reads_y),
        lambda x, y, r: (r[0] == 1) & (r[1] == 0) & (r[2] == 1) & (r[3] == 0),
    ),
    "2+2W": ((w22_first, w22_second), lambda x, y, r: (x == 1) & (y == 1)),
    "CoRR": ((corr_writes, corr_reads), lambda x, y, r: r[1] > r[2]),
}


def nothing(x, y, r, k):
    pass


def kernel_of(first, second, third=nothing, fourth=nothing):
    @D.kernel
    def program(x, y, r, rounds, met, patience):
        me = D.block_idx.x
        for k in range(rounds):
            if not meet(met, k, D.grid_dim.x, patience):
                patience = 0
            if me == 0:
                first(x, y, r, k)
            elif me == 1:
                second(x, y, r, k)
            elif me == 2:
                third(x, y, r, k)
            else:
                fourth(x, y, r, k)

    return program


@clause("DEV-ORDER-06", "DEV-ORDER-07")
@pytest.mark.parametrize("name", PROGRAMS)
def test_forbidden_outcomes_are_not_seen(target, name):
    functions, forbidden = PROGRAMS[name]
    on_this_cpu = target not in ("interpreter", "ptx")
    rounds, patience = (ROUNDS, 1_000_000) if on_this_cpu else (100, 0)
    program = kernel_of(*functions)
    for _ in range(5 if on_this_cpu else 1):
        x, y, met = (np.zeros(rounds, np.int32) for _ in range(3))
        r = np.zeros((4, rounds), np.int32)
        run(program, x, y, r, rounds, met, patience, grid=len(functions))
        seen = int(forbidden(x, y, r).sum())
        assert seen == 0, f"{name}: the forbidden outcome was seen in {seen} of {rounds} rounds"
