"""Spheres and a crystal of triangles by path tracing: structs, vectors, random numbers.

Each thread follows the paths of light that reach a pixel. path_tracer_checks.py has its checks.
"""

import math

import numpy as np
from cuda import device as D

import support

FAR = 1e30
NEAR = 1e-3  # a ray does not meet the surface that it leaves
BOUNCES = 12
DIFFUSE, METAL, GLASS, LIGHT = range(4)
GLASS_INDEX = 1.5
BLOCK = (16, 8)
V = D.float32x3


@D.struct
class Surface:
    colour: D.float32x3
    kind: D.int32 = DIFFUSE
    rough: D.float32 = 0.0  # of metal: 0 is a mirror


@D.struct
class Sphere:
    centre: D.float32x3
    radius: D.float32
    surface: Surface

    def distance(self, ray):
        b = dot(self.centre - ray.origin, ray.direction)
        away = ray.origin + ray.direction * b - self.centre
        rest = self.radius * self.radius - dot(away, away)
        if rest <= 0:
            return FAR
        root = math.sqrt(rest)
        first, second = b - root, b + root
        return first if first > NEAR else (second if second > NEAR else FAR)


@D.struct
class Triangle:
    corner: D.float32x3
    edge1: D.float32x3
    edge2: D.float32x3
    surface: Surface

    def distance(self, ray):
        """By Möller and Trumbore."""
        p = cross(ray.direction, self.edge2)
        determinant = dot(self.edge1, p)
        if abs(determinant) < 1e-9:
            return FAR
        to_origin = ray.origin - self.corner
        u = dot(to_origin, p) / determinant
        q = cross(to_origin, self.edge1)
        v = dot(ray.direction, q) / determinant
        t = dot(self.edge2, q) / determinant
        return t if u >= 0 and v >= 0 and u + v <= 1 and t > NEAR else FAR


@D.struct
class Ray:
    origin: D.float32x3
    direction: D.float32x3  # of length 1


@D.struct
class Camera:
    place: D.float32x3
    right: D.float32x3
    up: D.float32x3
    ahead: D.float32x3

    def ray(self, x, y):
        return Ray(self.place, unit(self.ahead + self.right * x + self.up * y))


@D.struct
class Hit:
    distance: D.float32
    normal: D.float32x3
    surface: Surface


@D.func
def dot(a, b):
    return a.x * b.x + a.y * b.y + a.z * b.z


@D.func
def cross(a, b):
    return V(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)


@D.func
def unit(a):
    return a * (1.0 / math.sqrt(dot(a, a)))


@D.func
def nearest_hit(ray, spheres, triangles):
    hit = Hit(FAR, V(0, 0, 0), Surface(V(0, 0, 0)))
    for i in range(spheres.size):
        s = spheres[i]
        t = s.distance(ray)
        if t < hit.distance:
            place = ray.origin + ray.direction * t
            hit = Hit(t, (place - s.centre) * (1.0 / s.radius), s.surface)
    for i in range(triangles.size):
        s = triangles[i]
        t = s.distance(ray)
        if t < hit.distance:
            hit = Hit(t, unit(cross(s.edge1, s.edge2)), s.surface)
    return hit


@D.func
def random(state):
    """The next state, and a number from 0 to 1 (PCG of 32 bits)."""
    state = state * 747796405 + 2891336453
    word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737
    return state, D.float32(((word >> 22) ^ word) >> 8) * 2.0**-24


@D.func
def random_unit(state):
    """A direction, each as likely as any other."""
    state, a = random(state)
    state, b = random(state)
    z = 2.0 * a - 1.0
    r, angle = math.sqrt(max(0.0, 1.0 - z * z)), 2.0 * math.pi * b
    return state, V(r * math.cos(angle), r * math.sin(angle), z)


@D.func
def through_glass(direction, normal, chance):
    """Refracted, or reflected as often as Schlick's formula says."""
    inside = dot(direction, normal) > 0
    n = -normal if inside else normal
    ratio = GLASS_INDEX if inside else 1.0 / GLASS_INDEX
    cosine = min(1.0, -dot(direction, n))
    rest = 1.0 - ratio * ratio * (1.0 - cosine * cosine)
    least = ((1.0 - GLASS_INDEX) / (1.0 + GLASS_INDEX)) ** 2
    outside = math.sqrt(rest) if inside and rest > 0 else cosine
    mirrored = least + (1.0 - least) * (1.0 - outside) ** 5
    if rest <= 0 or chance < mirrored:
        return direction + n * (2.0 * cosine)
    return unit(direction * ratio + n * (ratio * cosine - math.sqrt(rest)))


@D.func
def scattered(ray, hit, state):
    """The state, and the ray on which light comes that leaves against this one."""
    place = ray.origin + ray.direction * hit.distance
    normal = hit.normal if dot(ray.direction, hit.normal) < 0 else -hit.normal
    state, any_way = random_unit(state)
    state, chance = random(state)
    if hit.surface.kind == GLASS:
        way = through_glass(ray.direction, hit.normal, chance)
    elif hit.surface.kind == METAL:
        mirror = ray.direction - normal * (2.0 * dot(ray.direction, normal))
        way = unit(mirror + any_way * hit.surface.rough)
        if dot(way, normal) <= 0:
            way = mirror
    else:
        # Of length 0 where the random direction is opposite: then along the normal.
        sum = normal + any_way
        way = unit(sum) if dot(sum, sum) > 1e-6 else normal
    return state, Ray(place, way)


