#!/usr/bin/env python3
"""Measures the largest error of every math function in each format, in units in the last place.

    scripts/measure_ulp.py              samples of float32 and float64; every 16-bit number
    scripts/measure_ulp.py --long       every float32 of the functions of one argument
    scripts/measure_ulp.py --functions=exp,pow --target=avx2
    scripts/measure_ulp.py --write      the table in docs/math.md
    scripts/measure_ulp.py --fastmath --write   likewise, of what fastmath=True estimates

float64 is compared with mpmath at 120 bits, the others with functions of NumPy and SciPy in a wider
format. mpmath is no part of the development environment (pip install mpmath); without it
float64 is left out, which the output says.
"""

import argparse
import contextlib
import math
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
from cuda import device as D

PAGE = Path(__file__).resolve().parent.parent / "docs" / "math.md"
BEGIN, END = "<!-- errors as measured -->", "<!-- end of errors as measured -->"
FAST_BEGIN, FAST_END = "<!-- errors of fastmath -->", "<!-- end of errors of fastmath -->"
FORMATS = {
    "float16": np.dtype(np.float16),
    "bfloat16": np.dtype(ml_dtypes.bfloat16),
    "float32": np.dtype(np.float32),
    "float64": np.dtype(np.float64),
}
# Bits of the significand, and the exponent of the smallest normal number.
PRECISION = {
    "float16": (11, -14),
    "bfloat16": (8, -126),
    "float32": (24, -126),
    "float64": (53, -1022),
}

# Name in math: the function of mpmath, and that of a wider format, by name in NumPy or SciPy.
FUNCTIONS = {
    "exp": ("exp", "exp"),
    "exp2": ("exp2", "exp2"),
    "expm1": ("expm1", "expm1"),
    "log": ("log", "log"),
    "log2": ("log2", "log2"),
    "log10": ("log10", "log10"),
    "log1p": ("log1p", "log1p"),
    "sin": ("sin", "sin"),
    "cos": ("cos", "cos"),
    "tan": ("tan", "tan"),
    "asin": ("asin", "arcsin"),
    "acos": ("acos", "arccos"),
    "atan": ("atan", "arctan"),
    "sinh": ("sinh", "sinh"),
    "cosh": ("cosh", "cosh"),
    "tanh": ("tanh", "tanh"),
    "asinh": ("asinh", "arcsinh"),
    "acosh": ("acosh", "arccosh"),
    "atanh": ("atanh", "arctanh"),
    "cbrt": ("cbrt", "cbrt"),
    "erf": ("erf", "special.erf"),
    "erfc": ("erfc", "special.erfc"),
    "gamma": ("gamma", "special.gamma"),
    "lgamma": ("lgamma", "special.gammaln"),
    "atan2": ("atan2", "arctan2"),
    "pow": ("pow", "power"),
    "hypot": ("hypot", "hypot"),
}
BINARY = {"atan2", "pow", "hypot"}
CHUNK = 1 << 22


def unary_kernel(function):
    @D.kernel
    def compute(out, x):
        i = D.tid(1)
        if i < out.size:
            out[i] = function(x[i])

    return compute


def binary_kernel(function):
    @D.kernel
    def compute(out, x, y):
        i = D.tid(1)
        if i < out.size:
            out[i] = function(x[i], y[i])

    return compute


def computed(name, arguments):
    function = getattr(math, name)
    kernel = (binary_kernel if name in BINARY else unary_kernel)(function)
    out = np.zeros(arguments[0].size, arguments[0].dtype)
    D.launch(kernel, out, *arguments, grid=D.blocks(out.size, 256), block=256)
    return out


# --- arguments ---


def bit_patterns(form, numbers):
    unsigned = np.dtype(f"u{form.itemsize}")
    return numbers.astype(unsigned).view(form)


def samples(name, form_name, rng, count):
    """Numbers of every exponent, and others where functions change most."""
    form = FORMATS[form_name]
    bits = 8 * form.itemsize
    if bits == 16 and name not in BINARY:
        return [bit_patterns(form, np.arange(1 << 16))]
    arguments = []
    for _ in range(2 if name in BINARY else 1):
        numbers = rng.integers(0, (1 << bits) - 1, count, dtype=np.uint64, endpoint=True)
        raw = bit_patterns(form, numbers)
        near = (rng.standard_normal(count) * 10.0 ** rng.integers(-3, 3, count)).astype(form)
        negative = -rng.uniform(0, 190, count).astype(form)
        arguments.append(np.concatenate([raw, near, negative]))
    if len(arguments) == 2:
        arguments[1] = rng.permutation(arguments[1])
    return arguments


def all_of_float32():
    for first in range(0, 1 << 32, CHUNK):
        yield [np.arange(first, first + CHUNK, dtype=np.uint32).view(np.float32)]


# --- references ---


