import math

from cuda import device as D


@D.func
def normal_cdf(d):
    return 0.5 + 0.5 * math.erf(d * 0.70710678)


@D.kernel
def black_scholes(call, put, price, strike, years, rate, volatility, n):
    i = D.tid(1)
    if i < n:
        s = price[i]
        k = strike[i]
        t = years[i]
        spread = volatility * math.sqrt(t)
        d1 = (math.log(s / k) + (rate + 0.5 * volatility * volatility) * t) / spread
        d2 = d1 - spread
        n1 = normal_cdf(d1)
        n2 = normal_cdf(d2)
        discounted = k * math.exp(-rate * t)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (1.0 - n2) - s * (1.0 - n1)
