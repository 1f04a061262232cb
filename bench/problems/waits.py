"""Threads that wait for others: for a lock, and for what another warp of their block makes."""

import numpy as np
from arrays import aligned

from .problem import INTEL, POCL, ROUNDING, Hand, Problem, WrongResult, grid_for, require_close

BLOCK, WARP, LISTS = 256, 32, 4096
ANGLE = 0.3


def locked_lists(quick):
    n = 1 << 14 if quick else 1 << 20
    arrays = {
        "following": aligned((n,), np.int32),
        "heads": aligned((LISTS,), np.uint64),
        "locks": aligned((LISTS,), np.int32),
        "state": aligned((2,), np.uint32),
        "lists": aligned((n,), np.int32),
    }
    arrays["state"][0] = 1
    arrays["lists"][:] = np.random.default_rng(101).integers(0, LISTS, n, np.int32)
    return Problem(
        name="locked lists",
        kernel="locked_lists",
        unit="Mitem/s",
        amount=1e-6 * n,
        size=f"n = {n:,}, {LISTS:,} lists",
        arrays=arrays,
        outputs=("following", "heads"),
        values={"n": n},
        arguments="following heads locks state lists n",
        block=(BLOCK,),
        grid=grid_for((n,), (BLOCK,)),
        judge=check_lists,
        hand=(Hand("hand_locked_lists"),),
        wanted=0.3,
        ahead_of=(INTEL, POCL),
    )


def check_lists(p):
    """Walks all lists at once: each element is met once, in the list that it belongs to."""
    heads, run = p.arrays["heads"], int(p.arrays["state"][0]) - 1
    following, lists = p.arrays["following"], p.arrays["lists"]
    number = np.flatnonzero(heads >> 32 == run)
    at = (heads[number] & 0xFFFFFFFF).astype(np.int64)
    met = np.zeros(lists.size, np.int32)
    while at.size:
        met[at] += 1
        if (lists[at] != number).any() or met[at].max() > 1:
            raise WrongResult("locked lists: an element in another list, or met again")
        number, at = number[following[at] >= 0], following[at][following[at] >= 0]
    if not met.all():
        raise WrongResult(f"locked lists: {np.count_nonzero(met == 0)} elements are in no list")


def nearest_pipeline(quick):
    blocks, n = (4, 1024) if quick else (64, 8192)
    m = blocks * (BLOCK - WARP)
    random = np.random.default_rng(102)
    arrays = {
        "out": aligned((m,), np.float32),
        "points": aligned((2, n), np.float32),
        "queries": aligned((2, m), np.float32),
    }
    for name in ("points", "queries"):
        random.random(dtype=np.float32, out=arrays[name])
    return Problem(
        name="nearest pipeline",
        kernel="nearest_pipeline",
        unit="Gpair/s",
        amount=1e-9 * n * m,
        size=f"{m:,} queries, {n:,} points",
        arrays=arrays,
        outputs=("out",),
        values={
            "n": n,
            "m": m,
            "angle_sin": np.float32(np.sin(ANGLE)),
            "angle_cos": np.float32(np.cos(ANGLE)),
        },
        arguments="out points queries angle_sin angle_cos n m",
        block=(BLOCK,),
        grid=(blocks,),
        judge=check_nearest,
        hand=(Hand("hand_nearest"),),
        wanted=0.4,
        ahead_of=(INTEL, POCL),
    )


def nearest(p):
    x, y = p.arrays["points"].astype(np.float64)
    sine, cosine = float(p.values["angle_sin"]), float(p.values["angle_cos"])
    x, y = x * cosine - y * sine, x * sine + y * cosine
    queries = p.arrays["queries"].astype(np.float64).T
    return np.array([((x - qx) ** 2 + (y - qy) ** 2).min() for qx, qy in queries])


def check_nearest(p):
    """Coordinates below 2 are rounded twice before they are subtracted."""
    exact = p.once("nearest", lambda: nearest(p))
    require_close(p, "out", exact, ROUNDING * (16 * np.sqrt(exact) + 16 * ROUNDING + 4 * exact))


PROBLEMS = {"locked lists": locked_lists, "nearest pipeline": nearest_pipeline}
