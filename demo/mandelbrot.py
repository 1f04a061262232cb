"""The Mandelbrot set at 4K, coloured without steps, in float32."""

import math

import numpy as np
from cuda import device as D

import support

LIMIT = 1000
FAR = 256.0  # |z| squared beyond which a point has left; the farther, the smoother the colours
DENSITY = 64.0  # colours of the palette for twice as many iterations
SIDE = 2  # samples of a pixel along each axis
CENTRE, WIDTH = (-0.7455, 0.1338), 0.0155  # of the picture: in the valley of seahorses
COLOURS = 0x0A0F3C, 0x1A4FA3, 0x8FD3E8, 0xFFF3D0, 0xF59D2A, 0x7A1F2B, 0x0A0F3C


@D.func
def escape_time(cx, cy):
    """How many iterations until z*z + c is far away, with a fraction; LIMIT if it stays."""
    x, y = 0.0, 0.0
    x2, y2 = 0.0, 0.0
    n = 0
    while n < LIMIT and x2 + y2 <= FAR:
        y = 2.0 * x * y + cy
        x = x2 - y2 + cx
        x2 = x * x
        y2 = y * y
        n += 1
    if x2 + y2 <= FAR:
        return D.float32(LIMIT)
    return n + 1.0 - math.log2(0.5 * math.log2(x2 + y2))


# Products are rounded before they are added, as NumPy does it: the orbits are the same bit by bit.
@D.kernel(fmad=False)
def mandelbrot(image, palette, left, top, step):
    """image: uint8, (rows, columns, 3). step: between samples."""
    px, py = D.tid(2)
    rows, columns = image.shape[0], image.shape[1]
    if px < columns and py < rows:
        red, green, blue = 0.0, 0.0, 0.0
        for sample in range(SIDE * SIDE):
            cx = left + D.float32(SIDE * px + sample % SIDE) * step
            cy = top + D.float32(SIDE * py + sample // SIDE) * step
            time = escape_time(cx, cy)
            if time < LIMIT:
                place = DENSITY * math.log2(time + 1.0)
                whole = D.int32(place)
                part = place - whole
                here = whole % palette.shape[0]
                after = (whole + 1) % palette.shape[0]
                red += palette[here, 0] + part * (palette[after, 0] - palette[here, 0])
                green += palette[here, 1] + part * (palette[after, 1] - palette[here, 1])
                blue += palette[here, 2] + part * (palette[after, 2] - palette[here, 2])
        image[py, px, 0] = D.uint8(red / (SIDE * SIDE))
        image[py, px, 1] = D.uint8(green / (SIDE * SIDE))
        image[py, px, 2] = D.uint8(blue / (SIDE * SIDE))


def numpy_escape_times(cx, cy):
    """For flat arrays of samples; those that have left drop out of the work."""
    times = np.full(cx.size, LIMIT, np.float32)
    active = np.arange(cx.size)
    x, y, x2, y2 = np.zeros((4, cx.size), np.float32)
    for n in range(1, LIMIT + 1):
        y = 2 * x * y + cy
        x = x2 - y2 + cx
        x2, y2 = x * x, y * y
        far = x2 + y2
        inside = far <= FAR
        if not inside.all():
            times[active[~inside]] = n + 1 - np.log2(0.5 * np.log2(far[~inside]))
            parts = active, x, y, x2, y2, cx, cy
            active, x, y, x2, y2, cx, cy = (part[inside] for part in parts)
    return times


def numpy_row(row, columns, palette, left, top, step):
    """One row of pixels."""
    x, y, j, i = np.meshgrid(np.arange(columns), [row], *[range(SIDE)] * 2, indexing="ij")
    cx = left + (SIDE * x + i).ravel().astype(np.float32) * step
    cy = top + (SIDE * y + j).ravel().astype(np.float32) * step
    times = numpy_escape_times(cx, cy)
    place = DENSITY * np.log2(times + 1)
    whole = place.astype(np.int32)
    here, after = palette[whole % len(palette)], palette[(whole + 1) % len(palette)]
    colours = here + (place - whole)[:, None] * (after - here)
    colours[times == LIMIT] = 0
    return colours.reshape(columns, SIDE * SIDE, 3).mean(axis=1).astype(np.uint8)


def numpy_rows(rows, *view):
    drawn = []
    for row in rows:
        drawn.append(numpy_row(row, *view))
        support.progress("Mandelbrot with NumPy", len(drawn), len(rows))
    return np.stack(drawn)


def run(options):
    columns, rows = (480, 270) if options.small else (3840, 2160)
    every = 45
    print(f"Mandelbrot, {columns} x {rows} pixels of {SIDE * SIDE} samples, {LIMIT} iterations")
    step = np.float32(WIDTH / (SIDE * columns))
    left, top = (
        np.float32(CENTRE[0] - WIDTH / 2),
        np.float32(CENTRE[1] - WIDTH * rows / columns / 2),
    )
    palette, place = support.palette(COLOURS, 256), (left, top, step)
    there = D.zeros((rows, columns, 3), np.uint8, device=options.device)
    arguments = there, D.asarray(palette, device=options.device), *place
    block = (32, 8)
    grid = support.grid_for((rows, columns), block)

    def launch():
        D.launch(mandelbrot, *arguments, grid=grid, block=block)

    ours = support.seconds_of(launch, options.device)
    image = D.to_host(there)
    checked = range(every // 2, rows, every)
    theirs, expected = support.once(lambda: numpy_rows(checked, columns, palette, *place))
    # Logarithms within some ulps move a colour by far less than a level, which cutting off the
    # fraction makes one.
    worst = np.abs(image[checked].astype(int) - expected).max()
    support.require(worst <= 1, f"a colour is off by {worst} levels, allowed 1")
    print(f"  every {every}th row: within one level of NumPy in every pixel")
    theirs *= rows / len(checked)
    support.compare("pixels", 1e-6 * rows * columns, "Mpixel/s", ours, "NumPy", theirs)
    support.save(options, image, "mandelbrot.png")


if __name__ == "__main__":
    support.run_demo("mandelbrot")
