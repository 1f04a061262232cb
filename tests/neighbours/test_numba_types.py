"""The column of docs/guide/three-ways.md on Numba, tried with Numba's compiler for the host.

Its compiler for GPUs types in the same way; what it alone has is read from its tables. Shared
arrays, which need a GPU's libraries, are not tried.
"""

import re

import numpy as np
import pytest
from docs.test_three_ways import ROWS, TYPE, WAYS_OF_ARRAYS, operations
from support.sources import executed

from neighbours.packages import needs

numba = needs("numba")

NAMES = {"bool": bool, "int8": np.int8, "int32": np.int32, "int64": np.int64, "uint32": np.uint32}
NAMES |= {"float32": np.float32, "float64": np.float64}
CELLS = {first: cells[2] for first, cells in ROWS.items()}


def returned(body, *arguments):
    """What a function of these lines returns, and its type."""
    names = ", ".join("abc"[: len(arguments)])
    text = f"def f({names}):\n" + "".join(f"    {line}\n" for line in body)
    compiled = numba.njit(executed(text, **NAMES, cmath=__import__("cmath"))["f"])
    value = compiled(*arguments)
    kind = compiled.nopython_signatures[0].return_type
    return value, str(numba.core.types.unliteral(kind))


def type_of(expression, *arguments):
    return returned([f"return {expression}"], *arguments)[1]


def accepts(body, *arguments):
    try:
        returned(body, *arguments)
    except numba.core.errors.NumbaError:
        return False
    return True


@pytest.mark.parametrize(
    "first", [f for f in CELLS if operations(f) and not re.search("True|array", f)]
)
def test_types_of_operators(first):
    plain, _, others = CELLS[first].partition("; of ")
    ones = [(e, NAMES[a](1), NAMES[b](1)) for e, a, b in operations(first)]
    assert TYPE.findall(plain) == [type_of(*one) for one in ones]
    for operand, result in re.findall(r"(\w+) an? (\w+)", others):
        assert type_of(ones[0][0], NAMES[operand](1), NAMES[operand](1)) == result


def test_types_of_pythons_numbers():
    wanted = ["int64", "float64", "complex128"]
    numbers = (1, 0.5, 1j)
    assert TYPE.findall(CELLS["Python's `1`, `0.5`, `1j` as literals"]) == wanted
    assert [type_of(str(x)) for x in numbers] == wanted
    assert TYPE.findall(CELLS["Python's numbers as arguments"]) == wanted
    assert [type_of("a", x) for x in numbers] == wanted


def test_expressions():
    assert (CELLS["`True + True`"], type_of("True + True")) == ("int64",) * 2
    assert CELLS["`2 ** -1`"] == str(returned(["return 2 ** -1"])[0]) == "0.5"
    assert CELLS["`int32(-1) < uint32(1)`"] == "true"
    assert returned(["return a < b"], np.int32(-1), np.uint32(1))[0] is True
    assert TYPE.findall(CELLS["`1 if True else 2.5`"]) == [type_of("1 if True else 2.5")]


def test_rules():
    value, _ = returned(["a[0] = 300", "return a[0]"], np.zeros(1, np.int8))
    assert CELLS["`int8 array[i] = 300`"] == f"{value}: literals wrap"
    assert CELLS["a variable that a loop changes"].startswith("joins")
    loop = ["for i in range(4):", "    a = a + 1.5", "return a"]
    assert returned(loop, np.int32(0)) == (6, "float64")


def test_complex_numbers():
    signs, functions = re.findall("`(.*?)`", CELLS["complex numbers"])
    for sign in ("+", "-", "*", "/", "**", "==", "!=", "//", "%", "<"):
        assert accepts([f"return a {sign} a"], 1j) == (sign in signs.split()), sign
    assert functions == "cmath"
    assert type_of("cmath.sqrt(a)", 1j) == "complex128"


def test_arrays_and_loops():
    said = CELLS["arrays"].split(", ")
    assert set(said) == {"slices", "rows", "`.T`", "loops over them"}
    for way in said:
        body = [line.replace("out[0]", "c") for line in WAYS_OF_ARRAYS[way]]
        assert accepts([*body, "return c"], np.zeros((4, 4)), 1, 0.5), way
    assert CELLS["`for`"] == "goes over anything of known length"
    for of in ("(1, 2)", "a", "range(3)"):
        assert accepts([f"for i in {of}:", "    b += i", "return b"], np.zeros(3), 0.5)


def test_objects():
    assert CELLS["`print`, `assert`, `raise`, `None`, strings, structs"].startswith("there")
    for body in (
        ["print(a)"],
        ["assert a == a"],
        ["if a != a:", "    raise ValueError"],
        ["x = None", "return 1 if x is None else 2"],
        ["x = 'text'"],
    ):
        assert accepts(body, 1), body
    assert accepts(["return a[0].x"], np.zeros(1, [("x", "f4")]))


def test_positions():
    cuda = needs("numba.cuda.cudadecl")
    assert CELLS["`thread_idx.x`, `threadIdx.x`"] == str(cuda.Dim3_attrs(None).resolve_x(None))
