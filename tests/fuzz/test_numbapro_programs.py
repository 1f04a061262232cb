"""Generated kernels of NumbaPro's dialect: the model = the targets of this machine.

A few hundred seeds here; `make fuzz ARGS=--numbapro` runs many.
"""

import ast
import os
from collections import Counter

import pytest

from .harness import runs_here
from .numbapro_programs import check, make_case
from .numbapro_typing import Apart
from .run import main

CHUNK = 20
SEEDS = int(os.environ.get("CUDA_DEVICE_FUZZ_SEEDS", "200"))
TARGETS = ["interpreter", "avx512", "avx2", "cuda"]


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_generated_kernels_agree(first):
    targets = [target for target in TARGETS if runs_here(target)]
    found = [check(seed, targets) for seed in range(first, first + CHUNK)]
    assert not any(found), "\n\n".join([one for one in found if one][:3])


def test_many_programs_are_run_by_the_driver(capsys):
    assert main(["--numbapro", "--programs=3", "--targets=interpreter", "--jobs=1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "3 programs, 0 differ"


CONSTRUCTS = [
    *("for ", "while ", "xrange(", "range(int8(", ", -2, -1)", "if ", "else:", "break", "continue"),
    *(" and ", " or ", "not ", " if 2 > 1", "if True:", "** -", "** ", "//", "%", "<<", ">>", "~"),
    *("&", "|", "^", "min(", "max(", "abs(", "math.sqrt(", "math.fmod(", "math.isnan(", "uint8("),
    *("float32(", "bool_(", "+= ", "-1 - i", "2147483648"),
    *("&= ", "<<= ", "**= ", ".size", ".strides[0]", "len(", "return", ", v"),
    *("device=True", '", device=True', "cuda.shared.array(", "cuda.syncthreads()", "-1 - t"),
    *("16777217", "9007199254740993", " % 8]", "range(16777217, int64("),
    *("complex64(", "complex128(", "complex(", ").real", ".imag", "q0[i] *= ", "j", "    return z"),
]


def test_programs_have_every_construct():
    source = "\n".join(make_case(seed).source for seed in range(400))
    counts = {construct: source.count(construct) for construct in CONSTRUCTS}
    assert {construct: n for construct, n in counts.items() if n < 20} == {}


def loops_in(body, around=()):
    """Each loop, with those around it."""
    for s in body:
        inside = around
        if isinstance(s, (ast.For, ast.While)):
            yield s, around
            inside = (*around, s)
        yield from loops_in(getattr(s, "body", []), inside)
        yield from loops_in(getattr(s, "orelse", []), around)


def rules_met_by(function, facts):
    """The rules of types that matter in a kernel."""
    for s, types in facts.meetings.items():
        kind = "a branch" if isinstance(s, ast.If) else "a loop"
        for t in types.values():
            yield f"two types meet after {kind}" if t and not isinstance(t, Apart) else "apart"
    for s, t in facts.counted.items():
        if t != facts.stored[s.target]:
            yield "a counter is converted where its loop is left"
    for s in ast.walk(function):
        match s:
            case ast.Assign(targets=[ast.Name() as name], value=value):
                if name in facts.stored and facts.stored[name] != facts.types[value]:
                    yield "a loop keeps another type"
            case ast.Subscript(slice=ast.BinOp(left=ast.Name(id=name))) if name[0] == "v":
                yield "a variable is an index"
    for s, around in loops_in(function.body):
        if s.orelse:
            yield "a loop has an else"
        if isinstance(s, ast.For):
            outer = [e.target.id for e in around if isinstance(e, ast.For)]
            if s.target.id in outer:
                yield "counters of one name"
            elif around and facts.counted[s] != facts.stored[s.target]:
                yield "a counter leaves its loop in another"


def test_programs_meet_every_rule_of_types():
    met = Counter()
    for seed in range(100):
        function, flow = make_case(seed).flow()
        met.update(set(rules_met_by(function, flow.facts)))
    assert {rule: n for rule, n in met.items() if n < 5} == {}
    assert len(met) == 9
