"""The benchmark's kernels on the GPU beside nvcc -O3, CuPy's RawKernel and numba-cuda."""

import json
import re
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nvcc
from cuda.device import core
from report import best_of, cell, number, sampled_ratio

from gpu import machine, outcome
from gpu.rows import COPY, GROUPS, failed_row

OURS, NVCC, *PEERS = GROUPS
WANTED = {NVCC: 0.97, COPY: 0.95}  # of nvcc's speed, the geometric mean; of the copy's, triad
HEADER = ["kernel", "unit", *GROUPS, "µs", "ours ÷ nvcc", *(f"÷ {peer}" for peer in PEERS)]
MORE = (
    ("--kernel", {"action": "append", "help": "name or its beginning; may be repeated"}),
    ("--group", {"action": "append", "help": "only these columns; may be repeated"}),
)


# --- what nvcc makes, before anything is measured ---


def write_cubin(problem, sm, tool, folder):
    """<name>.cubin, or <name>.txt with the reason that there is none."""
    try:
        made = nvcc.compiled(problem, sm, tool, "cubin")
        (folder / f"{problem.name}.cubin").write_bytes(made)
    except subprocess.CalledProcessError as refused:
        text = f"failed: nvcc: {(refused.stderr or refused.stdout).strip()[:300]}"
        (folder / f"{problem.name}.txt").write_text(text)


def write_cubins(names, folder):
    from problems import PROBLEMS

    tool = nvcc.find_nvcc()
    if not tool:
        for name in names:
            reason = "not here: nvcc: not in PATH, CUDA_HOME, CUDA_PATH or /usr/local/cuda"
            (folder / f"{name}.txt").write_text(reason)
        return
    major, minor = core.Device(0).compute_capability
    sm = 10 * major + minor
    with ThreadPoolExecutor(8) as pool:
        # The small sizes: the block is the same.
        for name in names:
            pool.submit(write_cubin, PROBLEMS[name](True), sm, tool, folder)


# --- the rows, by processes of their own ---


def lines(file):
    text = file.read_text() if file.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def measured(names, options, folder):
    """A row each. A process that ends early takes the problem along in which it was."""
    from gpu.run import command_of

    rows, left = [], list(names)
    while left:
        file = folder / "rows"
        file.unlink(missing_ok=True)
        flags = [f"--out={file}", f"--cubins={folder}", *(["--quick"] if options.quick else [])]
        flags += [f"--group={group}" for group in options.group or ()]
        flags += ["--rounds=3"] if options.quick else []
        try:
            status = subprocess.run(command_of("rows", *flags, *left)).returncode
        except KeyboardInterrupt:
            return rows + lines(file), "out of time"
        found = lines(file)
        rows, left = rows + found, left[len(found) :]
        if left and not found:
            rows.append(failed_row(left.pop(0), f"failed: the process ended with {status}"))
    return rows, ""


# --- what they say ---


def geometric_mean(rows):
    ratios = [found for row in rows if (found := sampled_ratio(row, [NVCC], OURS)) is not None]
    return (statistics.geometric_mean(ratios), len(ratios)) if ratios else (None, 0)


def microseconds(row):
    found = best_of(row, OURS)
    return f"{1e6 * statistics.median(found['samples']):.1f}" if found else "-"


def cell_of(row, group):
    reason = row["absent"].get(group, "")
    return "not here" if reason.startswith("not here") else cell(row, group)


def cells(row):
    ratios = [sampled_ratio(row, [group], OURS) for group in (NVCC, *PEERS)]
    return [
        row["problem"],
        row["unit"],
        *(cell_of(row, group) for group in GROUPS),
        microseconds(row),
        *("-" if r is None else f"{r:.2f}" for r in ratios),
    ]


def reasons(rows):
    """Who is absent and why, each once, with the rows."""
    found = {}
    for row in rows:
        for group, reason in row["absent"].items():
            found.setdefault(f"{group}: {reason}", []).append(row["problem"])
    for text, where in found.items():
        # A reason may be an error of many lines.
        line = re.sub(r"\s+", " ", text)[:400]
        yield line + ("" if len(where) == len(rows) > 1 else f" [{', '.join(where)}]")


def wanted_lines(rows):
    """(what was wanted and what is, whether it was missed), for those that can be said."""
    mean, count = geometric_mean(rows)
    if mean is not None:
        text = f"geometric mean of ours ÷ nvcc over {count} rows {mean:.3f} (wanted {WANTED[NVCC]})"
        yield text, mean < WANTED[NVCC]
    for row in rows:
        figures = [best_of(row, group) for group in (OURS, COPY)]
        if row["problem"] == "triad" and all(figures):
            share, rate = figures[0]["median"] / figures[1]["median"], figures[1]["median"]
            text = f"triad {share:.3f} of the copy's {number(rate)} GB/s (wanted {WANTED[COPY]})"
            yield text, share < WANTED[COPY]


def markdown(rows):
    table = [HEADER, ["---", "---", *["--:"] * (len(HEADER) - 2)], *map(cells, rows)]
    lines = ["| " + " | ".join(line) + " |" for line in table]
    sizes = "; ".join(f"{row['problem']} {row['size']}" for row in rows if row["size"])
    notes = [
        "",
        "Median (best); µs a launch of ours.",
        "",
        *(f"* {text}" for text in reasons(rows)),
    ]
    return "\n".join([*lines, *notes, "", f"Sizes: {sizes}."])


def conclude(rows, cut, quick):
    wanted = list(wanted_lines(rows))
    texts = [reason for row in rows for reason in row["absent"].values()]
    absent = [text.startswith(("not here", "missing")) for text in texts]
    words = [f"{len(rows)} rows{', ' + cut if cut else ''}", *(text for text, _ in wanted)]
    words += [text for text in reasons(rows)]
    outcome.report(markdown(rows))
    outcome.report("\n" + "\n".join(f"* {text}" for text, _ in wanted))
    outcome.summary("; ".join(words)[:600])
    # Small sizes say nothing of speed.
    missed = not quick and any(missed for _, missed in wanted)
    return outcome.status(bool(cut) or missed or not all(absent), any(absent))


def chosen(beginnings):
    """The rows whose kernel has a twin in CUDA C++, by the beginnings of their names."""
    import nvcc
    from problems import PROBLEMS

    found = [n for n in PROBLEMS if any(n.startswith(begin) for begin in beginnings or [""])]
    return [n for n in found if nvcc.source(PROBLEMS[n](True)).exists()]


def main(argv):
    options = machine.options(__doc__, argv, MORE)
    names = chosen(options.kernel)
    with tempfile.TemporaryDirectory() as folder:
        write_cubins(names, Path(folder))
        rows, cut = measured(names, options, Path(folder))
    about = {"machine": machine.line(), "rows": rows}
    (options.out / "benchmarks.json").write_text(json.dumps(about, indent=1))
    return conclude(rows, cut, options.quick)
