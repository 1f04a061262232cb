"""The matrix product in tiles, float32.

The picture: a photograph as the product of two thin matrices, 3, 10 and 40 deep, and as it is.
"""

import numpy as np
from cuda import device as D

import support

SIDE = 16  # of a block, and of the tiles of `multiply_simply`
TILE = 128  # of the result, for a block of `multiply`
DEPTH = 8
OWN = TILE // SIDE  # a thread has OWN x OWN elements, SIDE apart


@D.kernel
def multiply_simply(c, a, b):
    """A thread an element. A block loads a tile of a and one of b at a time."""
    tile_a = D.shared_array((SIDE, SIDE), D.float32)
    tile_b = D.shared_array((SIDE, SIDE), D.float32)
    tx, ty = D.thread_idx.x, D.thread_idx.y
    column, row = D.tid(2)
    rows, depth, columns = a.shape[0], a.shape[1], b.shape[1]
    total = 0.0
    for first in range(0, depth, SIDE):
        tile_a[ty, tx] = a[row, first + tx] if row < rows and first + tx < depth else 0.0
        tile_b[ty, tx] = b[first + ty, column] if first + ty < depth and column < columns else 0.0
        D.syncthreads()
        for k in range(SIDE):
            total += tile_a[ty, k] * tile_b[k, tx]
        D.syncthreads()
    if row < rows and column < columns:
        c[row, column] = total


@D.kernel
def multiply(c, a, b):
    """A thread has many elements in variables, so that each loaded number serves OWN products."""
    tile_a = D.shared_array((DEPTH, TILE), D.float32)
    tile_b = D.shared_array((DEPTH, TILE), D.float32)
    total = D.local_array((OWN, OWN), D.float32)
    of_a = D.local_array(OWN, D.float32)
    of_b = D.local_array(OWN, D.float32)
    tx, ty = D.thread_idx.x, D.thread_idx.y
    t = ty * SIDE + tx
    x0, y0 = D.block_idx.x * TILE, D.block_idx.y * TILE
    rows, depth, columns = a.shape[0], a.shape[1], b.shape[1]
    for i in range(OWN):
        for j in range(OWN):
            total[i, j] = 0
    for first in range(0, depth, DEPTH):
        for e in range(t, DEPTH * TILE, SIDE * SIDE):
            row, k = y0 + e // DEPTH, first + e % DEPTH
            tile_a[e % DEPTH, e // DEPTH] = a[row, k] if row < rows and k < depth else 0.0
            k, column = first + e // TILE, x0 + e % TILE
            tile_b[e // TILE, e % TILE] = b[k, column] if k < depth and column < columns else 0.0
        D.syncthreads()
        for k in range(DEPTH):
            for i in range(OWN):
                of_a[i] = tile_a[k, ty + SIDE * i]
            for j in range(OWN):
                of_b[j] = tile_b[k, tx + SIDE * j]
            for i in range(OWN):
                for j in range(OWN):
                    total[i, j] += of_a[i] * of_b[j]
        D.syncthreads()
    for i in range(OWN):
        for j in range(OWN):
            row, column = y0 + ty + SIDE * i, x0 + tx + SIDE * j
            if row < rows and column < columns:
                c[row, column] = total[i, j]


def launch(kernel, c, a, b):
    tile = SIDE if kernel is multiply_simply else TILE
    D.launch(kernel, c, a, b, grid=support.grid_for(c.shape, (tile, tile)), block=(SIDE, SIDE))


def placed(a, b, device):
    """A place for the product, and the factors."""
    c = D.zeros((a.shape[0], b.shape[1]), np.float32, device=device)
    return c, D.asarray(a, device=device), D.asarray(b, device=device)


def check(c, a, b):
    """A product against float64."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    # Errors of up to some 2**-24 go up and down: they grow with the square root of their number.
    allowed = 8 * np.sqrt(a.shape[1]) * 2.0**-24
    worst = (np.abs(c - a @ b) / (np.abs(a) @ np.abs(b))).max()
    support.require(worst <= allowed, f"a sum is off by {worst:.2g}, allowed {allowed:.2g}")


def compare_with_numpy(n, device):
    random = np.random.default_rng(3)
    a, b = random.standard_normal((2, n, n)).astype(np.float32)
    theirs = support.seconds_of(lambda: a @ b)
    for what, kernel in (("an element", multiply_simply), ("64 elements", multiply)):
        there = placed(a, b, device)
        ours = support.seconds_of(lambda kernel=kernel, there=there: launch(kernel, *there), device)
        check(D.to_host(there[0]), a, b)
        support.compare(what, 2e-9 * n**3, "GFLOP/s", ours, "NumPy's BLAS", theirs)


def of_rank(parts, rank, device):
    """The nearest photograph whose colours are sums of `rank` products of a column and a row."""
    colours = []
    for left, sizes, right in parts:
        factors = np.ascontiguousarray(left[:, :rank] * sizes[:rank]), right[:rank]
        there = placed(*factors, device)
        launch(multiply, *there)
        colours.append(D.to_host(there[0]))
        check(colours[-1], *factors)
    return np.clip(np.stack(colours, axis=2) + 0.5, 0, 255).astype(np.uint8)


def run(options):
    n = 500 if options.small else 2048
    print(f"Matrix product, {n} x {n}; a thread has an element, or 64 of them")
    compare_with_numpy(n, options.device)
    photo = support.photograph(options, "coffee.png")
    planes = photo.transpose(2, 0, 1).astype(np.float32)
    parts = [np.linalg.svd(plane, full_matrices=False) for plane in planes]
    ranks = 3, 10, 40
    above, below = (
        [of_rank(parts, rank, options.device) for rank in pair] for pair in (ranks[:2], ranks[2:])
    )
    print(f"  a photograph from its largest {ranks} singular values: as NumPy in float64")
    rows = [np.concatenate(pair, axis=1) for pair in (above, [*below, photo])]
    support.save(options, np.concatenate(rows), "matmul.png")


if __name__ == "__main__":
    support.run_demo("matmul")
