"""The Mandelbrot set at 4K, in float32."""

import numpy as np
from cuda import device as D
from PIL import Image

import support

LIMIT = 256
TILE_ROWS = 40


def escape(out, x0, y0, step, limit):
    px, py = D.tid(2)
    height, width = out.shape
    if px < width and py < height:
        cx = x0 + px * step
        cy = y0 + py * step
        x = 0.0
        y = 0.0
        n = 0
        while n < limit and x * x + y * y <= 4.0:
            x, y = x * x - y * y + cx, 2.0 * x * y + cy
            n += 1
        out[py, px] = n


mandelbrot = D.kernel(escape)
# Products rounded before they are added, as NumPy does it.
mandelbrot_unfused = D.kernel(fmad=False)(escape)

# A pixel beside the set's edge escapes sooner or later for the last bit of its orbit, so the fused
# kernel may differ from NumPy there, and only there.
FUSED_DIFFERENT = 0.005


def numpy_rows(counts, first, x0, y0, step, limit):
    """Fills the rows `first` and on, that `counts` is a view of."""
    height, width = counts.shape
    cx = x0 + np.arange(width, dtype=np.float32) * step
    cy = y0 + np.arange(first, first + height, dtype=np.float32) * step
    cx, cy = (part.ravel() for part in np.meshgrid(cx, cy))
    flat = counts.reshape(-1)
    flat[:] = 0
    active = np.arange(flat.size)
    x, y = np.zeros_like(cx), np.zeros_like(cy)
    for _ in range(limit):
        x2, y2 = x * x, y * y
        inside = x2 + y2 <= 4
        if not inside.all():
            active, x, y, x2, y2, cx, cy = (part[inside] for part in (active, x, y, x2, y2, cx, cy))
        if not active.size:
            break
        flat[active] += 1
        x, y = x2 - y2 + cx, (x + x) * y + cy


def numpy_mandelbrot(shape, *view):
    counts = np.empty(shape, np.int32)
    for first in range(0, shape[0], TILE_ROWS):
        numpy_rows(counts[first : first + TILE_ROWS], first, *view)
        support.progress("NumPy", min(first + TILE_ROWS, shape[0]), shape[0])
    return counts


def colours(counts, limit):
    """RGB by the logarithm of the count, which spreads the thin bands; black inside the set."""
    t = np.log2(counts.astype(np.float32) + 1)[..., None]
    phase = np.array([0.0, 0.6, 1.2], np.float32)
    rgb = 127.5 - 127.5 * np.cos(1.1 * t + phase)
    rgb[counts == limit] = 0
    return rgb.astype(np.uint8)


def launcher(kernel, out, view):
    height, width = out.shape
    block = (32, 8)
    grid = (-(-width // block[0]), -(-height // block[1]))
    return lambda: D.launch(kernel, out, *view, grid=grid, block=block)


def run(options):
    width, height = (480, 270) if options.small else (3840, 2160)
    print(f"Mandelbrot, {width} x {height} pixels, {LIMIT} iterations")
    step = np.float32(2.4 / height)
    view = (np.float32(-0.65 - 1.2 * width / height), np.float32(-1.2), step, LIMIT)
    counts, unfused = (np.zeros((height, width), np.int32) for _ in range(2))
    ours = support.seconds_of(launcher(mandelbrot, counts, view))
    launcher(mandelbrot_unfused, unfused, view)()
    numpys, expected = support.once(lambda: numpy_mandelbrot(counts.shape, *view))
    support.require(np.array_equal(unfused, expected), "with fmad=False the counts differ")
    different = np.mean(counts != expected)
    support.require(different <= FUSED_DIFFERENT, f"{different:.2%} of the pixels differ")
    print(f"  fmad=False: equal to NumPy in every pixel; fused: {different:.3%} differ")
    support.compare(1e-6 * counts.size, "Mpixel/s", ours, numpys)
    support.save(Image.fromarray(colours(counts, LIMIT)), "mandelbrot.png")
