"""What `make test-gpu` runs (bench/gpu), on the tests' driver: every part runs and reports, and
what is wrong or missing is said and makes it end with another status.

The driver runs no code but ours: what nvcc, CuPy and numba-cuda would make waits for a GPU.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.fake_gpu import fake_environment, needs_fake

ROOT = Path(__file__).resolve().parents[2]
RUN = ROOT / "bench" / "gpu" / "run.py"
ON_FAKE = Path(__file__).with_name("on_fake")
STAND_INS = Path(__file__).with_name("stand_ins")
PASSED, FAILED, NOT_HERE = 0, 1, 2
KERN = "tests/conformance/test_kern.py"

pytestmark = needs_fake


def run(*arguments, **variables):
    """Runs run.py, or a part of it, where the tests' driver is the GPU's."""
    env = fake_environment(FAKE_CUDA_REFUSES="cubin", **variables)  # which it could not run
    env["PYTHONPATH"] = f"{ON_FAKE}{os.pathsep}{env['PYTHONPATH']}"
    return subprocess.run(
        [sys.executable, RUN, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=240,
        env=env,
    )


def part(folder, name, *more, **variables):
    """A part by itself, in small sizes: its status, its summary and all that it said."""
    done = run("--program", name, "--out", folder, "--quick", *more, **variables)
    said = [line for line in done.stdout.splitlines() if line.startswith("summary: ")]
    assert said, done.stdout + done.stderr
    return done.returncode, said[-1].removeprefix("summary: "), done.stdout + done.stderr


def tool(folder, name, text):
    """An environment in which a tool is found first."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


# --- everything together ---


def test_every_part_runs_and_reports(tmp_path):
    out = tmp_path / "report"
    failing = tmp_path / "test_planted.py"
    failing.write_text("def test_planted():\n    assert 1 == 2, 'planted'\n")
    tool(tmp_path, "nvcc", "echo 'nvcc fatal: planted' >&2; exit 1")
    variables = tool(tmp_path, "compute-sanitizer", 'shift 6; "$@"; echo "= ERROR SUMMARY: 0"')
    done = run("--out", out, "--quick", "--", KERN, failing, **variables)
    report = (out / "summary.md").read_text()
    assert done.returncode == FAILED, done.stdout + done.stderr
    assert report in done.stdout
    lines = [line.split(" | ") for line in report.splitlines() if line.startswith("| ")]
    states = {cells[0].strip("| "): cells[1] for cells in lines[1:7]}
    assert list(states) == [
        "suite",
        "runtime",
        "neighbours",
        "sanitizer",
        "benchmarks",
        "launches",
    ]
    assert (states["suite"], states["sanitizer"]) == ("FAILED", "passed")
    assert "1 failed, " in report
    assert "::test_planted - AssertionError: planted" in report
    assert "nvcc -O3: failed: nvcc: nvcc fatal: planted" in report
    # No more files than that: a report is to be small, and easily sent.
    files = {"summary.md", "benchmarks.json", "launches.json", *(f"{name}.log" for name in states)}
    assert {path.name for path in out.iterdir()} == files
    figures = rows(out)
    assert len(figures) == 25
    assert all(row["figures"][0]["group"] == "cuda.device" for row in figures.values()), figures
    launched = json.loads((out / "launches.json").read_text())["rows"]
    assert {(row["who"], row["row"]) for row in launched} >= {
        (who, what) for who in ("cuda.device", "bare loop") for what in ("empty", "16 arrays")
    }
    if not importlib.util.find_spec("cupy"):
        assert "* CuPy RawKernel: not here: ModuleNotFoundError: No module named 'cupy'" in report


def test_a_part_that_takes_too_long_is_ended(tmp_path):
    more = ("--only=sanitizer", "--only=launches", "--quick", "--seconds=13")
    done = run("--out", tmp_path, *more, **tool(tmp_path, "compute-sanitizer", "sleep 60"))
    assert done.returncode == FAILED
    assert re.search(r"FAILED, \d+ s: out of time after \d+ s; ", done.stdout)
    assert "FAILED, 0 s: no time was left for it" in done.stdout


