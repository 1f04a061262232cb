#!/usr/bin/env python3
"""Measures the largest error of every math function in each format, in units in the last place.

    scripts/measure_ulp.py              samples of float32 and float64; every 16-bit number
    scripts/measure_ulp.py --long       every float32 of functions of one argument, and 10^7 samples
    scripts/measure_ulp.py --functions=exp,pow --target=avx2,avx512
    scripts/measure_ulp.py --write      what was measured, into the table in docs/math.md
    scripts/measure_ulp.py --fastmath --write   likewise, of what fastmath=True estimates

Results are compared with MPFR at 120 bits, by gmpy2, which is no part of the development
environment (pip install gmpy2). Without it they are compared with a wider format, which the output
says.
"""

import argparse
import contextlib
import ctypes
import functools
import math
import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import math_arguments
import ml_dtypes
import numpy as np
from cuda import device as D
from math_arguments import BINARY

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

# Name in math, which is gmpy2's too: that in NumPy or SciPy. The C library has SciPy's in long
# double.
FUNCTIONS = {
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "log": "log",
    "log2": "log2",
    "log10": "log10",
    "log1p": "log1p",
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "sinh": "sinh",
    "cosh": "cosh",
    "tanh": "tanh",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "cbrt": "cbrt",
    "erf": "special.erf",
    "erfc": "special.erfc",
    "gamma": "special.gamma",
    "lgamma": "special.gammaln",
    "atan2": "arctan2",
    "pow": "power",
    "hypot": "hypot",
}
IN_LONG_DOUBLE = {"erf": "erfl", "erfc": "erfcl", "gamma": "tgammal", "lgamma": "lgammal"}


@functools.cache
def kernel_of(name):
    function = getattr(math, name)

    @D.kernel
    def unary(out, x):
        i = D.tid(1)
        if i < out.size:
            out[i] = function(x[i])

    @D.kernel
    def binary(out, x, y):
        i = D.tid(1)
        if i < out.size:
            out[i] = function(x[i], y[i])

    return binary if name in BINARY else unary


def computed(name, arguments):
    out = np.zeros(arguments[0].size, arguments[0].dtype)
    D.launch(kernel_of(name), out, *arguments, grid=D.blocks(out.size, 256), block=256)
    return out


# --- estimates, and what MPFR says ---

# An estimate is the function in float64; of float64's arguments, in long double. It is off by so
# many units of the result's format at most, which is far more than libraries document (glibc: five
# units of long double, 2**-11 of float64's each); Reference.check looks. SciPy's lgamma is off by
# an absolute error near its zeros.
SLACK = {"float16": 2.0**-16, "bfloat16": 2.0**-16, "float32": 2.0**-16, "float64": 2.0**-8}
ABSOLUTE_SLACK = {"lgamma": 1e-14}
# A largest error is right within so much; it spares MPFR the many arguments that are as bad.
TOLERANCE = 2.0**-14


class LongDouble(ctypes.c_longdouble):
    """What ctypes returns as it is; c_longdouble itself becomes a Python float."""


def by_c_library(symbol, x):
    function = getattr(ctypes.CDLL("libm.so.6"), symbol)
    function.argtypes, function.restype = [ctypes.c_longdouble], LongDouble
    return np.frombuffer((LongDouble * x.size)(*map(function, x.tolist())), np.longdouble)


def estimate(name, form_name, arguments):
    with np.errstate(all="ignore"):
        if form_name == "float64":
            if name in IN_LONG_DOUBLE:
                return by_c_library(IN_LONG_DOUBLE[name], arguments[0])
            return getattr(np, FUNCTIONS[name])(*[a.astype(np.longdouble) for a in arguments])
        path = FUNCTIONS[name]
        functions = np
        if path.startswith("special."):
            from scipy import special as functions
        wide = [a.astype(np.float64) for a in arguments]
        return getattr(functions, path.removeprefix("special."))(*wide)


def function_of_mpfr(name):
    """By floats; None without gmpy2."""
    try:
        import gmpy2
    except ImportError:
        return None
    gmpy2.get_context().precision = 120
    own = {"pow": operator.pow, "lgamma": lambda x: gmpy2.lgamma(x)[0]}
    function = own.get(name) or getattr(gmpy2, name)
    return lambda *given: function(*map(gmpy2.mpfr, given))


# --- errors ---

# Functions whose results are infinite just before the largest number (docs/known-issues.md).
OVERFLOW_EARLY = {
    "float32": {"sinh", "cosh"},
    "float64": {"exp", "sinh", "cosh", "pow", "gamma"},
}


def largest_of(form_name):
    digits, least = PRECISION[form_name]
    return (2 - 2.0 ** (1 - digits)) * 2.0 ** (1 - least)


def overflow_of(name, form_name):
    """Infinity is no error of results beyond it."""
    early = name in OVERFLOW_EARLY.get(form_name, ())
    return largest_of(form_name) * (1 - 2e-6 if early else 1)


def units(form_name, exact):
    digits, least = PRECISION[form_name]
    _, exponent = np.frexp(exact)
    return np.ldexp(exact.dtype.type(1), np.maximum(exponent - 1, least) - (digits - 1))


