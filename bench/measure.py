"""Interleaved timing: every round runs each contestant once, so that a slow spell of the machine
meets all of them; the median over the rounds is the figure, and the median over the rounds of the
ratio of two contestants is their ratio (report.py)."""

import math
import statistics
import sys
import time
from dataclasses import dataclass, field

from peers import NotAvailable
from problems import WrongResult

SAMPLE_SECONDS = 0.02  # runs shorter than this are repeated within one sample
# Threads of the contestant before go on spinning for a while when their work is done (those of a
# BLAS do), on processors that the next one needs: it runs so long before it is timed.
SETTLE_SECONDS = 0.1
SLOW_SECONDS = 1.0  # a contestant whose run takes longer gets SLOW_ROUNDS only
SLOW_ROUNDS = 3


@dataclass
class Entry:
    contestant: object
    repeats: int  # runs in a sample
    before: int  # and before one
    rounds: int
    samples: list = field(default_factory=list)  # seconds a run


def timed(contestant, repeats=1):
    start = time.perf_counter()
    for _ in range(repeats):
        contestant.run()
    return (time.perf_counter() - start) / repeats


def sample(entry):
    timed(entry.contestant, entry.before)
    entry.samples.append(timed(entry.contestant, entry.repeats))


def progress(text):
    print(text, file=sys.stderr, flush=True)


def gather(problem, sources, where):
    """All contestants of the problem, and {group: reason} for those that are not available; the
    first of a source's groups stands for all. where: how many threads, or the place on a GPU."""
    found, absent = [], {}
    for groups, make in sources:
        try:
            found += make(problem, where)
        except NotAvailable as reason:
            absent[groups[0]] = str(reason)
        except Exception as error:  # one contestant's failure must not hide the others' figures
            absent[groups[0]] = f"failed: {type(error).__name__}: {error}"
    return found, absent


def admit(problem, contestant):
    """Checks the result; returns the seconds of a warm run."""
    contestant.run()
    contestant.finish()
    problem.poison()
    contestant.run()
    contestant.finish()
    problem.check()
    return timed(contestant)


def measure(problem, sources, threads, rounds):
    """{group: …} as the report reads it: every contestant's samples, or why it is absent."""
    found, absent = gather(problem, sources, threads)
    entries = []
    for contestant in found:
        progress(f"  {problem.name}, {threads} thread(s): checking {contestant.name}")
        try:
            seconds = admit(problem, contestant)
        except WrongResult as error:
            absent[contestant.group] = f"WRONG RESULT: {error}"
            continue
        except Exception as error:
            absent[contestant.group] = f"failed: {type(error).__name__}: {error}"
            continue
        slow = seconds > SLOW_SECONDS
        entries.append(
            Entry(
                contestant,
                max(1, math.ceil(SAMPLE_SECONDS / seconds)),
                1 if slow else math.ceil(SETTLE_SECONDS / seconds),
                min(rounds, SLOW_ROUNDS) if slow else rounds,
            )
        )
    for number in range(rounds):
        progress(f"  {problem.name}, {threads} thread(s): round {number + 1} of {rounds}")
        for entry in entries:
            if number < entry.rounds:
                sample(entry)
    return {
        "problem": problem.name,
        "threads": threads,
        "unit": problem.unit,
        "size": problem.size,
        "wanted": problem.wanted,
        "ahead_of": problem.ahead_of,
        "ahead_by": problem.ahead_by,
        "absent": absent,
        "figures": [figure(problem, entry) for entry in entries],
    }


def figure(problem, entry):
    return {
        "group": entry.contestant.group,
        "name": entry.contestant.name,
        "median": problem.amount / statistics.median(entry.samples),
        "best": problem.amount / min(entry.samples),
        "samples": entry.samples,  # seconds a run, by round
    }
