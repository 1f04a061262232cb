"""Measures problems, one after the other, in this process: a line of JSON each, as measure.py's.

A contestant whose kernel breaks the GPU's context takes the process along: benchmarks.py goes on
with the next problem in another.
"""

import dataclasses
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

import measure
from peers import Contestant
from problems import PROBLEMS, WrongResult

from gpu import driver, machine, on_gpu
from gpu.contestants import cupy_raw, numba_cuda, nvcc, ours
from gpu.timing import Clock

COPY = "device copy"
CONTEXT_LOST = 3  # the process's status
SOURCES = (
    (("cuda.device",), ours.contestants),
    ((nvcc.GROUP,), nvcc.contestants),
    ((cupy_raw.GROUP,), cupy_raw.contestants),
    ((numba_cuda.GROUP,), numba_cuda.contestants),
)
GROUPS = tuple(groups[0] for groups, _ in SOURCES)


@dataclass
class Entry:
    contestant: Contestant
    times: int
    queueing: float
    samples: list = field(default_factory=list)  # seconds a run


def admit(problem, arguments, clock, contestant):
    """Checks its result. Raises WrongResult, and whatever the contestant raises."""
    on_gpu.poison(problem, arguments)
    contestant.run()
    arguments.stream.sync()
    on_gpu.check(problem, arguments)
    return Entry(contestant, *clock.plan(contestant.run))


def admitted(problem, arguments, clock, found, absent):
    entries = []
    for contestant in found:
        try:
            entries.append(admit(problem, arguments, clock, contestant))
        except WrongResult as error:
            absent[contestant.group] = f"WRONG RESULT: {error}"
        except Exception as error:  # one contestant's failure must not hide the others' figures
            absent[contestant.group] = f"failed: {type(error).__name__}: {error}"
    return entries


def copy_entry(problem, arguments, clock):
    """Triad is measured against the driver's copy of one of its arrays to another."""
    size = problem.arrays["a"].nbytes
    run = driver.copier(arguments.pointer("a"), arguments.pointer("b"), size, arguments.handle)
    return Entry(Contestant(COPY, COPY, run), *clock.plan(run))


def copy_figure(problem, entry):
    """The figure in bytes read and written."""
    bytes_moved = dataclasses.replace(problem, amount=2e-9 * problem.arrays["a"].nbytes)
    return measure.figure(bytes_moved, entry)


def measured(problem, clock, options):
    """As measure.measure, on the GPU."""
    arguments = on_gpu.GpuArguments(on_gpu.copied(problem), clock.stream, options.cubins)
    only = options.group or GROUPS
    sources = [(groups, make) for groups, make in SOURCES if groups[0] in only]
    found, absent = measure.gather(problem, sources, arguments)
    entries = admitted(problem, arguments, clock, found, absent)
    copy = copy_entry(problem, arguments, clock) if problem.name == "triad" else None
    for _ in range(options.rounds):
        for entry in [*entries, *([copy] if copy else [])]:
            entry.samples.append(clock.sample(entry.contestant.run, entry.times, entry.queueing))
    figures = [measure.figure(problem, entry) for entry in entries]
    return {
        "problem": problem.name,
        "unit": problem.unit,
        "size": problem.size,
        "absent": absent,
        "figures": figures + ([copy_figure(problem, copy)] if copy else []),
    }


def context_lost():
    """Whether the GPU's context takes no more work: not by an error that one launch left."""
    for _ in range(2):
        try:
            on_gpu.wait()
            return False
        except Exception:
            continue
    return True


def failed_row(name, reason):
    return {"problem": name, "unit": "", "size": "", "absent": {GROUPS[0]: reason}, "figures": []}


def row(name, stream, options):
    try:
        problem = PROBLEMS[name](options.quick)
        clock = Clock(stream, **({"warm": 0} if options.quick else {}))
        return measured(problem, clock, options)
    except Exception as error:
        return failed_row(name, f"failed: {type(error).__name__}: {error}")


MORE = (
    ("--cubins", {"type": Path, "required": True}),
    ("--rounds", {"type": int, "default": 15}),
    ("--group", {"action": "append"}),
    ("names", {"nargs": "*"}),
)


def main(argv):
    """--out: the file that gets the lines."""
    options = machine.options(__doc__, argv, MORE)
    stream = on_gpu.stream()
    for name in options.names:
        print(f"rows: {name}", flush=True)
        line = json.dumps(row(name, stream, options))
        with options.out.open("a") as out:
            out.write(line + "\n")
        if context_lost():
            print(f"rows: the GPU's context was lost in {name}", file=sys.stderr)
            return CONTEXT_LOST
    return 0
