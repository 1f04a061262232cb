from cuda import device as D

TILE = 16


@D.kernel
def sgemm_tiles(c, a, b):
    tile_a = D.shared_array((TILE, TILE), D.float32)
    tile_b = D.shared_array((TILE, TILE), D.float32)
    tx, ty = D.thread_idx.x, D.thread_idx.y
    column, row = D.tid(2)
    total = 0.0
    for first in range(0, a.shape[1], TILE):
        tile_a[ty, tx] = a[row, first + tx]
        tile_b[ty, tx] = b[first + ty, column]
        D.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        D.syncthreads()
    c[row, column] = total
