"""The harness itself: rows as data, marks, the report, the summary."""

import json
import os
from pathlib import Path

import pytest
from support.clauses import UnknownClause, clause

from support import clauses, summary

TESTS = Path(__file__).resolve().parent.parent


def report_of(pytester, source, *options, run=pytest.Pytester.runpytest_inprocess):
    """Runs a made-up test file with the harness loaded; the outcome and the clause report."""
    pytester.syspathinsert(TESTS)
    pytester.makepyfile(source)
    plugins = ("-p", "support.plugin", "-p", "no:cacheprovider")
    result = run(pytester, *plugins, "--clause-report=report.json", *options)
    path = pytester.path / "report.json"
    return result, json.loads(path.read_text()) if path.exists() else None


def by_name(report):
    return {test["test"].rpartition("::")[2]: test for test in report["tests"]}


def test_counts_of_the_contract():
    kinds = [row.kind for row in clauses.load().values()]
    assert kinds.count("F") + kinds.count("U") == 483
    assert kinds.count("N") == 43
    assert len(kinds) == 526


def test_every_row_says_what_it_asks_and_how_to_test_it():
    for row in clauses.load().values():
        assert row.kind in ("F", "U", "N")
        assert "" not in (row.requirement, row.test, row.section)


def test_amendments_belong_to_rows():
    amended = [row.id for row in clauses.load().values() if row.amended]
    assert "DEV-LAUNCH-01" in amended


def test_an_unknown_id_is_an_error_where_it_is_written():
    with pytest.raises(UnknownClause, match="DEV-KERN-99"):
        clause("DEV-KERN-02", "DEV-KERN-99")
    with pytest.raises(UnknownClause, match="at least one"):
        clause()


