#!/usr/bin/env python3
"""Tests and measures cuda.device on a GPU: each part in a process of its own, with a log of its own
and so much time. See bench/README.md.

Exit status: 0 where everything was shown, 1 where a part failed, 2 where none failed, but something
that it needs is not here.
"""

import argparse
import importlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parents[1]
sys.path[0] = str(BENCH)

from gpu import machine, outcome  # noqa: E402

GRACE = 10  # seconds in which a part that is out of time may say what it has


@dataclass(frozen=True)
class Part:
    name: str
    seconds: float
    about: str


PARTS = (
    Part("suite", 205, "the test suite with --target=cuda"),
    Part("runtime", 45, "streams, events, memory, print and kernels that fail"),
    Part("neighbours", 30, "streams, events and arrays with CuPy and PyTorch"),
    Part("sanitizer", 80, "compute-sanitizer over each kernel"),
    Part("benchmarks", 150, "kernels beside nvcc, CuPy and numba-cuda"),
    Part("launches", 40, "what a launch costs, beside a bare loop"),
)
PROGRAMS = (*(part.name for part in PARTS), "one_of_each", "rows")


@dataclass
class Result:
    part: Part
    status: int
    seconds: float
    text: str
    report: list


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--out", type=Path, help="folder of the report (default: $OUT, or build/…)")
    p.add_argument("--only", action="append", choices=[part.name for part in PARTS])
    p.add_argument("--seconds", type=float, default=550, help="for all parts together")
    p.add_argument("--quick", action="store_true", help="small sizes: a smoke test")
    p.add_argument("suite", nargs="*", help="after --: arguments for pytest in the suite")
    return p.parse_args(argv)


def folder_of(options):
    default = BENCH.parent / "build" / "gpu-report"
    folder = options.out or Path(os.environ.get("OUT") or default)
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def command_of(name, *arguments):
    """A part, or a program of one, as a command."""
    return [sys.executable, str(BENCH / "gpu" / "run.py"), "--program", name, *map(str, arguments)]


def stop(process):
    """Tells the part, and what it has started, to end, so that it may still say what it has."""
    os.killpg(process.pid, signal.SIGINT)
    try:
        process.wait(GRACE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def run_part(part, seconds, command, log):
    """(status, whether it ran out of time)"""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with log.open("w") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, start_new_session=True, env=environment
        )
        try:
            return process.wait(seconds), False
        except subprocess.TimeoutExpired:
            stop(process)
            return outcome.FAILED, True
        except KeyboardInterrupt:
            stop(process)
            raise


def result_of(part, status, late, seconds, log):
    text = log.read_text(errors="replace")
    lines = outcome.said(text, outcome.SUMMARY)
    # An error without a summary: the end of an error's text says the most.
    end = (text.strip().splitlines() or ["nothing"])[-1][:200]
    said = lines[-1] if lines else f"ended with status {status}: {end}"
    if late:
        said = f"out of time after {seconds:.0f} s; {said}"
    if status not in outcome.NAMES or not lines:
        status = outcome.FAILED
    return Result(part, status, seconds, said, outcome.said(text, outcome.REPORT))


def arguments_of(part, options, folder):
    own = [f"--out={folder}", *(["--quick"] if options.quick else [])]
    return own + (["--", *options.suite] if part.name == "suite" else [])


def run(options, folder):
    """Yields the result of each part."""
    end = time.monotonic() + options.seconds
    for part in PARTS:
        if options.only and part.name not in options.only:
            continue
        seconds = min(part.seconds, end - time.monotonic() - GRACE)
        if seconds <= 0:
            yield Result(part, outcome.FAILED, 0, "no time was left for it", [])
            continue
        print(f"{part.name}: {part.about}, at most {seconds:.0f} s", flush=True)
        command = command_of(part.name, *arguments_of(part, options, folder))
        log, start = folder / f"{part.name}.log", time.monotonic()
        status, late = run_part(part, seconds, command, log)
        yield result_of(part, status, late, time.monotonic() - start, log)


def markdown(about, results):
    lines = [about, "", "| part | outcome | s | |", "|---|---|--:|---|"]
    for r in results:
        cells = (r.part.name, outcome.NAMES[r.status], f"{r.seconds:.0f}", r.text)
        lines.append("| " + " | ".join(cells) + " |")
    for r in results:
        if r.report:
            lines += ["", f"## {r.part.name}", "", *r.report]
    return "\n".join(lines) + "\n"


def main(argv):
    options = parse(argv)
    folder = folder_of(options)
    about, results = machine.line(), []
    print(about, flush=True)
    for result in run(options, folder):
        results.append(result)
        print(
            f"  {outcome.NAMES[result.status]}, {result.seconds:.0f} s: {result.text}", flush=True
        )
        (folder / "summary.md").write_text(markdown(about, results))
    print(f"\n{(folder / 'summary.md').read_text()}\n{folder / 'summary.md'}")
    states = {result.status for result in results}
    return outcome.status(outcome.FAILED in states, outcome.NOT_HERE in states)


def program(name, argv):
    if name not in PROGRAMS:
        sys.exit(f"run.py: no such program; there are: {', '.join(PROGRAMS)}")
    return importlib.import_module(f"gpu.{name}").main(argv)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--program"]:
        sys.exit(program(sys.argv[2], sys.argv[3:]))
    sys.exit(main(sys.argv[1:]))
