"""A photograph blurred, smoothed, its edges, its luminance equalised.

The photograph, a rocket at dusk, comes inside scikit-image; --photo takes another. Here it is three
planes: uint8, (3, rows, columns). The picture: above, the photograph, blurred, smoothed; below,
equalised, edges, luminances before and after.
"""

import math

import numpy as np
import photo_numpy
from cuda import device as D
from PIL import Image, ImageOps

import support

WIDTH, HEIGHT = 32, 16  # of a block, and of its tile of the photograph
BLUR = 6  # taps on either side
NEAR = 5
BINS = 256
COUNTERS = 32  # rows of them: one a thread


@D.func
def luminance(red, green, blue):
    return (77 * D.int32(red) + 150 * D.int32(green) + 29 * D.int32(blue) + 128) >> 8


@D.func
def nearest(i, size):
    """The index within the photograph: outside it, its border goes on."""
    return min(max(i, 0), size - 1)


@D.kernel
def gaussian_blur(out, photo, weights):
    """Along x, then along y, within a tile. The weights are integers, 256 in all."""
    tile = D.shared_array((HEIGHT + 2 * BLUR, WIDTH + 2 * BLUR), D.float32)
    along_x = D.shared_array((HEIGHT + 2 * BLUR, WIDTH), D.float32)
    # Positions are unsigned; these go below zero at the border.
    tx, ty = D.int32(D.thread_idx.x), D.int32(D.thread_idx.y)
    x, y, plane = D.tid(3)
    left, top = x - tx - BLUR, y - ty - BLUR
    rows, columns = photo.shape[1], photo.shape[2]
    for j in range(ty, HEIGHT + 2 * BLUR, HEIGHT):
        for i in range(tx, WIDTH + 2 * BLUR, WIDTH):
            row, column = nearest(top + j, rows), nearest(left + i, columns)
            tile[j, i] = photo[plane, row, column]
    D.syncthreads()
    for j in range(ty, HEIGHT + 2 * BLUR, HEIGHT):
        total = 0.0
        for i in range(2 * BLUR + 1):
            total += weights[i] * tile[j, tx + i]
        along_x[j, tx] = total
    D.syncthreads()
    if x < columns and y < rows:
        total = 0.0
        for j in range(2 * BLUR + 1):
            total += weights[j] * along_x[ty + j, tx]
        out[plane, y, x] = D.uint8(total / 65536 + 0.5)


@D.kernel
def sobel(edges, photo):
    """Strength of the change of luminance."""
    tile = D.shared_array((HEIGHT + 2, WIDTH + 2), D.int32)
    tx, ty = D.int32(D.thread_idx.x), D.int32(D.thread_idx.y)
    x, y = D.tid(2)
    left, top = x - tx - 1, y - ty - 1
    rows, columns = edges.shape
    for j in range(ty, HEIGHT + 2, HEIGHT):
        for i in range(tx, WIDTH + 2, WIDTH):
            row, column = nearest(top + j, rows), nearest(left + i, columns)
            tile[j, i] = luminance(
                photo[0, row, column], photo[1, row, column], photo[2, row, column]
            )
    D.syncthreads()
    if x < columns and y < rows:
        west = tile[ty, tx] + 2 * tile[ty + 1, tx] + tile[ty + 2, tx]
        east = tile[ty, tx + 2] + 2 * tile[ty + 1, tx + 2] + tile[ty + 2, tx + 2]
        north = tile[ty, tx] + 2 * tile[ty, tx + 1] + tile[ty, tx + 2]
        south = tile[ty + 2, tx] + 2 * tile[ty + 2, tx + 1] + tile[ty + 2, tx + 2]
        gx, gy = east - west, south - north
        strength = math.sqrt(D.float32(gx * gx + gy * gy))
        edges[y, x] = D.uint8(min(strength, D.float32(255)))


