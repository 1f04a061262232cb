import math

from cuda import device as D

FAR = 1e30


@D.struct
class Point:
    x: D.float32
    y: D.float32
    z: D.float32

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y + self.z * other.z

    def __sub__(self, other):
        return Point(self.x - other.x, self.y - other.y, self.z - other.z)

    def __mul__(self, factor):
        return Point(self.x * factor, self.y * factor, self.z * factor)


@D.struct
class Sphere:
    centre: Point
    radius2: D.float32
    shade: D.float32

    def distance(self, ray):
        """Where a ray from the origin meets the sphere, or FAR."""
        b = self.centre @ ray
        rest = b * b - (self.centre @ self.centre - self.radius2)
        t = b - math.sqrt(max(rest, 0.0))
        return t if rest > 0.0 and t > 0.0 else FAR


def viewed(values):
    """The array of (count, 5) floats as an array of spheres."""
    return values | {"spheres": values["spheres"].view(Sphere)[:, 0]}


@D.func
def ray_through(column, row, width, height):
    scale = 2.0 / height
    p = Point((column - 0.5 * width) * scale, (row - 0.5 * height) * scale, 1.0)
    return p * (1.0 / math.sqrt(p @ p))


@D.kernel
def spheres(out, spheres):
    column, row = D.tid(2)
    height, width = out.shape
    if column < width and row < height:
        ray = ray_through(D.float32(column), D.float32(row), D.float32(width), D.float32(height))
        nearest, centre, shade = FAR, Point(0.0, 0.0, 0.0), 0.0
        for s in range(spheres.size):
            sphere = spheres[s]
            t = sphere.distance(ray)
            if t < nearest:
                nearest, centre, shade = t, sphere.centre, sphere.shade
        light = 0.0
        if nearest < FAR:
            normal = ray * nearest - centre
            cosine = (normal.x + normal.y + normal.z) * -0.57735027 / math.sqrt(normal @ normal)
            light = shade * max(cosine, 0.0)
        out[row, column] = light
