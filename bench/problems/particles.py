"""Particles around a centre, one step in time: arrays of four-vectors, and an array of structs."""

import numpy as np
from arrays import aligned

from .problem import ROUNDING, Hand, Problem, grid_for, require_close

BLOCK = 256
EPS, PULL, DT = np.float32(0.01), np.float32(0.3), np.float32(0.05)


def floats4(quick):
    n = 1 << 14 if quick else 1 << 22
    names = ("new_place", "new_speed", "place", "speed")
    arrays = {name: aligned((n, 4), np.float32) for name in names}
    for seed, name in enumerate(names[2:]):
        np.random.default_rng(20 + seed).random(dtype=np.float32, out=arrays[name])
    return problem(n, "float4", arrays, "new_place new_speed place speed", check_vectors)


def structs(quick):
    n = 1 << 14 if quick else 1 << 22
    arrays = {name: aligned((n, 8), np.float32) for name in ("out", "source")}
    np.random.default_rng(22).random(dtype=np.float32, out=arrays["source"])
    return problem(n, "struct", arrays, "out source", check_structs)


def problem(n, kind, arrays, names, judge):
    return Problem(
        name=f"particles {kind}",
        kernel=f"particles_{kind}",
        unit="GB/s",
        amount=64e-9 * n,
        size=f"n = {n:,}, 32 bytes each",
        arrays=arrays,
        outputs=tuple(names.split()[: len(arrays) // 2]),
        values={"n": n, "eps": EPS, "pull": PULL, "dt": DT},
        arguments=f"{names} n eps pull dt",
        block=(BLOCK,),
        grid=grid_for((n,), (BLOCK,)),
        judge=judge,
        hand=(Hand(f"hand_particles_{kind}"),),
        wanted=0.8,
    )


def moved(place, speed):
    """The step in float64: positions and velocities."""
    place, speed = place.astype(np.float64), speed.astype(np.float64)
    r2 = (place[:, :3] ** 2).sum(1) + np.float64(EPS)
    pull = np.float64(PULL) * np.float64(DT) / (r2 * np.sqrt(r2))
    speed[:, :3] -= place[:, :3] * pull[:, None]
    place[:, :3] += speed[:, :3] * np.float64(DT)
    return place, speed


# A pull has a dozen roundings, and is at most 6 times a coordinate below 1, or 15 at the centre.
ALLOWED = 16 * 16 * ROUNDING


def check_vectors(p):
    exact = p.once("moved", lambda: moved(p.arrays["place"], p.arrays["speed"]))
    for name, values in zip(p.outputs, exact, strict=True):
        require_close(p, name, values, ALLOWED)


def check_structs(p):
    source = p.arrays["source"]
    exact = p.once("moved", lambda: np.hstack(moved(source[:, :4], source[:, 4:])))
    require_close(p, "out", exact, ALLOWED)


PROBLEMS = {"particles float4": floats4, "particles struct": structs}
