"""Names of one language in a kernel of the other: the error names what the kernel's own writes."""

import math

import numpy as np
import pytest
from cuda import device
from cuda import device as D
from cuda.device.errors import LaunchTypeError
from cuda.device.numbapro import cuda, float32
from support.bad_programs import FLOATS, BadPrograms
from support.numbapro import expect_errors

bad = BadPrograms()


@bad.kernel(FLOATS)
def names_of_numbapro(a):
    # error at `cuda.grid`: 'cuda.grid' cannot be used in a kernel
    # hint: kernels of @cuda.device.kernel write device.tid
    i = cuda.grid(1)
    # error at `cuda.gridsize`: 'cuda.gridsize' cannot be used in a kernel
    # hint: kernels of @cuda.device.kernel write device.grid_size
    n = cuda.gridsize(1)
    # error at `cuda.threadIdx`: 'cuda.threadIdx' cannot be used in a kernel
    # hint: kernels of @cuda.device.kernel write device.thread_idx
    t = cuda.threadIdx.x
    # error at `cuda.blockIdx`: 'cuda.blockIdx' cannot be used in a kernel
    # hint: kernels of @cuda.device.kernel write device.block_idx
    # error at `cuda.blockDim`: 'cuda.blockDim' cannot be used in a kernel
    # hint: kernels of @cuda.device.kernel write device.block_dim
    b = cuda.blockIdx.x * cuda.blockDim.x
    # error at `cuda.gridDim`: 'cuda.gridDim' cannot be used in a kernel
    # hint: kernels of @cuda.device.kernel write device.grid_dim
    b = cuda.gridDim.y
    # error at `cuda.shared.array`: 'cuda.shared.array' cannot be used in a kernel
    # hint: kernels of @cuda.device.kernel write device.shared_array
    s = cuda.shared.array(32, float32)
    # error at `cuda.local.array`: 'cuda.local.array' cannot be used in a kernel
    # hint: kernels of @cuda.device.kernel write device.local_array
    r = cuda.local.array(32, float32)
    # error at `cuda.syncthreads`: 'cuda.syncthreads' cannot be used in a kernel
    # hint: kernels of @cuda.device.kernel write device.syncthreads
    cuda.syncthreads()
    a[i] = float32(n + t + b + s[0] + r[0])


@bad.kernel(FLOATS)
def words_of_numbapro(a):
    # error at `xrange`: 'xrange' is not a name of cuda.device
    # hint: use range
    for i in xrange(3):  # noqa: F821
        # error at `math.arctan`: 'arctan' is not a name of cuda.device
        # hint: use math.atan
        a[i] = math.arctan(a[0])


@pytest.mark.parametrize("program", bad)
def test_in_kernels_of_the_guide(program):
    program.check()


@cuda.autojit
def names_of_the_guide(a):
    # error at `D.tid`: 'device.tid' cannot be used in a kernel
    # hint: kernels of @cuda.jit write cuda.grid
    i = D.tid(1)
    # error at `D.grid_size`: 'device.grid_size' cannot be used in a kernel
    # hint: kernels of @cuda.jit write cuda.gridsize
    n = D.grid_size(1)
    # error at `D.thread_idx`: 'device.thread_idx' cannot be used in a kernel
    # hint: kernels of @cuda.jit write cuda.threadIdx
    t = D.thread_idx.x
    # error at `D.block_idx`: 'device.block_idx' cannot be used in a kernel
    # hint: kernels of @cuda.jit write cuda.blockIdx
    # error at `D.block_dim`: 'device.block_dim' cannot be used in a kernel
    # hint: kernels of @cuda.jit write cuda.blockDim
    b = D.block_idx.x * D.block_dim.x
    # error at `D.grid_dim`: 'device.grid_dim' cannot be used in a kernel
    # hint: kernels of @cuda.jit write cuda.gridDim
    b = D.grid_dim.y
    # error at `D.shared_array`: 'device.shared_array' cannot be used in a kernel
    # hint: kernels of @cuda.jit write cuda.shared.array
    s = D.shared_array(32, float32)
    # error at `D.local_array`: 'device.local_array' cannot be used in a kernel
    # hint: kernels of @cuda.jit write cuda.local.array
    r = D.local_array(32, float32)
    # error at `D.syncthreads`: 'device.syncthreads' cannot be used in a kernel
    # hint: kernels of @cuda.jit write cuda.syncthreads
    D.syncthreads()
    # error at `D.atomic_ref`: 'device.atomic_ref' cannot be used in a kernel
    # hint: kernels of @cuda.jit have no such name
    D.atomic_ref(a, 0).add(1)
    a[i] = D.int32(n + t + b + s[0] + r[0])  # types are of both


