"""Rounds of litmus tests on the target in force: which ways they end, and how many blocks of a
round ran side by side."""

import itertools

import numpy as np
from support.launching import run

from .kernels import kernel_of
from .programs import REGISTERS, VARIABLES


class Launch:
    """Some rounds of a case: `ends`, each with the number of rounds, and `beside`, of each round
    how many blocks began it before any thread had ended it."""

    def __init__(self, cases, case, rounds, number, workers=1):
        """cases: those of the kernel. number: launches differ in which thread is which, or in how
        far from each other threads of a block are. workers: so many blocks may run at once."""
        self.case, self.rounds = case, rounds
        self.variables = np.zeros((len(VARIABLES), rounds), np.int32)
        # One row more, for what makes a thread late.
        self.registers = np.zeros((REGISTERS + 1, max(rounds, case.count)), np.int32)
        self.beside = np.zeros(rounds, np.int64)
        before = cases.index(case), case.count
        if case.apart:
            self.run_apart(kernel_of(cases), before, number, workers)
        else:
            spread = (1, 40)[number % 2]
            block = (case.count - 1) * spread + 1
            given = (*before, rounds, *self.variables, self.registers, spread)
            run(kernel_of(cases), *given, grid=3, block=block)
        self.ends = self.count_ends()

    def run_apart(self, kernel, before, number, workers):
        count, rounds = self.case.count, self.rounds
        grid = count if self.case.waits else min(count, 2)
        roles = roles_of(count, grid, number)
        met, seen = np.zeros(rounds + 1, np.int32), np.zeros((count, rounds), np.int32)
        given = (*before, min(workers, grid), rounds, *self.variables, self.registers)
        run(kernel, *given, met, seen, roles.reshape(-1), grid=grid, block=roles.shape[1])
        assert (met[:rounds] == count * 0x10001).all()
        for block in roles:
            self.beside += (seen[block[block >= 0]] == count).any(0)

    def count_ends(self):
        values = np.concatenate([self.variables, self.registers[:REGISTERS, : self.rounds]])
        assert (values >= 0).all()
        assert (values < 16).all()
        places = 16 ** np.arange(len(values), dtype=np.int64)
        codes, counts = np.unique(places @ values, return_counts=True)
        ends = codes[:, None] // places % 16
        return {tuple(map(int, e)): int(n) for e, n in zip(ends, counts, strict=True)}


def roles_of(count, blocks, number):
    """Which threads of a program are in which block; -1: none."""
    every = list(itertools.permutations(range(count)))
    roles = list(every[number % len(every)]) + [-1] * (-count % blocks)
    return np.array(roles, np.int32).reshape(blocks, -1)
