"""What people write who come from Numba, CUDA C++ and NumPy: the error names what to write here."""

import builtins
import functools
import math
import re
import types
from pathlib import Path

import numpy as np
import pytest
from cuda import device
from cuda import device as D
from cuda import device as cuda
from cuda.device import errors
from support.bad_programs import FLOATS, READ_ONLY, BadPrograms

bad = BadPrograms()

FOREIGN_NAMES = Path(__file__).resolve().parents[2] / "src" / "support" / "foreign_names.def"


def stand_in_for_numba():
    """Modules with what numba-cuda has: classes that stand for something, and objects."""

    class Stub: ...

    Stub.__module__, Stub.__qualname__ = "numba.core", "Stub"

    def stub(name, **members):
        return type(name, (Stub,), members)

    class CUDADispatcher: ...

    CUDADispatcher.__module__ = "numba.cuda.dispatcher"
    numba, cuda = types.ModuleType("numba"), types.ModuleType("numba.cuda")
    numba.cuda, numba.float32, numba.njit = cuda, Stub(), Stub()
    for name in ("threadIdx", "blockIdx", "blockDim", "gridDim", "laneid"):
        setattr(cuda, name, stub(name, x=property(len)))
    for name in ("grid", "gridsize", "syncthreads", "shfl_down_sync", "selp", "popc"):
        setattr(cuda, name, Stub())
    cuda.shared, cuda.local = stub("shared", array=Stub), stub("local", array=Stub)
    cuda.atomic = stub("atomic", add=stub("add"))
    cuda.libdevice = types.ModuleType("numba.cuda.libdevice")
    cuda.libdevice.expf = Stub()
    cuda.a_function = CUDADispatcher()
    cuda.answer = 42
    return numba, cuda


numba, numba_cuda = stand_in_for_numba()
numba_function = numba_cuda.a_function
laneid, gridsize = numba_cuda.laneid, numba_cuda.gridsize  # as by `from numba.cuda import ...`


@bad.kernel(FLOATS)
def names_from_numba(a):
    # error at `gridsize`: 'gridsize' cannot be used in a kernel
    # hint: use device.grid_size(ndims)
    n = gridsize(1)
    # error at `laneid`: 'laneid' cannot be used in a kernel
    # hint: use device.lane_id
    a[0] = laneid.x


@bad.kernel(FLOATS)
def positions_of_numba(a):
    # error at `numba_cuda.grid`: 'numba_cuda.grid' cannot be used in a kernel
    # hint: use device.tid(ndims)
    i = numba_cuda.grid(1)
    # error at `numba_cuda.gridsize`: 'numba_cuda.gridsize' cannot be used in a kernel
    # hint: use device.grid_size(ndims)
    n = numba_cuda.gridsize(1)
    # error at `numba_cuda.threadIdx`: 'numba_cuda.threadIdx' cannot be used in a kernel
    # hint: use device.thread_idx
    t = numba_cuda.threadIdx.x
    # error at `numba.cuda.blockIdx`: 'numba.cuda.blockIdx' cannot be used in a kernel
    # hint: use device.block_idx
    b = numba.cuda.blockIdx.x
    # error at `numba_cuda.blockDim`: 'numba_cuda.blockDim' cannot be used in a kernel
    # hint: use device.block_dim
    d = numba_cuda.blockDim.x
    # error at `numba_cuda.gridDim`: 'numba_cuda.gridDim' cannot be used in a kernel
    # hint: use device.grid_dim
    g = numba_cuda.gridDim.x
    a[i + n + t + b + d + g] = numba_cuda.answer


@bad.kernel(FLOATS)
def blocks_of_numba(a):
    # error at `numba_cuda.shared.array`: 'numba_cuda.shared.array' cannot be used in a kernel
    # hint: use device.shared_array(shape, dtype)
    # error at `numba.float32`: 'numba.float32' cannot be used in a kernel
    # hint: use device.float32
    s = numba_cuda.shared.array(32, numba.float32)
    # error at `numba_cuda.local.array`: 'numba_cuda.local.array' cannot be used in a kernel
    # hint: use device.local_array(shape, dtype)
    r = numba_cuda.local.array(32, D.float32)
    # error at `numba_cuda.syncthreads`: 'numba_cuda.syncthreads' cannot be used in a kernel
    # hint: use device.syncthreads
    numba_cuda.syncthreads()
    # error at `numba_cuda.atomic`: 'numba_cuda.atomic' cannot be used in a kernel
    # hint: use device.atomic_ref(array, index)
    numba_cuda.atomic.add(a, 0, s[0] + r[0])
    # error at `numba_cuda.shfl_down_sync`: 'numba_cuda.shfl_down_sync' cannot be used in a kernel
    # hint: use device.shfl_down_sync
    numba_cuda.shfl_down_sync(-1, a[0], 1)


