"""Convergent control flow, although some lanes have left."""

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


@D.kernel
def below_the_former_count(o, a, n):
    s = D.tid(1)
    count = 0
    last = 0
    for j in range(n):
        before = count
        count = 0
        while count < a[j]:
            if count < last:
                o[s, j] += 1
            last = before
            count += 1


def test_a_loop_that_stores_what_a_variable_held_before_it(target):
    """The inner loop is entered with count == 0 each time, and with another `before`."""
    a = np.array([2, 3, 4, 5, 6], np.int32)
    o = np.zeros((3, 5), np.int32)
    D.launch(below_the_former_count, o, a, 5, grid=1, block=3)
    assert o.tolist() == [[0, 1, 3, 4, 5]] * 3