@D.kernel
def bilateral(out, photo, near, sharpness):
    """Means of pixels that are near, and alike in colour: smooth surfaces, sharp edges.

    A neighbour weighs exp(near[j, i] - sharpness * the square of the distance of colours).
    """
    tile = D.shared_array((3, HEIGHT + 2 * NEAR, WIDTH + 2 * NEAR), D.float32)
    tx, ty = D.int32(D.thread_idx.x), D.int32(D.thread_idx.y)
    x, y = D.tid(2)
    left, top = x - tx - NEAR, y - ty - NEAR
    rows, columns = photo.shape[1], photo.shape[2]
    for j in range(ty, HEIGHT + 2 * NEAR, HEIGHT):
        for i in range(tx, WIDTH + 2 * NEAR, WIDTH):
            row, column = nearest(top + j, rows), nearest(left + i, columns)
            for plane in range(3):
                tile[plane, j, i] = photo[plane, row, column]
    D.syncthreads()
    if x < columns and y < rows:
        red = tile[0, ty + NEAR, tx + NEAR]
        green = tile[1, ty + NEAR, tx + NEAR]
        blue = tile[2, ty + NEAR, tx + NEAR]
        weights, reds, greens, blues = 0.0, 0.0, 0.0, 0.0
        for j in range(2 * NEAR + 1):
            for i in range(2 * NEAR + 1):
                r = tile[0, ty + j, tx + i]
                g = tile[1, ty + j, tx + i]
                b = tile[2, ty + j, tx + i]
                dr, dg, db = r - red, g - green, b - blue
                weight = math.exp(near[j, i] - sharpness * (dr * dr + dg * dg + db * db))
                weights += weight
                reds += weight * r
                greens += weight * g
                blues += weight * b
        out[0, y, x] = D.uint8(reds / weights + 0.5)
        out[1, y, x] = D.uint8(greens / weights + 0.5)
        out[2, y, x] = D.uint8(blues / weights + 0.5)


@D.kernel
def count_luminance(counts, photo, share):
    """Each thread counts in a row of its own; then the block adds the rows up."""
    counter = D.shared_array((COUNTERS, BINS), D.int32)
    t = D.thread_idx.x
    for row in range(COUNTERS):
        for k in range(t, BINS, COUNTERS):
            counter[row, k] = 0
    D.syncthreads()
    first = D.block_idx.x * share
    for i in range(first + t, min(first + share, photo.shape[1]), COUNTERS):
        counter[t, luminance(photo[0, i], photo[1, i], photo[2, i])] += 1
    D.syncthreads()
    for k in range(t, BINS, COUNTERS):
        total = 0
        for row in range(COUNTERS):
            total += counter[row, k]
        counts[D.block_idx.x, k] = total


