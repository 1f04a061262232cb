"""The names of NumbaPro's `cuda`: positions, barriers, shared memory (NP-INTR, NP-SHM)."""

import itertools

import numpy as np
import pytest
from cuda.device.errors import DeviceOnlyError
from cuda.device.numbapro import cuda, float32, int16, int32
from support.clauses import clause
from support.numbapro import expect_errors, made_of, types_of_variables

TILE = 16


@clause("NP-INTR-01")
def test_names_of_cuda():
    for name in ("threadIdx", "blockIdx", "blockDim", "gridDim", "grid", "gridsize"):
        assert name in cuda.__all__
        assert hasattr(cuda, name)
    for name in ("syncthreads", "shared", "jit", "autojit"):
        assert name in cuda.__all__
        assert hasattr(cuda, name)
    assert callable(cuda.shared.array)


@cuda.autojit
def positions(out, counts):
    x, y, z = cuda.threadIdx.x, cuda.threadIdx.y, cuda.threadIdx.z
    bx, by, bz = cuda.blockIdx.x, cuda.blockIdx.y, cuda.blockIdx.z
    block = bx + by * cuda.gridDim.x + bz * cuda.gridDim.x * cuda.gridDim.y
    thread = x + y * cuda.blockDim.x + z * cuda.blockDim.x * cuda.blockDim.y
    threads = cuda.blockDim.x * cuda.blockDim.y * cuda.blockDim.z
    at = block * threads + thread
    out[at, 0], out[at, 1], out[at, 2] = x, y, z
    out[at, 3], out[at, 4], out[at, 5] = bx, by, bz
    gx, gy, gz = cuda.grid(3)
    sx, sy, sz = cuda.gridsize(3)
    out[at, 6], out[at, 7], out[at, 8] = gx, gy, gz
    counts[0], counts[1], counts[2] = cuda.blockDim.x, cuda.blockDim.y, cuda.blockDim.z
    counts[3], counts[4], counts[5] = cuda.gridDim.x, cuda.gridDim.y, cuda.gridDim.z
    counts[6], counts[7], counts[8] = sx, sy, sz
    less = cuda.threadIdx.x - 1
    if x == 0:
        counts[9] = less


@clause("NP-INTR-02", "NP-INTR-03", "NP-INTR-04", "NP-INTR-05")
@pytest.mark.parametrize(("grid", "block"), [((3, 2), (4, 3, 2)), (5, 7), ((2, 1, 2), (3, 2))])
def test_positions(target, grid, block):
    sizes = [(*(n if isinstance(n, tuple) else (n,)), 1, 1)[:3] for n in (grid, block)]
    (gx, gy, gz), (bx, by, bz) = sizes
    out, counts = np.zeros((gx * gy * gz * bx * by * bz, 9), np.int64), np.zeros(10, np.int64)
    positions[grid, block](out, counts)
    wanted = [
        (x, y, z, i, j, k, i * bx + x, j * by + y, k * bz + z)
        for k, j, i, z, y, x in itertools.product(*map(range, (gz, gy, gx, bz, by, bx)))
    ]
    assert list(map(tuple, out.tolist())) == wanted
    assert counts.tolist() == [bx, by, bz, gx, gy, gz, gx * bx, gy * by, gz * bz, -1]


@clause("NP-INTR-02", "NP-INTR-04")
def test_positions_are_int32():
    kernel = made_of(
        "def k(out):\n    x = cuda.threadIdx.x\n    n = cuda.blockDim.y\n"
        "    i = cuda.grid(1)\n    out[i] = x + n\n"
    )
    found = types_of_variables(kernel, "array[int64, 1]")
    assert (found["x"], found["n"], found["i"]) == ("int32",) * 3


@cuda.autojit
def assigns_position(out):
    cuda.threadIdx.x = 3  # error at `cuda.threadIdx.x`: 'x' of cuda.threadIdx cannot be assigned
    # hint: names and elements of arrays can
    out[0] = 1