def errors_by(form_name, exact, out, unit, overflow):
    """In units; infinite where one is NaN or beyond the format and the other is not."""
    found = out.astype(exact.dtype)
    with np.errstate(all="ignore"):
        error = np.abs(found - exact) / unit
        same_sign = np.signbit(exact) == np.signbit(found)
        beyond = np.isinf(found) | (np.abs(found) == largest_of(form_name))
        both_beyond = same_sign & (np.abs(exact) > overflow) & beyond
    same = both_beyond | (np.isnan(exact) & np.isnan(found)) | (found == exact)
    error = np.where(same, 0, error)
    return np.where(np.isnan(error), np.inf, error)


def error_by_mpfr(form_name, exact, found, overflow):
    """The same of one result, a float."""
    import gmpy2

    digits, least = PRECISION[form_name]
    if gmpy2.is_nan(exact) or math.isnan(found):
        return 0.0 if gmpy2.is_nan(exact) and math.isnan(found) else math.inf
    largest = largest_of(form_name)
    if abs(exact) > overflow and abs(found) >= largest and (found > 0) == (exact > 0):
        return 0.0
    if abs(exact) > largest or math.isinf(found):
        return math.inf
    exponent = max(gmpy2.get_exp(exact) - 1, least) if exact else least
    return float(gmpy2.mul_2exp(abs(found - exact), digits - 1) / gmpy2.mpfr(2) ** exponent)


# --- the largest error ---

# Results of float64 with bounds of their own: the row of the table, where they are, and what the
# error is counted in. The estimate is enough for them.
APART = {
    "gamma": (
        "gamma, where it is subnormal",
        lambda x, exact: np.abs(exact) < 2.0**-1022,
        2.0**-1074,
    ),
    "lgamma": (
        "lgamma near its negative zeros, in 1e-15",
        lambda x, exact: (x < -2) & (np.abs(exact) < 1),
        1e-15,
    ),
}


class Worst:
    """The largest error so far; at least 0.5, which is that of correct rounding."""

    def __init__(self, error=0.5):
        self.error, self.where = error, None

    def take(self, error, where):
        if error > self.error:
            self.error, self.where = error, where


@dataclass
class Apart:
    """Results that have a row of their own in the table."""

    row: str
    chosen: Callable
    unit: float

    def take_worst(self, worst, x, guess, out):
        """Replaces them by correct results, which leaves the others."""
        chosen = self.chosen(x, guess)
        if chosen.any():
            off = np.abs(out[chosen] - guess[chosen]) / self.unit
            k = int(np.argmax(off))
            worst.take(float(off[k]), [float(x[chosen][k])])
        with np.errstate(all="ignore"):
            return np.where(chosen, guess.astype(out.dtype), out)


def mpfr_of_long_double(number):
    """The same number: by two floats, far from the ends of their range."""
    import gmpy2

    fraction, exponent = np.frexp(number)
    high = gmpy2.mpfr(float(fraction))
    if not gmpy2.is_finite(high):
        return high
    low = float(fraction - np.longdouble(float(fraction)))
    return (high + low) * gmpy2.mpfr(2) ** int(exponent)


class Reference:
    """Results of one function, estimated and exact, that tell the largest error in one format.

    MPFR takes microseconds for a number, so it is asked only where the estimate leaves open whether
    an error is the largest so far. A result that is the estimate rounded is as good as a
    correctly rounded one: its error is 0.5, and the slack at most. Another's error by the estimate
    differs from the true one by the slack at most: one that is smaller than the largest so far by
    more than that is out. The rest go to MPFR, those first that are the largest by the estimate.
    """

    def __init__(self, name, form_name, exact):
        self.name, self.form_name, self.exact = name, form_name, exact
        self.slack = SLACK[form_name]
        self.absolute_slack = 0 if form_name == "float64" else ABSOLUTE_SLACK.get(name, 0)
        self.overflow = overflow_of(name, form_name)
        self.rng = np.random.default_rng(2)

    def estimate(self, arguments):
        guess = estimate(self.name, self.form_name, arguments)
        if self.exact:
            for k in self.rng.integers(0, guess.size, 2):
                self.check(guess[k], [float(a[k]) for a in arguments])
        return guess

    def slack_at(self, guess):
        return self.slack + self.absolute_slack / units(self.form_name, guess)

    def check(self, guess, given):
        exact = self.exact(*given)
        off = error_by_mpfr(self.form_name, exact, mpfr_of_long_double(guess), self.overflow)
        # SciPy's lgamma(-inf) is -inf.
        if np.isfinite(guess) and off > self.slack_at(guess):
            raise ArithmeticError(f"the estimate of {self.name} at {given} is off by {off} units")
        return exact

    def take_worst(self, worst, arguments, guess, out):
        with np.errstate(all="ignore"):
            rounded = guess.astype(out.dtype)
            rows = np.flatnonzero((out != rounded) & ((out == out) | (rounded == rounded)))
            guess, out = guess[rows], out[rows]
            # Below a power of two, units are half as large.
            nearly = guess * (1 - 2 * self.slack * 2.0 ** -PRECISION[self.form_name][0])
            unit = units(self.form_name, nearly)
            by_estimate = errors_by(self.form_name, guess, out, unit, self.overflow)
            most = by_estimate + self.slack_at(guess) - TOLERANCE
        for k in np.argsort(-most):
            if most[k] <= worst.error:
                break
            given = [float(a[rows[k]]) for a in arguments]
            worst.take(self.error_at(by_estimate[k], guess[k], given, float(out[k])), given)

    def error_at(self, by_estimate, guess, given, found):
        if not self.exact:
            return float(by_estimate)
        return error_by_mpfr(self.form_name, self.check(guess, given), found, self.overflow)


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
        unit = units("float32", exact)
        return f"{errors_by('float32', exact, out, unit, largest_of('float32')).max():.2f}"
    return f"2^{math.log2(np.abs(out - exact).max()):.1f}"


