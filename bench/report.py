#!/usr/bin/env python3
"""Tables of the results, for the terminal and in Markdown, and the data that are kept of them.

bench/report.py           puts the table of the kept figures into bench/README.md
bench/report.py --check   fails where the table there is not theirs

A *result* is what measure.py makes, with every sample; its *summary*, kept in results/kernels.json,
has medians and ratios. Tables are made of summaries.
"""

import contextlib
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from peers import GROUPS, HAND, OURS, PEERS

BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"
PEER = "peers"
DATA = Path(__file__).resolve().parent / "results" / "kernels.json"

PACKAGES = ("numpy", "scipy", "pyopencl", "intel-opencl-rt", "warp-lang", "cuda-device-simt")


def best_of(result, group):
    """The figure that stands for a group: the one with the best median, or None."""
    figures = [f for f in result["figures"] if f["group"] == group]
    return max(figures, key=lambda f: f["median"], default=None)


def sampled_ratio(result, others, group=OURS):
    """How many times faster `group` is than the fastest among `others`: the median over the rounds
    of the ratio within a round. None where one of them is missing."""
    ours = best_of(result, group)
    theirs = [found for found in (best_of(result, other) for other in others) if found]
    if not ours or not theirs:
        return None
    best = max(theirs, key=lambda f: f["median"])
    # One that is slow has fewer rounds; those that both have are paired.
    pairs = zip(best["samples"], ours["samples"], strict=False)
    return statistics.median(other / own for other, own in pairs)


def rounded(x):
    return None if x is None else float(f"{x:.4g}")


def summary(result):
    """The result without its samples; `ratios` are of ours to each other group, and to the best
    of the other runtimes ("peers")."""
    others = {f["group"]: [f["group"]] for f in result["figures"] if f["group"] != OURS}
    ratios = {
        name: sampled_ratio(result, groups) for name, groups in (others | {PEER: PEERS}).items()
    }
    figures = [
        {
            "group": f["group"],
            "name": f["name"],
            "median": rounded(f["median"]),
            "best": rounded(f["best"]),
        }
        for f in result["figures"]
    ]
    kept = {key: value for key, value in result.items() if key != "figures"}
    kept["ratios"] = {name: rounded(x) for name, x in ratios.items() if x is not None}
    return kept | {"figures": figures}


def ratio(result, other):
    """Ours to another group; `PEER` is the best of the other runtimes."""
    return result["ratios"].get(other)


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
    """The ratio to the hand-written code, marked where it is less than wanted."""
    value, wanted = ratio(result, HAND), result["wanted"]
    if value is None:
        return "-"
    return f"{value:.2f}" + ("" if wanted is None or value >= wanted else f" (wanted {wanted})")


def faster_peers(result):
    """{group: ours to it} of those that ours is wanted ahead of, and is not by enough."""
    ratios = {peer: ratio(result, peer) for peer in result["ahead_of"]}
    by = result.get("ahead_by", 1)
    return {peer: value for peer, value in ratios.items() if value is not None and value < by}


def lead(result):
    """The ratio to the best of the other runtimes, with those that ours is not ahead of and is
    wanted to be."""
    ahead, by = " and ".join(faster_peers(result)), result.get("ahead_by", 1)
    wanted = f"{by:g} times" if by > 1 else "ahead of"
    return number(ratio(result, PEER)) + (f" (wanted {wanted} {ahead})" if ahead else "")


def row_misses(result):
    value, wanted = ratio(result, HAND), result["wanted"]
    if None not in (value, wanted) and value < wanted:
        yield f"{value:.2f} of the hand-written code, wanted {wanted}"
    for peer, value in faster_peers(result).items():
        by = result.get("ahead_by", 1)
        yield f"not ahead of {peer}: {value:.2f} of it" + (f", wanted {by:g}" if by > 1 else "")


