"""Warp's CPU device. It runs a launch on the calling thread, whatever the thread count."""

from . import Contestant, NotAvailable

try:
    import warp as wp
except ImportError:
    wp = None

if wp is not None:
    wp.config.quiet = True

    @wp.kernel
    def triad(
        a: wp.array(dtype=wp.float32),
        b: wp.array(dtype=wp.float32),
        c: wp.array(dtype=wp.float32),
        s: wp.float32,
    ):
        i = wp.tid()
        a[i] = b[i] + s * c[i]

    @wp.kernel
    def copy2d(out: wp.array2d(dtype=wp.float32), source: wp.array2d(dtype=wp.float32)):
        y, x = wp.tid()
        out[y, x] = source[y, x]

    @wp.kernel
    def mandelbrot(
        out: wp.array2d(dtype=wp.int32),
        x0: wp.float32,
        y0: wp.float32,
        dx: wp.float32,
        dy: wp.float32,
        limit: wp.int32,
    ):
        py, px = wp.tid()
        cx = x0 + float(px) * dx
        cy = y0 + float(py) * dy
        x = wp.float32(0.0)
        y = wp.float32(0.0)
        n = wp.int32(0)
        while n < limit and x * x + y * y <= 4.0:
            step = x * x - y * y + cx
            y = 2.0 * x * y + cy
            x = step
            n += 1
        out[py, px] = n

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

    KERNELS = {f.key: f for f in (triad, copy2d, mandelbrot, black_scholes)}

ARGUMENTS = {
    "triad": "a b c s",
    "copy2d": "out source",
    "mandelbrot": "out x0 y0 dx dy limit",
    "black_scholes": "call put price strike years rate volatility",
}


def contestants(problem, threads):
    if wp is None:
        raise NotAvailable("not installed")
    wp.init()
    kernel = KERNELS[problem.kernel]
    shared = {
        name: wp.array(
            array,
            dtype=wp.int32 if array.dtype.kind == "i" else wp.float32,
            device="cpu",
            copy=False,
        )
        for name, array in problem.arrays.items()
    }
    inputs = [
        shared.get(name, problem.values.get(name)) for name in ARGUMENTS[problem.kernel].split()
    ]
    dim = problem.extent[::-1]
    return [
        Contestant(
            "Warp CPU", "Warp CPU", lambda: wp.launch(kernel, dim=dim, inputs=inputs, device="cpu")
        )
    ]