def estimates(options):
    from cuda.device import _testing

    forms = [form for form in HOST_FORMS if form in _testing.targets()]
    lines = ["| | " + " | ".join(forms) + " |", "|---" + "|--:" * len(forms) + "|"]
    for name in ESTIMATES:
        errors = [error_of_estimate(name, form, 10**6) for form in forms]
        lines.append("| `" + name + "` | " + " | ".join(errors) + " |")
        print(lines[-1], flush=True)
    if options.write:
        write_table("\n".join(lines), FAST_BEGIN, FAST_END)


# --- the table ---


def measured(name, form_name, options):
    """Rows of the table, each with the largest error on each target."""
    reference = Reference(name, form_name, function_of_mpfr(name))
    apart = Apart(*APART[name]) if form_name == "float64" and name in APART else None
    rows = {name: {target: Worst() for target in options.targets}}
    if apart:
        rows[apart.row] = {target: Worst(0.0) for target in options.targets}
    for arguments in math_arguments.batches(
        name, FORMATS[form_name], options.samples, every_float32=options.long
    ):
        guess = reference.estimate(arguments)
        for target in options.targets:
            with on_target(target):
                out = computed(name, arguments)
            if apart:
                out = apart.take_worst(rows[apart.row][target], arguments[0], guess, out)
            reference.take_worst(rows[name][target], arguments, guess, out)
    return rows


def text_of(error):
    return "infinite" if math.isinf(error) else f"{error:.2f}"


def read_table(page):
    lines = page.split(BEGIN)[1].split(END)[0].strip().splitlines()
    head, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: dict(zip(head[1:], row[1:], strict=True)) for row in rows}


def table(rows):
    lines = ["| function | " + " | ".join(FORMATS) + " |", "|---" + "|--:" * len(FORMATS) + "|"]
    for name, cells in rows.items():
        cells = [cells.get(form_name, "") for form_name in FORMATS]
        lines.append("| " + " | ".join([name, *cells]) + " |")
    return "\n".join(lines)


def write_table(text, begin, end):
    page = PAGE.read_text()
    head, rest = page.split(begin)
    PAGE.write_text(head + begin + "\n\n" + text + "\n\n" + end + rest.split(end)[1])


def write_cells(cells):
    """What was not measured this time stays as it is."""
    known = read_table(PAGE.read_text())
    names = [row for name in FUNCTIONS for row in (name, APART.get(name, [None])[0]) if row]
    rows = {name: known.get(name, {}) | cells.get(name, {}) for name in names}
    write_table(table(rows), BEGIN, END)


def arguments_of_the_command():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--functions", default=",".join(FUNCTIONS))
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument(
        "--target", default="", help="host forms or the interpreter; the best host form if left out"
    )
    parser.add_argument("--samples", type=int, help="a function, where not every number is tried")
    parser.add_argument(
        "--long", action="store_true", help="every float32, of functions of one argument"
    )
    parser.add_argument("--write", action="store_true", help="write the table of docs/math.md")
    parser.add_argument("--fastmath", action="store_true", help="of fastmath=True, in float32")
    options = parser.parse_args()
    options.targets = options.target.split(",")
    options.samples = options.samples or (10**7 if options.long else 10**5)
    return options


def on_target(name):
    """A context in which kernels run there; on the best host form where none is named."""
    if not name:
        return contextlib.nullcontext()
    from cuda.device import _testing

    return _testing.use_target(name)


def main():
    options = arguments_of_the_command()
    if options.fastmath:
        estimates(options)
        return 0
    return measure(options)


def measure(options):
    if not function_of_mpfr("exp"):
        print("no gmpy2: compared with float64, and float64 with long double", file=sys.stderr)
    cells = {}
    for name in options.functions.split(","):
        for form_name in options.formats.split(","):
            for row, by_target in measured(name, form_name, options).items():
                worst = max(by_target.values(), key=lambda worst: worst.error)
                cells.setdefault(row, {})[form_name] = text_of(worst.error)
                for target, own in by_target.items():
                    place = f"{row:8} {form_name:9} {target:7}"
                    print(f"{place} {own.error:14.10f} at {own.where}", flush=True)
    if options.write:
        write_cells(cells)
    return 1 if any("infinite" in row.values() for row in cells.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
