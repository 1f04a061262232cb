import math

from cuda import device as D

TILE = 256


@D.kernel
def nbody(ax, ay, az, x, y, z, mass, eps2):
    tile = D.shared_array((4, TILE), D.float32)
    i = D.tid(1)
    t = D.thread_idx.x
    xi, yi, zi = x[i], y[i], z[i]
    sx, sy, sz = 0.0, 0.0, 0.0
    for first in range(0, x.size, TILE):
        tile[0, t] = x[first + t]
        tile[1, t] = y[first + t]
        tile[2, t] = z[first + t]
        tile[3, t] = mass[first + t]
        D.syncthreads()
        for j in range(TILE):
            dx = tile[0, j] - xi
            dy = tile[1, j] - yi
            dz = tile[2, j] - zi
            d2 = dx * dx + dy * dy + dz * dz + eps2
            inverse = 1.0 / math.sqrt(d2)
            strength = tile[3, j] * inverse * inverse * inverse
            sx += strength * dx
            sy += strength * dy
            sz += strength * dz
        D.syncthreads()
    ax[i] = sx
    ay[i] = sy
    az[i] = sz
