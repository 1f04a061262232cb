from cuda import device as D

from .trees import BLOCK, sum_of_threads


@D.kernel
def sum_parts(out, source):
    part = D.shared_array(BLOCK, D.float32)
    total = 0.0
    for i in range(D.tid(1), source.size, D.grid_size(1)):
        total += source[i]
    sum_of_threads(out, part, total)
