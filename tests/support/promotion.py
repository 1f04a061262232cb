"""The promotion table as data, and what each operator makes of it.

Types go by the names that result_type gives: "int32", "float64", "bool", and the weak builtin
"int" and "float". "err" is a pair that has no common type.
"""

import csv
import functools
from pathlib import Path

from support.scalars import FLOATS, INTEGERS, SMALL_FLOATS, TYPES

TABLE = Path(__file__).resolve().parent.parent / "conformance" / "promotion.csv"
WEAK = ("int", "float", "complex")
COMPLEX = ("complex64", "complex128")
FIXED = TYPES + SMALL_FLOATS + COMPLEX
KNOWN = FIXED + WEAK  # what the compiler has of the 17 types and three weak ones of the table
ERROR = "err"

_CODES = {
    "b1": "bool",
    **{f"i{n}": f"int{8 * n}" for n in (1, 2, 4, 8)},
    **{f"u{n}": f"uint{8 * n}" for n in (1, 2, 4, 8)},
    **{f"f{n}": f"float{8 * n}" for n in (2, 4, 8)},
    "bf": "bfloat16",
    "e4": "float8e4m3",
    "e5": "float8e5m2",
    "c8": "complex64",
    "c16": "complex128",
    "int*": "int",
    "float*": "float",
    "complex*": "complex",
    "err": ERROR,
}
_BUILTIN = {(a, b): WEAK[max(i, j)] for i, a in enumerate(WEAK) for j, b in enumerate(WEAK)}

ARITHMETIC = ("+", "-", "*")
QUOTIENTS = ("//", "%")
BITWISE = ("&", "|", "^")
SHIFTS = ("<<", ">>")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
OPERATORS = (*ARITHMETIC, "/", *QUOTIENTS, "**", *BITWISE, *SHIFTS, *COMPARISONS)


@functools.cache
def table():
    """{(a, b): (result, origin)} in both orders; origin "std" is the Array API's, "rec" ours."""
    entries = {}
    with open(TABLE, newline="") as file:
        for row in csv.DictReader(file):
            a, b = _CODES[row["a"]], _CODES[row["b"]]
            entries[a, b] = entries[b, a] = (_CODES[row["result"]], row["origin"])
    for (a, b), result in _BUILTIN.items():
        entries[a, b] = entries[b, a] = (result, "rec")
    return entries


def join(a, b):
    """The common type of two types."""
    return table()[a, b][0]


def pairs(origin=None):
    """Ordered pairs of known types, all or those of one origin."""
    return [(a, b) for a in KNOWN for b in KNOWN if origin is None or table()[a, b][1] == origin]


def is_integer(name):
    return name in INTEGERS or name == "int"


def is_float(name):
    return name in FLOATS or name in SMALL_FLOATS or name == "float"


def is_complex(name):
    return name in COMPLEX or name == "complex"


def _division(a, b):
    common = join(a, b)
    if is_float(common) or is_complex(common) or common == ERROR:
        return common
    if "int64" in (a, b) or "uint64" in (a, b):
        return "float64"
    return "float" if {a, b} <= {"bool", "int"} else "float32"


def result(operator, a, b):
    """Result type of `a operator b`, None where the contract does not say."""
    common = join(a, b)
    if operator in COMPARISONS:
        ordered = operator not in ("==", "!=")
        return ERROR if common == ERROR or (ordered and is_complex(common)) else "bool"
    if operator == "/":
        return _division(a, b)
    if operator in BITWISE or operator in SHIFTS:
        if is_float(common) or is_complex(common) or common == ERROR:
            return ERROR
        return None if operator in SHIFTS and common == "bool" else common
    if operator in QUOTIENTS and is_complex(common):
        return ERROR
    return "int" if common == "bool" else common


def stored(name):
    """NumPy type that holds a value of this type: weak ones are 32 bits wide."""
    return {"int": "int32", "float": "float32"}.get(name, name)
