from cuda import device as D

BLOCK, TILE = 256, 256  # threads, of which the first warp loads; points that it loads at once
THREADS = BLOCK - 32  # threads that look


@D.kernel
def nearest_pipeline(out, points, queries, angle_sin, angle_cos):
    """The square of each query's distance to the nearest of the points, which are turned first. A
    warp turns the points of the next tile while the others look at those of the last one."""
    tiles = D.shared_array((2, 2, TILE), D.float32)
    t = D.int32(D.thread_idx.x)
    steps = points.shape[1] // TILE
    if t < 32:
        for step in range(steps):
            for k in range(t, TILE, 32):
                x, y = points[0, step * TILE + k], points[1, step * TILE + k]
                tiles[step % 2, 0, k] = x * angle_cos - y * angle_sin
                tiles[step % 2, 1, k] = x * angle_sin + y * angle_cos
            D.syncthreads()
        D.syncthreads()
    else:
        i = D.int32(D.block_idx.x) * THREADS + t - 32
        x, y = queries[0, i], queries[1, i]
        least = D.float32(3e38)
        D.syncthreads()
        for step in range(steps):
            for k in range(TILE):
                dx, dy = tiles[step % 2, 0, k] - x, tiles[step % 2, 1, k] - y
                least = min(least, dx * dx + dy * dy)
            D.syncthreads()
        out[i] = least
