"""The harness itself: one test body, instantiated for every target."""

import contextlib
import json
import sys
import types
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent.parent

ONE_TEST = """
from support.clauses import clause
from cuda.device import _testing

ARCHITECTURES = _testing.architectures()

@clause("DEV-KERN-02")
def test_it(target):
    (active,) = _testing.active
    form = "ptx" if active in ARCHITECTURES else active.removeprefix("emulated-")
    assert form == target

def test_afterwards():
    assert _testing.active == []
"""


TURNS = """
import pytest
from cuda.device import _testing

seen = set()

@pytest.mark.parametrize("k", range(40))
def test_one(target, k):
    seen.update(_testing.active)

def test_seen():
    assert seen == set({seen})
"""
ARCHITECTURES = ["sm_75", "sm_80", "sm_90"]


def make_testing(names, assembles):
    """A stand-in for the package's own testing module that can run these targets."""
    module = types.ModuleType("cuda.device._testing")
    module.active = []
    module.assembles = lambda: assembles
    module.targets = lambda: list(names)
    module.architectures = lambda: ARCHITECTURES

    @contextlib.contextmanager
    def use_target(name):
        assert name in [*names, *ARCHITECTURES]
        module.active.append(name)
        try:
            yield
        finally:
            module.active.remove(name)

    module.use_target = use_target
    return module


@pytest.fixture
def machine(monkeypatch, pytester):
    """machine(names, *options): runs ONE_TEST there; the result and {target: outcome}."""

    def run(names, *options, assembles=True, program=ONE_TEST):
        testing = make_testing(names, assembles)
        for path in ("cuda", "cuda.device"):
            monkeypatch.setitem(sys.modules, path, types.ModuleType(path))
        sys.modules["cuda.device"]._testing = testing
        monkeypatch.setitem(sys.modules, "cuda.device._testing", testing)
        pytester.syspathinsert(TESTS)
        pytester.makepyfile(program)
        result = pytester.runpytest_inprocess(
            "-p", "support.plugin", "-rs", "--clause-report=report.json", *options
        )
        path = pytester.path / "report.json"
        tests = json.loads(path.read_text())["tests"] if path.exists() else []
        return result, {test["target"]: test["outcome"] for test in tests}

    return run


def test_default_targets(machine):
    _, outcomes = machine(["interpreter", "avx512", "avx2", "sse4", "ptx", "cuda"])
    assert outcomes == dict.fromkeys(["interpreter", "avx512", "avx2", "ptx"], "passed")


def test_ptx_without_ptxas_is_reported_by_another_name(machine):
    _, outcomes = machine(["interpreter", "ptx"], "--target=ptx", assembles=False)
    assert outcomes == {"ptx (not assembled)": "passed"}
    _, outcomes = machine(["interpreter", "ptx"], "--target=ptx")
    assert outcomes == {"ptx": "passed"}


@pytest.mark.parametrize(
    ("options", "seen"),
    [([], ARCHITECTURES), (["--every-architecture"], ["ptx"]), (["--long"], ["ptx"])],
)
def test_ptx_is_of_one_architecture_by_turns_or_of_all(machine, options, seen):
    program = TURNS.replace("{seen}", repr(seen))
    result, _ = machine(["interpreter", "ptx"], "--target=ptx", *options, program=program)
    result.assert_outcomes(passed=41)


def test_long_adds_the_baseline(machine):
    targets = ["interpreter", "avx512", "avx2", "sse4", "ptx"]
    result, outcomes = machine([*targets, "avx512-threads"], "--long")
    assert outcomes == dict.fromkeys(targets, "passed")
    result.assert_outcomes(passed=7)


def test_a_target_by_name_runs_alone(machine):
    _, outcomes = machine(["interpreter", "cuda"], "--target=cuda")
    assert outcomes == {"cuda": "passed"}


def test_a_target_that_cannot_run_is_skipped_and_says_what_it_waits_for(machine):
    result, outcomes = machine(["interpreter", "avx2", "ptx"])
    assert outcomes["avx512"] == "skipped"
    assert outcomes["avx2"] == "passed"
    result.stdout.fnmatch_lines(["*target avx512 waits for an x86-64 machine with AVX-512*"])


def test_a_form_that_no_cpu_here_has_is_emulated_and_reported_as_such(machine):
    _, outcomes = machine(["interpreter", "emulated-avx512", "avx2", "ptx"])
    expected = ["interpreter", "avx512 (emulated)", "avx2", "ptx"]
    assert outcomes == dict.fromkeys(expected, "passed")
    _, outcomes = machine(["avx512", "emulated-avx512"], "--target=avx512")
    assert outcomes == {"avx512": "passed"}


def test_a_target_asked_for_by_name_must_run(machine):
    result, outcomes = machine(["interpreter"], "--target=cuda")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert outcomes == {}
    result.stderr.fnmatch_lines(["*--target=cuda needs a machine with an NVIDIA GPU*"])


def test_an_unknown_target_is_refused(machine):
    result, _ = machine(["interpreter"], "--target=abacus")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