def test_an_unknown_id_stops_collection(pytester):
    result, _ = report_of(
        pytester,
        """
        from support.clauses import clause

        @clause("DEV-NOSUCH-01")
        def test_it():
            pass
        """,
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*UnknownClause*DEV-NOSUCH-01*"])


def test_an_unknown_id_in_a_bare_mark_stops_collection(pytester):
    result, _ = report_of(
        pytester,
        """
        import pytest

        @pytest.mark.clause("DEV-NOSUCH-01")
        def test_it():
            pass
        """,
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*DEV-NOSUCH-01*"])


OUTCOMES = """
import pytest
from support.clauses import clause

@clause("DEV-KERN-01", "DEV-KERN-02")
def test_passes():
    pass

@clause("DEV-KERN-03")
def test_fails():
    assert False

@clause("DEV-KERN-04")
def test_skips():
    pytest.skip("waits for a machine")

@clause("DEV-KERN-05", partial="half of it")
def test_partial():
    pass

@clause("DEV-KERN-06")
def test_finds_out(partly):
    partly("the rest")

@pytest.fixture
def broken():
    raise RuntimeError

@clause("DEV-KERN-10")
def test_error_in_setup(broken):
    pass

@pytest.fixture
def broken_end():
    yield
    raise RuntimeError

@clause("DEV-LAUNCH-03")
def test_error_in_teardown(broken_end):
    pass

@pytest.mark.xfail
@clause("DEV-LAUNCH-05")
def test_expected_failure():
    assert False

@clause("DEV-LAUNCH-01")
class TestOfAClass:
    @clause("DEV-LAUNCH-02")
    def test_method(self):
        pass

@pytest.mark.parametrize("n", [pytest.param(1, marks=clause("DEV-POS-02")), 2])
def test_parameters(n):
    pass

def test_without_clause():
    pass
"""


def test_outcomes_are_recorded(pytester):
    _, report = report_of(pytester, OUTCOMES)
    tests = by_name(report)
    outcomes = {name: test["outcome"] for name, test in tests.items()}
    assert outcomes == {
        "test_passes": "passed",
        "test_fails": "failed",
        "test_skips": "skipped",
        "test_partial": "passed",
        "test_finds_out": "passed",
        "test_error_in_setup": "failed",
        "test_error_in_teardown": "failed",
        "test_expected_failure": "skipped",
        "test_method": "passed",
        "test_parameters[1]": "passed",
    }
    assert tests["test_passes"]["shown"] == ["DEV-KERN-01", "DEV-KERN-02"]
    assert tests["test_passes"]["target"] == "host"
    assert tests["test_partial"]["partly"] == {"DEV-KERN-05": "half of it"}
    assert tests["test_finds_out"]["partly"] == {"DEV-KERN-06": "the rest"}
    assert tests["test_method"]["shown"] == ["DEV-LAUNCH-01", "DEV-LAUNCH-02"]


def test_only_tests_that_name_a_clause_run(pytester, monkeypatch):
    """In the process of pytest and in several: the report holds the same."""
    result, report = report_of(pytester, OUTCOMES, "--clauses-only")
    result.assert_outcomes(passed=6, failed=1, skipped=1, xfailed=1, errors=2, deselected=2)
    _, everything = report_of(pytester, OUTCOMES)
    assert report == everything
    monkeypatch.setenv("PYTHONPATH", str(TESTS), prepend=os.pathsep)
    options = ("--clauses-only", "--numprocesses=2")
    _, merged = report_of(pytester, OUTCOMES, *options, run=pytest.Pytester.runpytest_subprocess)
    assert by_name(merged) == by_name(everything)


def entry(outcome, target="avx2", shown=(), partly=()):
    return {
        "test": "t", "outcome": outcome, "target": target,
        "shown": list(shown), "partly": dict(partly),
    }  # fmt: skip


def state_of(id_, *tests):
    return summary.standings({"tests": list(tests)})[id_].state


def test_a_row_needs_a_passing_test_and_no_failing_one():
    row = "DEV-KERN-02"
    assert state_of(row) == "open"
    assert state_of(row, entry("skipped", shown=[row])) == "open"
    assert state_of(row, entry("passed", shown=[row])) == "shown"
    assert state_of(row, entry("passed", partly={row: "x"})) == "part"
    assert state_of(row, entry("passed", shown=[row]), entry("skipped", shown=[row])) == "shown"
    assert state_of(row, entry("passed", shown=[row]), entry("passed", partly={row: ""})) == "shown"
    assert state_of(row, entry("passed", shown=[row]), entry("failed", shown=[row])) == "failed"
    assert (
        state_of(row, entry("passed", shown=[row]), entry("failed", partly={row: ""})) == "failed"
    )


def test_targets_count_for_themselves():
    row = "DEV-KERN-02"
    tests = [entry("passed", "avx2", [row]), entry("failed", "avx512", [row])]
    standing = summary.standings({"tests": tests})[row]
    assert standing.shown_on("avx2")
    assert not standing.shown_on("avx512")
    assert not standing.shown_on("ptx")


def test_ptx_that_was_not_assembled_stands_apart_and_shows_nothing():
    row, other = "DEV-KERN-02", "DEV-KERN-03"
    tests = [
        entry("passed", "ptx (not assembled)", [row, other]),
        entry("passed", "interpreter", [other]),
    ]
    found = summary.standings({"tests": tests})
    assert (found[row].state, found[other].state) == ("part", "shown")
    assert not found[row].shown_on("ptx")
    text = summary.render(clauses.load(), {"tests": tests})
    head, *lines = text.splitlines()
    assert head.endswith(" interpreter  ptx (not assembled)")
    kern = next(line for line in lines if line.startswith("DEV-KERN "))
    assert kern.split()[1:] == ["9", "1", "1", "0", "1", "2"]
    assert len(kern) == len(head)
    assert any(line.endswith("its PTX was not assembled") for line in lines)


def test_the_summary_counts_rows_and_keeps_remarks_apart():
    tests = [
        entry("passed", "interpreter", ["DEV-KERN-02", "DEV-KERN-09"]),
        entry("passed", "ptx", ["DEV-KERN-02", "DEV-LAUNCH-06"]),
        entry("passed", "ptx", partly={"DEV-KERN-01": "the third spelling"}),
        entry("failed", "ptx", ["DEV-KERN-03"]),
    ]
    text = summary.render(clauses.load(), {"tests": tests})
    headline = "2 of 483 rows shown (F 1 of 346, U 1 of 137); 1 in part, 1 failing"
    assert text.endswith(headline + "; remarks (N) 1 of 43")
    lines = text.splitlines()
    assert lines[0].split() == ["rows", "shown", "in", "part", "failing", "interpreter", "ptx"]
    kern = next(line for line in lines if line.startswith("DEV-KERN ")).split()
    assert kern[1:] == ["9", "1", "1", "1", "1", "1"]  # interpreter and ptx: KERN-02 each
    assert "Remarks (N) shown: DEV-KERN-09" in lines
    assert any("the third spelling" in line for line in lines)
