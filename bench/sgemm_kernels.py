"""Matrix products: a tile of 16x16 a block, and 8x8 elements a thread."""

from cuda import device as D

T = 16


@D.kernel
def sgemm16(c, a, b):
    As = D.shared_array((T, T), D.float32)
    Bs = D.shared_array((T, T), D.float32)
    tx, ty = D.thread_idx.x, D.thread_idx.y
    col, row = D.tid(2)
    acc = D.float32(0)
    for t in range(a.shape[1] // T):
        As[ty, tx] = a[row, t * T + tx]
        Bs[ty, tx] = b[t * T + ty, col]
        D.syncthreads()
        for k in range(T):
            acc += As[ty, k] * Bs[k, tx]
        D.syncthreads()
    c[row, col] = acc


BM = BN = 128
BK = 8
TM = TN = 8


@D.kernel
def sgemm_reg(c, a, b):
    As = D.shared_array((BK, BM), D.float32)
    Bs = D.shared_array((BK, BN), D.float32)
    acc = D.local_array((TM, TN), D.float32)
    ar = D.local_array(TM, D.float32)
    br = D.local_array(TN, D.float32)
    tx, ty = D.thread_idx.x, D.thread_idx.y
    t = ty * 16 + tx
    bx, by = D.block_idx.x, D.block_idx.y
    for i in range(TM):
        for j in range(TN):
            acc[i, j] = 0
    for k0 in range(0, a.shape[1], BK):
        for i in range(4):
            e = t + i * 256
            As[e % BK, e // BK] = a[by * BM + e // BK, k0 + e % BK]
            Bs[e // BN, e % BN] = b[k0 + e // BN, bx * BN + e % BN]
        D.syncthreads()
        for k in range(BK):
            for i in range(TM):
                ar[i] = As[k, ty + 16 * i]
            for j in range(TN):
                br[j] = Bs[k, tx + 16 * j]
            for i in range(TM):
                for j in range(TN):
                    acc[i, j] += ar[i] * br[j]
        D.syncthreads()
    for i in range(TM):
        for j in range(TN):
            c[by * BM + ty + 16 * i, bx * BN + tx + 16 * j] = acc[i, j]
