"""Arrays of the shared memory that a launch gives: cuda.shared.array(0, dtype), as in Numba."""

import numpy as np
import pytest
from cuda.device.errors import LaunchError, LaunchTypeError
from cuda.device.numbapro import complex64, cuda, float32, float64, int16, int32, uint8
from support.numbapro import expect_errors


@cuda.autojit
def reverses(out, a):
    held = cuda.shared.array(0, float32)
    t = cuda.threadIdx.x
    held[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    out[cuda.grid(1)] = held[held.size - 1 - t]


@pytest.mark.parametrize("threads", [32, 100, 1024])
def test_blocks_are_reversed_in_the_memory_of_the_launch(target, threads):
    a = np.arange(3 * threads, dtype=np.float32)
    out = np.zeros_like(a)
    reverses[3, threads, 0, threads * 4](out, a)
    assert np.array_equal(out, a.reshape(3, threads)[:, ::-1].ravel())


@cuda.autojit
def looks_at(out):
    fixed = cuda.shared.array(3, int16)
    a = cuda.shared.array(0, float64)
    b = cuda.shared.array((0,), int32)
    c = cuda.shared.array(shape=0, dtype=uint8)
    d = cuda.shared.array(dtype=complex64, shape=(0,))
    out[0], out[1], out[2], out[3] = a.size, b.shape[0], c.size, d.size
    out[4], out[5], out[6], out[7] = a.strides[0], b.strides[0], a.ndim, len(d)
    fixed[0] = fixed[1] = fixed[2] = 7
    if a.size > 0:
        a[0] = 1.5
        out[8] = b[0]
        out[9] = c[7]
        b[1] = 0x40000000
        out[10] = a[0]
        out[11] = fixed[0] + fixed[1] + fixed[2]


@pytest.mark.parametrize("count", [0, 7, 8, 27, 1024])
def test_all_such_arrays_are_the_same_bytes(target, count):
    out = np.full(12, -1, np.int64)
    looks_at[1, 1, 0, count](out)
    sizes = [count // 8, count // 4, count, count // 8]
    assert out[:8].tolist() == [*sizes, 8, 4, 1, count // 8]
    assert out[8:].tolist() == ([0, 0x3F, 2, 21] if count >= 8 else [-1] * 4)


def test_a_launch_without_bytes_gives_none(target):
    out = np.full(12, -1, np.int64)
    looks_at[1, 1](out)
    assert out[:8].tolist() == [0, 0, 0, 0, 8, 4, 1, 0]


@cuda.jit(device=True)
def sum_of_block(x):
    held = cuda.shared.array(0, float32)
    held[cuda.threadIdx.x] = x
    cuda.syncthreads()
    total = float32(0)
    for i in range(cuda.blockDim.x):
        total += held[i]
    return total


@cuda.jit("void(float32[:], float32[:])")
def sums_blocks(out, a):
    out[cuda.grid(1)] = sum_of_block(a[cuda.grid(1)])


def test_device_functions_have_them_too(target):
    a = np.arange(64, dtype=np.float32)
    out = np.zeros_like(a)
    sums_blocks[2, 32, cuda.stream(), 128](out, a)
    cuda.synchronize()
    assert out.tolist() == [a[:32].sum()] * 32 + [a[32:].sum()] * 32


def test_the_ptx_leaves_the_size_to_the_launch():
    reverses[1, 32, 0, 128](np.zeros(32, np.float32), np.zeros(32, np.float32))
    (line,) = [line for line in reverses.ptx.splitlines() if ".extern .shared" in line]
    assert line.rstrip().endswith("[];")


@cuda.autojit
def without_elements(out):
    # error at `(0, 4)`: a shared array without elements is not supported in kernels
    # hint: give it positive extents; 0 or (0,) alone is the shared memory of the launch,
    # ... kernel[grid, block, stream, bytes]
    s = cuda.shared.array((0, 4), float32)
    out[0] = s.size


def test_an_extent_of_zero_beside_others_is_refused():
    expect_errors(without_elements, np.zeros(1))


def test_how_many_bytes_a_launch_gives_is_checked():
    out = np.zeros(12, np.int64)
    with pytest.raises(LaunchError, match="from 0 to"):
        looks_at[1, 1, 0, -1](out)
    with pytest.raises(LaunchError, match="from 0 to"):
        looks_at[1, 1, 0, 1 << 30](out)
    with pytest.raises(LaunchTypeError) as raised:
        looks_at[1, 1, 0, 1.5](out)
    assert str(raised.value) == (
        "the kernel 'looks_at' is launched with sharedmem=1.5; it is a number of bytes, an int: "
        "looks_at[grid, block, stream, bytes](...)"
    )
    looks_at[1, 1, 0, np.int32(64)](out)
    assert out[2] == 64