@clause("NP-INTR-06")
def test_positions_exist_in_kernels_only():
    for use in (lambda: cuda.threadIdx.x, lambda: cuda.grid(1), lambda: cuda.gridDim.y + 1):
        with pytest.raises(DeviceOnlyError, match=r"numbapro\.cuda\.\w+ exists in kernels only"):
            use()
    with pytest.raises(DeviceOnlyError, match=r"numbapro\.cuda\.shared\.array exists in kernels"):
        cuda.shared.array(3, float32)
    with pytest.raises(DeviceOnlyError, match="threadIdx exists in kernels only"):
        cuda.threadIdx.x = 3
    expect_errors(assigns_position, np.zeros(1))


@cuda.autojit
def reverses(a):
    held = cuda.shared.array(256, int32)
    t = cuda.threadIdx.x
    held[t] = a[cuda.grid(1)]
    cuda.syncthreads()
    a[cuda.grid(1)] = held[255 - t]


@clause("NP-INTR-07")
def test_blocks_are_reversed(target):
    a = np.arange(1000 * 256, dtype=np.int32)
    reverses[1000, 256](a)
    assert np.array_equal(a.reshape(1000, 256)[:, ::-1].reshape(-1), np.arange(1000 * 256))


@cuda.autojit
def some_wait(out):
    t = cuda.threadIdx.x
    if t < 16:
        # error at `cuda.syncthreads()`: some threads of a block come to this syncthreads() and
        # ... others do not
        # hint: all threads of a block call it, or have left the kernel; move it out of the
        # ... condition
        cuda.syncthreads()
    out[t] = 1


# Where data decides, threads that have left the kernel do not count, and others meet at whichever
# barrier they have come to, as on GPUs.
UNCHECKED = "where data decides, or other threads come to other barriers; targets do not check yet"


@clause("NP-INTR-08", partial=UNCHECKED)
def test_a_barrier_that_some_threads_certainly_miss(target):
    expect_errors(some_wait, np.zeros(32), block=32)


@cuda.autojit
def waits_apart(a):
    t = cuda.threadIdx.x
    if a[t] > 0:
        cuda.syncthreads()
        a[t] = 5
    else:
        cuda.syncthreads()


@clause("NP-INTR-08", partial=UNCHECKED)
def test_threads_that_data_sends_to_different_barriers(target):
    a = np.array([1, 0] * 40)
    waits_apart[1, 80](a)
    assert a.tolist() == [5, 0] * 40


@cuda.autojit
def waits_where_data_says(a):
    t = cuda.threadIdx.x
    if a[t] > 0:
        cuda.syncthreads()
        a[t] = 5


@clause("NP-INTR-08", partial=UNCHECKED)
def test_threads_that_have_left_do_not_count(target):
    a = np.array([1, 0] * 40)
    waits_where_data_says[1, 80](a)
    assert a.tolist() == [5, 0] * 40