@D.kernel
def trace(image, spheres, triangles, camera, horizon, zenith, samples, seed):
    """image[y, x]: the mean light of `samples` paths. The sky goes from one colour to another."""
    x, y = D.tid(2)
    height, width, _ = image.shape
    if x < width and y < height:
        state = D.uint32(y * width + x) * 9781 + seed
        total = V(0, 0, 0)
        for _ in range(samples):
            state, dx = random(state)
            state, dy = random(state)
            ray = camera.ray((x + dx) * 2.0 / width - 1.0, 1.0 - (y + dy) * 2.0 / height)
            left = V(1, 1, 1)
            for _ in range(BOUNCES):
                hit = nearest_hit(ray, spheres, triangles)
                if hit.distance >= FAR:
                    height_of_sky = 0.5 + 0.5 * ray.direction.y
                    total += left * (horizon + (zenith - horizon) * height_of_sky)
                    break
                left *= hit.surface.colour
                if hit.surface.kind == LIGHT:
                    total += left
                    break
                state, ray = scattered(ray, hit, state)
        for k in range(3):
            image[y, x, k] = total[k] / samples


@D.kernel
def first_distance(out, spheres, triangles, camera):
    x, y = D.tid(2)
    height, width = out.shape
    if x < width and y < height:
        ray = camera.ray((x + 0.5) * 2.0 / width - 1.0, 1.0 - (y + 0.5) * 2.0 / height)
        out[y, x] = nearest_hit(ray, spheres, triangles).distance


def crystal(centre, size, surface):
    """The twenty faces of an icosahedron."""
    golden = (1 + math.sqrt(5)) / 2
    corners = [(0, a, b * golden) for a in (-1, 1) for b in (-1, 1)]
    corners = np.array([c[k:] + c[:k] for c in corners for k in range(3)]) * size / 1.9
    faces = []
    for i, a in enumerate(corners):
        near = np.flatnonzero(np.isclose(np.linalg.norm(corners - a, axis=1), 2 * size / 1.9))
        faces += [
            (i, j, k)
            for j in near
            for k in near
            if i < j < k and np.isclose(np.linalg.norm(corners[j] - corners[k]), 2 * size / 1.9)
        ]
    made = []
    for a, b, c in (corners[list(face)] for face in faces):
        if np.dot(np.cross(b - a, c - a), a) < 0:  # seen from outside, counter-clockwise
            b, c = c, b
        made.append(Triangle(V(*(a + centre)), V(*(b - a)), V(*(c - a)), surface))
    return made


def scene():
    spheres = [
        Sphere(V(0, -1000, 0), 1000, Surface(V(0.62, 0.6, 0.56))),
        Sphere(V(-2.3, 1, 0.4), 1, Surface(V(0.97, 0.97, 0.97), GLASS)),
        Sphere(V(2.4, 1.1, -0.6), 1.1, Surface(V(0.93, 0.78, 0.45), METAL, 0.05)),
        Sphere(V(-0.9, 0.45, 2.1), 0.45, Surface(V(0.75, 0.13, 0.1))),
        Sphere(V(0.8, 0.35, 2.5), 0.35, Surface(V(0.1, 0.35, 0.62))),
        Sphere(V(1.9, 0.3, 1.9), 0.3, Surface(V(14, 10, 6), LIGHT)),
        Sphere(V(-4, 1.4, -3), 1.4, Surface(V(0.9, 0.9, 0.95), METAL)),
        Sphere(V(5, 8, -4), 2, Surface(V(12, 11, 10), LIGHT)),
    ]
    for k in range(14):  # a ring of small ones
        angle = 2 * math.pi * k / 14
        at = V(3.9 * math.cos(angle), 0.22, 3.0 * math.sin(angle) - 0.4)
        hue = np.clip(np.abs((k / 14 * 6 + np.array([0, 4, 2])) % 6 - 3) - 1, 0.12, 0.85)
        spheres.append(Sphere(at, 0.22, Surface(V(*hue))))
    triangles = crystal(np.array([0, 1.42, -0.9]), 1.4, Surface(V(0.86, 0.96, 0.93), METAL, 0.02))
    return spheres, triangles


def camera_for(width, height):
    place, target = np.array([0.6, 2.0, 7.6]), np.array([0, 0.85, 0])
    ahead = (target - place) / np.linalg.norm(target - place)
    right = np.cross(ahead, [0, 1, 0])
    right /= np.linalg.norm(right)
    up = np.cross(right, ahead)
    wide = math.tan(math.radians(27))
    return Camera(*(V(*v) for v in (place, right * wide, up * wide * height / width, ahead)))


def run(options):
    shape, samples = ((144, 256), 24) if options.small else ((540, 960), 256)
    import path_tracer_checks  # which imports this module

    print(f"Path tracer, {shape[1]} x {shape[0]} pixels, {samples} paths each")
    spheres, triangles = scene()
    path_tracer_checks.run(options, spheres, triangles, shape)
    image = D.zeros((*shape, 3), np.float32, device=options.device)
    arrays = [D.asarray(x, device=options.device) for x in (spheres, triangles)]
    sky = V(0.34, 0.28, 0.26), V(0.05, 0.09, 0.2)
    rounds = 8
    total = np.zeros((*shape, 3))
    for k in range(rounds):
        D.launch(
            trace,
            image,
            *arrays,
            camera_for(shape[1], shape[0]),
            *sky,
            samples // rounds,
            D.uint32(977 * k),
            grid=support.grid_for(shape, BLOCK),
            block=BLOCK,
        )
        total += D.to_host(image)
        support.progress("Path tracer", k + 1, rounds)
    light = total / rounds
    shown = 1 - np.exp(-1.1 * light)  # as film takes light
    support.save(options, (255.5 * shown ** (1 / 2.2)).astype(np.uint8), "path_tracer.png")


if __name__ == "__main__":
    support.run_demo("path_tracer")
