"""Mandelbrot set, in the way of NumbaPro's guide: a device function made of a plain one."""

from __future__ import print_function

import numpy as np
from numbapro import cuda, f8, uint8, uint32


def mandel(x, y, max_iters):
    """Iterations until the point escapes."""
    zr = 0.0
    zi = 0.0
    for i in xrange(max_iters):  # noqa: F821
        t = zr * zr - zi * zi + x
        zi = 2.0 * zr * zi + y
        zr = t
        if zr * zr + zi * zi >= 4.0:
            return i
    return 255


mandel_gpu = cuda.jit(restype=uint32, argtypes=[f8, f8, uint32], device=True)(mandel)


@cuda.jit(argtypes=[f8, f8, f8, f8, uint8[:, :], uint32])
def mandel_kernel(min_x, max_x, min_y, max_y, image, iters):
    height = image.shape[0]
    width = image.shape[1]
    pixel_size_x = (max_x - min_x) / width
    pixel_size_y = (max_y - min_y) / height
    startX, startY = cuda.grid(2)
    gridX = cuda.gridDim.x * cuda.blockDim.x
    gridY = cuda.gridDim.y * cuda.blockDim.y
    for x in range(startX, width, gridX):
        real = min_x + x * pixel_size_x
        for y in range(startY, height, gridY):
            imag = min_y + y * pixel_size_y
            image[y, x] = mandel_gpu(real, imag, iters)


def expected(image, iters):
    height, width = image.shape
    out = np.full_like(image, 255)
    c = (
        np.linspace(-2, 1, width, endpoint=False)[None, :]
        + 1j * np.linspace(-1, 1, height, endpoint=False)[:, None]
    )
    z = np.zeros_like(c)
    with np.errstate(all="ignore"):
        for i in range(iters):
            z = z * z + c
            out[(np.abs(z) >= 2) & (out == 255)] = i
    return out


if __name__ == "__main__":
    gimage = np.zeros((64, 96), dtype=np.uint8)
    d_image = cuda.to_device(gimage)
    mandel_kernel[(4, 2), (32, 8)](-2.0, 1.0, -1.0, 1.0, d_image, 20)
    d_image.copy_to_host(gimage)
    same = np.mean(gimage == expected(gimage, 20))
    assert same > 0.99, same
    print("mandelbrot ok")
