from cuda import device as D

TILE, ROWS = 32, 8


@D.kernel
def floyd(out, source):
    """Shortest paths within each tile of 32 nodes: a block of 32 x 8 threads, four rows each."""
    path = D.shared_array((TILE, TILE), D.float32)
    tile = D.block_idx.x
    tx, ty = D.thread_idx.x, D.thread_idx.y
    for row in range(ty, TILE, ROWS):
        path[row, tx] = source[tile, row, tx]
    D.syncthreads()
    for k in range(TILE):
        for row in range(ty, TILE, ROWS):
            path[row, tx] = min(path[row, tx], path[row, k] + path[k, tx])
        D.syncthreads()
    for row in range(ty, TILE, ROWS):
        out[tile, row, tx] = path[row, tx]
