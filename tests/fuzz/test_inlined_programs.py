"""Generated helpers, called and inlined: the same bits on the targets of this machine."""

import os

import pytest
from support.clauses import clause

from .harness import runs_here
from .inlined_programs import InlinedProgram, check

CHUNK = 5
SEEDS = int(os.environ.get("CUDA_DEVICE_FUZZ_SEEDS", "40"))
TARGETS = ["interpreter", "avx512", "avx2", "ptx", "cuda"]


@clause("DEV-FUNC-02")
@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_generated_calls_agree(first):
    targets = [target for target in TARGETS if runs_here(target)]
    found = [check(seed, targets) for seed in range(first, first + CHUNK)]
    assert not any(found), "\n\n".join([one for one in found if one][:3])


@clause("DEV-FUNC-02")
@pytest.mark.parametrize("first", range(1000, 1300, 50))
def test_bits_are_those_of_inlined_helpers(first):
    found = [check(seed, ["interpreter"]) for seed in range(first, first + 50)]
    assert not any(found), "\n\n".join([one for one in found if one][:3])


# Their helpers return what the caller ignores, or are given what they ignore.
IGNORED = [2951, 3992, 4203, 4432, 6198]


@clause("DEV-FUNC-02")
@pytest.mark.parametrize("seed", IGNORED)
def test_bits_do_not_depend_on_what_is_ignored(seed):
    assert check(seed, ["interpreter"]) is None


CONSTRUCTS = ["lambda", "functools.partial", "D.target(", "for i in range", " if ", "f(z)", ", F(",
              "g(p0)"]  # fmt: skip


def test_programs_have_every_construct():
    source = "\n".join(InlinedProgram(seed).source for seed in range(60))
    counts = {construct: source.count(construct) for construct in CONSTRUCTS}
    assert {construct: n for construct, n in counts.items() if n < 10} == {}
