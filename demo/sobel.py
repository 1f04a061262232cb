"""Sobel edges of a photograph: the Hubble deep field, which comes inside scikit-image."""

import math
from importlib import resources

import numpy as np
from cuda import device as D
from PIL import Image

import support


@D.kernel
def sobel(edges, photo):
    x, y = D.tid(2)
    height, width = photo.shape
    if 0 < x < width - 1 and 0 < y < height - 1:
        nw = D.int32(photo[y - 1, x - 1])
        n = D.int32(photo[y - 1, x])
        ne = D.int32(photo[y - 1, x + 1])
        w = D.int32(photo[y, x - 1])
        e = D.int32(photo[y, x + 1])
        sw = D.int32(photo[y + 1, x - 1])
        s = D.int32(photo[y + 1, x])
        se = D.int32(photo[y + 1, x + 1])
        gx = (ne + 2 * e + se) - (nw + 2 * w + sw)
        gy = (sw + 2 * s + se) - (nw + 2 * n + ne)
        strength = math.sqrt(D.float32(gx * gx + gy * gy))
        edges[y, x] = D.uint8(min(strength, D.float32(255)))


def numpy_sobel(photo):
    p = photo.astype(np.int32)
    north, south = p[:-2], p[2:]
    column = p[:-2] + 2 * p[1:-1] + p[2:]
    gx = column[:, 2:] - column[:, :-2]
    row = south - north
    gy = row[:, :-2] + 2 * row[:, 1:-1] + row[:, 2:]
    strength = np.sqrt((gx * gx + gy * gy).astype(np.float32))
    edges = np.zeros_like(photo)
    edges[1:-1, 1:-1] = np.minimum(strength, np.float32(255)).astype(np.uint8)
    return edges


def load(path):
    if path is None:
        path = resources.files("skimage") / "data" / "hubble_deep_field.jpg"
    with path.open("rb") as file:
        return np.array(Image.open(file).convert("L"))


def run(options):
    photo = load(options.photo)
    height, width = photo.shape
    print(f"Sobel filter, {width} x {height} pixels")
    edges = np.zeros_like(photo)
    block = (32, 8)
    grid = (-(-width // block[0]), -(-height // block[1]))

    def launch():
        D.launch(sobel, edges, photo, grid=grid, block=block)

    ours = support.seconds_of(launch)
    expected = numpy_sobel(photo)
    # Integers below 2**24 up to a correctly rounded square root: there is nothing to differ in.
    support.require(np.array_equal(edges, expected), "the edges differ from NumPy's")
    print("  equal to NumPy in every pixel")
    support.compare(
        1e-6 * photo.size, "Mpixel/s", ours, support.seconds_of(lambda: numpy_sobel(photo))
    )
    support.save(Image.fromarray(photo), "photo.png")
    support.save(Image.fromarray(edges), "sobel.png")
