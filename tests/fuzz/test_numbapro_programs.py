"""Generated kernels of NumbaPro's dialect: the model = the targets of this machine.

A few hundred seeds here; `make fuzz ARGS=--numbapro` runs many.
"""

import ast
import os
import textwrap

import pytest

from .harness import runs_here
from .numbapro_flow import Flow
from .numbapro_programs import check, make_case
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
    *("complex64(", "complex128(", "complex(", ").real", ".imag", "q0[i] *= ", "j", "    return z"),
]


def test_programs_have_every_construct():
    source = "\n".join(make_case(seed).source for seed in range(400))
    counts = {construct: source.count(construct) for construct in CONSTRUCTS}
    assert {construct: n for construct, n in counts.items() if n < 20} == {}


def test_counters_are_retyped_in_bodies():
    """In many programs an assignment in a loop gives its counter a number of another type."""
    retyped = 0
    for seed in range(100):
        _, flow = make_case(seed).flow()
        counters = {each.counter for d in flow.definitions for each in d.loops}
        for d in flow.definitions:
            inner = d.loops[-1].counter if d.loops else None
            of_counter = inner is not None and flow.definitions[inner].name == d.name
            if of_counter and d.value and d.type != flow.definitions[inner].type:
                retyped += 1
        assert all(flow.definitions[at].value is None for at in counters - {None})
    assert retyped > 50


def types_in(source, **parameters):
    """Types of what each assignment gives, and of each read, in the order of the source."""
    function = ast.parse(textwrap.dedent(source)).body[0]
    flow = Flow(function, parameters)
    reads = sorted(flow.reaching, key=lambda name: (name.lineno, name.col_offset))
    return [flow.read_type(name) for name in reads]


def test_the_model_finds_types_by_the_rules():
    assert types_in(
        """
        def k(out, n):
            x = 1
            if n:
                x = 2.5
                out[0] = x
            out[1] = x
            for i in range(3):
                i = i * 1.5
                x = x + n
                out[i] = x
        """,
        out="float64[]",
        n="int8",
    ) == ["int8", "float64", "float64", "int32", "float64", "int8", "int32", "float64"]
