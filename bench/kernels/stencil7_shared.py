from cuda import device as D

WIDTH, HEIGHT = 32, 8


@D.kernel
def stencil7_shared(out, source, c0, c1):
    """Each block marches along z with a plane's tile in shared memory; the points before and
    behind it stay in variables. The blocks divide the planes."""
    tile = D.shared_array((HEIGHT + 2, WIDTH + 2), D.float32)
    x, y = D.tid(2)
    tx, ty = D.thread_idx.x + 1, D.thread_idx.y + 1
    nz, ny, nx = source.shape
    inside = 0 < x < nx - 1 and 0 < y < ny - 1
    centre = source[0, y, x]
    ahead = source[1, y, x]
    out[0, y, x] = centre
    for z in range(1, nz - 1):
        behind = centre
        centre = ahead
        ahead = source[z + 1, y, x]
        tile[ty, tx] = centre
        if tx == 1 and x > 0:
            tile[ty, 0] = source[z, y, x - 1]
        if tx == WIDTH and x < nx - 1:
            tile[ty, WIDTH + 1] = source[z, y, x + 1]
        if ty == 1 and y > 0:
            tile[0, tx] = source[z, y - 1, x]
        if ty == HEIGHT and y < ny - 1:
            tile[HEIGHT + 1, tx] = source[z, y + 1, x]
        D.syncthreads()
        if inside:
            around = (
                tile[ty, tx - 1]
                + tile[ty, tx + 1]
                + tile[ty - 1, tx]
                + tile[ty + 1, tx]
                + behind
                + ahead
            )
            out[z, y, x] = c0 * centre + c1 * around
        else:
            out[z, y, x] = centre
        D.syncthreads()
    out[nz - 1, y, x] = ahead
