"""The generator reaches what the compiler does about memory and guards: not only the language.

Counted in the facts of programs, which are compiled no further than that.
"""

import re

import pytest

from .atomic_statements import MEANING
from .counters import ORDERS, OWN_TYPES, SHARED_TYPES
from .harness import cache_of, compiled, make_case

PLAIN, BARRIERS = range(200), range(40)
FACTS = {
    "rows of a gang": r"rows of \d+",
    "consecutive elements": r"consecutive elements",
    "windows": r"vectors and shuffles",
    "gathered": r"gathered",
    "two versions": r"if no index is negative or clamped",
    "one address": r"one address",
    "lane by lane": r"lane by lane(?! in)",
    "scalarized loops": r"lane by lane in a scalarized loop",
    "guards": r", a guard$",
    "streaming stores": r"streaming stores of whole lines",
    "array beyond the cache": r"^array .* beyond the cache",
    "arrays that may overlap": r"^array \w+: (?!.*no alias)",
}
ONLY_WITH_BARRIERS = {"next iteration": r"next iteration prefetched"}
ONLY_PLAIN = {
    "runs of blocks": r"^runs of \d+ adjacent blocks",
    "next page": r"prefetched one page ahead",
    "next gang": r"next gang prefetched",
}
SOURCE = {
    "transposed": r"^ *[om]_\w+\[x, y\]|[om]_\w+\[\w*x, \w*y\]",
    "rows": r"\[y, x\]|\[ty, tx\]",
    "neighbours": r"\[\(?y [+-] \d+\)?, x\]|\[y, \(x [+-] \d+\)\]",
    "flat index": r"\(y \* (w|\d+)\) \+ x\)",
    "strides": r"\[\(\(\w+ \* \d+\) \+ \d+\)\]|\[\(\w+ \* \d+\)\]",
    "part of a position": r"\w // \d+\)|\w % \d+\)|\w >> \d+\)|\w & \d+\)",
    "exchanged bits": r"\w \^ \d+\)",
    "butterfly": r"\(2 \* \w+\) - \(\w+ & \d+\)",
    "border": r"min\(max\(",
    "from the end": r"\[\(-1 - |\[\(int\(\w+\) - \d+\)\]",
    "neighbours in a loop": r" = D\.\w+\(\(v\d+ \+ \w+\[",
    "loops that end in a jump": (
        r"^( +)(?:for|while) .*:\n(?:\1    .*\n)*?\1    (?:return|break|continue)$"
    ),
    "threads beyond return": r"^    if \(+[ixy] >= [nwh]\)",
    "threads inside of an axis each": r"^    if \(\(x < w\) and \(y < h\)\):",
    "an output as an input": r"^def kernel\(.*\bb_",
    "an input by two names": r"^def kernel\(.*\bc_",
    "an element stored on both sides": r"^( *)if .*\n +(\w+\[.*\]) = .*\n\1else:\n +\2 = ",
    "rows of arguments": r"^    \w+ = p_\w+\[\d\]$",
    "slices of arguments": r"^    \w+ = p_\w+\[[\w +-]*:[\w +-]*\]",
    "bounds at run time": r"^    \w+ = p_\w+\[.*\b[nwh] [+-] \d+",
    "steps": r"^    \w+ = p_\w+.*::?\d+[],]",
    "negative steps": r"^    \w+ = p_\w+.*:-\d+[],]",
    "transposed arguments": r"^    \w+ = p_\w+.*\.T",
    "other types": r"^    \w+ = p_\w+\.view\(",
    "axes joined": r"^    \w+ = p_\w+.*\.reshape\(-1.*\)\[",
    "other shapes": r"^    \w+ = p_\w+.*\.reshape\(",
    "views of views": r"^    \w+ = p_\w+\[.*\]\[",
    "fields as arrays": r"\[\"\w+\"\]\[\(?i",
    "components in memory at run time": r"^ *q_\w+\[i\](\.\w|\[\"\w\"\])*\[\(",
    "atomic operations": r"D\.atomic_ref\(ac_\w+, 0\)\.\w+\(",
    "atomic operations at several places": r"D\.atomic_ref\(ac_\w+, D\.int32\(.*\)\.\w+\(",
    "code for a target": r"if D\.target\(",
    "builtins of 64 bits": r"^@D\.kernel\(.*builtins=64\)",
    "16-bit floats": r"D\.(float16|bfloat16)\(|[aom]_(f2|bf)\[",
    "structs": r"\bS\d+_\d\(",
    "structs in structs": r"\bS\d+_\d\d+\(",
    "tuples in structs": r"\bS\d+_\d\(.*[(,] ?\(",
    "rows of sub-arrays": r"[yz]_Sub\[.*?\](\.|\[\")[vmk](\"\])?\[[^:,\]]*\]\[",
    "slices of sub-arrays": r"[yz]_Sub\[.*?\](\.|\[\")[vmk](\"\])?\[[^\]]*:",
    "whole sub-arrays": r"y_Sub\[i\](\.|\[\")[vmk](\"\])?\[\.\.\.\]",
    "arrays in a struct": r"= g\.(inner|pair|last)",
    "complex numbers": r"D\.complex(64|128)\(",
    "8-bit floats": r"[yz]_e[45]\[|D\.float8e",
    "members chosen at run time": r"(Colour|Level|Access|Bits)\.\w+ if ",
    "members by value": r"(Colour|Level|Access|Bits)\(\(.*,\)\[",
    "members of flags put together": r"\(Access\.\w+ [|^] |~\(*(Access|Bits)",
    "functions inside": r"^ +def f_\w+\(",
    "functions inside that take variables": r"^ +def f_\w+\(\w",
    "lambdas": r" = lambda",
    "match": r"^ +match bool\(",
    "strided loop": r"range\(i, \d+, n\)",
    "bounds of differing types": r"range\(D\.u\w+\(.*\), D\.int\w+\(",
    "a negative bound": r"range\(.*int\w*\(.* \+ -3\)",
    "strided loop by a known step": r"range\(i, \d+, \d+\)",
}
# Of programs with several atomic operations.
ATOMICS = {
    **{
        method: rf"(D\.atomic_ref\(.*\)|ac_Cell.*\.\w+)\.{method}\("
        for method in ("load", "store", *MEANING, "cas")
    },
    **{f"in order {order}": rf'\.\w+\(.*"{order}"' for order in ORDERS},
    **{f"for the {scope}": rf'"{scope}"\)' for scope in ("system", "device", "block", "thread")},
    "default order": r"D\.atomic_ref\(a[ct]_.*\]?\)\.(add|max|sub|xor)\([^\"]*\)$",
    **{t: rf"D\.atomic_ref\(a[co]_{t}, " for t in (*SHARED_TYPES, *OWN_TYPES)},
    **{
        f"loops until a {loop}": pattern
        for loop, pattern in (
            ("break", r"while True:\n.* = D\.atomic_ref\(a[ch]_.*cas\("),
            ("condition", r"while \(seen_"),
            ("flag", r"while left_"),
        )
    },
    **{
        f"{what} in loops": pattern
        for what, pattern in (
            ("sums", r"\.cas\((old_\w+), \(\1 \+ with"),
            ("products", r"\.cas\((old_\w+), \(\1 \* with"),
            ("maxima", r"\.cas\((old_\w+), max\(\1, with"),
            ("bits", r"\.cas\((old_\w+), \(\1 [&|^] with"),
            ("counts", r"\.cas\((old_\w+), .*\(\1 \+ 1\) if "),
        )
    },
    "results": r"\.add\(\(\(after_\w+ - before",
    "results of floats": r"\.add\(\(D\.float64\(\(after",
    "tickets": r"ticket = D\.atomic_ref\(at_i4, 0\)\.add",
    "tickets by cas": r"while True:\n *found = D\.atomic_ref\(at_i4, 0\)\.cas\(",
    "as many tickets as there are": r"while ticket < \d+:\n *found = ",
    "halves": r"if whole\.x != ~whole\.y:",
    "members that are atomics": r"^ +(.* = )?ac_Cell\[.*\]\.\w+\.\w+\(",
    "references to structs": r"D\.atomic_ref\(ac_Cell, .*\)\.\w+\.\w+\(",
    "atomics of one thread": r"^ +mine\d+_\w+ = D\.Atomic\(.*\n.*mine\d+_\w+\.",
    "elements of local arrays": r"D\.atomic_ref\(lo_\w+, -?\d\)\.",
    "fields": r'D\.atomic_ref\(ac_Flat\["\w+"\], ',
    "two axes": r"D\.atomic_ref\(ac_\w+, \(.*, .*\)\)\.",
    "one place": r"D\.atomic_ref\(ac_\w+, -?\d\)\.",
    "one place for all": r"D\.atomic_ref\(ac_\w+, D\.int32\(\((n|bk) % \d+\)\)",
    "places of data": r"D\.atomic_ref\(ac_\w+, D\.int32\(\(D\.int32\(a_\w+\[i\]\)",
    "one place for most": r"D\.atomic_ref\(ac_\w+, \(\d+ if \(\(\w+ % 10\) != 3\)",
    "NaN": r"D\.float(32|64)\(math\.nan\)",
    "shared memory": r"D\.atomic_ref\(ash_\w+, ",
    "what a block has counted": r"^ +ax_\w+\[.* = ash_",
}
WITH_BARRIERS = {
    "order of two": r"^( *)if \(w\d+ [<>] w\d+\):\n +\w+\[(.*)\] = \w+\n +\w+\[(?!\2\])",
    "tile": r"^    tl_\w+ = D\.shared_array\(\(\d+, \d+\)",
    "tile across": r"= tl_\w+\[tx, ty\]|^ +tl_\w+\[tx, ty\] = ",
    "shared rows": r"tl_\w+\[ty, tx\]",
    "parts set to values": r"^ *lo_\w+\[\d+:\d*:-?\d\] = D\.",
    "parts set to parts": r"^ *(lo_\w+)\[\d+:\d*:-?\d\] = (?!\1)lo_",
    "parts moved": r"^ *(lo_\w+)\[\d+:\d*:-?\d\] = \1\[",
    "parts changed": r"^ *lo_\w+\[\d+:\d*:-?\d\] [+*-]= ",
    "first threads": r"^ *if \(?t < (2|4|8)\)?:",
    "shared strides": r"(sh|tl)_\w+\[\(+\w+ \* \d+\)|(sh|tl)_\w+\[\(+\d \* \w+\)",
}


