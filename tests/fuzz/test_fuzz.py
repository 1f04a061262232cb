"""Generated programs: interpreter = AVX-512 = AVX2, and = the model, without contraction.

A few hundred seeds here; `make fuzz` runs many (CUDA_DEVICE_FUZZ_SEEDS programs, numbered from
CUDA_DEVICE_FUZZ_FIRST on).
"""

import os

import pytest
from cuda.device import _testing

from .generate import generate
from .generate_blocks import generate_blocks
from .harness import check, require, runs_here

CHUNK = 20
SEEDS = int(os.environ.get("CUDA_DEVICE_FUZZ_SEEDS", "300"))
FIRST = int(os.environ.get("CUDA_DEVICE_FUZZ_FIRST", "0"))
BLOCK_SEEDS = int(os.environ.get("CUDA_DEVICE_FUZZ_BLOCK_SEEDS", "100"))


BESIDE_THE_INTERPRETER = ["avx512", "avx512x64", "avx2", "avx2x8", "cuda"]
if os.environ.get("CUDA_DEVICE_LONG_TESTS"):
    BESIDE_THE_INTERPRETER += ["avx512x16", "avx2x64", "sse4"]


@pytest.mark.parametrize("first", range(FIRST, FIRST + SEEDS, CHUNK))
def test_generated_programs_agree(first):
    """On the targets of this machine; test_targets_of_the_fuzzer says which it leaves out."""
    targets = [t for t in ["interpreter", *BESIDE_THE_INTERPRETER] if runs_here(t)]
    failures = [f for seed in range(first, first + CHUNK) if (f := check(seed, targets))]
    assert not failures, "\n\n".join(failures[:3])


@pytest.mark.parametrize("name", BESIDE_THE_INTERPRETER)
def test_targets_of_the_fuzzer(name, monkeypatch):
    """What this machine cannot run is a skip that is seen; asked for by name it is an error."""
    if not runs_here(name):
        with pytest.raises(ValueError, match=f"this machine cannot run {name}; it can run"):
            require(["interpreter", name])
        pytest.skip(f"generated programs do not run on {name} here")
    assert require(["interpreter", name]) == ["interpreter", name]
    monkeypatch.setattr(_testing, "targets", lambda: ("interpreter",))
    with pytest.raises(ValueError, match=f"this machine cannot run {name}; it can run interp"):
        require(["interpreter", name])


@pytest.mark.parametrize("first", range(FIRST, FIRST + BLOCK_SEEDS, CHUNK))
def test_generated_programs_with_barriers_agree(first):
    targets = [t for t in ["interpreter", *BESIDE_THE_INTERPRETER] if runs_here(t)]
    failures = [f for s in range(first, first + CHUNK) if (f := check(s, targets, blocks=True))]
    assert not failures, "\n\n".join(failures[:3])


def test_the_generator_covers_barriers():
    text = "\n".join(generate_blocks(seed)[1].source(True) for seed in range(200))
    for construct in (
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
    ):
        assert text.count(construct) >= 20, construct


def test_the_generator_covers_the_language():
    """Each construct turns up often enough in the seeds of a quick run."""
    text = "\n".join(generate(seed)[1].source(True) for seed in range(400))
    for construct in (
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
    ):
        assert text.count(construct) >= 20, construct
