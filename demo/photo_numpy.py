"""The filters of photo_filters.py with NumPy and SciPy, for planes (3, rows, columns)."""

import numpy as np
from scipy import ndimage

import support


def luminance(photo):
    red, green, blue = photo.astype(np.int32)
    return (77 * red + 150 * green + 29 * blue + 128) >> 8


def gaussian_blur(photo, weights):
    along_x = ndimage.correlate1d(photo.astype(np.float32), weights, axis=2, mode="nearest")
    total = ndimage.correlate1d(along_x, weights, axis=1, mode="nearest")
    return (total.astype(np.int32) + 32768 >> 16).astype(np.uint8)


def sobel(photo):
    bright = luminance(photo)
    gx, gy = (ndimage.sobel(bright, axis=axis, mode="nearest") for axis in (1, 0))
    strength = np.sqrt((gx * gx + gy * gy).astype(np.float32))
    return np.minimum(strength, np.float32(255)).astype(np.uint8)


def bilateral(photo, near, sharpness, real):
    """Before rounding, in the type `real`, a tap of all pixels at a time."""
    size = near.shape[0]
    _, rows, columns = photo.shape
    reach = size // 2
    border = ((0, 0), (reach, reach), (reach, reach))
    wide = np.pad(photo.astype(real), border, mode="edge")
    centre = photo.astype(real)
    weights, sums = np.zeros((rows, columns), real), np.zeros_like(centre)
    for tap in range(size * size):
        j, i = divmod(tap, size)
        there = wide[:, j : j + rows, i : i + columns]
        distance = np.square(there - centre).sum(axis=0)
        weight = np.exp(near[j, i].astype(real) - real(sharpness) * distance)
        weights += weight
        sums += weight * there
        if real is np.float64:
            support.progress("bilateral with NumPy", tap + 1, size * size)
    return sums / weights


def equalise(photo):
    """Luminance so that every value is as frequent; colours are scaled with it."""
    bright = luminance(photo)
    darker = np.cumsum(np.bincount(bright.ravel(), minlength=256))
    least = darker[darker > 0][0]
    span = max(darker[-1] - least, 1)
    table = (255 * (darker - least) + span // 2) // span
    scaled = (photo * table[bright] + bright // 2) // np.maximum(bright, 1)
    return np.minimum(scaled, 255).astype(np.uint8)
