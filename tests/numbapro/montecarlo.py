"""Price of a European call by simulated paths, with random numbers from the host."""

from __future__ import print_function

import math

import numpy as np
from numbapro import cuda, jit  # noqa: F401


@cuda.jit("void(double[:], double[:], double, double, double, double[:])")
def step(last, paths, dt, c0, c1, normdist):
    i = cuda.grid(1)
    if i >= paths.shape[0]:
        return
    noise = normdist[i]
    paths[i] = last[i] * math.exp(c0 * dt + c1 * noise)


def price(paths, steps, stock, strike, rate, volatility, maturity):
    random = np.random.RandomState(1)
    dt = maturity / steps
    c0 = rate - 0.5 * volatility**2
    c1 = volatility * math.sqrt(dt)
    stream = cuda.stream()
    last = cuda.to_device(np.full(paths, stock), stream)
    following = cuda.device_array_like(last, stream)
    griddim, blockdim = (paths + 127) // 128, 128
    for _ in range(steps):
        noise = cuda.to_device(random.standard_normal(paths), stream)
        step[griddim, blockdim, stream](last, following, dt, c0, c1, noise)
        last, following = following, last
    stream.synchronize()
    ends = last.copy_to_host()
    return np.mean(np.maximum(ends - strike, 0)) * math.exp(-rate * maturity)


def black_scholes(stock, strike, rate, volatility, maturity):
    d1 = math.log(stock / strike) + (rate + volatility**2 / 2) * maturity
    d1 /= volatility * math.sqrt(maturity)
    d2 = d1 - volatility * math.sqrt(maturity)

    def cnd(x):
        return 0.5 * math.erfc(-x / math.sqrt(2))

    return stock * cnd(d1) - strike * math.exp(-rate * maturity) * cnd(d2)


if __name__ == "__main__":
    option = (20.83, 21.50, 0.021, 0.20, 5.0 / 12)
    found = price(10000, 20, *option)
    assert abs(found - black_scholes(*option)) < 0.05, found
    print("montecarlo ok")
