"""The scalar types that kernels have, and values of them that tests use. Plain NumPy."""

import numpy as np

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED
FLOATS = ("float32", "float64")
NUMBERS = INTEGERS + FLOATS
TYPES = ("bool", *NUMBERS)
SMALL_FLOATS = ("float8e4m3", "float8e5m2", "float16", "bfloat16")  # small_floats.py has values


def dtype(name):
    return np.dtype(name)


def bits(name):
    return np.dtype(name).itemsize * 8


def wrap(value, name):
    """A Python integer taken modulo 2**bits into an integer type."""
    width = bits(name)
    value &= (1 << width) - 1
    return value - (1 << width) if name in SIGNED and value >> (width - 1) else value


def wrapped(values, name):
    """Array of an integer type from Python integers of any size."""
    return np.array([wrap(int(v), name) for v in values], dtype=name)


def _integers(name, rng):
    info = np.iinfo(name)
    chosen = {info.min, info.min + 1, -7, -3, -2, -1, 0, 1, 2, 3, 7, info.max - 1, info.max}
    chosen |= {int(v) for v in rng.integers(info.min, info.max, 6, dtype=name, endpoint=True)}
    return sorted(v for v in chosen if info.min <= v <= info.max)


def _floats(name, rng):
    info = np.finfo(name)
    special = [0.0, -0.0, 1.0, -1.0, 0.5, -1.5, 3.0, -7.25, 0.1, 1e10, -1e10, 16777217.0]
    special += [np.inf, -np.inf, np.nan, info.max, info.tiny, info.smallest_subnormal]
    return [*special, *rng.normal(scale=100.0, size=4)]


def samples(name, seed=1):
    """Edge values and a few random ones of a type, as an array of it."""
    rng = np.random.default_rng(seed)
    if name == "bool":
        return np.array([False, True])
    values = _integers(name, rng) if name in INTEGERS else _floats(name, rng)
    return np.array(values, dtype=name)


def cross(x, y):
    """Two arrays of equal length with every pair of elements."""
    return np.repeat(x, len(y)), np.tile(y, len(x))


def same_bits(a, b):
    """Elementwise: equal bits, or both NaN."""
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    assert a.dtype == b.dtype, f"{a.dtype} and {b.dtype}"
    equal = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
    return equal | (np.isnan(a) & np.isnan(b)) if a.dtype.kind == "f" else equal


def assert_same_bits(found, expected, *context):
    """Fails with the first few differing elements; `context` are arrays printed beside them."""
    wrong = np.flatnonzero(~same_bits(found, expected).reshape(-1))
    if not wrong.size:
        return
    lines = [f"{wrong.size} of {found.size} elements differ ({found.dtype})"]
    for i in wrong[:5]:
        inputs = ", ".join(repr(c.reshape(-1)[i]) for c in context)
        pair = f"found {found.reshape(-1)[i]!r}, expected {expected.reshape(-1)[i]!r}"
        lines.append(f"[{i}] ({inputs}): {pair}")
    raise AssertionError("\n".join(lines))


def ulps(found, expected):
    """Distance in units of the last place of `expected`'s type; NaN counts as equal to NaN."""
    a, b = found.astype(np.longdouble), expected.astype(np.longdouble)
    with np.errstate(invalid="ignore", over="ignore"):
        unit = np.spacing(np.abs(expected)).astype(np.longdouble)
        distance = np.abs(a - b) / unit
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return np.where(same, 0, np.where(np.isnan(distance), np.inf, distance)).astype(float)