@bad.kernel(FLOATS)
def functions_of_numba(a):
    # error at `numba_cuda.popc`: 'numba_cuda.popc' cannot be used in a kernel
    # hint: use device.popc
    a[0] = numba_cuda.popc(3)
    # error at `numba_cuda.selp`: 'numba_cuda.selp' cannot be used in a kernel
    # hint: use x if condition else y
    a[1] = numba_cuda.selp(True, 1, 2)
    # error at `numba_cuda.libdevice.expf`: 'numba_cuda.libdevice.expf' cannot be used in a kernel
    # hint: use math.exp
    a[2] = numba_cuda.libdevice.expf(a[0])
    # error at `numba_function`: 'numba_function' cannot be used in a kernel
    # hint: use the plain function, without Numba's decorator
    a[3] = numba_function(a[0])
    # error at `numba.njit`: 'numba.njit' is an object of class 'numba.core.Stub', which cannot be
    # ... called in a kernel
    # hint: write a plain function that does what it does, and call that
    numba.njit(a[0])


# `from cuda import device as cuda`, and the rest as it was.
@bad.kernel(FLOATS)
def names_of_numba_in_cuda_device(a):
    # error at `cuda.grid`: 'grid' is not a name of cuda.device
    # hint: use device.tid(ndims)
    i = cuda.grid(1)
    # error at `cuda.threadIdx`: 'threadIdx' is not a name of cuda.device
    # hint: use device.thread_idx
    t = cuda.threadIdx.x
    # error at `cuda.blockIdx`: 'blockIdx' is not a name of cuda.device
    # hint: use device.block_idx
    # error at `cuda.blockDim`: 'blockDim' is not a name of cuda.device
    # hint: use device.block_dim
    b = cuda.blockIdx.x * cuda.blockDim.x
    # error at `cuda.gridsize`: 'gridsize' is not a name of cuda.device
    # hint: use device.grid_size(ndims)
    n = cuda.gridsize(1)
    # error at `cuda.shared`: 'shared' is not a name of cuda.device
    # hint: use device.shared_array(shape, dtype)
    s = cuda.shared.array(32, cuda.float32)
    # error at `cuda.local`: 'local' is not a name of cuda.device
    # hint: use device.local_array(shape, dtype)
    r = cuda.local.array(32, cuda.float32)
    # error at `cuda.atomic`: 'atomic' is not a name of cuda.device
    # hint: use device.atomic_ref(array, index)
    cuda.atomic.add(a, 0, 1)
    # error at `cuda.laneid`: 'laneid' is not a name of cuda.device
    # hint: use device.lane_id
    a[i + t + b + n] = s[0] + r[0] + cuda.laneid


@bad.kernel(FLOATS)
def positions_of_cuda_cpp(a):
    # error at `blockIdx`: 'blockIdx' is not a name of cuda.device
    # hint: use device.block_idx
    # error at `blockDim`: 'blockDim' is not a name of cuda.device
    # hint: use device.block_dim
    # error at `threadIdx`: 'threadIdx' is not a name of cuda.device
    # hint: use device.thread_idx
    i = blockIdx.x * blockDim.x + threadIdx.x
    # error at `gridDim`: 'gridDim' is not a name of cuda.device
    # hint: use device.grid_dim
    a[i] = gridDim.x
    # error at `warpSize`: 'warpSize' is not a name of cuda.device
    # hint: use device.warp_size
    a[i] = warpSize


