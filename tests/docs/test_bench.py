"""Figures stand in bench/results as data, and pages show what the data say; every row of the table
has what its contestants need."""

import csv
import datetime
import json
import re
import subprocess
import sys
from importlib import import_module
from types import SimpleNamespace

import pytest
from support.pages import ROOT

RESULTS = ROOT / "bench" / "results"


@pytest.fixture
def bench(monkeypatch):
    """Imports a module of bench/, which the test's end forgets with all that it took along."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(ROOT / "bench"))
    yield import_module
    for name in set(sys.modules) - before:
        file = getattr(sys.modules[name], "__file__", None) or ""
        if file.startswith(str(ROOT / "bench")):
            del sys.modules[name]


def rows(name):
    with open(RESULTS / name, newline="") as file:
        return list(csv.DictReader(file))


def test_the_table_of_the_benchmarks_is_current():
    script = ROOT / "bench" / "report.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_figure_has_a_date_a_cpu_and_a_script_that_measures_it():
    for row in rows("figures.csv"):
        datetime.date.fromisoformat(row["date"])
        assert all(row[column] for column in ("cpu", "case", "unit")), row
        assert (ROOT / "bench" / row["script"]).is_file(), row
        assert float(row["least"]) >= 0, row


def test_random_programs_name_their_targets():
    for row in rows("random_programs.csv"):
        datetime.date.fromisoformat(row["date"])
        assert int(row["programs"]) > 0 <= int(row["differed"])
        assert row["targets"]
        assert row["ptxas"] in ("yes", "no"), row
        # What differed has an explanation.
        assert row["differed"] == "0" or "fix" in row["remark"] or "fault" in row["remark"], row


def test_runs_of_the_array_apis_suite_are_dated_and_say_what_fails():
    found = rows("array_api_tests.csv")
    assert {"host"} <= {row["arrays"] for row in found}
    for row in found:
        for column in ("date", "suite_date"):
            datetime.date.fromisoformat(row[column])
        assert row["version"] == "2024.12"
        assert all(row[column] for column in ("suite", "numpy")), row
        assert int(row["examples"]) > 0
        assert int(row["passed"]) > 1000
        assert int(row["skipped"]) >= 0
        assert (int(row["failed"]) == 0) == (not row["failing"]), row


def test_the_kept_run_has_a_machine_and_ratios():
    kept = json.loads((RESULTS / "kernels.json").read_text())
    datetime.date.fromisoformat(kept["machine"]["date"])
    assert kept["machine"]["cpu"]
    for record in kept["results"]:
        assert {"hand", "peers"} <= set(record["ratios"]), record["problem"]


@pytest.mark.parametrize("page", ["README.md", "docs/index.md", "docs/guide/execution-on-a-cpu.md"])
def test_pages_say_which_run_their_figures_are_of(page):
    kept = json.loads((RESULTS / "kernels.json").read_text())
    text = (ROOT / page).read_text()
    assert f"the run of {kept['machine']['date']}" in " ".join(text.split())
    kernels = len({record["problem"] for record in kept["results"]})
    assert set(re.findall(r"\b(\d+) kernels\b", text)) <= {str(kernels)}


def test_the_readme_says_how_many_kernels_there_are(bench):
    said = re.search(r"`make bench` runs (\d+):", (ROOT / "README.md").read_text())
    assert int(said[1]) == len(bench("problems").PROBLEMS)


def test_known_misses_of_compilation_are_rows_that_take_longer_than_wanted(bench):
    long_kernels = bench("long_kernels")
    for (name, form), seconds in long_kernels.KNOWN_MISSES.items():
        assert seconds > long_kernels.LIMITED[name][1][form]


def test_a_row_has_the_name_of_its_problem(bench):
    problems = bench("problems")
    make = problems.named("triad", lambda quick: SimpleNamespace(name="mass"))
    with pytest.raises(ValueError, match="'triad' makes a problem named 'mass'"):
        make(True)


def test_every_problem_has_a_kernel_in_opencl_that_takes_its_arguments(bench):
    problems, opencl = bench("problems"), bench("peers.opencl")
    kernels = set()
    for name, make in problems.PROBLEMS.items():
        problem = make(True)
        taken = opencl.parameters(opencl.source_of(problem))
        assert set(problem.outputs) <= set(taken) <= {*problem.arrays, *problem.values}, name
        kernels.add(problem.kernel)
    assert kernels == {file.stem for file in opencl.KERNELS.glob("*.cl")}


def test_a_problem_without_a_kernel_in_opencl_says_so(bench):
    opencl, peers = bench("peers.opencl"), bench("peers")
    with pytest.raises(peers.NotAvailable, match="has no kernel for it"):
        opencl.source_of(SimpleNamespace(kernel="of_another_place"))


def test_a_row_says_whom_it_is_wanted_ahead_of(bench):
    report = bench("report")
    row = {"wanted": None, "ahead_of": ["Intel OpenCL", "PoCL"]}
    behind = row | {"ratios": {"Intel OpenCL": 0.5, "PoCL": 2.0, "peers": 0.5}}
    assert report.lead(behind) == "0.50 (wanted ahead of Intel OpenCL)"
    assert list(report.row_misses(behind)) == ["not ahead of Intel OpenCL: 0.50 of it"]
    # Nobody is named where a runtime is missing, or slower.
    ahead = row | {"ratios": {"PoCL": 2.0, "peers": 2.0}}
    assert report.lead(ahead) == "2.00"
    assert not list(report.row_misses(ahead))
    # By how much, where the row says so.
    not_enough = row | {"ahead_by": 3.0, "ratios": {"Intel OpenCL": 2.9, "PoCL": 3.5, "peers": 2.9}}
    assert report.lead(not_enough) == "2.90 (wanted 3 times Intel OpenCL)"
    assert list(report.row_misses(not_enough)) == [
        "not ahead of Intel OpenCL: 2.90 of it, wanted 3"
    ]
