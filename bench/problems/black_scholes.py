import math

import numpy as np
from arrays import aligned

from .problem import Hand, Problem, grid_for, require_close


def black_scholes(quick):
    n = 100_003 if quick else 1_000_003
    names = ("call", "put", "price", "strike", "years")
    arrays = {name: aligned((n,), np.float32) for name in names}
    random = np.random.default_rng(3)
    for name, low, high in (("price", 5, 30), ("strike", 1, 100), ("years", 0.25, 10)):
        arrays[name][:] = random.uniform(low, high, n)
    return Problem(
        name="black_scholes",
        kernel="black_scholes",
        unit="Moption/s",
        amount=1e-6 * n,
        size=f"n = {n:,}",
        arrays=arrays,
        outputs=("call", "put"),
        values={"rate": np.float32(0.02), "volatility": np.float32(0.3), "n": n},
        arguments="call put price strike years rate volatility n",
        block=(256,),
        grid=grid_for((n,), (256,)),
        judge=check,
        hand=(Hand("hand_black_scholes_x2"), Hand("hand_black_scholes_x4")),
        wanted=0.85,
        whole_arrays=whole_arrays,
    )


def exact_cdf(d):
    return 0.5 * np.fromiter(map(math.erfc, -d * math.sqrt(0.5)), np.float64, d.size)


def exact_prices(p):
    """Call and put in float64."""
    s, k, t = (p.arrays[name].astype(np.float64) for name in ("price", "strike", "years"))
    rate, volatility = np.float64(p.values["rate"]), np.float64(p.values["volatility"])
    spread = volatility * np.sqrt(t)
    d1 = (np.log(s / k) + (rate + 0.5 * volatility**2) * t) / spread
    n1, n2 = exact_cdf(d1), exact_cdf(d1 - spread)
    discounted = k * np.exp(-rate * t)
    return s * n1 - discounted * n2, discounted * (1 - n2) - s * (1 - n1)


# Both terms of a price are below 100, where an ulp is 2**-17; each carries the error of erf near 1
# (half an ulp of 1 times 100) and two roundings.
PRICE_TOLERANCE = 4 * 2.0**-17


def check(p):
    prices = p.once("prices", lambda: exact_prices(p))
    for name, exact in zip(p.outputs, prices, strict=True):
        require_close(p, name, exact, PRICE_TOLERANCE)


def normal_cdf(d):
    from scipy import special  # needed for this alone

    return np.float32(0.5) + np.float32(0.5) * special.erf(d * np.float32(0.70710678))


def whole_arrays(call, put, price, strike, years, rate, volatility):
    spread = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + np.float32(0.5) * volatility**2) * years) / spread
    n1 = normal_cdf(d1)
    n2 = normal_cdf(d1 - spread)
    discounted = strike * np.exp(-rate * years)
    np.subtract(price * n1, discounted * n2, out=call)
    np.subtract(discounted * (1 - n2), price * (1 - n1), out=put)


PROBLEMS = {"black_scholes": black_scholes}
