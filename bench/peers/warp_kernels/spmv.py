import warp as wp


@wp.kernel
def spmv(
    y: wp.array(dtype=wp.float32),
    row_start: wp.array(dtype=wp.int32),
    column: wp.array(dtype=wp.int32),
    value: wp.array(dtype=wp.float32),
    x: wp.array(dtype=wp.float32),
):
    row = wp.tid()
    total = wp.float32(0.0)
    for k in range(row_start[row], row_start[row + 1]):
        total += value[k] * x[column[k]]
    y[row] = total
