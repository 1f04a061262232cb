#!/usr/bin/env python3
"""Measures cuda.device against hand-written code and other CPU runtimes. See bench/README.md.

Each problem runs in a process of its own for each thread count: runtimes read their thread count
once, and a runtime that crashes takes only its own row along.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import python_path

HERE = Path(__file__).resolve().parent
ENVIRONMENT = HERE.parent / ".venv-bench"


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--kernel", action="append", help="name or its beginning; may be repeated")
    p.add_argument("--threads", help="comma-separated counts (default: 1 and all CPUs)")
    p.add_argument("--rounds", type=int, default=11)
    p.add_argument(
        "--only",
        action="append",
        metavar="GROUP",
        help="only these columns, e.g. hand, PoCL, cuda.device; may be repeated",
    )
    p.add_argument("--quick", action="store_true", help="small sizes, three rounds: a smoke test")
    p.add_argument("--json", type=Path, metavar="OUT", help="all samples as JSON")
    p.add_argument(
        "--write-results",
        action="store_true",
        help="keep the figures in bench/results and put the table into bench/README.md",
    )
    python_path.add_option(p)
    p.add_argument(
        "--child", nargs=3, metavar=("PROBLEM", "THREADS", "OUT"), help=argparse.SUPPRESS
    )
    return p.parse_args(argv)


def sources(only):
    """(groups, function) of every contestant wanted."""
    from peers import hand, numpy_cpu, opencl, ours, warp_cpu

    every = (
        (tuple(ours.TARGETS), ours.contestants),
        (("hand", "hand nt", "hand avx2", "hand fast"), hand.contestants),
        (("Intel OpenCL",), opencl.intel),
        (("PoCL",), opencl.pocl),
        (("Warp CPU",), warp_cpu.contestants),
        (("NumPy",), numpy_cpu.contestants),
    )
    return [(g, f) for g, f in every if not only or set(g) & set(only)]


def child(options):
    """Measures one problem with one thread count and writes the result as JSON."""
    name, threads, out = options.child
    sys.path[:0] = options.python_path
    from measure import measure
    from problems import PROBLEMS

    problem = PROBLEMS[name](options.quick)
    result = measure(problem, sources(options.only), int(threads), options.rounds)
    if options.only:
        result["figures"] = [f for f in result["figures"] if f["group"] in options.only]
    Path(out).write_text(json.dumps(result))


def limit_threads(threads):
    """The child's environment and affinity: `threads` CPUs, for every runtime."""
    env = dict(os.environ)
    for name in ("CUDA_DEVICE_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        env[name] = str(threads)
    # Threads of a BLAS spin on when their work is done, for longer than its successor is warmed
    # up; not so here: 2**20 cycles.
    env["OPENBLAS_THREAD_TIMEOUT"] = "20"
    cpus = sorted(os.sched_getaffinity(0))[:threads]
    return {"env": env, "preexec_fn": lambda: os.sched_setaffinity(0, cpus)}


def run_problem(name, threads, options, folder):
    out = Path(folder) / "result.json"
    out.unlink(missing_ok=True)
    command = [
        sys.executable,
        str(HERE / "run.py"),
        "--rounds",
        str(options.rounds),
        *(["--quick"] if options.quick else []),
        *(f"--only={group}" for group in options.only or ()),
        *(f"--python-path={path}" for path in options.python_path),
        "--child",
        name,
        str(threads),
        str(out),
    ]
    done = subprocess.run(command, check=False, **limit_threads(threads))
    if done.returncode or not out.exists():
        print(
            f"bench: {name} with {threads} thread(s) ended with status {done.returncode}; "
            "the last line above names the contestant",
            file=sys.stderr,
        )
        return None
    return json.loads(out.read_text())


def chosen(options):
    from problems import PROBLEMS

    wanted = options.kernel or [""]
    names = [name for name in PROBLEMS if any(name.startswith(w) for w in wanted)]
    if not names:
        sys.exit(f"bench: no such kernel; there are: {', '.join(PROBLEMS)}")
    cpus = len(os.sched_getaffinity(0))
    counts = [int(t) for t in options.threads.split(",")] if options.threads else [1, cpus]
    return names, list(dict.fromkeys(counts))


def enter_environment():
    """Sets up .venv-bench and goes on in it; PYTHONPATH, and so cuda.device, comes along."""
    if Path(sys.prefix).resolve() == ENVIRONMENT.resolve():
        return
    if subprocess.run([str(HERE / "setup")], check=False).returncode:
        sys.exit("bench: .venv-bench could not be set up (see above)")
    python = str(ENVIRONMENT / "bin" / "python")
    os.execv(python, [python, *sys.argv])


def build_baselines():
    """Compiles the hand-written code; where it cannot, its column says so and the rest runs."""
    subprocess.run([str(HERE / "build")], check=False)


def main(argv):
    options = parse(argv)
    if options.quick:
        options.rounds = min(options.rounds, 3)
    if options.child:
        return child(options)
    import report

    names, counts = chosen(options)
    build_baselines()
    results, failed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for threads in counts:
                result = run_problem(name, threads, options, folder)
                failed += result is None
                results += [result] if result else []
    about = report.machine()
    summaries = [report.summary(result) for result in results]
    print(report.text_table(summaries))
    print(*report.notes(summaries), sep="\n")
    missed = report.misses(summaries, options.quick)
    for line in missed:
        print(f"bench: {line}", file=sys.stderr)
    if options.json:
        options.json.write_text(json.dumps({"machine": about, "results": results}, indent=1))
    if options.write_results:
        if options.quick:
            sys.exit("bench: a quick run has no figures to keep")
        report.write_data(summaries, about)
        report.write_readme(HERE / "README.md", report.markdown(summaries, about))
    return 1 if failed or missed else 0


if __name__ == "__main__":
    enter_environment()
    sys.path.insert(0, str(HERE))
    sys.exit(main(sys.argv[1:]))
