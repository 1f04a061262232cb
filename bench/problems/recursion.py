"""Functions that call themselves, against loops with a stack."""

import numpy as np
from arrays import aligned

from .problem import Hand, Problem, grid_for, require_equal

SOLUTIONS = {8: 92, 12: 14200}
SIDE = 4096  # coordinates are multiples of 1 / SIDE: sums of squares that matter are exact
LEVELS = 7
RADIUS = 80 / SIDE


def queens(quick):
    """Ways to put n queens on a board, for each place of the first two."""
    n = 8 if quick else 12
    out = aligned((n * n,), np.int32)

    def judge(problem):
        if out.sum() != SOLUTIONS[n]:
            require_equal(problem, "out", np.zeros_like(out))

    return Problem(
        name="queens",
        kernel="queens",
        unit="Ksolution/s",
        amount=1e-3 * SOLUTIONS[n],
        size=f"{n} x {n}",
        arrays={"out": out},
        outputs=("out",),
        values={"n": n},
        arguments="out n",
        block=(16,),
        grid=grid_for((n * n,), (16,)),
        judge=judge,
        hand=(Hand("hand_queens"),),
        wanted=0.5,
    )


def interleaved(points):
    """The number of the leaf that each point is in, by Morton's order."""
    cell = (points * 2**LEVELS).astype(np.int64)
    number = np.zeros(len(points), np.int64)
    for bit in range(LEVELS):
        number |= ((cell[:, 0] >> bit) & 1) << (2 * bit)
        number |= ((cell[:, 1] >> bit) & 1) << (2 * bit + 1)
    return number


def tree_over(points):
    """first: of each node its first child, or -1 minus its first point; count: points below it."""
    leaf = interleaved(points)
    points[...] = points[np.argsort(leaf, kind="stable")]
    below = np.bincount(leaf, minlength=4**LEVELS)
    offsets = np.cumsum([0, *(4**level for level in range(LEVELS + 1))])
    first, count = (aligned((int(offsets[-1]),), np.int32) for _ in range(2))
    first[offsets[LEVELS] :] = -1 - (np.cumsum(below) - below)
    for level in range(LEVELS, -1, -1):
        nodes = slice(int(offsets[level]), int(offsets[level + 1]))
        count[nodes] = below
        if level < LEVELS:
            first[nodes] = offsets[level + 1] + 4 * np.arange(4**level)
        below = below.reshape(-1, 4).sum(axis=1) if level else below
    return first, count


def counted(points, queries):
    found = np.zeros(len(queries), np.int32)
    for at in range(0, len(queries), 256):
        part = queries[at : at + 256, None].astype(np.float64)
        distance = ((part - points[None].astype(np.float64)) ** 2).sum(axis=2)
        found[at : at + 256] = (distance <= RADIUS**2).sum(axis=1)
    return found


def quadtree(quick):
    """Points within a circle around each query, found by a walk over a quadtree."""
    n = 2000 if quick else 1 << 16
    random = np.random.default_rng(21)
    points, queries = aligned((n, 2), np.float32), aligned((n, 2), np.float32)
    for array in (points, queries):
        array[...] = random.integers(0, SIDE, (n, 2)) / SIDE
    first, count = tree_over(points)
    arrays = {
        "out": aligned((n,), np.int32),
        **{"first": first, "count": count, "points": points, "queries": queries},
    }

    def judge(problem):
        some = slice(0, 2048)
        exact = problem.once("out", lambda: counted(points, queries[some]))
        require_equal(problem, "out", np.concatenate([exact, arrays["out"][2048:]]))

    return Problem(
        name="quadtree",
        kernel="quadtree",
        unit="Mquery/s",
        amount=1e-6 * n,
        size=f"{n:,} points",
        arrays=arrays,
        outputs=("out",),
        values={"radius2": np.float32(RADIUS**2), "n": n},
        arguments="out first count points queries radius2 n",
        block=(128,),
        grid=grid_for((n,), (128,)),
        judge=judge,
        hand=(Hand("hand_quadtree"),),
        wanted=0.5,
    )


PROBLEMS = {"queens": queens, "quadtree": quadtree}
