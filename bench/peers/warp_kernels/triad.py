import warp as wp


@wp.kernel
def triad(
    a: wp.array(dtype=wp.float32),
    b: wp.array(dtype=wp.float32),
    c: wp.array(dtype=wp.float32),
    s: wp.float32,
):
    i = wp.tid()
    a[i] = b[i] + s * c[i]
