from cuda import device as D


@D.kernel
def stencil7(out, source, c0, c1):
    x, y, z = D.tid(3)
    nz, ny, nx = source.shape
    if x < nx and y < ny and z < nz:
        centre = source[z, y, x]
        if 0 < x < nx - 1 and 0 < y < ny - 1 and 0 < z < nz - 1:
            around = (
                source[z, y, x - 1]
                + source[z, y, x + 1]
                + source[z, y - 1, x]
                + source[z, y + 1, x]
                + source[z - 1, y, x]
                + source[z + 1, y, x]
            )
            out[z, y, x] = c0 * centre + c1 * around
        else:
            out[z, y, x] = centre
