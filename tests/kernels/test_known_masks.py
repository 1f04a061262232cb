"""Masks that are known when a kernel is compiled: `if t < 8` reads and writes eight elements by a
vector of eight."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.launching import run
from support.sources import executed
from support.targets import require

DTYPES = [np.float32, np.int32, np.float64, np.int16, np.uint8]
BLOCK = 80
# The threads that do it.
FIRST = [f"t < {n}" for n in (1, 2, 3, 4, 7, 8, 12, 16, 17, 31, 32, 33, 64)]
OTHERS = ["t == 5", "t >= 72", "t >= 76", "t >= 79", "8 <= t < 12", "6 <= t < 8", "7 <= t < 9"]
FORMS = ["avx512", "avx512x64", "avx2", "avx2x16", "avx2x8"]


def by_some(which, dtype):
    source = f"""
def kernel(out, source):
    part = D.shared_array(3 * BLOCK, D.{np.dtype(dtype).name})
    t = D.int32(D.thread_idx.x)
    for k in range(3):
        part[k * BLOCK + t] = source[k, t]
    D.syncthreads()
    seen = part.dtype(5)
    if {which}:
        seen = part[BLOCK + t] + part[BLOCK - t - 1]
        part[2 * BLOCK + t] += part[BLOCK + t]
    else:
        part[2 * BLOCK + t] -= source[1, t]
    out[0, t] = seen
    out[1, t] = part[2 * BLOCK + t]
    if {which}:
        out[2, t] = source[0, t] + source[1, t]
"""
    return D.kernel(executed(source, BLOCK=BLOCK)["kernel"])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("which", FIRST + OTHERS)
def test_elements_that_masked_threads_read_and_write(target, which, dtype):
    source = (np.arange(3 * BLOCK) * 7 % 11).astype(dtype).reshape(3, BLOCK)
    out = np.full((3, BLOCK), 3, dtype)
    run(by_some(which, dtype), out, source, grid=1, block=BLOCK)
    own = np.array([eval(which, {"t": t}) for t in range(BLOCK)])
    assert out[0].tolist() == np.where(own, source[1] + source[0, ::-1], 5).tolist()
    assert out[1].tolist() == np.where(own, source[2] + source[1], source[2] - source[1]).tolist()
    assert out[2].tolist() == np.where(own, source[0] + source[1], 3).tolist()


@D.kernel
def narrowed(out, a, b):
    i = D.tid(1)
    out[i] = D.int16(a[i] + b[i]) // D.int16(3)


# LLVM 22 stores two bytes for one lane of a masked store that narrows its value.
@pytest.mark.parametrize("block", [1, 33, 34, 36, 65])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_no_byte_after_the_last_thread(target, block, dtype):
    a, b = (np.arange(2 * 80) % 97).astype(np.int16).reshape(2, -1)
    out = np.full(80, 77, dtype)
    run(narrowed, out, a, b, grid=1, block=block)
    assert out[:block].tolist() == ((a + b) // 3)[:block].tolist()
    assert (out[block:] == 77).all()


MASKED = re.compile(r"call .*(?:masked\.|mask)(?:load|store)")


@D.kernel
def tree(out, source):
    part = D.shared_array(64, D.float32)
    t = D.thread_idx.x
    part[t] = source[t]
    D.syncthreads()
    step = 32
    while step > 0:
        if t < step:
            part[t] += part[t + step]
        D.syncthreads()
        step //= 2
    out[t] = part[t]


@pytest.mark.parametrize("form", FORMS)
def test_no_mask_in_a_tree(form):
    source, out = np.zeros((2, 64), np.float32)
    text = tree.inspect(out, source, what="llvm", target=form, grid=1, block=64)
    assert not MASKED.search(text)
    for lanes in (4, 2, 1):
        assert re.search(rf"load <{lanes} x (?:float|i32)>", text)
        assert re.search(rf"store <{lanes} x (?:float|i32)>", text)


def accesses_under_masks(which):
    require("avx512")
    source, out = np.zeros((2, BLOCK), np.float32)
    text = f"""
def kernel(out, source):
    t = D.int32(D.thread_idx.x)
    if {which}:
        out[t] = source[t]
"""
    kernel = D.kernel(executed(text)["kernel"])
    text = kernel.inspect(out, source, what="llvm", target="avx512", grid=1, block=BLOCK)
    return len(MASKED.findall(text))


# A vector and a half would be two instructions in place of one.
@pytest.mark.parametrize("which", ["t < 3", "t < 12", "7 <= t < 9", "t >= 77"])
def test_masks_that_are_not_known_stay(which):
    assert accesses_under_masks(which) >= 2


@pytest.mark.parametrize("which", ["t < 16", "t < 4", "t == 5", "t >= 72", "6 <= t < 8"])
def test_runs_of_lanes_anywhere(which):
    assert accesses_under_masks(which) == 0


@pytest.mark.parametrize("block", [1, 2, 4, 8, 12])
def test_parts_of_complex_numbers_are_stored_by_few_threads(target, block):
    """A part of a zero extension, which LLVM 22 cannot select with AVX-512."""

    @D.kernel
    def chooses(q, z, uses_z, x):
        i = D.tid(1)
        shifted = z[i] + D.complex64(1)
        q[i] = shifted if uses_z else D.complex64(x)

    for step in (1, 2, -1):
        z = (np.arange(24) + 2j).astype(np.complex64)[::step]
        q = np.zeros(block, np.complex64)
        for uses_z in (1, 0):
            D.launch(chooses, q, z, np.int32(uses_z), np.float32(3), grid=1, block=block)
            assert q.tolist() == (z[:block] + 1 if uses_z else np.full(block, 3 + 0j)).tolist()
