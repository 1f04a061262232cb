"""Control flow in which lanes stay together although some have left."""

import numpy as np
from cuda import device as D


@D.kernel
def return_in_a_loop(o, n, limit):
    i = D.tid(1)
    if i < n:
        for k in range(6):
            o[i] = k
            if k >= limit:
                return


@D.kernel
def return_in_a_while(o, n, limit):
    i = D.tid(1)
    if i < n:
        k = 0
        while k < 6:
            o[i] = k
            k += 1
            if k > limit:
                return


def test_a_return_of_all_lanes_ends_the_loop(target):
    """The guard leaves some lanes out, so the return is not that of the whole gang."""
    for kernel in (return_in_a_loop, return_in_a_while):
        o = np.full(40, -1, np.int32)
        D.launch(kernel, o, 30, 2, grid=1, block=31)
        assert o.tolist() == [2] * 30 + [-1] * 10
