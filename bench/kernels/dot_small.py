from cuda import device as D

from .small_floats import as_small_floats
from .trees import BLOCK, sum_of_threads


def viewed(values):
    return as_small_floats(values, "x", "y")


@D.kernel
def dot_small(out, x, y):
    part = D.shared_array(BLOCK, D.float32)
    total = 0.0
    for i in range(D.tid(1), x.size, D.grid_size(1)):
        total += D.float32(x[i]) * D.float32(y[i])
    sum_of_threads(out, part, total)
