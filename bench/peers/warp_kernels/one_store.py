import warp as wp


@wp.kernel
def one_store(a: wp.array(dtype=wp.float32)):
    a[wp.tid()] = 1.0