@D.kernel
def equalising_table(table, counts):
    """One block, a thread a luminance: how many pixels are as dark, from 0 to 255."""
    darker = D.shared_array((2, BINS), D.int32)
    darkest = D.shared_array(1, D.int32)
    t = D.int32(D.thread_idx.x)
    own = 0
    for block in range(counts.shape[0]):
        own += counts[block, t]
    now = 0
    darker[now, t] = own
    D.syncthreads()
    step = 1
    while step < BINS:  # after it, each has the sum of the 2 * step up to its own
        before = darker[now, t - step] if t >= step else 0
        darker[1 - now, t] = darker[now, t] + before
        D.syncthreads()
        now = 1 - now
        step *= 2
    if own > 0 and darker[now, t] == own:
        darkest[0] = own
    D.syncthreads()
    least = D.int64(darkest[0])
    span = max(darker[now, BINS - 1] - least, 1)
    table[t] = (255 * (darker[now, t] - least) + span // 2) // span


@D.kernel
def recolour(out, photo, table):
    i = D.tid(1)
    if i < photo.shape[1]:
        bright = luminance(photo[0, i], photo[1, i], photo[2, i])
        wanted = table[bright]
        for plane in range(3):
            scaled = (photo[plane, i] * wanted + bright // 2) // max(bright, 1)
            out[plane, i] = D.uint8(min(scaled, 255))


def launch(kernel, out, *arguments, planes=1):
    """A thread for each pixel of `out`, or for each of its planes too."""
    grid = support.grid_for(out.shape[-2:], (WIDTH, HEIGHT))
    D.launch(kernel, out, *arguments, grid=(*grid, planes), block=(WIDTH, HEIGHT))


def equalise(out, photo, counts, table):
    """out, photo: (3, pixels). counts, table: int32 memory, (parts, BINS) and (BINS,)."""
    pixels = photo.shape[1]
    share = -(-pixels // counts.shape[0])
    D.launch(count_luminance, counts, photo, share, grid=counts.shape[0], block=COUNTERS)
    D.launch(equalising_table, table, counts, grid=1, block=BINS)
    D.launch(recolour, out, photo, table, grid=-(-pixels // 256), block=256)


def gaussian_weights(sigma):
    """Integers, 256 in all, so that float32 holds every sum of products exactly."""
    at = np.arange(-BLUR, BLUR + 1)
    bell = np.exp(-(at**2) / (2 * sigma**2))
    weights = np.rint(256 * bell / bell.sum())
    weights[BLUR] += 256 - weights.sum()
    return weights.astype(np.float32)


def near_exponents(sigma):
    at = np.arange(-NEAR, NEAR + 1)
    return (-(at[:, None] ** 2 + at**2) / (2 * sigma**2)).astype(np.float32)


def report(what, photo, ours, other, theirs):
    support.compare(what, 1e-6 * photo[0].size, "Mpixel/s", ours, other, theirs)


def seconds_and_result(shape, device, kernel, *arguments, planes=1):
    """Of a kernel whose first argument is uint8 of this shape; the others are copied first."""
    out = D.zeros(shape, np.uint8, device=device)
    there = [D.asarray(a, device=device) if isinstance(a, np.ndarray) else a for a in arguments]
    seconds = support.seconds_of(lambda: launch(kernel, out, *there, planes=planes), device)
    return seconds, D.to_host(out)


def blur_photo(photo, device):
    weights = gaussian_weights(sigma=2.0)
    ours, blurred = seconds_and_result(photo.shape, device, gaussian_blur, photo, weights, planes=3)
    expected = photo_numpy.gaussian_blur(photo, weights)
    support.require(np.array_equal(blurred, expected), "the blurred photograph differs")
    theirs = support.seconds_of(lambda: photo_numpy.gaussian_blur(photo, weights))
    report("blur", photo, ours, "scipy.ndimage", theirs)
    return blurred


# Rounding takes a half. What float32 adds to means of numbers up to 255, whose weights are within
# some ulps, is far below the rest.
OFF_BY = 0.5 + 1e-3


def smooth_photo(photo, device):
    arguments = near_exponents(sigma=3.0), np.float32(1 / (2 * 25.0**2))
    ours, smooth = seconds_and_result(photo.shape, device, bilateral, photo, *arguments)
    exact = photo_numpy.bilateral(photo, *arguments, np.float64)
    worst = np.abs(smooth - exact).max()
    support.require(worst <= OFF_BY, f"smoothing is off by {worst:.5f}, allowed {OFF_BY}")
    theirs = support.seconds_of(lambda: photo_numpy.bilateral(photo, *arguments, np.float32))
    report("bilateral", photo, ours, "NumPy", theirs)
    return smooth


def edges_of(photo, device):
    ours, edges = seconds_and_result(photo[0].shape, device, sobel, photo)
    expected = photo_numpy.sobel(photo)
    # Integers below 2**24 up to a correctly rounded square root: there is nothing to differ in.
    support.require(np.array_equal(edges, expected), "the edges differ")
    theirs = support.seconds_of(lambda: photo_numpy.sobel(photo))
    report("Sobel", photo, ours, "scipy.ndimage", theirs)
    return edges


def equalise_photo(photo, device):
    before = D.asarray(photo.reshape(3, -1), device=device)
    after = D.zeros(before.shape, np.uint8, device=device)
    counts = D.zeros((-(-before.shape[1] // 4096), BINS), np.int32, device=device)
    table = D.zeros(BINS, np.int32, device=device)
    ours = support.seconds_of(lambda: equalise(after, before, counts, table), device)
    equalised = D.to_host(after).reshape(photo.shape)
    expected = photo_numpy.equalise(photo)
    support.require(np.array_equal(equalised, expected), "the equalised photograph differs")
    image = Image.fromarray(photo.transpose(1, 2, 0))
    theirs = support.seconds_of(lambda: ImageOps.equalize(image))
    report("equalise", photo, ours, "Pillow (each colour by itself)", theirs)
    return equalised


def histograms(before, after):
    """Picture, of the photographs' size, of the luminances before (above) and after."""
    _, rows, columns = before.shape
    panel = np.full((3, rows, columns), 24, np.uint8)
    half = rows // 2
    for top, photo, colour in ((0, before, (90, 150, 255)), (half, after, (255, 190, 90))):
        counts = np.bincount(photo_numpy.luminance(photo).ravel(), minlength=BINS)
        bars = np.minimum(counts / (4 * counts.mean()), 1) * (half - 10)
        height = bars[np.arange(columns) * BINS // columns]
        filled = np.arange(half)[:, None] >= half - height
        for plane in range(3):
            panel[plane, top : top + half][filled] = colour[plane]
    return panel


def run(options):
    photo = np.ascontiguousarray(support.photograph(options, "rocket.jpg").transpose(2, 0, 1))
    _, rows, columns = photo.shape
    print(f"Photograph, {columns} x {rows} pixels, three colours")
    blurred = blur_photo(photo, options.device)
    smooth = smooth_photo(photo, options.device)
    edges = edges_of(smooth, options.device)
    equalised = equalise_photo(smooth, options.device)
    print(
        f"  blur, edges, equalised: equal to SciPy and NumPy; bilateral: within {OFF_BY} of float64"
    )
    above = np.concatenate([photo, blurred, smooth], axis=2)
    below = np.concatenate([equalised, np.stack([edges] * 3), histograms(photo, equalised)], axis=2)
    support.save(options, np.concatenate([above, below], axis=1).transpose(1, 2, 0), "photo.png")


if __name__ == "__main__":
    support.run_demo("photo")
