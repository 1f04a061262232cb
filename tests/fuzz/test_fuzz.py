"""Generated programs: interpreter = AVX-512 = AVX2, and = the model, without contraction.

A few hundred seeds here, each with contraction or without, by turns (CUDA_DEVICE_LONG_TESTS: both);
`make fuzz` runs many (CUDA_DEVICE_FUZZ_SEEDS programs, numbered from
CUDA_DEVICE_FUZZ_FIRST on).
"""

import linecache
import os

import pytest
from cuda.device import _testing
from support.targets import WAITS_FOR, without_variant

from .generate import generate
from .generate_blocks import generate_blocks
from .harness import (
    BOTH,
    by_turns,
    check,
    compiled,
    make_case,
    require,
    run_target,
    runs_here,
    travels,
)

CHUNK = 20
SEEDS = int(os.environ.get("CUDA_DEVICE_FUZZ_SEEDS", "300"))
FIRST = int(os.environ.get("CUDA_DEVICE_FUZZ_FIRST", "0"))
BLOCK_SEEDS = int(os.environ.get("CUDA_DEVICE_FUZZ_BLOCK_SEEDS", "100"))
ATOMIC_SEEDS = int(os.environ.get("CUDA_DEVICE_FUZZ_ATOMIC_SEEDS", "20"))


LONG = bool(os.environ.get("CUDA_DEVICE_LONG_TESTS"))
BESIDE_THE_INTERPRETER = ["avx512", "avx512x64", "avx2", "avx2x8", "cuda"]
if LONG:
    BESIDE_THE_INTERPRETER += ["avx512x16", "avx2x64", "sse4"]


def differences(first, blocks, atomics=False):
    """What is wrong with a chunk of programs, on the targets of this machine."""
    targets = [t for t in ["interpreter", *BESIDE_THE_INTERPRETER] if runs_here(t)]
    seeds = range(first, first + CHUNK)
    found = [
        check(seed, targets, blocks, BOTH if LONG else by_turns(seed), atomics) for seed in seeds
    ]
    return "\n\n".join([one for one in found if one][:3])


@pytest.mark.parametrize("first", range(FIRST, FIRST + SEEDS, CHUNK))
def test_generated_programs_agree(first):
    """On the targets of this machine; test_targets_of_the_fuzzer says which it leaves out."""
    found = differences(first, blocks=False)
    assert not found, found


def test_some_programs_run_as_they_come_from_another_process():
    seed = next(seed for seed in range(FIRST, FIRST + CHUNK) if travels(seed))
    case = make_case(seed)
    filename = compiled(case, fmad=False).underlying.__code__.co_filename
    assert filename == f"<fuzz {seed} fmad=False>"
    assert filename not in linecache.cache
    assert not check(seed, ["interpreter"])


@pytest.mark.parametrize("name", BESIDE_THE_INTERPRETER)
def test_targets_of_the_fuzzer(name, monkeypatch):
    """What this machine cannot run is a skip that is seen; asked for by name it is an error."""
    if not runs_here(name):
        with pytest.raises(ValueError, match=f"this machine cannot run {name}; it can run"):
            require(["interpreter", name])
        pytest.skip(f"generated programs wait for {WAITS_FOR[without_variant(name)]}")
    assert require(["interpreter", name]) == ["interpreter", name]
    monkeypatch.setattr(_testing, "targets", lambda: ("interpreter",))
    with pytest.raises(ValueError, match=f"this machine cannot run {name}; it can run interp"):
        require(["interpreter", name])


@pytest.mark.parametrize("first", range(FIRST, FIRST + BLOCK_SEEDS, CHUNK))
def test_generated_programs_with_barriers_agree(first):
    found = differences(first, blocks=True)
    assert not found, found


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("first", range(FIRST, FIRST + ATOMIC_SEEDS, CHUNK))
def test_generated_programs_with_atomic_operations_agree(first, blocks):
    found = differences(first, blocks, atomics=True)
    assert not found, found


@pytest.mark.parametrize("name", ["avx512", "avx2", "sse4", "ptx"])
def test_programs_with_estimates_run(name):
    """Estimates change what a program computes, and nothing else: it compiles, ends, and writes to
    its own arrays alone."""
    if not runs_here(name):
        pytest.skip(f"waits for {WAITS_FOR[name]}")
    for seed in range(FIRST, FIRST + 10):
        case = make_case(seed)
        case.program.fastmath = "True"
        ran = run_target(case, compiled(case, fmad=True), name)
        assert ran.outputs.keys() == case.outputs().keys(), seed


LANGUAGE = (
    "while",
    "for",
    "range(i, ",
    "else:",
    "break",
    "continue",
    "return",
    "tid(2)",
    "math.sqrt",
    "//",
    "%",
    "<<",
    " if ",
    " and ",
    " or ",
    "helper",
    "@D.func",
    "abs(",
    "min(",
    "D.uint8(",
    "[(-1 - ",
    "assert ",
    "raise ValueError(",
    "print(",
    "+= ",
)
BARRIERS = (
    "D.syncthreads()",
    "D.syncthreads_count(",
    "D.syncthreads_and(",
    "D.syncthreads_or(",
    "D.shared_array(",
    "D.local_array(",
    "rotated(",
    "assert ",
    "print(",
    "return",
    "break",
    "continue",
)


@pytest.mark.parametrize(
    ("make", "programs", "constructs"),
    [(generate, 400, LANGUAGE), (generate_blocks, 200, BARRIERS)],
    ids=["plain", "barriers"],
)
def test_programs_have_every_construct(make, programs, constructs):
    """Each turns up often enough in the seeds of a quick run."""
    source = "\n".join(make(seed)[1].source(True) for seed in range(programs))
    counts = {construct: source.count(construct) for construct in constructs}
    assert {construct: n for construct, n in counts.items() if n < 20} == {}
