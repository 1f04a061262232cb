"""The types of NumbaPro's operators, written from the specification's text alone.

"A-n" is entry NP-A-n of tests/conformance/clauses/resolutions.toml. Types are the names of NumPy's.
"""

import numpy as np

COMPARISONS = ["==", "!=", "<", "<=", ">", ">="]
REAL = [
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float32", "float64"),
]
TYPES = [*REAL, "complex64", "complex128"]


def bits(name):
    """Of a complex number those of its parts."""
    size = np.dtype(name).itemsize * 8
    return size // 2 if name.startswith("complex") else size


def rank(name):
    return "biufc".index(np.dtype(name).kind) if np.dtype(name).kind != "u" else 1


def general(a, b):
    """A-5: bool < int < float < complex, then the width; of equal widths the unsigned one."""
    if rank(a) < rank(b):
        a, b = b, a
    if a.startswith("complex"):
        wide = max(bits(a), bits(b) if rank(b) > 1 else 0) > 32
        return "complex128" if wide else "complex64"
    if rank(a) != rank(b) or bits(a) > bits(b):
        return a
    return b if bits(b) > bits(a) or b.startswith("u") else a


def result_of(sign, a, b):
    """Type of a result; None: the operator is not defined."""
    kinds = np.dtype(a).kind + np.dtype(b).kind
    if "c" in kinds and sign not in ("+", "-", "*"):
        return None
    if sign in COMPARISONS:
        return "bool"
    if sign not in ("&", "|", "^", "/"):  # arithmetic takes a bool for an int32
        a, b = (t if t != "bool" else "int32" for t in (a, b))
    if sign == "/":
        return "float64" if max(bits(a), bits(b)) > 32 else "float32"
    if sign in ("&", "|", "^", "<<", ">>") and "f" in kinds:
        return None
    found = general(a, b)
    if sign == "//":
        width = max(32, bits(found))
        return f"uint{width}" if found.startswith("u") else f"int{width}"
    return found


def unary_result(sign, name):
    """A-12: what the operand is, but that arithmetic takes a bool for an int32 (A-14)."""
    if sign == "not ":
        return "bool"
    if sign == "~":
        return None if np.dtype(name).kind in "fc" else name
    return "int32" if name == "bool" else name


def kind_of_int(kind, value):
    """An integer, wrapped into its format."""
    size = np.dtype(kind).itemsize * 8
    value = int(value) & ((1 << size) - 1)
    signed = np.dtype(kind).kind == "i" and value >> (size - 1)
    return np.dtype(kind).type(value - (1 << size) if signed else value)
