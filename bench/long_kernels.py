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