# --- the suite ---


def test_a_gpu_that_is_asked_for_must_be_there(tmp_path):
    status, said, _ = part(tmp_path, "suite", FAKE_CUDA_DEVICES="0")
    assert status == FAILED
    assert "--target=cuda needs a machine with an NVIDIA GPU" in said


def test_a_lost_gpu_fails_one_test_only(tmp_path):
    """A kernel that breaks the GPU's context: the process ends, and another goes on."""
    tests = ("--", KERN, "-n1", "-k", "plane and block0 or decorator")
    status, said, _ = part(tmp_path, "suite", *tests, PLANT="lost:count_2d")
    assert status == FAILED
    assert "test_every_thread_of_a_plane_runs_once" in said
    # The test counts twice: it failed, and its process ended.
    failed, passed = re.match(r"(\d+) failed, (\d+) passed", said).groups()
    assert (int(failed), int(passed) > 2) == (2, True)


def test_a_part_that_says_nothing(tmp_path):
    done = run("--out", tmp_path, "--only=launches", "--quick", FAKE_CUDA_DEVICES="0")
    assert done.returncode == FAILED
    assert "FAILED, " in done.stdout
    assert "ended with status 1: " in done.stdout
    assert "GPU" in done.stdout.partition("ended with status 1: ")[2].splitlines()[0]


# --- the runtime ---


def test_the_runtimes_own_tests(tmp_path):
    """The tests themselves; what this driver cannot show is named."""
    status, said, text = part(tmp_path, "runtime")
    assert status == NOT_HERE, text
    assert int(said.partition(" passed")[0]) >= 50
    assert "not here: waits for a real GPU: the kernels of the tests' driver share" in said


def test_a_runtime_that_fails(tmp_path):
    status, said, text = part(tmp_path, "runtime", PLANT="lost:vec_add")
    assert status == FAILED
    assert " failed, " in said
    assert re.search(r"^FAILED \S*::test_the_example_of_the_guide", text, re.MULTILINE), text


# --- neighbours ---


def test_neighbours_that_are_missing(tmp_path):
    if importlib.util.find_spec("cupy"):
        pytest.skip("waits for a machine without CuPy")
    status, said, _ = part(tmp_path, "neighbours")
    assert status == NOT_HERE
    assert "skipped" in said
    assert "not here: waits for CuPy" in said


def test_neighbours_with_a_stand_in_for_cupy(tmp_path):
    """The tests themselves: what they ask of ours, in the order in which they ask it."""
    beside = {"PYTHONPATH": os.pathsep.join([str(STAND_INS), str(ON_FAKE), *sys.path])}
    status, said, text = part(tmp_path, "neighbours", **beside)
    assert status in (PASSED, NOT_HERE), text
    assert int(said.partition(" passed")[0]) >= 14
    wrong = part(tmp_path, "neighbours", **beside, PLANT="wrong:times")
    assert wrong[0] == FAILED
    assert "test_many_streams_at_once[cupy]" in wrong[2]


# --- compute-sanitizer ---


def test_a_missing_sanitizer(tmp_path):
    status, said, _ = part(tmp_path, "sanitizer", PATH="", CUDA_HOME="", CUDA_PATH="")
    if status == PASSED:
        pytest.skip("waits for a machine without compute-sanitizer")
    assert status == NOT_HERE
    assert said.startswith("not here: compute-sanitizer")


def test_what_a_sanitizer_finds_and_a_wrong_result_under_it(tmp_path):
    text = 'shift 6; "$@"; echo "========= ERROR SUMMARY: 3 errors"; exit 99'
    variables = tool(tmp_path, "compute-sanitizer", text)
    status, said, _ = part(tmp_path, "sanitizer", **variables, PLANT="wrong:reversed_blocks")
    assert status == FAILED
    assert said.count("ERROR SUMMARY: 3 errors, status 99") == 3
    assert "WRONG: reversed_blocks: ValueError: wrong result" in said