def misses(results, quick):
    """What the project demands and these results are not, a line each. The small sizes of a quick
    run say nothing of speed."""
    lines = []
    for r in results:
        found = [
            f"{group}: {reason}"
            for group, reason in r["absent"].items()
            if group == OURS or (group.startswith(OURS) and reason.startswith("WRONG"))
        ]
        found += [] if quick else row_misses(r)
        lines += [f"{r['problem']}, {r['threads']} thread(s): {text}" for text in found]
    return lines


def columns(results):
    """The groups that have one: those of AVX2 only beside those of a wider form."""
    measured = {f["group"] for r in results for f in r["figures"]}
    return [g for g in GROUPS if g in measured or not g.endswith("avx2")]


def rows(results):
    groups = columns(results)
    for r in results:
        yield [
            r["problem"],
            str(r["threads"]),
            r["unit"],
            *(cell(r, g) for g in groups),
            verdict(r),
            number(ratio(r, "hand nt")),
            lead(r),
        ]


def header(results):
    ratios = ["ours ÷ hand", "÷ hand nt", "÷ best peer"]
    return ["kernel", "threads", "unit", *columns(results), *ratios]


def text_table(results):
    table = [header(results), *rows(results)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "\n".join(
        "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in table
    )


def remarks(result):
    """What is absent and why, which variant stands for the hand-written code, and the figures of
    groups that have no column."""
    for group, reason in result["absent"].items():
        yield f"{group}: {reason}"
    for group in dict.fromkeys(f["group"] for f in result["figures"]):
        found = best_of(result, group)
        if group not in GROUPS:
            yield (
                f"{group} = {found['name']}: {number(found['median'])} {result['unit']}, "
                f"ours ÷ it {number(ratio(result, group))}"
            )
        elif group.startswith(HAND):
            yield f"{group} = {found['name']}"


def notes(results):
    lines = {}
    for r in results:
        for text in remarks(r):
            lines.setdefault(text, []).append(f"{r['problem']}/{r['threads']}")
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
        "date": datetime.date.today().isoformat(),
        "cpu": model,
        "cpus": len(os.sched_getaffinity(0)),
        "system": platform.platform(),
        "compilers": [c for c in compilers if c],
        "packages": packages,
    }


def markdown(results, about):
    head = header(results)
    lines = [
        f"{about['date']}; {about['cpu']}, {about['cpus']} CPUs; {'; '.join(about['compilers'])}; "
        + ", ".join(f"{k} {v}" for k, v in about["packages"].items())
        + ".",
        "",
        "Median (best) over the rounds.",
        "",
        "| " + " | ".join(head) + " |",
        "|---|" + "--:|" * (len(head) - 1),
        *("| " + " | ".join(row) + " |" for row in rows(results)),
        "",
        "Sizes: " + "; ".join(dict.fromkeys(f"{r['problem']} {r['size']}" for r in results)) + ".",
        "",
        *(f"* {note}" for note in notes(results)),
    ]
    return "\n".join(lines)


def write_data(results, about):
    """Keeps the summaries, an entry a line."""
    lines = ",\n".join(json.dumps(r, ensure_ascii=False) for r in results)
    head = json.dumps(about, ensure_ascii=False)
    DATA.write_text(f'{{"machine": {head},\n"results": [\n{lines}\n]}}\n', encoding="utf-8")


def read_data():
    """(summaries, machine) as they were kept."""
    kept = json.loads(DATA.read_text(encoding="utf-8"))
    return kept["results"], kept["machine"]


def placed(page, text, begin, end):
    """The page with the text between the marks."""
    before, rest = page.split(begin)
    after = rest.split(end)[1]
    return f"{before}{begin}\n{text}\n{end}{after}"


def write_readme(path, text, begin=BEGIN, end=END):
    """Puts the text between the marks."""
    path.write_text(placed(path.read_text(), text, begin, end))


def main(arguments):
    readme = DATA.parents[1] / "README.md"
    page, table = readme.read_text(), markdown(*read_data())
    wanted = placed(page, table, BEGIN, END)
    if arguments != ["--check"]:
        readme.write_text(wanted)
    elif page != wanted:
        print("bench/README.md is not current: run bench/report.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
