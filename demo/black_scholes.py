"""Prices of four million European options, in float32."""

import math

import numpy as np
from cuda import device as D
from scipy import special

import support

RATE = 0.02
VOLATILITY = 0.3


@D.func
def normal_cdf(d):
    return 0.5 + 0.5 * math.erf(d * 0.70710678)


@D.kernel
def black_scholes(call, put, price, strike, years):
    i = D.tid(1)
    if i < call.size:
        s = price[i]
        k = strike[i]
        t = years[i]
        spread = VOLATILITY * math.sqrt(t)
        d1 = (math.log(s / k) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / spread
        d2 = d1 - spread
        n1 = normal_cdf(d1)
        n2 = normal_cdf(d2)
        discounted = k * math.exp(-RATE * t)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (1.0 - n2) - s * (1.0 - n1)


def numpy_prices(price, strike, years):
    """Call and put in the arguments' own type."""
    real = price.dtype.type
    rate, volatility = real(RATE), real(VOLATILITY)
    spread = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + real(0.5) * volatility**2) * years) / spread
    n1 = real(0.5) + real(0.5) * special.erf(d1 * real(math.sqrt(0.5)))
    n2 = real(0.5) + real(0.5) * special.erf((d1 - spread) * real(math.sqrt(0.5)))
    discounted = strike * np.exp(-rate * years)
    return price * n1 - discounted * n2, discounted * (1 - n2) - price * (1 - n1)


def options_to_price(n):
    random = np.random.default_rng(7)
    ranges = ((5, 30), (1, 100), (0.25, 10))  # price, strike, years
    return [random.uniform(low, high, n).astype(np.float32) for low, high in ranges]


# Each price is a difference of two terms below 100, where an ulp of float32 is 2**-17. A term
# carries the rounding of its product and the error of erf near 1 (an ulp of 1, times 100).
TOLERANCE = 4 * 2.0**-17


def run(options):
    n = 100_003 if options.small else 4_000_000
    print(f"Black-Scholes, {n:,} options")
    inputs = options_to_price(n)
    placed = [D.asarray(part, device=options.device) for part in inputs]
    results = [D.zeros(n, np.float32, device=options.device) for _ in range(2)]
    block = 256

    def launch():
        D.launch(black_scholes, *results, *placed, grid=-(-n // block), block=block)

    ours = support.seconds_of(launch, options.device)
    call, put = map(D.to_host, results)
    exact = numpy_prices(*(part.astype(np.float64) for part in inputs))
    worst = max(np.abs(got - want).max() for got, want in zip((call, put), exact, strict=True))
    support.require(worst <= TOLERANCE, f"off by {worst:.3g}, allowed {TOLERANCE:.3g}")
    print(f"  within {worst:.2g} of NumPy in float64 (allowed {TOLERANCE:.2g})")
    theirs = support.seconds_of(lambda: numpy_prices(*inputs))
    support.compare("options", 1e-6 * n, "Moption/s", ours, "NumPy and SciPy", theirs)


if __name__ == "__main__":
    support.run_demo("black_scholes")