@cuda.autojit
def names_without_a_module(a):
    # error at `threadIdx`: 'threadIdx' is not a name of cuda.device
    # hint: use cuda.threadIdx
    t = threadIdx.x  # noqa: F821
    # error at `__syncthreads`: '__syncthreads' is not a name of cuda.device
    # hint: use cuda.syncthreads()
    __syncthreads()  # noqa: F821
    # error at `tid`: name 'tid' is not defined
    # hint: write cuda.grid
    a[t] = tid(1)  # noqa: F821
    # error at `sqrtf`: 'sqrtf' is not a name of cuda.device
    # hint: use math.sqrt
    a[1] = sqrtf(a[0])  # noqa: F821
    # error at `atomicAdd`: name 'atomicAdd' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    atomicAdd(a, 1)  # noqa: F821


def test_in_kernels_of_numbapro():
    expect_errors(names_of_the_guide, FLOATS)
    expect_errors(names_without_a_module, FLOATS)


def shared_helper(a):
    return a[D.tid(1)]


@D.kernel
def of_the_guide(out, a):
    out[0] = shared_helper(a)


@cuda.autojit
def of_numbapro(out, a):
    out[0] = shared_helper(a)


def test_a_function_has_the_language_of_its_kernel():
    device.launch(of_the_guide, FLOATS.copy(), FLOATS, grid=1, block=1)
    with pytest.raises(device.errors.CompileError, match=r"write cuda\.grid") as raised:
        of_numbapro[1, 1](FLOATS.copy(), FLOATS)
    assert "return a[D.tid(1)]" in str(raised.value)


def test_launches_name_the_other_way():
    with pytest.raises(LaunchTypeError) as raised:
        device.launch(of_numbapro, FLOATS, FLOATS, grid=1, block=1)
    assert str(raised.value) == (
        "launch() expects a kernel, found 'cuda.device.numbapro._jit.CUDAKernel', which is launched "
        "as of_numbapro[grid, block](...)\n"
        "  only functions decorated with @cuda.device.kernel can be launched"
    )
    with pytest.raises(LaunchTypeError, match=r"cuda\.device\.launch\(of_the_guide, \.\.\."):
        of_the_guide[1, 1](FLOATS, FLOATS)


@cuda.autojit
def of_two_parts(out, x):
    z = complex(x, 2)
    out[0] = z * complex(0, 1)
    out[1] = complex(x)
    out[2] = complex()


def test_complex_takes_two_parts(target):
    out = np.ones(3, complex)
    of_two_parts[1, 1](out, 3.0)
    assert out.tolist() == [-2 + 3j, 3, 0]


@cuda.autojit
def objects_in_numbapro(a):
    # error at `[x for x in a]`: a list comprehension is not supported in kernels
    # hint: go through the elements with a 'for' loop over range()
    b = [x for x in a]
    # error at `{1: 2}`: a dict is not supported in kernels
    # hint: use an array, and compare keys with 'if' and 'elif'
    c = {1: 2}


def test_hints_name_what_numbapro_has():
    expect_errors(objects_in_numbapro, np.zeros(1))
