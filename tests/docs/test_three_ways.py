"""The table of docs/guide/three-ways.md: what each of its cells says is read from it and tried."""

import re

import numpy as np
import pytest
from cuda import device
from cuda.device.errors import CompileError
from support.numbapro import made_of, types_of_variables
from support.pages import ROOT
from support.sources import executed

PAGE = ROOT / "docs" / "guide" / "three-ways.md"
TYPE = re.compile(r"\b(u?int(?:8|16|32|64)?|float(?:32|64)|complex(?:64|128)|intp|bool)\b")
NAMES = {"int": "int32", "intp": "int64", "complex128": ("float64",) * 2}


def rows():
    """{first cell: (the guide's, NumbaPro's, Numba's)} of what is typed differently."""
    section = PAGE.read_text().partition("## What is typed differently")[2].partition("\n## ")[0]
    lines = re.findall(r"^\| (.+) \|$", section, re.MULTILINE)
    _, *cells = [line.split(" | ") for line in lines]  # the first line names the columns
    return {first: tuple(others) for first, *others in cells}


ROWS = rows()


def guide(body, parameters="out, a, b"):
    text = f"@D.kernel\ndef k({parameters}):\n" + "".join(f"    {line}\n" for line in body)
    return executed(text, cmath=__import__("cmath"), math=__import__("math"))["k"]


def numbapro(body, parameters="out, a, b"):
    return made_of(f"def k({parameters}):\n" + "".join(f"    {line}\n" for line in body))


LANGUAGES = [guide, numbapro]


def launched(kernel, *arguments):
    if hasattr(kernel, "configure"):
        return kernel[1, 1](*arguments)
    return device.launch(kernel, *arguments, grid=1, block=1)


def type_of(make, expression, *types):
    """What a variable gets from an expression of a and b."""
    parameters = ", ".join(["out", "a", "b"][: len(types) + 1])
    kernel = make(["x = " + expression, "out[0] = x"], parameters)
    return types_of_variables(kernel, "array[float64, 1]", *types)["x"]


def accepts(make, body, *arguments):
    try:
        launched(make(body), *arguments)
    except CompileError:
        return False
    return True


# --- rows of types ---


def operations(first):
    """(expression, types) of a first cell such as '`int32 / int32`' or 'int32 with uint32'."""
    found = re.findall(r"(\w+) (with|//|/|\+) (\w+)", first)
    return [(f"a {'+' if sign == 'with' else sign} b", a, b) for a, sign, b in found]


OF_TYPES = [first for first in ROWS if operations(first) and not re.search("True|array", first)]


@pytest.mark.parametrize("first", OF_TYPES)
@pytest.mark.parametrize("make", LANGUAGES)
def test_types_of_operators(first, make):
    cell = ROWS[first][LANGUAGES.index(make)]
    plain, _, others = cell.partition("; of ")
    said = [NAMES.get(name, name) for name in TYPE.findall(plain)]
    assert said == [type_of(make, *operation) for operation in operations(first)]
    for operand, result in re.findall(r"(\w+) an? (\w+)", others):
        expression = operations(first)[0][0]
        assert type_of(make, expression, operand, operand) == result


ON_NUMBERS = {
    "`True + True`": ("True + True",) * 2,
    "`thread_idx.x`, `threadIdx.x`": ("D.thread_idx.x", "cuda.threadIdx.x"),
    "`int32(-1) < uint32(1)`": ("D.int32(-1) < D.uint32(1)", "int32(-1) < uint32(1)"),
    "`2 ** -1`": ("2 ** -1", "2 ** -1"),
    "`1 if True else 2.5`": ("1 if True else 2.5",) * 2,
}


@pytest.mark.parametrize("first", ON_NUMBERS)
@pytest.mark.parametrize("make", LANGUAGES)
def test_types_and_values_of_expressions(first, make):
    at = LANGUAGES.index(make)
    expression, cell = ON_NUMBERS[first][at], ROWS[first][at]
    if said := TYPE.findall(cell):
        wanted = NAMES.get(said[0], said[0])
        assert type_of(make, f"({expression}) + a * {expression}", "bool") == wanted
    if value := re.search(r"\b(true|false|0\.5|0)\b", cell):
        out = np.full(1, 9.0)
        launched(make([f"out[0] = {expression}"], "out"), out)
        assert out[0] == {"true": 1, "false": 0}.get(value[1]) or out[0] == float(value[1])
    assert said or value


# --- rows of rules ---


def of_literals(make, cell):
    if make is guide:
        assert cell == "weak: they take the other side's format"
        assert [type_of(make, f"a + {x}", t) for x, t in (("1", "int8"), ("0.5", "float32"))] == [
            *("int8", "float32"),
        ]
        return
    said = TYPE.findall(cell)
    literals = ["1", "5_000_000_000", "9_223_372_036_854_775_808", "0.5"]
    assert [type_of(make, f"{x} + a", "bool") for x in literals] == said[:4]
    found = types_of_variables(
        make(["x = a[0]", "x = x + 1j", "out[0] = x"]),
        *("array[complex128, 1]", "array[complex64, 1]", "int64"),
    )
    assert said[4:] == ["complex128"]
    assert found["x"] == ("float32", "float32", "float64", "float64")


