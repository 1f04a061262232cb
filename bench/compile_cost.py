#!/usr/bin/env python3
"""What it costs to compile: long kernels of several kinds, stage by stage, and how it grows.

Time is that of the processor, so that other load on the machine does not count.

A row is one kernel. The last columns of its kind's longest say how much longer that took than the
one a quarter as long: linear is 4. Kernels of the kind "limited" have a wanted bound, in the last
column; one that takes more than twice that is an error. After the bound of a known miss stands what
it takes, and it is an error where it takes more than twice that.
"""

import argparse
import importlib.util
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

SIZES = (250, 500, 1000, 2000)
TOLERANCE = 2  # times the bound of a kernel of the kind "limited"
ARGUMENTS = (np.zeros(100000, np.float32), np.zeros(100000, np.float32), 100)
# The columns, and the stages that each sums up. What is left of the process's time is Python's
# parser and the reader of its tree.
COLUMNS = {
    "frontend": ("frontend",),
    "check": ("check",),
    "analyses": ("analyses",),
    "emission": ("emission",),
    "LLVM opt": ("optimisation",),
    "LLVM back": ("back end",),
    "link": ("link",),
}


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--kind", action="append", help="a kind of long kernel, sgemm or limited")
    p.add_argument("--lines", help="comma-separated (default: 250,500,1000,2000)")
    p.add_argument("--target", default="", help="avx512, avx2, sse4, sm_90, ... (default: host)")
    p.add_argument("--rounds", type=int, default=2, help="compilations of which the fastest counts")
    p.add_argument("--passes", action="store_true", help="every pass of ours by its name")
    p.add_argument("--show", metavar="LINES", type=int, help="print the kernel of --kind, and stop")
    return p.parse_args(argv)


def kernel_of(name, text, folder):
    """The kernel, in a file of its own: read and captured anew."""
    path = Path(tempfile.mkdtemp(dir=folder)) / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def measure(make, arguments, block, options):
    """(seconds, {stage: seconds}) of the fastest of some rounds."""
    from cuda.device import _testing

    best = None
    for _ in range(options.rounds):
        start = time.process_time()
        kernel = make()
        stages = {}
        times = _testing.stage_times(kernel, *arguments, target=options.target, block=block)
        for stage, seconds in times:
            stages[stage] = stages.get(stage, 0) + seconds
        total = time.process_time() - start
        if best is None or total < best[0]:
            best = total, stages
    return best


def columns_of(total, stages):
    known = {stage for group in COLUMNS.values() for stage in group}
    row = {"total": total, "reading": total - sum(stages.values())}
    row["frontend"] = stages["frontend"]
    row["passes"] = sum(s for name, s in stages.items() if name not in known)
    for column, group in COLUMNS.items():
        row[column] = sum(stages.get(stage, 0) for stage in group)
    return row


def print_row(name, row, wanted=""):
    cells = "".join(f"{1000 * seconds:10.1f}" for seconds in row.values())
    print(f"{name:24}{cells}{wanted}", flush=True)


def print_ratios(rows):
    """Longest against a quarter of it, for each column that matters."""
    longest = max(rows)
    if longest // 4 not in rows:
        return
    quarter = rows[longest // 4]
    ratios = (
        f"{seconds / quarter[column]:10.1f}" if seconds > 0.005 else f"{'':10}"
        for column, seconds in rows[longest].items()
    )
    print(f"{'  ratio':24}{''.join(ratios)}", flush=True)


def print_passes(stages):
    known = {stage for group in COLUMNS.values() for stage in group}
    for name, seconds in stages.items():
        if name not in known and seconds > 0.001:
            print(f"    {name:24}{1000 * seconds:10.1f}")


def sgemm(options):
    matrix = np.zeros((1024, 1024), np.float32)
    for name in ("sgemm_tiles", "sgemm_registers"):
        text = (Path(__file__).parent / "kernels" / f"{name}.py").read_text()
        with tempfile.TemporaryDirectory() as folder:
            total, stages = measure(
                lambda text=text, name=name, folder=folder: kernel_of(name, text, folder),
                (matrix, matrix.copy(), matrix.copy()),
                (16, 16),
                options,
            )
        print_row(name, columns_of(total, stages))
        if options.passes:
            print_passes(stages)


def wanted_text(bound, known):
    """The last column: the bound in ms, and what a known miss takes."""
    text = f"{1000 * bound:10.0f}" if bound != float("inf") else ""
    return f"{text}, known miss: {1000 * known:.0f}" if known else text


def limited(options):
    import long_kernels

    slow = []
    for name, (text, bounds) in long_kernels.LIMITED.items():
        for form in [options.target] if options.target else bounds:
            with tempfile.TemporaryDirectory() as folder:
                total, stages = measure(
                    lambda text=text, name=name, folder=folder: kernel_of(
                        name, text.format(name=name), folder
                    ),
                    ARGUMENTS,
                    256,
                    argparse.Namespace(**{**vars(options), "target": form}),
                )
            bound = bounds.get(form, float("inf"))
            known = long_kernels.KNOWN_MISSES.get((name, form))
            print_row(f"{name} {form}", columns_of(total, stages), wanted_text(bound, known))
            if total > TOLERANCE * (known or bound):
                slow.append(f"{name} {form}")
            if options.passes:
                print_passes(stages)
    if slow:
        sys.exit(f"more than {TOLERANCE} times the wanted or known time: {', '.join(slow)}")


def long_kernels(kind, sizes, options):
    import long_kernels

    rows = {}
    for lines in sizes:
        text = long_kernels.source(kind, lines)
        with tempfile.TemporaryDirectory() as folder:
            total, stages = measure(
                lambda text=text, folder=folder: kernel_of(kind, text, folder),
                ARGUMENTS,
                256,
                options,
            )
        rows[lines] = columns_of(total, stages)
        print_row(f"{kind} {lines}", rows[lines])
        if options.passes:
            print_passes(stages)
    print_ratios(rows)


OTHERS = {"sgemm": sgemm, "limited": limited}


def main(argv):
    options = parse(argv)
    import long_kernels as sources

    kinds = options.kind or [*sources.KINDS, "sgemm", "limited"]
    if options.show:
        return print(sources.source(kinds[0], options.show))
    sizes = [int(n) for n in options.lines.split(",")] if options.lines else SIZES
    names = ("total", "reading", "frontend", "passes", *COLUMNS)
    names = list(dict.fromkeys(names))
    print(f"{'ms':24}{''.join(f'{name:>10}' for name in [*names, 'wanted'])}")
    for kind in kinds:
        if kind in OTHERS:
            OTHERS[kind](options)
        else:
            long_kernels(kind, sizes, options)


if __name__ == "__main__":
    main(sys.argv[1:])
