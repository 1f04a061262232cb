import warp as wp


@wp.kernel
def stencil7(
    out: wp.array3d(dtype=wp.float32),
    source: wp.array3d(dtype=wp.float32),
    c0: wp.float32,
    c1: wp.float32,
):
    z, y, x = wp.tid()
    nz = source.shape[0]
    ny = source.shape[1]
    nx = source.shape[2]
    centre = source[z, y, x]
    if x > 0 and x < nx - 1 and y > 0 and y < ny - 1 and z > 0 and z < nz - 1:
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
