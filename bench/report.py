"""Tables of the results: text for the terminal, Markdown for bench/README.md."""

import contextlib
import os
import platform
import subprocess
from importlib import metadata
from pathlib import Path

from peers import GROUPS, HAND, OURS, PEERS

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"

# The least ratio of our median to the hand-written code's that the project demands.
TARGETS = {
    "triad": 0.9,
    "copy2d 32x8": 0.85,
    "copy2d 16x16": 0.85,
    "copy2d 8x8": 0.6,
    "copy2d 10x10": 0.4,
    "mandelbrot": 0.85,
    "black_scholes": 0.85,
}
PACKAGES = ("numpy", "scipy", "pyopencl", "intel-opencl-rt", "warp-lang", "cuda-device-simt")


def best_of(result, group):
    """The figure that stands for a group: the one with the best median, or None."""
    figures = [f for f in result["figures"] if f["group"] == group]
    return max(figures, key=lambda f: f["median"], default=None)


def ratio(result, group, others):
    """Median of `group` over the best median among `others`, or None where one is missing."""
    ours = best_of(result, group)
    theirs = [f["median"] for f in (best_of(result, other) for other in others) if f]
    return ours["median"] / max(theirs) if ours and theirs else None


def number(x):
    if x is None:
        return "-"
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def cell(result, group):
    found = best_of(result, group)
    if found:
        return f"{number(found['median'])} ({number(found['best'])})"
    return "wrong" if result["absent"].get(group, "").startswith("WRONG") else "-"


def verdict(result):
    """The ratio to the hand-written code, marked where it misses its target."""
    value = ratio(result, OURS, [HAND])
    if value is None:
        return "-"
    target = TARGETS[result["problem"]]
    return f"{value:.2f}" + ("" if value >= target else f" (wanted {target})")


def rows(results):
    for r in results:
        yield [
            r["problem"],
            str(r["threads"]),
            r["unit"],
            *(cell(r, g) for g in GROUPS),
            verdict(r),
            number(ratio(r, OURS, ["hand nt"])),
            number(ratio(r, OURS, PEERS)),
        ]


HEADER = ["kernel", "threads", "unit", *GROUPS, "ours ÷ hand", "÷ hand nt", "÷ best peer"]


def text_table(results):
    table = [HEADER, *rows(results)]
    widths = [max(len(line[k]) for line in table) for k in range(len(HEADER))]
    return "\n".join(
        "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in table
    )


def notes(results):
    """What is absent and why, and which variant stands for the hand-written code."""
    lines = {}
    for r in results:
        for group, reason in r["absent"].items():
            lines.setdefault(f"{group}: {reason}", []).append(f"{r['problem']}/{r['threads']}")
        for group in (HAND, "hand nt"):
            found = best_of(r, group)
            if found:
                lines.setdefault(f"{group} = {found['name']}", []).append(
                    f"{r['problem']}/{r['threads']}"
                )
    everywhere = len(results)
    return [
        text if len(where) == everywhere else f"{text} [{', '.join(where)}]"
        for text, where in sorted(lines.items())
    ]


def version(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return None


def machine():
    """What the figures depend on."""
    info = Path("/proc/cpuinfo").read_text()
    model = next(
        (
            line.split(":", 1)[1].strip()
            for line in info.splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    packages = {}
    for name in PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            packages[name] = metadata.version(name)
    compilers = [version([c, "--version"]) for c in ("g++", "clang++-22")]
    return {
        "cpu": model,
        "cpus": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "compilers": [c for c in compilers if c],
        "packages": packages,
    }


def markdown(results, about, quick):
    lines = [
        f"{about['cpu']}, {about['cpus']} CPUs; {'; '.join(about['compilers'])}; "
        + ", ".join(f"{k} {v}" for k, v in about["packages"].items())
        + ".",
        "",
        "Median (best) over the rounds."
        + (" **Quick run: small sizes, no figures to keep.**" if quick else ""),
        "",
        "| " + " | ".join(HEADER) + " |",
        "|---|" + "--:|" * (len(HEADER) - 1),
        *("| " + " | ".join(row) + " |" for row in rows(results)),
        "",
        "Sizes: " + "; ".join(dict.fromkeys(f"{r['problem']} {r['size']}" for r in results)) + ".",
        "",
        *(f"* {note}" for note in notes(results)),
    ]
    return "\n".join(lines)


def write_readme(path, text):
    before, rest = path.read_text().split(BEGIN)
    after = rest.split(END)[1]
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")