@cuda.autojit
def transposes(out, a):
    tile = cuda.shared.array((TILE, TILE), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    i = cuda.blockIdx.y * TILE + y
    j = cuda.blockIdx.x * TILE + x
    tile[y, x] = a[i, j]
    cuda.syncthreads()
    out[cuda.blockIdx.x * TILE + y, cuda.blockIdx.y * TILE + x] = tile[x, y]


@clause("NP-SHM-01", "NP-SHM-04", "NP-GEN-02")
def test_tiles_are_transposed(target):
    a = np.arange(48 * 32, dtype=np.float32).reshape(48, 32)
    out = np.zeros((32, 48), np.float32)
    transposes[(2, 3), (TILE, TILE)](out, a)
    assert np.array_equal(out, a.T)
    text = transposes.ptx
    assert ".visible .entry" in text
    assert any(".shared" in line and "[1024]" in line for line in text.splitlines())


@cuda.autojit
def shared_attributes(out):
    s = cuda.shared.array((4, 8), int16)
    h, w = s.shape
    a, b = s.strides
    out[0], out[1], out[2], out[3] = h, w, a, b
    out[4], out[5] = s.size, s.ndim


@clause("NP-SHM-05")
def test_attributes_of_shared_arrays(target):
    out = np.zeros(6, np.int64)
    shared_attributes[1, 1](out)
    assert out.tolist() == [4, 8, 16, 2, 32, 2]


@cuda.autojit
def text_as_dtype(out):
    # error at `"f4"`: the string 'f4' is a Python object, which this dialect has none of
    # hint: its kernels have numbers, arrays, and tuples of numbers; types are named by type objects
    # ... such as float32
    s = cuda.shared.array(4, "f4")
    out[0] = s[0]


@cuda.autojit
def number_as_dtype(out):
    s = cuda.shared.array(4, 5)  # error at `5`: int32 is no element type of cuda.shared.array()
    # hint: it is a type object such as float32, from cuda.device.numbapro
    out[0] = s[0]


@cuda.autojit
def in_branch(out):
    if out[0] > 0:
        # error at `cuda.shared.array(4, float32)`: cuda.shared.array() stands inside of a
        # ... statement 'if'
        # hint: it is declared in the entry block of the kernel: at the top, before the first 'if',
        # ... 'for' or 'while', as the value of an assignment
        s = cuda.shared.array(4, float32)
        out[0] = s[0]
    for i in range(2):
        # error at `cuda.shared.array(4, float32)`: cuda.shared.array() stands inside of a
        # ... statement 'for'
        # hint: it is declared in the entry block of the kernel: at the top, before the first 'if',
        # ... 'for' or 'while', as the value of an assignment
        t = cuda.shared.array(4, float32)
        out[i] = t[0]
    # error at `cuda.shared.array(4, float32)`: cuda.shared.array() stands after a statement 'if'
    # hint: it is declared in the entry block of the kernel: at the top, before the first 'if',
    # ... 'for' or 'while', as the value of an assignment
    u = cuda.shared.array(4, float32)
    out[0] = u[0]


@cuda.autojit
def in_while(out):
    while out[0] > 0:
        # error at `cuda.shared.array(4, float32)`: cuda.shared.array() stands inside of a
        # ... statement 'while'
        # hint: it is declared in the entry block of the kernel: at the top, before the first 'if',
        # ... 'for' or 'while', as the value of an assignment
        s = cuda.shared.array(4, float32)
        out[0] = s[0]


@cuda.autojit
def shape_of_argument(out, n):
    # error at `n`@1: the shape of cuda.shared.array() is not a constant expression: it holds an
    # ... int64 that is known at run time only
    # hint: use literals, globals, and names assigned once from these
    s = cuda.shared.array(n, float32)
    out[0] = s[0]


@clause("NP-SHM-02", "NP-SHM-03", "NP-SHM-04")
def test_where_and_how_shared_arrays_are_declared():
    out = np.zeros(4)
    expect_errors(text_as_dtype, out)
    expect_errors(number_as_dtype, out)
    expect_errors(in_branch, out)
    expect_errors(in_while, out)
    expect_errors(shape_of_argument, out, 3)


@cuda.jit(device=True)
def sum_of_block(x):
    held = cuda.shared.array(32, float32)  # the entry block of a device function
    t = cuda.threadIdx.x
    held[t] = x
    cuda.syncthreads()
    total = float32(0)
    for i in range(32):
        total += held[i]
    return total


@cuda.autojit
def sums_blocks(out, a):
    total = sum_of_block(a[cuda.grid(1)])
    if cuda.threadIdx.x == 0:
        out[cuda.blockIdx.x] = total


@clause("NP-SHM-03", "NP-NPM-09")
def test_shared_arrays_of_device_functions(target):
    a, out = np.arange(96, dtype=np.float32), np.zeros(3, np.float32)
    sums_blocks[3, 32](out, a)
    assert out.tolist() == a.reshape(3, 32).sum(1).tolist()