def wide_reference(name, arguments):
    """In long double, or by SciPy in float64: far below a unit of the narrower formats."""
    path = FUNCTIONS[name][1]
    wide = [a.astype(np.float64) for a in arguments]
    with np.errstate(all="ignore"):
        if path.startswith("special."):
            from scipy import special

            return getattr(special, path.removeprefix("special."))(*wide).astype(np.longdouble)
        return getattr(np, path)(*[a.astype(np.longdouble) for a in wide])


def special_of_mpmath(mp, name):
    own = {
        "exp2": lambda x: mp.mpf(2) ** x,
        "log2": lambda x: mp.log(x, 2),
        "log10": lambda x: mp.log(x, 10),
        "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
        "pow": lambda x, y: mp.power(x, y),
        "lgamma": lambda x: mp.log(abs(mp.gamma(x))) if x < 1e5 else mp.loggamma(x),
    }
    return own.get(name) or getattr(mp, FUNCTIONS[name][0])


def error_of_float64(mp, name, arguments, out):
    """The largest error, and where; results beyond the format are compared as infinities."""
    function = special_of_mpmath(mp, name)
    worst, where = 0.0, None
    for k, given in enumerate(zip(*(a.tolist() for a in arguments), strict=True)):
        if not all(map(math.isfinite, given)) or (
            name in ("pow", "exp", "exp2") and abs(given[-1]) > 1e4
        ):
            continue
        try:
            exact = function(*map(mp.mpf, given))
        except (ValueError, ZeroDivisionError, OverflowError):
            continue
        if isinstance(exact, mp.mpc) or not mp.isfinite(exact):
            continue
        found = float(out[k])
        if abs(exact) > mp.mpf(sys.float_info.max):
            beyond = abs(found) >= sys.float_info.max and (found > 0) == (exact > 0)
            error = 0.0 if beyond else math.inf
        elif not math.isfinite(found):
            error = math.inf
        else:
            exponent = max(int(mp.floor(mp.log(abs(exact), 2))) if exact else -1022, -1022)
            error = float(abs(mp.mpf(found) - exact) / mp.mpf(2) ** (exponent - 52))
        if error > worst:
            worst, where = error, given
    return worst, where


def error_by_reference(form_name, exact, out, arguments):
    digits, least = PRECISION[form_name]
    found = out.astype(np.longdouble)
    with np.errstate(all="ignore"):
        _, exponent = np.frexp(exact)
        unit = np.ldexp(np.longdouble(1), np.maximum(exponent - 1, least) - (digits - 1))
        largest = np.ldexp(np.longdouble(2) - np.ldexp(np.longdouble(1), 1 - digits), -least + 1)
        error = np.abs(found - exact) / unit
    same_sign = np.signbit(exact) == np.signbit(found)
    both_beyond = same_sign & (np.abs(exact) > largest) & (np.abs(found) >= largest)
    error = np.where(both_beyond | (np.isnan(exact) & np.isnan(found)) | (found == exact), 0, error)
    error = np.where(np.isnan(error), np.inf, error)
    k = int(np.argmax(error))
    return float(error[k]), tuple(float(a[k]) for a in arguments)


# --- what fastmath=True estimates ---

# Name: what kernels compute, its reference in float64, the arguments, and whether errors are in
# units in the last place; else they are absolute.
ESTIMATES = {
    "x / y": (lambda x, y: x / y, np.divide, (2.0**-120, 2.0**120), True),
    "1 / x": (lambda x, y: 1 / x, lambda x, y: 1 / x, (2.0**-125, 2.0**125), True),
    "sqrt(x)": (lambda x, y: math.sqrt(x), lambda x, y: np.sqrt(x), (2.0**-126, 3e38), True),
    "1 / sqrt(x)": (
        lambda x, y: 1 / math.sqrt(x),
        lambda x, y: 1 / np.sqrt(x),
        (2.0**-126, 3e38),
        True,
    ),
    "exp(x)": (lambda x, y: math.exp(x), lambda x, y: np.exp(x), (-87.0, 88.0), True),
    "exp2(x)": (lambda x, y: math.exp2(x), lambda x, y: np.exp2(x), (-126.0, 127.9), True),
    "log(x)": (lambda x, y: math.log(x), lambda x, y: np.log(x), (0.5, 2.0), False),
    "log2(x)": (lambda x, y: math.log2(x), lambda x, y: np.log2(x), (0.5, 2.0), False),
    "log10(x)": (lambda x, y: math.log10(x), lambda x, y: np.log10(x), (0.5, 2.0), False),
    "sin(x)": (lambda x, y: math.sin(x), lambda x, y: np.sin(x), (-math.pi, math.pi), False),
    "cos(x)": (lambda x, y: math.cos(x), lambda x, y: np.cos(x), (-math.pi, math.pi), False),
    "tan(x)": (lambda x, y: math.tan(x), lambda x, y: np.tan(x), (-1.0, 1.0), False),
    "tanh(x)": (lambda x, y: math.tanh(x), lambda x, y: np.tanh(x), (-20.0, 20.0), True),
    "x ** y, x in [0.5, 2], y in [-5, 5]": (lambda x, y: x**y, np.power, (0.5, 2.0), True),
}
HOST_FORMS = ("avx512", "avx2", "sse4")


