import warp as wp


@wp.func
def normal_cdf(d: wp.float32):
    return 0.5 + 0.5 * wp.erf(d * 0.70710678)


@wp.kernel
def black_scholes(
    call: wp.array(dtype=wp.float32),
    put: wp.array(dtype=wp.float32),
    price: wp.array(dtype=wp.float32),
    strike: wp.array(dtype=wp.float32),
    years: wp.array(dtype=wp.float32),
    rate: wp.float32,
    volatility: wp.float32,
):
    i = wp.tid()
    s = price[i]
    k = strike[i]
    t = years[i]
    spread = volatility * wp.sqrt(t)
    d1 = (wp.log(s / k) + (rate + 0.5 * volatility * volatility) * t) / spread
    d2 = d1 - spread
    n1 = normal_cdf(d1)
    n2 = normal_cdf(d2)
    discounted = k * wp.exp(-rate * t)
    call[i] = s * n1 - discounted * n2
    put[i] = discounted * (1.0 - n2) - s * (1.0 - n1)
