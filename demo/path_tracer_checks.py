"""Checks of the path tracer where the answer is known.

A scene that reflects all light, in light that is the same from everywhere, looks like that light.
The distances of what rays meet first are those of NumPy in float64.
"""

import numpy as np
from cuda import device as D
from path_tracer import (
    BLOCK,
    DIFFUSE,
    FAR,
    LIGHT,
    NEAR,
    Surface,
    V,
    camera_for,
    first_distance,
    trace,
)

import support


def run(options, spheres, triangles, shape):
    check_furnace(options, spheres, triangles)
    check_distances(options, spheres, triangles, shape)


def numpy_distances(spheres, triangles, camera, width, height):
    x = (np.arange(width) + 0.5) * 2 / width - 1
    y = 1 - (np.arange(height) + 0.5) * 2 / height
    vector = lambda v: np.array(tuple(v), np.float64)  # noqa: E731
    ways = (
        vector(camera.ahead)
        + vector(camera.right) * x[None, :, None]
        + vector(camera.up) * y[:, None, None]
    )
    ways /= np.linalg.norm(ways, axis=2, keepdims=True)
    origin, nearest = vector(camera.place), np.full((height, width), FAR)
    for s in spheres:
        b = ways @ (vector(s.centre) - origin)
        away = origin + ways * b[..., None] - vector(s.centre)
        rest = np.float64(s.radius) ** 2 - (away**2).sum(2)
        t = b - np.sqrt(np.maximum(rest, 0))
        nearest = np.where((rest > 0) & (t > NEAR), np.minimum(t, nearest), nearest)
    for s in triangles:
        edge1, edge2, away = vector(s.edge1), vector(s.edge2), origin - vector(s.corner)
        p = np.cross(ways, edge2)
        determinant = p @ edge1
        q = np.cross(away, edge1)
        u, v, t = p @ away / determinant, ways @ q / determinant, q @ edge2 / determinant
        meets = (u >= 0) & (v >= 0) & (u + v <= 1) & (t > NEAR)
        nearest = np.where(meets, np.minimum(t, nearest), nearest)
    return nearest


def white(thing):
    """The same, reflecting all light."""
    kind = thing.surface.kind if thing.surface.kind != LIGHT else DIFFUSE
    return D.replace(thing, surface=Surface(V(1, 1, 1), kind, thing.surface.rough))


def furnace(options, spheres, triangles):
    """What is seen, all light being 1: 1, but for paths that are still on their way at the end."""
    image = D.zeros((64, 96, 3), np.float32, device=options.device)
    things = [D.asarray([white(s) for s in x], device=options.device) for x in (spheres, triangles)]
    D.launch(
        trace,
        image,
        *things,
        camera_for(96, 64),
        V(1, 1, 1),
        V(1, 1, 1),
        64,
        D.uint32(7),
        grid=support.grid_for((64, 96), BLOCK),
        block=BLOCK,
    )
    return D.to_host(image)


def check_furnace(options, spheres, triangles):
    seen = furnace(options, spheres, triangles)
    support.require(seen.max() <= 1 + 1e-4, f"a white scene shines: {seen.max():.6f}")
    whole = (np.abs(seen - 1) <= 1e-4).mean()
    support.require(whole > 0.6 and seen.mean() > 0.985, f"light is lost: {seen.mean():.4f}")
    print(f"  a white scene in white light: {100 * seen.mean():.2f} % of the light comes back")


def check_distances(options, spheres, triangles, shape):
    height, width = shape
    camera = camera_for(width, height)
    out = D.zeros(shape, np.float32, device=options.device)
    arrays = [D.asarray(x, device=options.device) for x in (spheres, triangles)]

    def launch():
        grid = support.grid_for(shape, BLOCK)
        D.launch(first_distance, out, *arrays, camera, grid=grid, block=BLOCK)

    ours = support.seconds_of(launch, options.device)
    theirs, exact = support.once(lambda: numpy_distances(spheres, triangles, camera, width, height))
    got = D.to_host(out).astype(np.float64)
    # At outlines, rounding decides what a ray meets.
    wrong = np.abs(got - exact) > 1e-3 * exact
    support.require(wrong.mean() < 2e-3, f"{wrong.sum()} of {wrong.size} distances are wrong")
    count = len(spheres) + len(triangles)
    support.compare("tests of rays", 1e-6 * count * got.size, "M/s", ours, "NumPy", theirs)
