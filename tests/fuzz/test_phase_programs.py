"""Random programs whose threads come to different barriers, as their data decide: the interpreter,
the host by its own plan and thread by thread, and a model in Python agree.

A few of them here; `make fuzz ARGS=--phases` runs many.
"""

import re

import pytest
from support.targets import available

from .phase_programs import Shared, arrays_of, check_phases, difference, generate_phases, run_model
from .warp_harness import compiled

CHUNK = 10
TARGETS = ["interpreter", "interpreter-seed1", "avx512", "avx2", "avx2-threads", "cuda"]


@pytest.mark.parametrize("first", range(0, 3 * CHUNK, CHUNK))
def test_programs_of_phases_agree(first):
    targets = [target for target in TARGETS if available(target)]
    found = [check_phases(seed, targets) for seed in range(first, first + CHUNK)]
    wrong = "\n\n".join([one for one in found if one][:3])
    assert not wrong, wrong


CONSTRUCTS = {
    "barriers": r"D\.syncthreads\(\)",
    "counts": r"D\.syncthreads_count",
    "answers of earlier barriers": r"x = \(x \* 5 \+ int\(w\d+\)",
    "votes": r"D\.syncthreads_(and|or)",
    "a side alone": r"^( +)if .*\n(\1    .*\n)*?\1    (w\d+ = )?D\.sync.*\n(\1    .*\n)*(?!\1else)",
    "an else": r"^ +else:",
    "numbers of their own": r"range\(x % \d\)",
    "steps": r"range\(x % 3, \d, 2\)",
    "whiles of their own": r"while w\d+ < (x|1 \+ y) % \d",
    "conditions of whiles": r"while w\d+ < .* and ",
    "breaks": r"^ +break",
    "continues": r"^ +continue",
    "early returns": r"^ +out\[i\] = .*\n +return",
    "helpers that return early": r"^     +return x, y, p",
}


def test_programs_of_phases_have_every_construct():
    source = "\n".join(generate_phases(seed).source() for seed in range(200))
    counts = {name: len(re.findall(p, source, re.MULTILINE)) for name, p in CONSTRUCTS.items()}
    assert {name: n for name, n in counts.items() if n < 20} == {}


def test_most_of_them_run_in_gangs_that_may_have_to_wait():
    in_phases = 0
    for seed in range(20):
        program = generate_phases(seed)
        kernel = compiled(seed, program.source())
        launch = {"grid": program.blocks, "block": program.block, "target": "avx2"}
        text = kernel.inspect(*arrays_of(seed, program).values(), what="ir", **launch)
        in_phases += "barrier_and" in text and "leave" in text
    assert in_phases >= 8


def test_a_model_that_is_wrong_is_seen(monkeypatch):
    """So would be a target whose threads meet too late to see what the others wrote."""
    programs = [generate_phases(seed) for seed in range(30)]
    arrays = [arrays_of(seed, program) for seed, program in enumerate(programs)]
    right = [run_model(p, a) for p, a in zip(programs, arrays, strict=True)]
    monkeypatch.setattr(Shared, "__setitem__", lambda self, at, x: self.setdefault(at, x))
    found = [run_model(p, a) for p, a in zip(programs, arrays, strict=True)]
    cases = zip(programs, right, found, strict=True)
    assert sum(difference(p, one, other) is not None for p, one, other in cases) >= 15
