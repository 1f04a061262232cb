"""A photograph taken apart into waves, and put together without the long or the short ones.

The two-dimensional transform is one of rows, twice: each block has a row of complex numbers in
shared memory and writes it as a column. The picture: above, the photograph, the strengths of its
waves; below, without the short ones, without the long ones.
"""

import math

import numpy as np
from cuda import device as D

import support

LONG = 24  # waves in the picture: what a filter lets through fades there


def rows_of(n):
    """The kernel for rows of n numbers, a power of two: n / 2 threads, Stockham's radix 2."""

    @D.kernel
    def transform_rows(out, source, direction):
        """out[p, k, row]: of source[p, row]; direction: -1 forwards, 1 back, without a factor."""
        data = D.shared_array((2, n), D.complex64)
        t, half = D.int32(D.thread_idx.x), n // 2
        row, plane = D.block_idx.x, D.block_idx.y
        data[0, t] = source[plane, row, t]
        data[0, t + half] = source[plane, row, t + half]
        D.syncthreads()
        now, span = 0, 1
        while span < n:
            k = t & (span - 1)
            angle = direction * math.pi * k / span
            a, b = data[now, t], data[now, t + half] * complex(math.cos(angle), math.sin(angle))
            first = 2 * t - k
            data[1 - now, first] = a + b
            data[1 - now, first + span] = a - b
            D.syncthreads()
            now, span = 1 - now, 2 * span
        out[plane, t, row] = data[now, t]
        out[plane, t + half, row] = data[now, t + half]

    return transform_rows


@D.kernel
def fade(out, waves, keep_long):
    """The long waves or the others, by a smooth edge; in both directions n / 2 is the shortest."""
    x, y, plane = D.tid(3)
    n = waves.shape[2]
    if x < n and y < n:
        fx, fy = min(x, n - x), min(y, n - y)
        share = math.exp(-0.5 * D.float32(fx * fx + fy * fy) / (LONG * LONG))
        if not keep_long:
            share = 1.0 - share
        out[plane, y, x] = waves[plane, y, x] * (share / (n * n))


class Fourier:
    """Transforms of three planes of n x n numbers on a device."""

    def __init__(self, n, device):
        self.n, self.device = n, device
        self.kernel = rows_of(n)
        self.between = D.empty((3, n, n), np.complex64, device=device)

    def __call__(self, out, source, direction):
        for to, of in ((self.between, source), (out, self.between)):
            D.launch(
                self.kernel,
                to,
                of,
                np.float32(direction),
                grid=(self.n, 3),
                block=self.n // 2,
            )

    def filtered(self, waves, keep_long):
        chosen = D.empty((3, self.n, self.n), np.complex64, device=self.device)
        block = (32, 8, 1)
        grid = (self.n // block[0], self.n // block[1], 3)
        D.launch(fade, chosen, waves, keep_long, grid=grid, block=block)
        self(chosen, chosen, 1)
        return D.to_host(chosen).real


def numpy_filtered(planes, keep_long):
    n = planes.shape[-1]
    f = np.minimum(np.arange(n), n - np.arange(n)).astype(np.float64)
    share = np.exp(-0.5 * (f[:, None] ** 2 + f**2) / LONG**2)
    return np.fft.ifft2(np.fft.fft2(planes) * (share if keep_long else 1 - share)).real


def square(pixels, n):
    """The middle of the photograph as planes of n x n, its border beyond it."""
    rows, columns = (min(n, size) for size in pixels.shape[:2])
    top, left = (
        (size - part) // 2 for size, part in zip(pixels.shape[:2], (rows, columns), strict=True)
    )
    part = pixels[top : top + rows, left : left + columns]
    part = np.pad(part, ((0, n - rows), (0, n - columns), (0, 0)), mode="edge")
    return np.ascontiguousarray(part.transpose(2, 0, 1))


def shown_waves(waves):
    strength = np.log1p(np.abs(np.fft.fftshift(waves, axes=(1, 2))))
    return 255 * (strength - strength.min()) / (strength.max() - strength.min())


def check(waves, planes):
    exact = np.fft.fft2(planes.astype(np.float64))
    # Each of 2 log2(n) stages rounds what it adds up by an ulp or two; the sum of squares of the
    # photograph is the mean one of its waves.
    norm = np.sqrt((planes.astype(np.float64) ** 2).sum(axis=(1, 2)))[:, None, None]
    error = (np.abs(waves - exact) / (norm + np.abs(exact))).max()
    allowed = 16 * math.log2(planes.shape[-1]) * 2.0**-24
    support.require(error <= allowed, f"waves are off by {error:.3g}, allowed {allowed:.3g}")
    print(f"  waves within {error:.2g} of NumPy in float64 (allowed {allowed:.2g})")


def run(options):
    n = 256 if options.small else 512
    planes = square(support.photograph(options, "astronaut.png"), n)
    print(f"Fourier transform, three planes of {n} x {n}")
    fourier = Fourier(n, options.device)
    source = D.asarray(planes.astype(np.complex64), device=options.device)
    waves = D.empty((3, n, n), np.complex64, device=options.device)
    ours = support.seconds_of(lambda: fourier(waves, source, -1), options.device)
    spectrum = D.to_host(waves)
    check(spectrum, planes)
    single = planes.astype(np.float32)
    theirs = support.seconds_of(lambda: np.fft.fft2(single.astype(np.complex64)))
    support.compare("transforms", 3e-6 * n * n, "Mpixel/s", ours, "NumPy", theirs)
    parts = [fourier.filtered(waves, keep_long) for keep_long in (True, False)]
    for part, keep_long in zip(parts, (True, False), strict=True):
        error = np.abs(part - numpy_filtered(planes.astype(np.float64), keep_long)).max()
        support.require(error <= 0.01, f"a filtered picture is off by {error:.3g} of 255")
    long, short = parts
    panels = [[planes, shown_waves(spectrum)], [long, 128 + 1.5 * short]]
    sheet = np.concatenate([np.concatenate(row, axis=2) for row in panels], axis=1)
    pixels = np.clip(sheet, 0, 255).astype(np.uint8).transpose(1, 2, 0)
    support.save(options, np.ascontiguousarray(pixels), "fourier.png")


if __name__ == "__main__":
    support.run_demo("fourier")
