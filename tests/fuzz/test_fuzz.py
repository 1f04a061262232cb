"""Generated programs: interpreter = AVX-512 = AVX2, and = the model, without contraction.

A few hundred seeds here; `make fuzz` runs many (CUDA_DEVICE_FUZZ_SEEDS programs, numbered from
CUDA_DEVICE_FUZZ_FIRST on).
"""

import os

import pytest

from .generate import generate
from .harness import available, check

CHUNK = 20
SEEDS = int(os.environ.get("CUDA_DEVICE_FUZZ_SEEDS", "300"))
FIRST = int(os.environ.get("CUDA_DEVICE_FUZZ_FIRST", "0"))


def fuzz_targets() -> list[str]:
    wanted = ["interpreter", "avx512", "avx512x64", "avx2", "cuda"]
    if os.environ.get("CUDA_DEVICE_LONG_TESTS"):
        wanted.append("sse4")
    return available(wanted)


@pytest.mark.parametrize("first", range(FIRST, FIRST + SEEDS, CHUNK))
def test_generated_programs_agree(first):
    failures = [f for seed in range(first, first + CHUNK) if (f := check(seed, fuzz_targets()))]
    assert not failures, "\n\n".join(failures[:3])


def test_the_generator_covers_the_language():
    """Each construct turns up often enough in the seeds of a quick run."""
    text = "\n".join(generate(seed)[1].source(True) for seed in range(300))
    for construct in (
        "while",
        "for",
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
        "+= ",
    ):
        assert text.count(construct) >= 20, construct