def estimate_arguments(name, low, high, count):
    rng = np.random.default_rng(1)
    if low > 2.0**-100 or low < 0:
        x = rng.uniform(low, high, count)
    else:
        x = np.exp2(rng.uniform(math.log2(low), math.log2(high), count))
    if name.startswith("x **"):
        y = rng.uniform(-5, 5, count)
    else:
        # Quotients are normal numbers.
        y = x * np.exp2(rng.uniform(-3, 3, count))
    return [x.astype(np.float32), np.minimum(y, 3e38).astype(np.float32)]


def error_of_estimate(name, form, count):
    body, reference, (low, high), in_units = ESTIMATES[name]
    arguments = estimate_arguments(name, low, high, count)

    @D.kernel(fastmath=True)
    def compute(out, x, y):
        i = D.tid(1)
        if i < out.size:
            out[i] = body(x[i], y[i])

    out = np.zeros(count, np.float32)
    from cuda.device import _testing

    with _testing.use_target(form):
        D.launch(compute, out, *arguments, grid=D.blocks(count, 256), block=256)
    exact = reference(*[a.astype(np.float64) for a in arguments])
    if in_units:
        worst, _ = error_by_reference("float32", exact.astype(np.longdouble), out, arguments)
        return f"{worst:.2f}"
    return f"2^{math.log2(np.abs(out - exact).max()):.1f}"


def estimates(options):
    from cuda.device import _testing

    forms = [form for form in HOST_FORMS if form in _testing.targets()]
    lines = ["| | " + " | ".join(forms) + " |", "|---" + "|--:" * len(forms) + "|"]
    for name in ESTIMATES:
        errors = [error_of_estimate(name, form, options.samples * 500) for form in forms]
        lines.append("| `" + name + "` | " + " | ".join(errors) + " |")
        print(lines[-1], flush=True)
    if options.write:
        write_table("\n".join(lines), FAST_BEGIN, FAST_END)


# --- the table ---


def measured(name, form_name, options, mp):
    rng = np.random.default_rng(1)
    if form_name == "float64":
        if mp is None:
            return None, None
        arguments = samples(name, form_name, rng, options.samples)
        return error_of_float64(mp, name, arguments, computed(name, arguments))
    everything = options.long and form_name == "float32" and name not in BINARY
    batches = (
        all_of_float32() if everything else [samples(name, form_name, rng, options.samples * 50)]
    )
    worst = (0.0, None)
    for arguments in batches:
        exact = wide_reference(name, arguments)
        found = error_by_reference(form_name, exact, computed(name, arguments), arguments)
        worst = max(worst, found, key=lambda pair: pair[0])
    return worst


def text_of(error):
    if error is None:
        return "not measured"
    return "infinite" if math.isinf(error) else f"{error:.2f}"


def table(rows, formats):
    lines = ["| function | " + " | ".join(formats) + " |", "|---" + "|--:" * len(formats) + "|"]
    lines += ["| " + " | ".join([name, *map(text_of, errors)]) + " |" for name, errors in rows]
    return "\n".join(lines)


def write_table(text, begin, end):
    page = PAGE.read_text()
    head, rest = page.split(begin)
    PAGE.write_text(head + begin + "\n\n" + text + "\n\n" + end + rest.split(end)[1])


def mpmath_or_none():
    try:
        from mpmath import mp
    except ImportError:
        print("float64 is not measured: there is no mpmath (pip install mpmath)", file=sys.stderr)
        return None
    mp.prec = 120
    return mp


def arguments_of_the_command():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--functions", default=",".join(FUNCTIONS))
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument(
        "--target", help="a host form or the interpreter; the best host form if left out"
    )
    parser.add_argument(
        "--samples", type=int, default=2000, help="of float64; fifty times as many of the others"
    )
    parser.add_argument(
        "--long", action="store_true", help="every float32, of functions of one argument"
    )
    parser.add_argument("--write", action="store_true", help="write the table of docs/math.md")
    parser.add_argument("--fastmath", action="store_true", help="of fastmath=True, in float32")
    return parser.parse_args()


def on_target(name):
    """A context in which kernels run there; on the best host form where none is named."""
    if not name:
        return contextlib.nullcontext()
    from cuda.device import _testing

    return _testing.use_target(name)


def main():
    options = arguments_of_the_command()
    with on_target(options.target):
        return measure(options)


def measure(options):
    if options.fastmath:
        estimates(options)
        return 0
    mp = mpmath_or_none()
    rows, formats = [], options.formats.split(",")
    for name in options.functions.split(","):
        errors = []
        for form_name in formats:
            error, where = measured(name, form_name, options, mp)
            errors.append(error)
            print(f"{name:8} {form_name:9} {text_of(error):>12} at {where}", flush=True)
        rows.append((name, errors))
    if options.write:
        write_table(table(rows, formats), BEGIN, END)
    return 1 if any(e == math.inf for _, errors in rows for e in errors) else 0


if __name__ == "__main__":
    sys.exit(main())
