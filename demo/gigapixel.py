#!/usr/bin/env python3
"""An image of half a gigapixel on several workers: made, filtered and reduced piece by piece.

The image is 2 GiB of float32, and never there as a whole: each worker makes pieces of it, smooths
them with the edges of the pieces around them, and counts brightnesses. Needs dask and distributed;
the workers of --scheduler may be on other machines.

Exits with 0 if all is right, 1 if a piece or the count is wrong or a worker took more than 1 GiB.
"""

import argparse
import sys
import time

import numpy as np
from cuda import device as D

RADIUS = 2
BINS = 256
BLOCK = (4, 64)
LIMIT = 1 << 30


@D.kernel
def make_pixels(out, top, left):
    """Rings around many centres, and noise that a hash makes: whole numbers below 256."""
    y, x = D.tid(2)
    if y < out.shape[0] and x < out.shape[1]:
        row, column = D.int32(y) + top, D.int32(x) + left
        dy, dx = row % 1024 - 512, column % 1024 - 512
        rings = (dy * dy + dx * dx) >> 6
        seed = D.uint32(row) * D.uint32(2654435761) ^ D.uint32(column) * D.uint32(2246822519)
        seed = (seed ^ (seed >> 15)) * D.uint32(3266489917)
        out[y, x] = D.float32((rings & 127) + D.int32((seed >> 16) & 127))


@D.kernel
def smooth_pixels(out, a):
    """The mean of the pixels around each, and the pixel itself where some are missing."""
    y, x = D.tid(2)
    h, w = a.shape
    if y < h and x < w:
        if RADIUS <= y < h - RADIUS and RADIUS <= x < w - RADIUS:
            total = D.float32(0)
            for dy in range(-RADIUS, RADIUS + 1):
                for dx in range(-RADIUS, RADIUS + 1):
                    total += a[y + dy, x + dx]
            out[y, x] = total / (2 * RADIUS + 1) ** 2
        else:
            out[y, x] = a[y, x]


@D.kernel
def count_pixels(bins, a):
    """How often each brightness occurs; a row of bins for each block of threads."""
    own = D.shared_array((BINS,), D.uint32)
    t = D.int32(D.thread_idx.x)
    own[t] = 0
    D.syncthreads()
    for y in range(D.int32(D.block_idx.x), a.shape[0], D.int32(D.grid_dim.x)):
        for x in range(t, a.shape[1], BINS):
            D.atomic_ref(own, D.int32(a[y, x])).add(1, "relaxed", "block")
    D.syncthreads()
    bins[D.block_idx.x, t] = own[t]


def grid_for(shape):
    return tuple(-(-extent // threads) for extent, threads in zip(shape, BLOCK, strict=True))


# What Dask calls, once for each piece.


def make(block_info=None):
    (top, bottom), (left, right) = block_info[None]["array-location"]
    out = D.empty((bottom - top, right - left), np.float32, device="cpu")
    D.launch(make_pixels, out, top, left, grid=grid_for(out.shape), block=BLOCK)
    return out


def smooth(piece):
    out = D.empty(piece.shape, np.float32, device="cpu")
    D.launch(smooth_pixels, out, piece, grid=grid_for(out.shape), block=BLOCK)
    return out


def count(piece):
    bins = D.empty((16, BINS), np.uint32, device="cpu")
    D.launch(count_pixels, bins, piece, grid=16, block=BINS)
    return bins.sum(axis=0, dtype=np.int64)[np.newaxis, np.newaxis]


def image(da, shape, side, token):
    """token: part of the names of its pieces, for which Dask wants one meaning each."""
    chunks = da.core.normalize_chunks((side, side), shape)
    meta = np.empty((0, 0), np.float32)
    return da.map_blocks(make, chunks=chunks, dtype=np.float32, meta=meta, token=token)


def smoothed(da, pixels):
    return da.map_overlap(
        smooth, pixels, depth=RADIUS, boundary="none", dtype=np.float32, allow_rechunk=False
    )


def histogram(da, pixels):
    parts = pixels.map_blocks(
        count, chunks=(1, 1, BINS), new_axis=2, dtype=np.int64, meta=np.empty((0, 0, 0), np.int64)
    )
    return parts.sum(axis=(0, 1))


# The same in NumPy, of a piece.


def made_by_numpy(top, left, height, width):
    row, column = np.mgrid[top : top + height, left : left + width].astype(np.int32)
    dy, dx = row % 1024 - 512, column % 1024 - 512
    rings = (dy * dy + dx * dx) >> 6
    seed = row.astype(np.uint32) * np.uint32(2654435761)
    seed ^= column.astype(np.uint32) * np.uint32(2246822519)
    seed = (seed ^ (seed >> 15)) * np.uint32(3266489917)
    return ((rings & 127) + ((seed >> 16) & 127).astype(np.int32)).astype(np.float32)


def smoothed_by_numpy(a):
    side = 2 * RADIUS + 1
    windows = np.lib.stride_tricks.sliding_window_view(a, (side, side))
    return windows.astype(np.float64).sum(axis=(2, 3)) / side**2


def check_pieces(da, shape, side):
    """Pieces across the edges of chunks, and one within: what is wrong, or nothing."""
    pixels = smoothed(da, image(da, shape, side, "checked"))
    height, width = 64, 80
    corners = ((side - 30, side - 40), (side // 2, shape[1] - side + 7), (2, side - 9))
    pieces = [pixels[top : top + height, left : left + width] for top, left in corners]
    for (top, left), found in zip(corners, da.compute(*pieces), strict=True):
        around = made_by_numpy(top - RADIUS, left - RADIUS, height + 2 * RADIUS, width + 2 * RADIUS)
        if not np.allclose(found, smoothed_by_numpy(around), rtol=1e-6):
            return f"the piece at {top}, {left} is not NumPy's"
    return ""


def most_memory():
    """Bytes that this process had at its peak."""
    with open("/proc/self/status") as status:
        (line,) = (line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def work(client, da, shape, side):
    pixels = smoothed(da, image(da, shape, side, "counted"))
    start = time.perf_counter()
    bins = histogram(da, pixels).compute()
    seconds = time.perf_counter() - start
    print(f"{shape[0] * shape[1] / 1e6:.0f} megapixels in {seconds:.1f} s")
    print(f"mean brightness {(bins * np.arange(BINS)).sum() / bins.sum():.2f}")
    wrong = check_pieces(da, shape, side)
    if bins.sum() != shape[0] * shape[1]:
        wrong = f"{bins.sum()} pixels were counted"
    for worker, peak in client.run(most_memory).items():
        print(f"{worker}: at most {peak / 2**20:.0f} MiB")
        if peak > LIMIT:
            wrong = f"{worker} took more than {LIMIT >> 20} MiB"
    return wrong


def main(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--workers", type=int, default=2)
    p.add_argument("--scheduler", help="its address, in place of workers on this machine")
    p.add_argument("--small", action="store_true", help="16 megapixels, for a quick look")
    options = p.parse_args(argv)
    import dask.array as da
    import distributed

    shape, side = ((4096, 4096), 512) if options.small else ((16384, 32768), 2048)
    if options.scheduler:
        cluster = distributed.Client(options.scheduler)
    else:
        cluster = distributed.LocalCluster(
            n_workers=options.workers, threads_per_worker=1, dashboard_address=None
        )
    with cluster, distributed.Client(cluster) as client:
        wrong = work(client, da, shape, side)
    print(f"wrong: {wrong}" if wrong else "all is right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
