"""The kernels of bench/ run as they were meant to: as lanes of gangs, but for a few that cannot.
None but one votes on its control: where all threads of a block agree, that is proven."""

import sys
from importlib import import_module

import pytest
from support.pages import ROOT

sys.path.append(str(ROOT / "bench"))
peers, problems = import_module("peers.ours"), import_module("problems")

BY_THREADS = {"queens", "quadtree", "locked lists"}
WARPS_PART = {"nearest pipeline"}  # one warp loads, the others compute, each with its own barriers


def inspect(name, what):
    problem = problems.PROBLEMS[name](True)
    kernel, arguments = peers.call_of(problem)
    launch = {"grid": problem.grid, "block": problem.block, "target": "avx2"}
    return kernel.inspect(*arguments, what=what, **launch)


@pytest.mark.parametrize("name", problems.PROBLEMS)
def test_a_kernel_of_the_benchmarks_has_its_plan(name):
    plan = "threads: " if name in BY_THREADS else "gangs: "
    assert inspect(name, "plan").startswith(plan)


@pytest.mark.parametrize("name", sorted(set(problems.PROBLEMS) - BY_THREADS - WARPS_PART))
def test_its_blocks_vote_on_nothing(name):
    text = inspect(name, "ir")
    assert "barrier_or" not in text
    assert "barrier_and" not in text
