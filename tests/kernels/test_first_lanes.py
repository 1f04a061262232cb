"""`if t < 8`: the first few threads of a gang read and write vectors of as many lanes."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.launching import run
from support.targets import require

MASKED = re.compile(r"call .*(?:masked\.|mask)(?:load|store)")
COUNTS = [1, 2, 3, 4, 7, 8, 12, 16, 17, 31, 32, 33, 64]
DTYPES = [np.float32, np.int32, np.float64, np.int16, np.uint8]


def of_the_first(count, dtype):
    own = getattr(D, np.dtype(dtype).name)

    @D.kernel
    def kernel(out, source):
        part = D.shared_array(160, own)
        t = D.thread_idx.x
        part[t] = source[t]
        part[80 + t] = source[t]
        D.syncthreads()
        if t < count:
            part[t] += part[80 + count - t % 2]
            part[80 + t] = part[t] + source[t + count]
        else:
            part[80 + t] -= part[t]
        D.syncthreads()
        out[t] = part[t]
        out[80 + t] = part[80 + t]

    return kernel


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", COUNTS)
def test_what_they_read_and_write(target, count, dtype):
    source = (np.arange(160) % 11).astype(dtype)
    out = np.full(160, 3, dtype)
    run(of_the_first(count, dtype), out, source, grid=1, block=80)
    t = np.arange(80)
    first, behind = source[:80].copy(), source[:80].copy()
    own = t < count
    # No thread of the first ones writes what another one of them reads.
    first[own] += behind[(count - t % 2)[own]]
    behind[own] = first[own] + source[(t + count)[own]]
    behind[~own] -= first[~own]
    assert out.tolist() == [*first.tolist(), *behind.tolist()]


@D.kernel
def tree(out, source):
    part = D.shared_array(32, D.float32)
    t = D.thread_idx.x
    part[t] = source[t]
    D.syncthreads()
    step = 16
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        D.syncthreads()
        step //= 2
    out[t] = part[t]


@pytest.mark.parametrize("form", ["avx512", "avx512x64", "avx2", "avx2x16", "avx2x8"])
def test_no_mask_in_a_tree(form):
    """Sixteen, eight, four, two threads; one alone LLVM itself loads and stores as a scalar."""
    source, out = np.zeros((2, 32), np.float32)
    text = tree.inspect(out, source, what="llvm", target=form, grid=1, block=32)
    alone = [line for line in text.splitlines() if MASKED.search(line)]
    assert all(re.search(r"<i1 true, i1 false[^t]*>", line) for line in alone)
    for lanes in (8, 4, 2):
        assert re.search(rf"load <{lanes} x (?:float|i32)>", text)
        assert re.search(rf"store <{lanes} x (?:float|i32)>", text)


@D.kernel
def some(out, source):
    t = D.thread_idx.x
    if t < source.size:
        out[t] = source[t]


def test_masks_that_are_not_known_stay():
    require("avx512")
    source, out = np.zeros((2, 32), np.float32)
    text = some.inspect(out, source, what="llvm", target="avx512", grid=1, block=32)
    assert len(MASKED.findall(text)) == 2