def of_arguments(make, cell):
    if make is guide:
        assert cell == "weak, 32 bits"
        assert type_of(make, "a + b", "int8", "int") == "int8"
        assert type_of(make, "a + a", "int") == "int32"
        return
    assert TYPE.findall(cell) == ["intp", "float64", "complex128"]
    out = np.zeros(1)
    kernel = make(["out[0] = a + b"])
    launched(kernel, out, 1 << 40, 0.1)
    assert out[0] == (1 << 40) + 0.1


def of_literals_that_do_not_fit(make, cell):
    out = np.zeros(1, np.int8)
    accepted = accepts(make, ["out[0] = 300"], out, 1, 1)
    assert accepted == (cell != "an error")
    if accepted:
        assert out[0] == int(re.match(r"\d+", cell)[0])


def of_variables_in_loops(make, cell):
    assert cell in ("joins the types of all assignments", "keeps the type from before the loop")
    out = np.zeros(1, np.float32)
    launched(make(["x = a", "for i in range(4):", "    x = x + b", "out[0] = x"]), out, 0, 1.5)
    assert out[0] == (6 if cell.startswith("joins") else 4)


def of_complex_numbers(make, cell):
    z = np.ones(1, complex)
    said = cell.partition("`")[2].partition("`")[0].split()
    for sign in ("+", "-", "*", "/", "**", "==", "!="):
        body = [f"x = a[0] {sign} a[0]", "out[0] = 1"]
        assert accepts(make, body, np.zeros(1), z, 1) == (sign in said), sign
    assert "`cmath`" in ROWS["complex numbers"][0]
    assert accepts(guide, ["x = cmath.sqrt(a[0])", "out[0] = x.real"], np.zeros(1), z, 1)


WAYS_OF_ARRAYS = {
    "slices": ["x = a[1:3]", "out[0] = x[0, 0]"],
    "rows": ["x = a[0]", "out[0] = x[0]"],
    "`.T`": ["x = a.T", "out[0] = x[0, 0]"],
    "loops over them": ["for x in a:", "    out[0] = x[0]"],
    "as many integers as dimensions": ["out[0] = a[0, 1]"],
    "`shape`": ["out[0] = a.shape[0]"],
    "`strides`": ["out[0] = a.strides[0]"],
    "`size`": ["out[0] = a.size"],
    "`ndim`": ["out[0] = a.ndim"],
}


def of_arrays(make, cell):
    said = re.split(r", |; ", cell)
    assert set(said) <= set(WAYS_OF_ARRAYS)
    for way, body in WAYS_OF_ARRAYS.items():
        if make is numbapro or way in said:
            assert accepts(make, body, np.zeros(1), np.zeros((4, 4)), 1) == (way in said), way


def of_loops(make, cell):
    others = [["for i in (1, 2):", "    out[0] = i"], ["for x in a:", "    out[0] = x"]]
    for body in others:
        assert accepts(make, body, np.zeros(1), np.zeros(3), 1) == cell.startswith("goes over any")
    for name in re.findall(r"`(\w+)`", cell):
        assert accepts(make, [f"for i in {name}(3):", "    out[0] = i"], np.zeros(1), 1, 1)


OBJECTS = {
    "`print`": ["print(1)"],
    "`assert`": ["assert a == a"],
    "`raise`": ["if a != a:", "    raise ValueError"],
    "`None`": ["x = None", "out[0] = 1 if x is None else 2"],
    "strings": ["x = 'text'"],
    "structs": ["x = D.float32x2(1, 2)", "out[0] = x.x"],
}


def of_objects(make, cell):
    assert cell == ("there" if make is guide else "errors")
    first = next(first for first in ROWS if first.startswith("`print`"))
    assert first.split(", ") == list(OBJECTS)
    for what, body in OBJECTS.items():
        assert accepts(make, body, np.zeros(1), 1, 1) == (make is guide), what


def of_shared_arrays(make, cell):
    array = "D.shared_array(4, D.float32)" if make is guide else "cuda.shared.array(4, float32)"
    places = [
        [f"{word}:", f"    s = {array}", "    s[0] = 1", "    out[0] = s[0]"]
        for word in ("if a > 0", "for i in range(2)", "while out[0] < 1")
    ]
    for body in places:
        assert accepts(make, body, np.zeros(1), 1, 1) == (cell == "anywhere")
        assert cell == "anywhere" or f"`{body[0].split()[0]}`" in cell
    assert accepts(make, [f"s = {array}", "s[0] = 1", "out[0] = s[0]"], np.zeros(1), 1, 1)


RULES = {
    "Python's `1`, `0.5`, `1j` as literals": of_literals,
    "Python's numbers as arguments": of_arguments,
    "`int8 array[i] = 300`": of_literals_that_do_not_fit,
    "a variable that a loop changes": of_variables_in_loops,
    "complex numbers": of_complex_numbers,
    "arrays": of_arrays,
    "`for`": of_loops,
    "`print`, `assert`, `raise`, `None`, strings, structs": of_objects,
    "shared arrays": of_shared_arrays,
}


@pytest.mark.parametrize("first", RULES)
@pytest.mark.parametrize("make", LANGUAGES)
def test_rules(first, make, capsys):
    RULES[first](make, ROWS[first][LANGUAGES.index(make)])


def test_every_row_is_tried():
    assert set(ROWS) == {*OF_TYPES, *ON_NUMBERS, *RULES}


def test_int8_wraps():
    out = np.zeros(1)
    launched(numbapro(["out[0] = a + b"]), out, np.int8(100), np.int8(100))
    assert ROWS["`int8 + int8`"][1] == "int8, wrapped"
    assert out[0] == 200 - 256