@bad.kernel(FLOATS)
def blocks_and_warps_of_cuda_cpp(a):
    # error at `__syncthreads`: '__syncthreads' is not a name of cuda.device
    # hint: use device.syncthreads()
    __syncthreads()
    # error at `__syncthreads_count`: '__syncthreads_count' is not a name of cuda.device
    # hint: use device.syncthreads_count(lambda: ...)
    n = __syncthreads_count(a[0])
    # error at `atomicAdd`: 'atomicAdd' is not a name of cuda.device
    # hint: use device.atomic_ref(array, index)
    atomicAdd(a, n)
    # error at `__shfl_down_sync`: '__shfl_down_sync' is not a name of cuda.device
    # hint: use device.shfl_down_sync
    a[0] = __shfl_down_sync(-1, a[0], 1)
    # error at `__ballot_sync`: '__ballot_sync' is not a name of cuda.device
    # hint: use device.ballot_sync
    a[1] = __ballot_sync(-1, n)
    # error at `__threadfence`: '__threadfence' is not a name of cuda.device
    # hint: use device.threadfence
    __threadfence()
    # error at `printf`: 'printf' is not a name of cuda.device
    # hint: use print
    printf("%d", n)


@bad.kernel(FLOATS)
def functions_of_c(a):
    # error at `sqrtf`: 'sqrtf' is not a name of cuda.device
    # hint: use math.sqrt
    a[0] = sqrtf(a[0])
    # error at `fabsf`: 'fabsf' is not a name of cuda.device
    # hint: use math.fabs
    a[1] = fabsf(a[0])
    # error at `__expf`: '__expf' is not a name of cuda.device
    # hint: use math.exp
    a[2] = __expf(a[0])
    # error at `fmaxf`: 'fmaxf' is not a name of cuda.device
    # hint: use max
    a[0] = fmaxf(a[0], a[1])
    # error at `rsqrtf`: 'rsqrtf' is not a name of cuda.device
    # hint: use 1 / math.sqrt(x)
    a[1] = rsqrtf(a[0])
    # error at `fmaf`: 'fmaf' is not a name of cuda.device
    # hint: use device.fma
    a[2] = fmaf(a[0], a[1], a[2])
    # error at `__popc`: '__popc' is not a name of cuda.device
    # hint: use device.popc
    a[0] = __popc(3)
    # error at `math.sinf`: 'sinf' is not a name of cuda.device
    # hint: use math.sin
    a[1] = math.sinf(a[0])


@bad.kernel(FLOATS)
def types_and_constants_of_c(a):
    # error at `int32_t`: 'int32_t' is not a name of cuda.device
    # hint: use device.int32
    a[0] = int32_t(a[0])
    # error at `double`: 'double' is not a name of cuda.device
    # hint: use device.float64
    a[0] = double(a[0])
    # error at `make_float4`: 'make_float4' is not a name of cuda.device
    # hint: use vectors such as device.float32x4
    a[0] = make_float4(1, 2, 3, 4)
    # error at `true`: 'true' is not a name of cuda.device
    # hint: use True
    a[1] = true
    # error at `M_PI`: 'M_PI' is not a name of cuda.device
    # hint: use math.pi
    a[2] = M_PI


@bad.kernel(FLOATS)
def names_without_their_module(a):
    # error at `sqrt`: name 'sqrt' is not defined
    # hint: write math.sqrt
    a[0] = sqrt(a[0])
    # error at `syncthreads`: name 'syncthreads' is not defined
    # hint: write device.syncthreads
    a[1] = syncthreads
    # error at `float32`: name 'float32' is not defined
    # hint: write device.float32
    a[2] = float32(1)
    # error at `fsum`: name 'fsum' is not defined
    # hint: write math.fsum, which is not implemented yet
    a[0] = fsum((a[1], 3))


@bad.kernel(FLOATS)
def functions_of_numpy(a):
    # error at `np.dot`: 'np.dot' cannot be used in a kernel
    # hint: use sum(x * y for x, y in zip(a, b))
    a[2] = np.dot(a[0], a[1])


@bad.kernel(FLOATS)
def misspelt_attributes(a):
    # error at `D.thread_id`: module cuda.device has no attribute 'thread_id'
    # hint: did you mean 'thread_idx'?
    i = D.thread_id
    # error at `math.sqr`: module math has no attribute 'sqr'
    # hint: did you mean 'sqrt'?
    a[0] = math.sqr(a[0])
    # error at `a.shap`: array[float32, 1] has no attribute 'shap'
    # hint: did you mean 'shape'?
    n = a.shap


@bad.kernel(READ_ONLY, 3)
def changes_of_a_read_only_array(a, n):
    # error at `a[n]`: the array 'a' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    a[n] += 1
    # error at `a[0]`: the array 'a' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    a[0], x = 1, 2


