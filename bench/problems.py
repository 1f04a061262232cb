"""What is measured: inputs, sizes, references and checks, the same for every contestant."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from arrays import aligned
from scipy import special


class WrongResult(Exception):
    """A contestant's output is not the reference within the stated tolerance."""


@dataclass
class Problem:
    """One row of the table. `amount` of `unit`·s is the work of one run: amount / seconds is the
    figure."""

    name: str
    kernel: str
    unit: str
    amount: float
    size: str
    arrays: dict[str, np.ndarray]
    outputs: tuple[str, ...]
    values: dict[str, Any]
    block: tuple[int, ...]
    reference: dict[str, Any] = field(default_factory=dict)

    @property
    def extent(self):
        """Threads wanted, x first."""
        return self.arrays[self.outputs[0]].shape[::-1]

    @property
    def grid(self):
        return tuple(-(-n // b) for n, b in zip(self.extent, self.block, strict=True))

    def poison(self):
        """Overwrites the outputs, so that a contestant that writes nothing is found."""
        for name in self.outputs:
            array = self.arrays[name]
            array.fill(-1 if array.dtype.kind == "i" else np.nan)

    def check(self):
        CHECKS[self.kernel](self)


def chunks(n, size=1 << 22):
    for first in range(0, n, size):
        yield slice(first, min(n, first + size))


# triad ------------------------------------------------------------------------------------------


def triad(quick):
    n = (1 << 20 if quick else 1 << 26) + 15
    arrays = {name: aligned((n,), np.float32) for name in "abc"}
    random = np.random.default_rng(1)
    for name in "bc":
        for part in chunks(n):
            arrays[name][part] = random.random(part.stop - part.start, np.float32) * 2 - 1
    return Problem(
        "triad",
        "triad",
        "GB/s",
        12e-9 * n,
        f"n = {n:,}",
        arrays,
        ("a",),
        {"s": np.float32(3), "n": n},
        (256,),
    )


def check_triad(p):
    # |b|, |s*c|, |a| <= 4: two roundings of at most 2**-23 each; a fused one has only one.
    a, b, c = (p.arrays[name] for name in "abc")
    for part in chunks(p.values["n"]):
        exact = b[part] + np.float64(p.values["s"]) * c[part]
        error = np.abs(a[part] - exact).max()
        if not error <= 2.0**-22:
            raise WrongResult(f"triad: off by {error:.3g}, allowed 2**-22")


# 2-D copy ---------------------------------------------------------------------------------------


def copy2d(quick, block):
    width, height = (1008, 1000) if quick else (8016, 8392)
    arrays = {name: aligned((height, width), np.float32) for name in ("out", "source")}
    np.random.default_rng(2).random(dtype=np.float32, out=arrays["source"])
    return Problem(
        f"copy2d {block[0]}x{block[1]}",
        "copy2d",
        "GB/s",
        8e-9 * width * height,
        f"{width} x {height}",
        arrays,
        ("out",),
        {},
        block,
    )


def check_copy2d(p):
    if not np.array_equal(p.arrays["out"], p.arrays["source"]):
        raise WrongResult("copy2d: the copy is not equal to its source")


# Mandelbrot -------------------------------------------------------------------------------------


def mandelbrot(quick):
    width, height = (256, 256) if quick else (1024, 1024)
    values = {
        "x0": np.float32(-2),
        "y0": np.float32(-1.25),
        "dx": np.float32(2.5 / width),
        "dy": np.float32(2.5 / height),
        "limit": 256,
    }
    arrays = {"out": aligned((height, width), np.int32)}
    return Problem(
        "mandelbrot",
        "mandelbrot",
        "Mpixel/s",
        1e-6 * width * height,
        f"{width} x {height}, {values['limit']} iterations",
        arrays,
        ("out",),
        values,
        (32, 8),
    )


def escape_counts(values, width, height, fused):
    """The kernel's arithmetic in float32; `fused` rounds product and sum once.

    float64 holds the product of two float32 exactly, so rounding its sum to float32 is a fused
    multiply-add but for rare double roundings.
    """
    wide = np.float64 if fused else np.float32
    f32 = np.float32
    px, py = np.arange(width, dtype=f32), np.arange(height, dtype=f32)
    cx = (px.astype(wide) * values["dx"] + values["x0"]).astype(f32)
    cy = (py.astype(wide) * values["dy"] + values["y0"]).astype(f32)
    cx, cy = (part.ravel() for part in np.meshgrid(cx, cy))
    count = np.zeros(width * height, np.int32)
    active = np.arange(width * height)
    x, y = np.zeros_like(cx), np.zeros_like(cy)
    for _ in range(values["limit"]):
        y2 = (y * y).astype(wide)
        xw = x.astype(wide)
        inside = (xw * xw + y2).astype(f32) <= 4
        if not inside.all():
            active, x, y, y2, xw = (part[inside] for part in (active, x, y, y2, xw))
        if not len(active):
            break
        count[active] += 1
        difference = (xw * xw - y2).astype(f32)
        y = ((xw + xw) * y + cy[active]).astype(f32)
        x = difference + cx[active]
    return count.reshape(height, width)


# Pixels at the set's edge depend on every rounding: of a contestant that contracts other products
# than we do, or none, so many may differ from both references.
MANDELBROT_DIFFERENT = 2e-3


def check_mandelbrot(p):
    height, width = p.arrays["out"].shape
    for fused in (True, False):
        if fused not in p.reference:
            p.reference[fused] = escape_counts(p.values, width, height, fused)
    different = min(np.mean(p.arrays["out"] != p.reference[fused]) for fused in (True, False))
    if not different <= MANDELBROT_DIFFERENT:
        raise WrongResult(f"mandelbrot: {different:.2%} of the pixels differ")
    p.reference["different"] = different


# Black-Scholes ----------------------------------------------------------------------------------


def black_scholes(quick):
    n = 100_003 if quick else 1_000_003
    names = ("call", "put", "price", "strike", "years")
    arrays = {name: aligned((n,), np.float32) for name in names}
    random = np.random.default_rng(3)
    for name, low, high in (("price", 5, 30), ("strike", 1, 100), ("years", 0.25, 10)):
        arrays[name][:] = random.uniform(low, high, n)
    values = {"rate": np.float32(0.02), "volatility": np.float32(0.3), "n": n}
    return Problem(
        "black_scholes",
        "black_scholes",
        "Moption/s",
        1e-6 * n,
        f"n = {n:,}",
        arrays,
        ("call", "put"),
        values,
        (256,),
    )


def exact_prices(p):
    """Call and put in float64."""
    s, k, t = (p.arrays[name].astype(np.float64) for name in ("price", "strike", "years"))
    rate, volatility = np.float64(p.values["rate"]), np.float64(p.values["volatility"])
    spread = volatility * np.sqrt(t)
    d1 = (np.log(s / k) + (rate + 0.5 * volatility**2) * t) / spread
    n1, n2 = special.ndtr(d1), special.ndtr(d1 - spread)
    discounted = k * np.exp(-rate * t)
    return s * n1 - discounted * n2, discounted * (1 - n2) - s * (1 - n1)


# Both terms of a price are below 100, where an ulp is 2**-17; each carries the error of erf near 1
# (half an ulp of 1 times 100) and two roundings.
PRICE_TOLERANCE = 4 * 2.0**-17


def check_black_scholes(p):
    if "prices" not in p.reference:
        p.reference["prices"] = exact_prices(p)
    for name, exact in zip(p.outputs, p.reference["prices"], strict=True):
        error = np.abs(p.arrays[name] - exact).max()
        if not error <= PRICE_TOLERANCE:
            raise WrongResult(f"black_scholes: {name} off by {error:.3g}")
        p.reference["error"] = max(error, p.reference.get("error", 0))


CHECKS = {
    "triad": check_triad,
    "copy2d": check_copy2d,
    "mandelbrot": check_mandelbrot,
    "black_scholes": check_black_scholes,
}

COPY_BLOCKS = ((32, 8), (16, 16), (8, 8), (10, 10))

PROBLEMS = {
    "triad": triad,
    **{f"copy2d {x}x{y}": lambda quick, b=(x, y): copy2d(quick, b) for x, y in COPY_BLOCKS},
    "mandelbrot": mandelbrot,
    "black_scholes": black_scholes,
}
