from cuda import device as D


@D.kernel
def mandelbrot(out, x0, y0, dx, dy, limit):
    px, py = D.tid(2)
    height, width = out.shape
    if px < width and py < height:
        cx = x0 + px * dx
        cy = y0 + py * dy
        x = 0.0
        y = 0.0
        n = 0
        while n < limit and x * x + y * y <= 4.0:
            x, y = x * x - y * y + cx, 2.0 * x * y + cy
            n += 1
        out[py, px] = n
