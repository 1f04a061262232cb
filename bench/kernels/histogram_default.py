from cuda import device as D


@D.kernel
def histogram_default(out, source):
    """All threads count together, in global memory, in the order and scope that are the default."""
    for i in range(D.tid(1), source.size, D.grid_size(1)):
        D.atomic_ref(out, source[i]).add(1)