def facts(case):
    kernel = compiled(case, True)
    launch = dict(grid=case.at.grid, block=case.at.block, target="avx2")
    with cache_of(case):
        text = kernel.inspect(*case.arguments(), what="facts", **launch)
    lanes, _, rest = text.partition("\n")
    runs = re.search(r"runs of \d+ adjacent blocks", lanes)
    return (runs[0] if runs else "") + rest  # the line of the lanes tells of rows as well


def lacking(programs, patterns, least):
    """What too few of the programs have (by their facts or sources), and how many do."""
    counts = {}
    for name, pattern in patterns.items():
        counts[name] = sum(re.search(pattern, text, re.MULTILINE) is not None for text in programs)
    return {name: count for name, count in counts.items() if count < least}


def test_programs_reach_what_is_done_about_memory():
    assert lacking([facts(make_case(seed)) for seed in PLAIN], FACTS | ONLY_PLAIN, 4) == {}


def test_programs_with_barriers_reach_what_is_done_about_memory():
    found = [facts(make_case(seed, blocks=True)) for seed in BARRIERS]
    assert lacking(found, FACTS | ONLY_WITH_BARRIERS, 2) == {}


@pytest.mark.parametrize("blocks", [False, True])
def test_programs_have_indices_of_all_forms(blocks):
    sources = [make_case(seed, blocks).program.source(True) for seed in range(350)]
    assert lacking(sources, WITH_BARRIERS if blocks else SOURCE, 8) == {}


def test_programs_have_atomic_operations_of_all_forms():
    cases = [make_case(seed, seed % 3 == 2, atomics=True) for seed in range(500)]
    sources = [case.program.source(True) for case in cases]
    assert lacking(sources, ATOMICS, 5) == {}
    several = [len(re.findall(r"atomic_ref\(|ac_Cell\[|D\.Atomic\(", source)) for source in sources]
    assert min(several) >= 4


@pytest.mark.parametrize("blocks", [False, True])
def test_launches_have_blocks_and_guards_of_all_kinds(blocks):
    cases = [make_case(seed, blocks) for seed in range(100)]
    axes = [1 if isinstance(c.at.block, int) else len(c.at.block) for c in cases]
    assert all(axes.count(n) >= 5 for n in (1, 2, 3)), axes
    guards = {guard: sum(c.at.guard == guard for c in cases) for guard in ("return", "")}
    guards |= {} if blocks else {"inside": sum(c.at.guard == "inside" for c in cases)}
    assert all(count >= 10 for count in guards.values()), guards
    grids = [c.at.grid for c in cases]
    assert sum(isinstance(grid, tuple) for grid in grids) >= 10
    beyond = sum(c.beyond_cache for c in cases)
    assert 30 <= beyond <= 70
