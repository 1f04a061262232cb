"""The tables of docs/guide/numbapro-python.md: each example is there or refused, as they say."""

import cmath
import enum
import functools
import math
import operator
import re
import time
from typing import NamedTuple

import numpy as np
import pytest
from cuda.device.errors import CompileError
from cuda.device.numbapro import cuda, float32, int16
from support.numbapro import expect_errors, made_of
from support.pages import ROOT

PAGE = ROOT / "docs" / "guide" / "numbapro-python.md"
ROW = re.compile(r"^\| (?!Python \|)(.+?) \| `(.+?)` \| (.+) \|$", re.MULTILINE)
ROWS = {
    first: (code.replace("\\|", "|").split(" ⏎ "), said)
    for first, code, said in ROW.findall(PAGE.read_text())
}


@cuda.jit(device=True)
def f(v, by=1):
    return v + by


@cuda.jit(device=True)
def pair(v):
    return v, v * 2


def plain(v):
    return v * 2


def triangle(v):
    if v <= 0:
        return 0
    return v + triangle(v - 1)


def applied(g, v):
    return g(v)


def many(*v):
    return v[0]


def named(**v):
    return v["v"]


class Color(enum.IntEnum):
    RED = 1


class Shape(enum.Enum):
    ROUND = 1


class Point(NamedTuple):
    x: int
    y: int


@cuda.autojit
def other(v):
    v[0] = 1


OUTSIDE = {
    "other": other,
    "time": time,
    "SIZE": 3,
    "SIZES": (3, 4),
    "TABLE": np.arange(4.0),
    "KINDS": (int16, plain),
    "POINT": Point(1, 2),
    "BOUND": functools.partial(f, 2),
    "float32": float32,
} | {
    each.__name__: each
    for each in (
        f,
        pair,
        plain,
        triangle,
        applied,
        many,
        named,
        Color,
        Shape,
        Point,
        cmath,
        math,
        operator,
        functools,
    )
}


# What the dialect lacks.
OTHERS = re.compile(
    r"(?<![\w.])device\.|@kernel|@func|\blaunch\(|\bshared=|\bprint|\braise|\bstruct|\bview|\bastype"
    r"|\bNone\b|\bzip|\benumerate|named tuple"
)


def names_what_there_is(hint):
    own = hint.partition("kernels of @cuda.device.kernel")[0]
    assert own
    assert not OTHERS.search(own), hint
    for name in re.findall(r"(?<![\w.])cuda\.([a-z]\w+)", own):
        assert hasattr(cuda, name), hint


def launch(lines):
    body = "".join(f"    {line}\n" for line in lines)
    kernel = made_of(f"def k(out, a, n, x, z):\n{body}", np=np, **OUTSIDE)
    kernel[1, 1](np.zeros(8), np.arange(8.0), 3, 0.5, 1 + 2j)


def test_there_are_rows_of_each_kind():
    kinds = [
        said.partition(":")[0].partition(",")[0].partition(";")[0] for _, said in ROWS.values()
    ]
    assert set(kinds) == {"the text", "settled", "extension", "no"}
    assert len(ROWS) > 60


@pytest.mark.parametrize(
    "first", [first for first in ROWS if not ROWS[first][1].startswith("no: ")]
)
def test_what_is_there(first, target):
    launch(ROWS[first][0])


@pytest.mark.parametrize("first", [first for first in ROWS if ROWS[first][1].startswith("no: ")])
def test_what_is_refused(first):
    lines, said = ROWS[first]
    with pytest.raises(CompileError) as raised:
        launch(lines)
    found = raised.value.diagnostics[0]
    assert said.removeprefix("no: ") in found.message
    names_what_there_is(found.hint)
    in_a_helper = "a parameter" in said
    assert in_a_helper or found.line in range(2, len(lines) + 2)


HINTS = {
    "out[0] = x.is_integer()": "numbers have real and imag, and complex ones conjugate()",
    "out[0] = z.shape[0]": "complex numbers have real, imag and conjugate()",
    "t = (n, 2)\n    out[0] = t.index(1)": "elements are read by index, such as p[0]",
    "p, q, r = cuda.grid(1)": "write cuda.grid(3), which gives one value for each dimension",
    "s = cuda.local.array(3)": "for example cuda.local.array(16, float32)",
    "s = cuda.local.array(3, x)": "it is a type object such as float32",
    "s = cuda.shared.array(20000, float32)": (
        "more is to be had from cuda.shared.array(0, dtype) and bytes in the launch, "
        "kernel[grid, block, stream, bytes]"
    ),
    "out[0] = other(n)": (
        "kernels run by a launch alone, kernel[grid, block](...); put the shared code into a "
        "device function, with @cuda.jit(device=True)"
    ),
    "y = time.time()": (
        "measure outside of the kernel: start.record(stream) before the launch and "
        "end.record(stream) after it, of cuda.event(), then cuda.event_elapsed_time(start, end) in "
        "milliseconds"
    ),
    "out[0] = int32_t(n)": "use int32",
    "out[0] = printf(n)": "store what is to be seen in an array",
    "out[0] = make_float4(n)": "assign it before this, or outside of the kernel before the launch",
    "y = [n]": "use a tuple, or cuda.local.array(shape, dtype) for elements that change",
    "y = x & n": "convert with int() or a fixed format such as int32()",
}


@pytest.mark.parametrize("statement", HINTS)
def test_hints_name_what_there_is(statement):
    with pytest.raises(CompileError) as raised:
        launch([statement])
    assert raised.value.diagnostics[0].hint == HINTS[statement]
    names_what_there_is(HINTS[statement])


@cuda.autojit
def without_imports(out, x):
    # error at `uint8`: name 'uint8' is not defined
    # hint: write 'from cuda.device.numbapro import uint8' at the top of the file
    out[0] = uint8(x)  # noqa: F821
    # error at `float16`: name 'float16' is not defined
    # hint: did you mean 'float32'?
    out[0] = float32(1) + float16(x)  # noqa: F821


def test_types_are_imported():
    expect_errors(without_imports, np.zeros(1), 0.5)


# Each mistake is reported once, by its own message alone.
ALONE = {
    "y = sum(v for v in range(3))": ["'sum' cannot be used in a kernel", "a generator expression"],
    "for v in (w for w in a):\n        out[0] = v": ["a generator expression is not supported"],
    "g = lambda v: v\n    out[0] = g(n)": ["a lambda is not supported in kernels"],
    "def g(v):\n        return v\n    out[0] = g(n)": ["a function inside of a kernel"],
    "p, *q = (n, 2, 3)\n    out[0] = p": ["'*' before a value is not supported in kernels"],
    "out[0] = n is not None": ["'is' is not supported in kernels"],
    "match n:\n        case 1:\n            y = 1\n        case _:\n            y = 2": [
        "the 'match' statement"
    ],
}


@pytest.mark.parametrize("statement", ALONE)
def test_one_mistake_has_one_message(statement):
    with pytest.raises(CompileError) as raised:
        launch([statement])
    found = [each.message for each in raised.value.diagnostics]
    assert len(found) == len(ALONE[statement]), found
    assert all(text.startswith(want) for text, want in zip(found, ALONE[statement], strict=True))


def test_kernels_take_no_arguments_beyond_their_parameters():
    kernel = made_of("def k(out, *rest, **named):\n    out[0] = 1\n")
    with pytest.raises(CompileError) as raised:
        kernel[1, 1](np.zeros(1), 1, 2)
    assert [each.message for each in raised.value.diagnostics] == [
        "a parameter '*' is not supported in kernels",
        "a parameter '**' is not supported in kernels",
    ]
