from cuda import device as D

from .warp_steps import summed


@D.kernel
def spmv_warps(y, row_start, column, value, x):
    """A warp for each row."""
    row = D.tid(1) // 32
    if row < y.size:
        total = D.float32(0)
        for k in range(row_start[row] + D.lane_id, row_start[row + 1], 32):
            total += value[k] * x[column[k]]
        total = summed(total)
        if D.lane_id == 0:
            y[row] = total
