"""Classes of itertools: tuples of what is known to have so many elements."""

import itertools
import operator

import numpy as np
from cuda import device as D
from support.launching import run_as_python


def largest(a, b):
    return max(a, b)


@D.kernel
def pairs(out, a):
    for n, (x, y) in enumerate(itertools.product((a[0], a[1]), (1, 2.5, a[2]))):
        out[0, n] = x * 10 + y
    for n, (x, y, z) in enumerate(itertools.product(range(2), repeat=3)):
        out[1, n] = x * 100 + y * 10 + z
    for n, (x, y) in enumerate(itertools.combinations((a[0], a[1], a[2], 7), 2)):
        out[2, n] = x * 10 + y
    for n, (x, y) in enumerate(itertools.combinations_with_replacement((a[0], a[1], a[2]), 2)):
        out[3, n] = x * 10 + y
    for n, (x, y, z) in enumerate(itertools.permutations((a[0], a[1], a[2]))):
        out[4, n] = x * 100 + y * 10 + z
    for n, (x, y) in enumerate(itertools.permutations(range(3), 2)):
        out[5, n] = x * 10 + y
    for n, (x, y) in enumerate(itertools.pairwise((a[0], a[1], a[2], 4))):
        out[6, n] = x - y
    for n, (x, y) in enumerate(itertools.zip_longest((a[0], a[1], 4), (1, 2), fillvalue=9)):
        out[7, n] = x * y


def test_tuples_of_elements(target):
    run_as_python(pairs, np.zeros((8, 10)), np.array([2.0, 3.0, 5.0]))


@D.kernel
def elements(out, a):
    for n, x in enumerate(itertools.chain((a[0], a[1]), range(3), ())):
        out[0, n] = x
    for k, x in enumerate(itertools.accumulate((a[0], a[1], 4, a[2]))):
        out[1, k] = x
    for k, x in enumerate(itertools.accumulate((a[0], 4, a[2]), largest, initial=1)):
        out[2, k] = x
    for k, x in enumerate(itertools.accumulate((a[0], 4, a[2]), operator.mul)):
        out[3, k] = x
    for k, x in enumerate(itertools.repeat(a[2], 3)):
        out[4, k] = x
    for k, x in enumerate(itertools.islice((a[0], a[1], 4, 6), 1, None, 2)):
        out[5, k] = x
    for k, x in enumerate(itertools.islice(range(9), 4)):
        out[6, k] = x
    for k, x in enumerate(itertools.starmap(lambda p, q: p * q, ((a[0], 2), (a[1], 3)))):
        out[7, k] = x
    for k, x in enumerate(itertools.compress((a[0], a[1], 4), (1, 0, 1))):
        out[8, k] = x
    out[9, 0] = sum(x * y for x, y in itertools.product((a[0], a[1]), (1, 2)))


def test_elements_one_after_the_other(target):
    run_as_python(elements, np.zeros((10, 8)), np.array([2.0, 3.0, 5.0]))