@bad.kernel(FLOATS, np.float64(1.5), np.int64(3))
def missing_conversions(a, wide, i):
    # error at `i / 2`: an index must be an integer, found float64
    # hint: convert it with int(), or write // where both are integers
    a[i / 2] = 1
    # error at `wide`: 'x' is declared float32, but the value is float64
    # hint: convert it explicitly, or change the annotation
    x: D.float32 = wide
    # error at `wide & 1` on `&`: '&' needs integers, found 'float64' and 'int'
    # hint: convert with int() or a fixed format such as device.int32()
    a[1] = wide & 1
    # error at `wide`: range() needs integers, found float64
    # hint: convert with int()
    for k in range(wide):
        a[2] = k


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()


@D.kernel
def some_kernel(a):
    a[0] = 1


def test_launches_in_brackets():
    with pytest.raises(errors.LaunchTypeError) as raised:
        some_kernel[1, 32](FLOATS)
    assert str(raised.value) == (
        "kernel 'some_kernel' has no some_kernel[grid, block](...) syntax\n"
        "  launch it: cuda.device.launch(some_kernel, ..., grid=..., block=...)"
    )


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("jit", "use @cuda.device.kernel"),
        ("grid", "use device.tid(ndims)"),
        ("threadIdx", "use device.thread_idx"),
        ("shared", "use device.shared_array(shape, dtype)"),
        ("atomic", "use device.atomic_ref(array, index)"),
        ("stream", "use cuda.device.core.Device().create_stream()"),
        (
            "to_device",
            "use cuda.device.asarray(x, device=...), and cuda.device.to_host(a) for the way back",
        ),
        ("device_array", "use cuda.device.empty(shape, dtype, device=...)"),
        (
            "synchronize",
            "use cuda.device.core.Device().sync(), or the sync() of a stream or an event",
        ),
    ],
)
def test_names_of_numba_on_the_host(name, hint):
    assert not hasattr(device, name)
    with pytest.raises(AttributeError) as raised:
        getattr(device, name)
    assert str(raised.value) == f"module 'cuda.device' has no attribute '{name}'; {hint}"


def test_other_names_have_no_hint_on_the_host():
    with pytest.raises(AttributeError) as raised:
        _ = device.nothing
    assert str(raised.value) == "module 'cuda.device' has no attribute 'nothing'"


def foreign_names():
    entry = re.compile(r'^FOREIGN_NAME\("(.+?)", "(.+?)", "(.*?)"\)$', re.MULTILINE)
    return entry.findall(FOREIGN_NAMES.read_text())


def host_foreign_names():
    return re.findall(r'^HOST\("(.+?)", "(.+)"\)$', FOREIGN_NAMES.read_text(), re.MULTILINE)


@pytest.mark.parametrize(("name", "ours"), host_foreign_names())
def test_what_a_hint_for_host_code_names_exists(name, ours):
    named = re.findall(r"\bcuda\.device\.((?:core\.)?\w+)(?:\([^()]*\)\.(\w+))?", ours)
    assert named or name in {"event", "compile_ptx"}
    for path, method in named:
        found = functools.reduce(getattr, path.split("."), device)
        assert not method or hasattr(found, method), ours


def test_no_foreign_name_is_listed_twice():
    names = [name for name, _, _ in foreign_names()]
    assert sorted(set(names)) == sorted(names)


def is_there(name):
    """Whether device.x, math.x or a builtin exists, by Python's own modules."""
    module, _, attribute = name.partition(".")
    return hasattr({"device": device, "math": math, "builtins": builtins}[module], attribute)


@pytest.mark.parametrize(("name", "ours", "entity"), foreign_names())
def test_what_a_hint_names_exists(name, ours, entity):
    """Names in the hint are those of this package and of Python, or the hint says that they wait."""
    waiting = (Path(__file__).resolve().parents[2] / "docs" / "not-implemented.md").read_text()
    for found in re.findall(r"\b(?:device|math)\.\w+", ours):
        vector = re.fullmatch(r"device\.float32x\d", found)
        is_planned = f"`{found.removeprefix('device.')}`" in waiting
        assert is_there(found) or is_planned or vector, found
    if entity.startswith("device.") and not is_there(entity):
        assert f"`{entity.removeprefix('device.')}`" in waiting
