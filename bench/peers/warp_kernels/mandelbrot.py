import warp as wp


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
