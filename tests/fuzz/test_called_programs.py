"""Generated functions that are called or inlined, and that call themselves: what they give is what
Python gives, and the same bits on the targets of this machine."""

import os
import re

import pytest
from support.clauses import clause

from . import inlined_programs, recursive_programs
from .harness import runs_here

CHUNK = 5
SEEDS = int(os.environ.get("CUDA_DEVICE_FUZZ_SEEDS", "40"))
TARGETS = ["interpreter", "avx512", "avx2", "ptx", "cuda"]
KINDS = {"inlined": inlined_programs, "recursive": recursive_programs}


def assert_agree(kind, seeds, targets):
    found = [KINDS[kind].check(seed, targets) for seed in seeds]
    assert not any(found), "\n\n".join([one for one in found if one][:3])


@clause("DEV-FUNC-02")
@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
@pytest.mark.parametrize("kind", KINDS)
def test_generated_functions_agree(kind, first):
    assert_agree(kind, range(first, first + CHUNK), [t for t in TARGETS if runs_here(t)])


@clause("DEV-FUNC-02")
@pytest.mark.parametrize("first", range(1000, 1300, 50))
@pytest.mark.parametrize("kind", KINDS)
def test_many_agree_on_the_interpreter(kind, first):
    assert_agree(kind, range(first, first + 50), ["interpreter"])


# Their helpers return what the caller ignores, or are given what they ignore.
IGNORED = [2951, 3992, 4203, 4432, 6198]


@clause("DEV-FUNC-02")
@pytest.mark.parametrize("seed", IGNORED)
def test_bits_do_not_depend_on_what_is_ignored(seed):
    assert inlined_programs.check(seed, ["interpreter"], plain=True) is None


# A constant joins a number and goes on into a helper; a condition is a constant.
JOINS = [20037, 29240]


@clause("DEV-FUNC-02")
@pytest.mark.parametrize("seed", JOINS)
def test_joins_are_rounded(seed):
    assert inlined_programs.check(seed, ["interpreter"]) is None


# By what only the construct writes: a conditional expression has `else`, and a return before the
# end is one more step in than the body.
CONSTRUCTS = {
    "inlined": [
        *("lambda", "functools.partial", "D.target(", "for i in range", " else ", "f(z)", ", F("),
        *("g(p0)", '"reassociate"', "\n        return F("),
    ],
    "recursive": [
        *("for i in range", " else ", "v10", "[0]", "a[", "f1(", "f2("),
        *("a[::-1]", "w[:, ", ", w[", "s[", "o[k] = ", ", o,", "def down(m)", "by=", ", F("),
        "(F(",
    ],
}
# After other statements of its block; the first return of a function has none.
EARLY_RETURN = re.compile(r"^ {8}\S.* = .*\n {8}return ", re.MULTILINE)


@pytest.mark.parametrize("kind", KINDS)
def test_programs_have_every_construct(kind):
    source = "\n".join(KINDS[kind].source_of(seed) for seed in range(60))
    counts = {construct: source.count(construct) for construct in CONSTRUCTS[kind]}
    assert {construct: n for construct, n in counts.items() if n < 10} == {}


def test_recursive_programs_return_early():
    source = "\n".join(recursive_programs.source_of(seed) for seed in range(60))
    assert len(EARLY_RETURN.findall(source)) >= 10


# A function that is called learns late that it has to hand on what another one captures.
HANDED_ON = [5001, 5024, 5151]


@clause("DEV-FUNC-02")
@pytest.mark.parametrize("seed", HANDED_ON)
def test_captures_are_handed_on(seed):
    assert inlined_programs.check(seed, ["interpreter"]) is None
