from cuda import device as D

TILE, ROWS = 32, 8


@D.kernel
def transpose(out, source):
    tile = D.shared_array((TILE, TILE + 1), D.float32)
    tx, ty = D.thread_idx.x, D.thread_idx.y
    x = D.block_idx.x * TILE + tx
    y = D.block_idx.y * TILE + ty
    for j in range(0, TILE, ROWS):
        tile[ty + j, tx] = source[y + j, x]
    D.syncthreads()
    x = D.block_idx.y * TILE + tx
    y = D.block_idx.x * TILE + ty
    for j in range(0, TILE, ROWS):
        out[y + j, x] = tile[tx, ty + j]
