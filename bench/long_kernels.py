"""Kernels of so many lines, in the kinds that long kernels come in, as Python source."""

HEAD = """\
from cuda import device as D


@D.kernel
def {name}(a, b, n):
    s = D.shared_array(256, D.float32)
    t = D.thread_idx.x
    i = D.tid(1)
    x = a[i]
    y = b[i]
"""
FOOT = "    b[i] = x + y\n"


def _indented(text, depth=1):
    return "".join("    " * depth + line + "\n" for line in text.splitlines())


def straight(k):
    return (
        f"v{k % 40} = x * {k % 7}.5 + a[i + {k}]",
        f"x = x * v{k * 17 % min(k + 1, 40)} - y",
        f"y = a[i + {k + 1}] + y * 0.25",
        f"b[i + {k}] = x * y",
    )


def chain(k):
    return (f"{'el' if k else ''}if i == {k}:", f"    x = x * {k}.5 + a[i + {k}]")


def nested(k):
    """Branches beside one another that share their variables."""
    return (
        f"if a[i + {k}] > {k}:",
        f"    x = x + {k}",
        "    if y < x:",
        f"        y = y + {k}",
        "else:",
        "    y = y - 1",
    )


def loops(k):
    return (
        f"for j in range({k % 5}, n):",
        "    x = x * 0.5 + a[j]",
        f"while y > {k}:",
        "    y = y * 0.5",
    )


def barriers(k):
    return ("s[t] = x", "D.syncthreads()", f"x = s[255 - t] + y * {k}", "D.syncthreads()")


def tiles(k):
    """Fills a tile from memory and reads it, as kernels with shared memory do."""
    return (
        f"s[t] = a[i + {k}]",
        "D.syncthreads()",
        f"x = x * 0.5 + s[255 - t] * {k}",
        "D.syncthreads()",
    )


def mixture(k):
    return (
        f"u{k} = a[i + {k}] * {k}.5 + x",
        f"w{k} = i * {k + 3} - t",
        f"if u{k} > y and w{k} > {k}:",
        f"    y = y + u{k} / {k + 1}",
        f"elif u{k} < 0:",
        f"    x = x - w{k}",
        "    for j in range(n):",
        "        x = x + a[j] * y",
        "        if x > 1000:",
        "            break",
        "else:",
        f"    b[w{k} % n] = x",
        "s[t] = x",
        "D.syncthreads()",
        f"x = s[(t + {k}) % 256] * u{k} + w{k // 2}",
        "D.syncthreads()",
    )


KINDS = {f.__name__: f for f in (straight, chain, nested, loops, barriers, tiles, mixture)}


def source(kind, lines):
    """Python source of a kernel named `kind` with so many lines in its body, or a few more."""
    parts = []
    count = 0
    while count < lines:
        part = KINDS[kind](len(parts))
        parts.append("\n".join(part))
        count += len(part)
    return HEAD.format(name=kind) + _indented("\n".join(parts)) + FOOT


# ------------------------------------------------------------------------------------------------
# Kernels whose time has a bound: what grew as the cube of their size, or exponentially.


LIMITED_HEAD = """\
from cuda import device as D

PAIRS = tuple((i, j) for i in range(49) for j in range(i + 1, 49))


@D.kernel
def {name}(a, b, n):
    i = D.tid(1)
    x = a[i]
"""


def _by_lanes(*lines):
    return LIMITED_HEAD + _indented("\n".join(lines)) + "    b[i] = x\n"


def tuples(step):
    """Two loops over tuples of 200 and 10 elements: 2,000 copies of a step."""
    loops = f"for p in {tuple(range(200))}:\n    for q in {tuple(range(10))}:\n"
    return _by_lanes(loops + _indented(step, 2))


def network(step):
    """A network that sorts 49 elements by all 1,176 pairs: a median filter of 7 x 7."""
    fill = "own = D.local_array(49, D.float32)\nfor k in range(49):\n    own[k] = a[i + k]\n"
    return _by_lanes(fill + f"for p, q in PAIRS:\n{_indented(step)}x = own[24]")


