#!/usr/bin/env python3
"""The benchmark's kernels as PTX beside the same in CUDA C++ by nvcc, without a GPU.

Each row is a problem: its kernel for the arguments and the block that the benchmark launches it
with, and its twin in cuda/, both assembled by the same ptxas. Ends with 1 where ours spills and
nvcc's does not, with 2 where nvcc or ptxas is missing or refuses a kernel.
"""

import argparse
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import nvcc  # noqa: E402
import ptx_count  # noqa: E402
import python_path  # noqa: E402

BEGIN, END = "<!-- ptx:begin -->", "<!-- ptx:end -->"


class NotFound(Exception):
    """A tool that the table needs; the text says which and where it was looked for."""


@dataclass(frozen=True)
class Tools:
    nvcc: str
    ptxas: str


@dataclass(frozen=True)
class Code:
    """One contestant's kernel: its text and what ptxas says of it."""

    ptx: str
    assembled: ptx_count.Assembled
    counts: dict[str, int]


@dataclass(frozen=True)
class Row:
    name: str
    ours: Code
    nvcc: Code

    @property
    def spills(self):
        """Whether ours spills where nvcc's does not."""
        return spilled(self.ours) > 0 and spilled(self.nvcc) == 0


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--kernel", action="append", help="name or its beginning; may be repeated")
    p.add_argument("--sm", type=int, default=90, help="architecture (default: 90)")
    p.add_argument("--markdown", action="store_true", help="put the table into bench/README.md")
    p.add_argument("--keep", type=Path, metavar="DIR", help="keep the PTX there")
    python_path.add_option(p)
    return p.parse_args(argv)


def find_tools():
    """Raises NotFound. ptxas is the one that a launch on a GPU uses."""
    from cuda.device import _testing

    found, ptxas = nvcc.find_nvcc(), _testing.facts()["ptxas"]
    if not found:
        raise NotFound("nvcc: not in PATH, CUDA_HOME, CUDA_PATH or /usr/local/cuda")
    if ptxas == "not found":
        raise NotFound("ptxas: not in a CUDA toolkit or an NVIDIA wheel (README.md says how)")
    return Tools(found, ptxas)


def our_ptx(problem, sm):
    """The kernel as PTX, specialised for the launch that the benchmark makes."""
    from peers import ours

    kernel, args = ours.call_of(problem)
    launch = {"grid": problem.grid, "block": problem.block}
    return kernel.inspect(*args, what="ptx", target=f"sm_{sm}", **launch)


def nvcc_ptx(problem, sm, tool):
    """The twin as PTX, for the same block."""
    return nvcc.compiled(problem, sm, tool, "ptx").decode()


def code(ptx, sm, tools):
    return Code(ptx, ptx_count.assemble(tools.ptxas, ptx, f"sm_{sm}"), ptx_count.counts(ptx))


def compare(problem, sm, tools):
    """Both kernels of a problem. CalledProcessError where a tool refuses one."""
    ours = code(our_ptx(problem, sm), sm, tools)
    return Row(problem.name, ours, code(nvcc_ptx(problem, sm, tools.nvcc), sm, tools))


def spilled(one):
    return one.assembled.spill_stores + one.assembled.spill_loads


def pair(ours, theirs):
    """ours / nvcc's; once where they are equal."""
    return str(ours) if ours == theirs else f"{ours} / {theirs}"


HEADER = ["kernel", "registers", "spilled bytes", "shared bytes", "machine", *ptx_count.COLUMNS]


def spill_text(one):
    """Bytes stored and loaded."""
    made = one.assembled
    return f"{made.spill_stores}+{made.spill_loads}" if spilled(one) else "0"


def cells(row):
    ours, theirs = row.ours.assembled, row.nvcc.assembled
    return [
        row.name,
        pair(ours.registers, theirs.registers),
        pair(spill_text(row.ours), spill_text(row.nvcc)),
        pair(ours.shared, theirs.shared),
        pair(ours.machine, theirs.machine),
        *(pair(row.ours.counts[name], row.nvcc.counts[name]) for name in ptx_count.COLUMNS),
    ]


def text_table(rows):
    table = [HEADER, *map(cells, rows)]
    widths = [max(len(line[k]) for line in table) for k in range(len(HEADER))]
    return "\n".join(
        "  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)).rstrip() for line in table
    )


def version(tool):
    """`release 13.0, V13.0.88` of what a tool of CUDA says of itself."""
    done = subprocess.run([tool, "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"release .*", done.stdout)
    return found.group() if found else "of an unknown version"


def markdown(rows, sm, tools):
    return "\n".join(
        [
            f"sm_{sm}; nvcc {version(tools.nvcc)}; ptxas {version(tools.ptxas)}.",
            "",
            "| " + " | ".join(HEADER) + " |",
            "|---|" + "--:|" * (len(HEADER) - 1),
            *("| " + " | ".join(cells(row)) + " |" for row in rows),
        ]
    )


def keep(folder, row):
    folder.mkdir(parents=True, exist_ok=True)
    for who, one in (("ours", row.ours), ("nvcc", row.nvcc)):
        (folder / f"{row.name.replace(' ', '_')}.{who}.ptx").write_text(one.ptx)


def chosen(names, wanted):
    found = [n for n in names if any(n.startswith(w) for w in wanted or [""])]
    if not found:
        sys.exit(f"ptx_table: no such kernel; there are: {', '.join(names)}")
    return found


def compared(names, options, tools):
    """The rows; their PTX is kept where --keep names a folder."""
    from problems import PROBLEMS

    rows = []
    for name in names:
        # The sizes of a quick run: the code depends on them only beyond 2 GiB.
        rows.append(compare(PROBLEMS[name](True), options.sm, tools))
        if options.keep:
            keep(options.keep, rows[-1])
    return rows


def publish(rows, options, tools):
    print(text_table(rows))
    if options.markdown:
        import report

        text = markdown(rows, options.sm, tools)
        report.write_readme(HERE / "README.md", text, BEGIN, END)


def main(argv):
    options = parse(argv)
    sys.path[:0] = options.python_path
    from problems import PROBLEMS

    try:
        tools = find_tools()
        rows = compared(chosen(PROBLEMS, options.kernel), options, tools)
    except NotFound as missing:
        print(f"ptx_table: no table without {missing}", file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as refused:
        print(f"ptx_table: {refused}\n{refused.stdout}{refused.stderr}", file=sys.stderr)
        return 2
    publish(rows, options, tools)
    worse = [row.name for row in rows if row.spills]
    for name in worse:
        print(f"ptx_table: {name} spills, nvcc's does not", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