# --- benchmarks ---


def rows(folder):
    found = json.loads((folder / "benchmarks.json").read_text())["rows"]
    return {row["problem"]: row for row in found}


OURS = ("--group=cuda.device", "--kernel=triad", "--kernel=scan")


def test_right_results(tmp_path):
    status, said, text = part(tmp_path, "benchmarks", *OURS[:2])
    assert status == PASSED, text
    assert "1 rows; triad" in said
    groups = [figure["group"] for figure in rows(tmp_path)["triad"]["figures"]]
    assert groups == ["cuda.device", "device copy"]


def test_results_are_checked_without_scipy(tmp_path):
    folder = tmp_path / "path"
    folder.mkdir()
    (folder / "scipy.py").write_text("raise ModuleNotFoundError(\"No module named 'scipy'\")\n")
    beside = {"PYTHONPATH": os.pathsep.join([str(folder), str(ON_FAKE), *sys.path])}
    names = ("black_scholes", "convolve", "spmv", "spmv warps")
    more = (OURS[0], *(f"--kernel={name}" for name in names))
    status, _, text = part(tmp_path, "benchmarks", *more, **beside)
    assert status == PASSED, text
    assert set(rows(tmp_path)) == set(names)


def test_a_wrong_result(tmp_path):
    status, said, _ = part(tmp_path, "benchmarks", *OURS, PLANT="wrong:block_scans")
    assert status == FAILED
    assert "cuda.device: WRONG RESULT: scan: " in said
    assert rows(tmp_path)["triad"]["figures"]


def test_a_missing_compiler(tmp_path):
    if Path("/usr/local/cuda/bin/nvcc").exists():
        pytest.skip("waits for a machine without nvcc")
    more = ("--group=nvcc -O3", "--kernel=triad")
    status, said, text = part(tmp_path, "benchmarks", *more, PATH="", CUDA_HOME="", CUDA_PATH="")
    assert status == NOT_HERE, text
    assert "nvcc -O3: not here: nvcc: not in PATH" in said


@pytest.mark.parametrize("how", ["crash", "lost"])
def test_a_kernel_that_takes_its_process_along(tmp_path, how):
    status, _, text = part(tmp_path, "benchmarks", *OURS, PLANT=f"{how}:triad")
    assert status == FAILED, text
    found = rows(tmp_path)
    assert "failed: " in found["triad"]["absent"]["cuda.device"]
    assert found["scan"]["figures"]


def test_figures_that_are_missed():
    """Made-up samples: the mean of 1.0 and 0.9 against nvcc is less than wanted."""
    sys.path.insert(0, str(ROOT / "bench"))
    try:
        from gpu import benchmarks
    finally:
        sys.path.pop(0)

    def row(name, ours, theirs):
        figures = [
            {"group": group, "name": group, "median": 1 / x, "best": 1 / x, "samples": [x] * 3}
            for group, x in (("cuda.device", ours), ("nvcc -O3", theirs), ("device copy", 1.0))
        ]
        return {"problem": name, "unit": "GB/s", "size": "", "absent": {}, "figures": figures}

    made = [row("triad", 1.0, 1.0), row("scan", 1.0, 0.9)]
    said = dict(benchmarks.wanted_lines(made))
    assert said == {
        "geometric mean of ours ÷ nvcc over 2 rows 0.949 (wanted 0.97)": True,
        "triad 1.000 of the copy's 1.00 GB/s (wanted 0.95)": False,
    }
    assert benchmarks.conclude(made, "", quick=False) == FAILED
    assert benchmarks.conclude(made, "", quick=True) == PASSED


# --- launches ---


def test_a_missing_c_compiler(tmp_path):
    status, said, text = part(tmp_path, "launches", PATH="")
    assert status == NOT_HERE, text
    assert "bare loop: not here: a C compiler (cc, gcc, clang)" in said
