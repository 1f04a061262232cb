"""Formats of numbers and strings, by the thousand, as Python's format() writes them."""

import contextlib
import io
import linecache
import random

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.launching import run

ALIGNMENTS = ["", "<", ">", "^", "=", "*<", "0>", "x^", "_=", "é^", "}>", "{<", "|^", "\\>", ":="]
TYPES = ["", "", "b", "c", "d", "e", "E", "f", "F", "g", "G", "n", "o", "s", "x", "X", "%"]


def some_spec(rng):
    return "".join((
        rng.choice(ALIGNMENTS),
        rng.choice(["", "", "+", "-", " "]),
        rng.choice(["", "", "", "z"]),
        rng.choice(["", "", "#"]),
        rng.choice(["", "", "0"]),
        rng.choice(["", "", str(rng.randrange(1, 30))]),
        rng.choice(["", "", ",", "_"]),
        rng.choice(["", "", f".{rng.randrange(0, 20)}"]),
        rng.choice(TYPES),
    ))  # fmt: skip


def some_float(rng):
    exponent = rng.choice([0, 0, 3, -3, 15, 16, 17, -4, -5, 100, -300, 307])
    special = [0.0, -0.0, 0.5, 9.995, 99999.5, float("inf"), float("-inf"), float("nan")]
    number = rng.choice([rng.uniform(-10, 10), float(rng.randrange(-1000, 1000)), *special])
    return number * 10.0**exponent


def some_values(rng):
    small = rng.random() < 0.5
    return {
        "i": rng.randrange(-500, 70000) if small else rng.randrange(-(2**63), 2**63),
        "u": rng.randrange(0, 2**64),
        "x": some_float(rng),
        "z": complex(rng.choice([some_float(rng), 0.0, -0.0]), some_float(rng)),
        "b": rng.random() < 0.5,
        "s": rng.choice(["", "text", "ä→😀", "a 'quote' {}|\\"]),
    }


def python_s(value, spec):
    try:
        return format(value, spec)
    except (ValueError, OverflowError):
        return None


def some_fields(rng, values, count, wrong=False):
    """Specs with the names of values which Python writes by them, or does not."""
    fields = []
    while len(fields) < count:
        name, spec = rng.choice(list(values)), some_spec(rng)
        of_surrogate = spec.endswith("c") and name in "iu" and 0xD800 <= values[name] < 0xE000
        text = python_s(values[name], spec)
        if (text is None) == wrong and not of_surrogate and "\0" not in (text or ""):
            fields.append((name, spec))
    return fields


def kernel_of(statements, values):
    """A kernel of these statements, with the string as a constant, `t` one chosen at run time."""
    text = f"def kernel(i, u, x, z, b, c):\n    s = {values['s']!r}\n"
    text += f"    t = {values['s']!r} if c else 'other'\n"
    text += "".join(f"    {line}\n" for line in statements)
    linecache.cache["<formats>"] = (len(text), None, text.splitlines(True), "<formats>")
    names = {"D": D}
    exec(compile(text, "<formats>", "exec"), names)
    return D.kernel(builtins=64)(names["kernel"])


def outputs(kernel, values):
    texts = []
    arguments = values["i"], np.uint64(values["u"]), values["x"], values["z"], values["b"], True
    for call in (lambda: run(kernel, *arguments), lambda: kernel.underlying(*arguments)):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            call()
        texts.append(out.getvalue())
    return texts


@pytest.mark.parametrize("seed", range(12))
def test_formats(seed, target):
    if target in ("cuda", "ptx"):
        pytest.skip("for other targets: CUDA's printf has some of these formats only")
    rng = random.Random(seed)
    values = some_values(rng)
    fields = some_fields(rng, values, 200)
    # Run time, and what the compiler writes: the same values as literals.
    lines = [f"print(format({name}, {spec!r}), end='|')" for name, spec in fields]
    lines += [f"print(format(t, {spec!r}))" for name, spec in fields if name == "s"]
    literals = {n: repr(values[n]) for n in "iubs"}
    lines += [f"print(format({literals[n]}, {spec!r}))" for n, spec in fields if n in literals]
    found, expected = outputs(kernel_of(lines, values), values)
    pieces = list(zip(found.split("|"), expected.split("|"), strict=False))
    assert found == expected, [
        (f, *p) for f, p in zip(fields, pieces, strict=False) if p[0] != p[1]
    ]


@pytest.mark.parametrize("seed", range(3))
def test_what_python_refuses_is_an_error(seed):
    rng = random.Random(seed)
    values = some_values(rng) | {"i": 5, "u": 65}  # for c
    fields = some_fields(rng, values, 60, wrong=True)
    lines = [f"print(format({name}, {spec!r}))" for name, spec in fields]
    with pytest.raises(errors.CompileError) as raised:
        outputs(kernel_of(lines, values), values)
    found = {d.line for d in raised.value.diagnostics}
    assert found == set(range(4, 4 + len(lines)))


@D.kernel
def nested(n, x):
    width, digits = 12, 3
    print(f"{n:{width}}|{x:{width}.{digits}f}|{x:>{width + 2}}|{'text':{'^'}{width}}")
    print(f"{n!r:>6}|{x!s:*^9}", repr(n))
    print(f"{(n, x)!s:>12}|{None!s:8}|{f'{n}-{x}':^11}|{f'{n}'!r:>5}")
    print(f"{hex(n)} {oct(n)} {bin(n)} {hex(-n)} {hex(255)} {format(n, '>4')} {format(x)}")
    print(f"{n:<5}{n:c}{n:,}{1234567:,}{1234567.891:_.1f}{0.125:%}{True:d}{12:#x}")


def test_nested_formats_and_functions(target, capsys):
    if target in ("cuda", "ptx"):
        pytest.skip("for other targets: CUDA's printf has some of these formats only")
    run(nested, 71, np.float64(2.5))
    found = capsys.readouterr().out
    nested.underlying(71, 2.5)
    assert found == capsys.readouterr().out