def nest(depth):
    """Loops in one another, each left by a break of its own."""
    lines = []
    for level in range(depth):
        lines += [
            "    " * level + f"for j{level} in range(n):",
            "    " * level + f"    if x > {level}:",
            "    " * level + "        break",
        ]
    return _by_lanes(*lines, "    " * depth + "x = x * 0.5 + a[i]")


def phases(count):
    """So many barriers, each on one side of an `if` whose threads may diverge (decision 0062)."""
    step = "if x > {k}:\n    x = x * 0.5 + {k}\n    D.syncthreads()"
    return _by_lanes(*(step.format(k=k) for k in range(count)))


STRUCTS_HEAD = """\
from cuda import device as D


@D.struct
class Body:
    x: D.float32
    y: D.float32
    z: D.float32
    mass: D.float32

    def moved(self, by):
        return D.replace(self, x=self.x + by * self.mass)


@D.kernel
def {name}(a, b, n):
    i = D.tid(1)
    bodies = a.view(Body)
    x = D.float32(0)
"""


def structs(count):
    """So many structs, half of memory and half made here, and four reads of fields of each."""
    lines = []
    for k in range(count):
        made = f"Body(x, {k}, s{k - 1}.z, {k}.5)" if k % 2 else f"bodies[i + {k}]"
        made += f".moved({k})" if k % 5 == 0 else ""
        lines += [f"s{k} = {made}", f"x += s{k}.x * s{k}.y - s{k}.z / s{k}.mass"]
    return STRUCTS_HEAD + _indented("\n".join(lines)) + "    b[i] = x\n"


FUNCTION = """\
def f{k}(x, y):
    z = x * {k}.5 + y
    if z > {k}:
        z -= y * 0.5
    return {result}


"""

FUNCTIONS_FOOT = """\
@D.kernel
def {{name}}(a, b, n):
    i = D.tid(1)
    x, y = a[i], b[i]
{calls}    b[i] = x
"""


def functions(count, deep=20):
    """So many functions, in chains of calls that are `deep` long; the kernel calls each chain."""
    parts = ["from cuda import device as D\n\n\n"]
    calls = []
    for k in range(count):
        result = f"f{k - 1}(z, x) + z" if k % deep else "z"
        parts.append(FUNCTION.format(k=k, result=result))
        if k % deep == deep - 1:
            calls.append(f"    x = f{k}(x, y)\n")
    return "".join(parts) + FUNCTIONS_FOOT.format(calls="".join(calls))


CHOOSE = "own[p], own[q] = min(own[p], own[q]), max(own[p], own[q])"
SWAP = "if own[p] > own[q]:\n    own[p], own[q] = own[q], own[p]"
TUPLES, NETWORK = {"avx512": 0.5, "avx2": 0.5}, {"avx512": 1, "avx2": 1, "sse4": 4}
# Known misses, in seconds by kernel and target: what they took on AMD's Zen 4 (results/figures.csv,
# 2026-11-24), rounded up. LLVM takes nearly all of it.
KNOWN_MISSES = {
    ("tuples_sum", "avx2"): 0.7,
    ("tuples_branch", "avx2"): 1.2,
    ("tuples_by_lanes", "avx512"): 2.5,
    ("tuples_by_lanes", "avx2"): 1.7,
}
# Name: source with a {name} to fill in, seconds by target.
LIMITED = {
    "tuples_sum": (tuples("x = x * 0.5 + (p + q)"), TUPLES),
    "tuples_load": (tuples("x += a[p + q]"), TUPLES),
    "tuples_branch": (tuples("if x > p + q:\n    x -= q\nelse:\n    x += 1"), TUPLES),
    "tuples_by_lanes": (tuples("x += a[i + p * 10 + q]"), TUPLES),
    "network_choose": (network(CHOOSE), NETWORK),
    "network_swap": (network(SWAP), NETWORK),
    "nest_16": (nest(16), TUPLES),
    "phases_32": (phases(32), {"avx512": 1, "avx2": 1}),
    "functions_200": (functions(200), {"avx512": 5, "avx2": 5, "sm_90": 5}),
    "structs_50": (structs(50), {"avx512": 1, "avx2": 1, "sm_90": 1}),
}
