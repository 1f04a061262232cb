import numpy as np
from arrays import aligned

from .problem import INTEL, Hand, Problem, require_equal

TILE, ROWS = 32, 8  # a block of 32 x 8 threads has a tile of 32 x 32


def floyd(quick):
    """All shortest paths within each of many graphs of 32 nodes (Floyd and Warshall)."""
    tiles = 64 if quick else 4096
    arrays = {name: aligned((tiles, TILE, TILE), np.float32) for name in ("out", "source")}
    lengths = np.random.default_rng(15).integers(1, 1000, (tiles, TILE, TILE))
    lengths[:, np.arange(TILE), np.arange(TILE)] = 0
    arrays["source"][...] = lengths
    return Problem(
        name="floyd",
        kernel="floyd",
        unit="Gop/s",
        amount=2e-9 * tiles * TILE**3,
        size=f"{tiles} tiles",
        arrays=arrays,
        outputs=("out",),
        values={"tiles": tiles},
        arguments="out source tiles",
        block=(TILE, ROWS),
        grid=(tiles, 1),
        judge=check,
        hand=(Hand("hand_floyd_tiles"),),
        ahead_of=(INTEL,),
        whole_arrays=whole_arrays,
    )


def whole_arrays(out, source):
    np.copyto(out, source)
    for k in range(TILE):
        np.minimum(out, out[:, :, k, None] + out[:, k, None, :], out=out)


def shortest(source):
    """The result by doubling the paths. Lengths are integers: their sums are exact in any order."""
    path = source.astype(np.float64)
    for _ in range(5):  # 2**5 steps are enough
        path = np.min(path[:, :, :, None] + path[:, None, :, :], axis=2)
    return path


def check(p):
    source = p.arrays["source"]
    exact = p.once(
        "paths",
        lambda: np.concatenate([shortest(source[k : k + 64]) for k in range(0, len(source), 64)]),
    )
    require_equal(p, "out", exact)


PROBLEMS = {"floyd": floyd}
