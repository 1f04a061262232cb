"""What mypy --strict says of a program that uses cuda.device: nothing, but for the marked lines."""

from collections.abc import Callable
from typing import Any, assert_type

import numpy as np
import numpy.typing as npt
from cuda import device
from cuda.device import core, errors

Floats = npt.NDArray[np.float32]


@device.func
def squared(x: float) -> float:
    return x * x


@device.kernel
def scale(a: Floats, factor: float) -> None:
    i = device.tid(1)
    if i < a.size:
        a[i] = squared(a[i]) * factor


@device.kernel(fmad=False)
def clear(a: Floats) -> None:
    shared = device.shared_array(32, device.float32)
    shared[device.thread_idx.x] = 0
    device.syncthreads()
    a[device.tid(1)] = shared[0]


@device.kernel
def fill(a: Floats, width: device.ConstExpr[int]) -> None:
    a[width - 1] = width


def launches(a: Floats) -> None:
    device.launch(scale, a, 2.0, grid=4, block=(32, 1, 1))
    device.launch(clear, a, grid=(1,), block=32, shared=16)
    device.launch(scale, a, grid=4)  # error: Missing named argument "block"
    device.launch(squared, a, grid=1, block=1)  # error: expected "Kernel[Any]"
    device.launch(scale, a, grid="4", block=1)  # error: incompatible type "str"
    device.launch(scale, a, grid=1, block=1, blocks=2)  # error: Unexpected keyword argument
    scale(a, 2.0)  # error: "Kernel[[ndarray[
    scale[1, 1](a, 2.0)  # error: not indexable


def functions() -> None:
    assert_type(squared(3.0), float)
    assert_type(scale.inspect(Floats, 2.0, what="ir"), str)
    assert_type(scale.stats(Floats, 2.0).code_bytes, int | None)
    kept: Callable[[Floats, float], None] = scale.underlying
    kept(np.zeros(1, np.float32), 1.0)
    fill.underlying(np.zeros(4, np.float32), 4)
    squared("3")  # error: incompatible type "str"
    scale.inspect(stage="ir")  # error: Unexpected keyword argument "stage"
    device.kernel(3)  # error: No overload variant of "kernel"


def streams(a: Floats) -> float:
    host = core.Device("host")
    stream = host.create_stream(options=core.StreamOptions(nonblocking=True))
    assert_type(stream, core.Stream)
    before = stream.record()
    device.launch(scale, a, 2.0, grid=1, block=32, stream=stream)
    after = stream.record(host.create_event(core.EventOptions(enable_timing=True)))
    stream.wait(before)
    stream.sync()
    assert_type(after.is_done, bool)
    core.StreamOptions(blocking=True)  # error: Unexpected keyword argument "blocking"
    core.Device(1.5)  # error: incompatible type "float"
    stream.wait(3)  # error: incompatible type "int"
    stream.handle = 0  # error: read-only
    stream.synchronize()  # error: has no attribute "synchronize"
    after - 1  # error: Unsupported operand types
    return assert_type(after - before, float)


def arrays(stream: core.Stream) -> npt.NDArray[np.float32]:
    made = device.zeros((3, 4), np.float32, device="cpu")
    device.launch(scale, made, 2.0, grid=1, block=32)
    host = core.Device("host")
    buffer = host.allocate(64, stream=stream)
    assert_type(buffer.copy_to(stream=stream), core.Buffer)
    assert_type(buffer.memory_resource, core.MemoryResource)
    assert_type(core.PinnedMemoryResource(host).allocate(5).size, int)
    buffer.copy_from(buffer)  # error: Missing named argument "stream"
    buffer.copy_from(b"12", stream=stream)  # error: incompatible type "bytes"
    device.zeros()  # error: Missing positional argument "shape"
    device.zeros(3, fast=True)  # error: Unexpected keyword argument "fast"
    try:
        device.arange(10, device=host)
    except errors.OutOfMemoryError as error:
        assert_type(error.asked, int)
    return device.to_host(made)


def mistakes(a: Floats) -> list[str]:
    try:
        device.launch(scale, a, 2.0, grid=1, block=32)
    except errors.CompileError as error:
        return [f"{one.line}: {one.message}" for one in error.diagnostics]
    except errors.KernelErrors:  # error: has no attribute "KernelErrors"
        pass
    return [device.__version__]


def names() -> None:
    assert_type(device.popc(np.uint8(3)), np.int32)
    assert_type(device.warp_size, Any)
    device.local_array()  # error: Missing positional arguments "shape", "dtype"
    device.fma(1.0, 2.0)  # error: Missing positional argument "c"
    kept: list[object] = [device.bfloat16, device.float8e5m2, device.ConstExpr[int]]
    kept.append(device.atomics)  # error: has no attribute "atomics"
    kept.append(device.errors.LaunchError)


@device.struct
class Particle:
    position: device.float32x3
    mass: float = 1.0

    def heavier(self, by: float) -> "Particle":
        return device.replace(self, mass=self.mass + by)


@device.struct(align=16)
class Cell:
    flag: device.int8
    value: device.float32x2


def values() -> device.float32x3:
    v = device.float32x3(1, 2.5, np.float64(4))
    assert_type(v.x, np.float32)
    assert_type(v[0], np.float32)
    assert_type(-v, device.float32x3)
    assert_type(device.Dim3(1, 2, 3).z, np.uint32)
    vectors: list[device.Vector[Any]] = [v, device.bfloat16x1(1)]
    v[0] = vectors[0].size
    v.x = np.float32(1)  # error: read-only
    assert device.int32x2(1, 2).z  # error: has no attribute "z"
    device.float32x3(1, 2)  # error: Too few arguments
    device.float32x2(1, "a")  # error: incompatible type "str"
    p = Particle(v, mass=2)
    assert_type(p.heavier(1.0).position, device.float32x3)
    assert_type(device.replace(p, mass=3), Particle)
    Cell(device.int8(1), device.float32x2(0, 0))
    p.mass = 3  # error: read-only
    Particle(1.0)  # error: incompatible type "float"
    return p.position + v * 2
