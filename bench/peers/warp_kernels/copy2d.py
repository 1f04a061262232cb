import warp as wp


@wp.kernel
def copy2d(out: wp.array2d(dtype=wp.float32), source: wp.array2d(dtype=wp.float32)):
    y, x = wp.tid()
    out[y, x] = source[y, x]
