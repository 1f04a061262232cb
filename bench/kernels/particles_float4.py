import math

from cuda import device as D


def viewed(values):
    """The arrays of (n, 4) floats as arrays of n vectors."""
    names = ("new_place", "new_speed", "place", "speed")
    return values | {name: values[name].view(D.float32x4)[:, 0] for name in names}


@D.kernel
def particles_float4(new_place, new_speed, place, speed, eps, pull, dt):
    i = D.tid(1)
    if i < place.size:
        p, v = place[i], speed[i]
        r2 = p.x * p.x + p.y * p.y + p.z * p.z + eps
        s = pull * dt / (r2 * math.sqrt(r2))
        u = D.float32x4(v.x - p.x * s, v.y - p.y * s, v.z - p.z * s, v.w)
        new_speed[i] = u
        new_place[i] = D.float32x4(p.x + u.x * dt, p.y + u.y * dt, p.z + u.z * dt, p.w)
