#!/usr/bin/env python3
"""Where a kernel spends its time, by its machine code: each innermost loop, what it consists of,
and the cycles that llvm-mca gives an iteration. No CPU that could run the code is needed.

    bench/loop_cost.py --kernel bitonic                     our kernel, AVX-512
    bench/loop_cost.py --kernel bitonic --target avx2 --cpu znver3
    bench/loop_cost.py --kernel bitonic --show 3            the instructions of the third one
    clang++-22 -std=c++20 -O3 -march=sapphirerapids -S -o sort.s bench/baselines/sort.cpp
    bench/loop_cost.py --asm sort.s                         hand-written code

llvm-mca takes every load for one that hits the nearest cache, and every branch for predicted.
"""

import argparse
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import python_path  # noqa: E402

LABEL = re.compile(r"^(\.?L[\w.$]+):")
INSTRUCTION = re.compile(r"^[a-z][\w.]*(\s|$)")
JUMP = re.compile(r"^j\w+\s+(\.?L[\w.$]+)")
# The first that fits, of the name; what reads or writes memory is counted there as well.
KINDS = {
    "fma": re.compile(r"vfn?m"),
    "masks": re.compile(r"k(mov|and|or|xor|not|shift|unpck|test)|vp?cmp|vptest|vp?movmsk"),
    "shuffles": re.compile(r"vp?(perm|shuf|unpck|align|blend|insert|extract|mov[sd][lhd]?dup)"),
    "broadcasts": re.compile(r"vp?broadcast"),
    "arithmetic": re.compile(
        r"v(add|sub|mul|div|min|max|sqrt|xor|and|or)p|vp(add|sub|mull|min|max)"
    ),
    "moves": re.compile(r"vmov|vpmov"),
    "scalar": re.compile(r"[^vk]"),
}
COLUMNS = ("instructions", "loads", "stores", *KINDS, "other")
LEAST = 6  # instructions of a loop that is worth a line


def instructions(text):
    """(name with operands, in order) and the number of the instruction after each label."""
    found, labels = [], {}
    for line in text.splitlines():
        stripped = line.split("#")[0].strip()
        if label := LABEL.match(stripped):
            labels[label[1]] = len(found)
        elif INSTRUCTION.match(stripped):
            found.append(stripped)
    return found, labels


def innermost_loops(text):
    """The instructions of each loop that holds no other, from its head to the jump back."""
    code, labels = instructions(text)
    loops = set()
    for at, instruction in enumerate(code):
        jump = JUMP.match(instruction)
        if jump and labels.get(jump[1], at + 1) <= at:
            loops.add((labels[jump[1]], at))
    alone = [
        (first, last)
        for first, last in loops
        if not any(first <= f and x <= last and (f, x) != (first, last) for f, x in loops)
    ]
    return [code[first : last + 1] for first, last in sorted(alone) if last - first + 1 >= LEAST]


def writes_memory(instruction):
    """Whether the last operand, the destination in this syntax, is memory."""
    return re.search(r"\)(\s*\{%k\d\})?$", instruction) is not None


def counts(loop):
    found = Counter(instructions=len(loop))
    for instruction in loop:
        name = instruction.split()[0]
        kind = next((k for k, pattern in KINDS.items() if pattern.match(name)), "other")
        found[kind] += 1
        if kind != "scalar" and "(" in instruction:
            found["stores" if writes_memory(instruction) else "loads"] += 1
    return found


def cycles(loop, cpu, tool):
    """The cost of an iteration, in the long run."""
    rounds = 100
    straight = "\n".join(i for i in loop if not i.startswith(("j", "call")))
    done = subprocess.run(
        [tool, f"-mcpu={cpu}", f"-iterations={rounds}"],
        input=straight,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(re.search(r"Total Cycles:\s+(\d+)", done.stdout)[1]) / rounds


def table(text, cpu, tool):
    rows = [[*COLUMNS, "cycles"]]
    for loop in innermost_loops(text):
        found = counts(loop)
        rows.append([*(str(found[c]) for c in COLUMNS), f"{cycles(loop, cpu, tool):.1f}"])
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.rjust(w) for cell, w in zip(row, widths, strict=True)) for row in rows
    )


def our_code(name, target):
    from peers import ours
    from problems import PROBLEMS

    problem = PROBLEMS[name](False)
    kernel, args = ours.call_of(problem)
    return kernel.inspect(*args, what="asm", target=target, grid=problem.grid, block=problem.block)


def parse(argv):
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    what = p.add_mutually_exclusive_group(required=True)
    what.add_argument("--kernel", help="a row of the benchmark, by its whole name")
    what.add_argument("--asm", type=Path, help="assembly in AT&T syntax")
    p.add_argument("--target", default="avx512", help="mask form of our kernel (default: avx512)")
    p.add_argument("--cpu", default="sapphirerapids", help="as llvm-mca names it")
    p.add_argument("--show", type=int, metavar="N", help="the instructions of the Nth loop instead")
    python_path.add_option(p)
    return p.parse_args(argv)


def shown(text, number):
    """The instructions of a loop, the first one being number 1; raises ValueError beyond them."""
    loops = innermost_loops(text)
    if not 1 <= number <= len(loops):
        raise ValueError(f"there is no loop {number}, but {len(loops)}")
    return "\n".join(loops[number - 1])


def main(argv):
    options = parse(argv)
    sys.path[:0] = options.python_path
    tool = shutil.which("llvm-mca-22") or shutil.which("llvm-mca")
    if options.show is None and not tool:
        print("loop_cost: needs llvm-mca (Debian: llvm-22)", file=sys.stderr)
        return 2
    text = options.asm.read_text() if options.asm else our_code(options.kernel, options.target)
    try:
        print(table(text, options.cpu, tool) if options.show is None else shown(text, options.show))
    except ValueError as e:
        print(f"loop_cost: {e}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
