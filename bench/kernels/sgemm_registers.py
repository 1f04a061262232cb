from cuda import device as D

TILE = 128  # of the result, for a block of 16 x 16 threads
DEPTH = 8
OWN = 8  # each thread has 8 x 8 elements, 16 apart


@D.kernel
def sgemm_registers(c, a, b):
    tile_a = D.shared_array((DEPTH, TILE), D.float32)
    tile_b = D.shared_array((DEPTH, TILE), D.float32)
    total = D.local_array((OWN, OWN), D.float32)
    column = D.local_array(OWN, D.float32)
    row = D.local_array(OWN, D.float32)
    tx, ty = D.thread_idx.x, D.thread_idx.y
    t = ty * 16 + tx
    x0, y0 = D.block_idx.x * TILE, D.block_idx.y * TILE
    for i in range(OWN):
        for j in range(OWN):
            total[i, j] = 0
    for first in range(0, a.shape[1], DEPTH):
        for e in range(t, DEPTH * TILE, 256):
            tile_a[e % DEPTH, e // DEPTH] = a[y0 + e // DEPTH, first + e % DEPTH]
            tile_b[e // TILE, e % TILE] = b[first + e // TILE, x0 + e % TILE]
        D.syncthreads()
        for k in range(DEPTH):
            for i in range(OWN):
                column[i] = tile_a[k, ty + 16 * i]
            for j in range(OWN):
                row[j] = tile_b[k, tx + 16 * j]
            for i in range(OWN):
                for j in range(OWN):
                    total[i, j] += column[i] * row[j]
        D.syncthreads()
    for i in range(OWN):
        for j in range(OWN):
            c[y0 + ty + 16 * i, x0 + tx + 16 * j] = total[i, j]
