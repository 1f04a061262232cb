import math

from cuda import device as D


@D.struct
class Particle:
    x: D.float32
    y: D.float32
    z: D.float32
    mass: D.float32
    vx: D.float32
    vy: D.float32
    vz: D.float32
    age: D.float32


def viewed(values):
    """The arrays of (n, 8) floats as arrays of n particles."""
    return values | {name: values[name].view(Particle)[:, 0] for name in ("out", "source")}


@D.kernel
def particles_struct(out, source, eps, pull, dt):
    i = D.tid(1)
    if i < source.size:
        p = source[i]
        r2 = p.x * p.x + p.y * p.y + p.z * p.z + eps
        s = pull * dt / (r2 * math.sqrt(r2))
        vx, vy, vz = p.vx - p.x * s, p.vy - p.y * s, p.vz - p.z * s
        x, y, z = p.x + vx * dt, p.y + vy * dt, p.z + vz * dt
        out[i] = Particle(x, y, z, p.mass, vx, vy, vz, p.age)
