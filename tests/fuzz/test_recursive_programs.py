"""Generated helpers that call themselves: the model = the targets of this machine."""

import os

import pytest
from support.clauses import clause

from .harness import runs_here
from .recursive_programs import RecursiveProgram, check

CHUNK = 5
SEEDS = int(os.environ.get("CUDA_DEVICE_FUZZ_SEEDS", "40"))
TARGETS = ["interpreter", "avx512", "avx2", "ptx", "cuda"]


@clause("DEV-FUNC-02")
@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_generated_recursion_agrees(first):
    targets = [target for target in TARGETS if runs_here(target)]
    found = [check(seed, targets) for seed in range(first, first + CHUNK)]
    assert not any(found), "\n\n".join([one for one in found if one][:3])


CONSTRUCTS = ["return", "for i in range", " if ", "v10", "[0]", "a[", "f1(", "f2("]


def test_programs_have_every_construct():
    source = "\n".join(RecursiveProgram(seed).source for seed in range(60))
    counts = {construct: source.count(construct) for construct in CONSTRUCTS}
    assert {construct: n for construct, n in counts.items() if n < 15} == {}
