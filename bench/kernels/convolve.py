from cuda import device as D

WIDTH, HEIGHT, RADIUS = 32, 8, 2


@D.kernel
def convolve(out, source, weights):
    tile = D.shared_array((HEIGHT + 2 * RADIUS, WIDTH + 2 * RADIUS), D.float32)
    # Positions are unsigned; these go below zero at the border.
    tx, ty = D.int32(D.thread_idx.x), D.int32(D.thread_idx.y)
    x, y = D.tid(2)
    x0, y0 = x - tx - RADIUS, y - ty - RADIUS
    height, width = source.shape
    for j in range(ty, HEIGHT + 2 * RADIUS, HEIGHT):
        for i in range(tx, WIDTH + 2 * RADIUS, WIDTH):
            tile[j, i] = source[min(max(y0 + j, 0), height - 1), min(max(x0 + i, 0), width - 1)]
    D.syncthreads()
    if x < width and y < height:
        total = 0.0
        for j in range(2 * RADIUS + 1):
            for i in range(2 * RADIUS + 1):
                total += weights[j, i] * tile[ty + j, tx + i]
        out[y, x] = total
