"""Litmus tests of memory orders: outcomes that ISO C++ forbids are never seen.

On a CPU the blocks of a round must have run side by side, in many rounds, and outcomes that the
CPU's store buffers show must be seen where the order allows them: so what is not seen could have
been. CUDA_DEVICE_LONG_TESTS=1 runs every order, and a million rounds of each.
"""

import collections
import dataclasses
import functools
import os

import pytest
from support.clauses import clause
from support.targets import without_variant

from .iso_model import Undefined, ends_of_iso
from .kernels import Case
from .programs import ORDERS, PROGRAMS
from .rounds import Launch
from .store_buffers import ends_with_buffers

LONG = "CUDA_DEVICE_LONG_TESTS" in os.environ
IN_A_LAUNCH = 20_000 if LONG else 5_000
# Rounds whose blocks ran side by side.
BESIDE = 100_000 if LONG else 300
# A test that has not seen what it must see after so many rounds fails: other processes may need the
# CPUs.
AT_MOST = 50_000_000 if LONG else 5_000_000
CPUS = len(os.sched_getaffinity(0))
# Their results come from the interpreter.
INTERPRETED = ("interpreter", "ptx")


@functools.cache
def allowed_ends(program, order):
    """None: undefined."""
    try:
        return ends_of_iso(program, order)
    except Undefined:
        return None


def orders_for(program):
    """A weaker one than that which forbids, and that one; all of them in the long form."""
    weaker = {"relaxed": (), "acq_rel": ("relaxed",), "seq_cst": ("acq_rel",)}[program.forbids]
    return ORDERS if LONG else (*weaker, program.forbids)


def cases_of(program, scopes, waits=False):
    """The scopes by turns."""
    orders = [order for order in orders_for(program) if allowed_ends(program, order) is not None]
    return tuple(
        Case(program, order, scopes[number % len(scopes)], waits)
        for number, order in enumerate(reversed(orders))
    )


def all_cases(scopes, waits=False):
    return tuple(case for program in PROGRAMS for case in cases_of(program, scopes, waits))


APART = ("system", "device")
NAMES = [program.name for program in PROGRAMS]
PROGRAM = dict(zip(NAMES, PROGRAMS, strict=True))


@dataclasses.dataclass
class Seen:
    ends: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    rounds: int = 0
    beside: int = 0  # rounds in which several blocks ran side by side

    def add(self, launch):
        self.ends.update(launch.ends)
        self.rounds += launch.rounds
        self.beside += int((launch.beside > 1).sum())

    def check(self, case):
        allowed = allowed_ends(case.program, case.order)
        wrong = {end: n for end, n in self.ends.items() if end not in allowed}
        assert not wrong, f"{case}: {case.program.text}: {wrong} of {self.rounds} rounds"


def shown_by_buffers(case):
    """Whether `never` is what store buffers show, and the order allows it: those of two threads in
    some ten thousand rounds, those of more in some million, which long mode makes.
    """
    program = case.program
    ends = ends_with_buffers(program, case.order) & allowed_ends(program, case.order)
    return (case.count == 2 or LONG) and any(map(program.has_never, ends))


def fewest_rounds(program):
    """The specification asks for 100,000 where plain data is published."""
    if LONG:
        return 1_000_000
    return 100_000 if program.name.startswith("MP+plain") else IN_A_LAUNCH


def stress(case):
    """Goes on until it has seen all that must be seen."""
    seen, program = Seen(), case.program
    several = case.count > 1 and CPUS > 1
    wanted = BESIDE if several else 0
    shows = several and shown_by_buffers(case)
    for number in range(AT_MOST // IN_A_LAUNCH):
        seen.add(Launch((case,), case, IN_A_LAUNCH, number, CPUS))
        seen.check(case)
        shown = not shows or any(map(program.has_never, seen.ends))
        if shown and seen.beside >= wanted and seen.rounds >= fewest_rounds(program):
            return seen
    raise AssertionError(
        f"{case}: {program.text}: blocks ran side by side in {seen.beside} of {seen.rounds} "
        f"rounds, {wanted} were wanted; {program.never} was {'' if shown else 'not '}seen"
    )


def report(case, seen):
    found = sum(n for end, n in seen.ends.items() if case.program.has_never(end))
    print(
        f"{case}: {seen.rounds} rounds, {seen.beside} side by side, {len(seen.ends)} ends, "
        f"{case.program.never} in {found}"
    )


@clause("DEV-ORDER-06", "DEV-ORDER-07", "DEV-FENCE-02")
@pytest.mark.targets("avx512", "avx2", "sse4")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.timeout(3600 if LONG else 300)
def test_lanes_of_two_blocks(target, name):
    for case in cases_of(PROGRAM[name], APART):
        report(case, stress(case))


@clause("DEV-ORDER-06", "DEV-ORDER-07", "DEV-FENCE-02")
@pytest.mark.targets("avx512", "sse4")
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.timeout(3600 if LONG else 300)
def test_blocks_that_wait(target, name):
    """They run thread by thread. Where there are more blocks than workers, a worker's blocks take
    turns while they wait, and in each round two workers must run one side by side."""
    for case in cases_of(PROGRAM[name], APART, waits=True):
        report(case, stress(case))


def few_rounds(cases, rounds, launches):
    for case in cases:
        seen = Seen()
        for number in range(launches):
            seen.add(Launch(cases, case, rounds, number))
        seen.check(case)


@clause("DEV-ORDER-06", "DEV-ORDER-07")
@pytest.mark.targets("interpreter", "interpreter-seed1", "interpreter-seed2", "ptx", "cuda")
def test_blocks(target):
    """Few rounds where no threads run side by side; all programs in one kernel."""
    interpreted = without_variant(target) in INTERPRETED
    rounds, launches = (30, 1) if interpreted else (IN_A_LAUNCH, 20)
    few_rounds(all_cases(APART, waits=True), rounds, launches)


@clause("DEV-ORDER-06", "DEV-ORDER-07", "DEV-SCOPE-03")
def test_threads_of_one_block(target):
    """One worker runs a block, so its threads are not side by side on CPUs."""
    cases = all_cases(("block",))
    cases = cases if LONG else tuple(c for c in cases if c.order == c.program.forbids)
    if target == "ptx" and not LONG:
        cases = cases[::3]  # ptxas takes long for so many barriers
    few_rounds(cases, 10 if target in INTERPRETED else 300, 2)


@clause("DEV-SCOPE-04")
def test_one_thread_alone(target):
    cases = tuple(case for case in all_cases(("thread",)) if case.program.scope == "thread")
    assert cases
    few_rounds(cases, 10, 1)
