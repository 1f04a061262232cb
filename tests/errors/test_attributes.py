"""Attributes that things do not have in kernels, and attributes as targets (DEV-HTYPE-02)."""

import math

import numpy as np
import pytest
from cuda import device as D
from support.bad_programs import BYTES, FLOATS, BadPrograms

bad = BadPrograms()


@bad.kernel(FLOATS, clause="DEV-ARR-11")
def attributes_of_arrays_on_the_host(a):
    # error at `a.flags`: 'flags' of an array cannot be read in a kernel
    # hint: pass what you need of it as an argument
    a[0] = a.flags
    # error at `a.device`: 'device' of an array cannot be read in a kernel
    # hint: pass what you need of it as an argument
    a[0] = a.device
    # error at `a.data`: 'data' of an array cannot be read in a kernel
    # hint: pass what you need of it as an argument
    a[0] = a.data


@bad.kernel(FLOATS)
def attributes_of_arrays_that_are_planned(a):
    # error at `a.T`: 'T' of an array is not implemented yet
    # hint: the page not-implemented of the documentation lists what is planned
    b = a.T
    # error at `a.reshape`: 'reshape' of an array is not implemented yet
    # hint: the page not-implemented of the documentation lists what is planned
    c = a.reshape((2, 2))
    # error at `a.view`: 'view' of an array is not implemented yet
    # hint: the page not-implemented of the documentation lists what is planned
    d = a.view(D.int32)
    # error at `a.astype`: 'astype' of an array is not implemented yet
    # hint: the page not-implemented of the documentation lists what is planned
    e = a.astype(D.int32)


@bad.kernel(FLOATS, BYTES)
def unknown_attributes_of_arrays(a, b):
    # error at `a.lenght`: array[float32, 1] has no attribute 'lenght'
    # hint: arrays in kernels have shape, strides, size, ndim and dtype; what works on whole arrays is called before or after the launch
    n = a.lenght
    # error at `b.sum`: array[int8, 2] has no attribute 'sum'
    # hint: arrays in kernels have shape, strides, size, ndim and dtype; what works on whole arrays is called before or after the launch
    a[0] = b.sum()


@bad.kernel(FLOATS, 3, np.float64(1))
def unknown_attributes_of_numbers(a, n, f):
    # error at `n.real`: int has no attribute 'real'
    # hint: numbers have shape, strides, size, ndim, dtype, view and astype
    x = n.real
    # error at `f.is_integer`: float64 has no attribute 'is_integer'
    # hint: numbers have shape, strides, size, ndim, dtype, view and astype
    y = f.is_integer()
    # error at `a[0].x`: float32 has no attribute 'x'
    # hint: numbers have shape, strides, size, ndim, dtype, view and astype
    z = a[0].x


@bad.kernel(FLOATS)
def unknown_attributes_of_positions(a):
    # error at `D.thread_idx.w`: device.thread_idx has no attribute 'w'
    # hint: it has x, y and z
    x = D.thread_idx.w
    # error at `D.tid(3).x`: (int32, int32, int32) has no attribute 'x'
    # hint: elements are read by index, such as p[0]; a named tuple is a plain one in kernels
    y = D.tid(3).x
    # error at `D.lane_id.x`: int32 has no attribute 'x'
    # hint: numbers have shape, strides, size, ndim, dtype, view and astype
    z = D.lane_id.x


@bad.kernel(FLOATS)
def unknown_attributes_of_modules(a):
    # error at `D.nothing`: module cuda.device has no attribute 'nothing'
    # hint: dir() of it, outside of the kernel, lists what it has
    x = D.nothing
    # error at `math.squareroot`: module math has no attribute 'squareroot'
    # hint: dir() of it, outside of the kernel, lists what it has
    y = math.squareroot(a[0])
    # error at `np.nothing`: module numpy has no attribute 'nothing'
    # hint: dir() of it, outside of the kernel, lists what it has
    z = np.nothing


@bad.kernel(FLOATS, clause="DEV-GEN-06", partial="host code")
def exposition_only(a):
    # error at `D.Dim3Like`: module cuda.device has no attribute 'Dim3Like'
    # hint: dir() of it, outside of the kernel, lists what it has
    x = D.Dim3Like


@bad.kernel(FLOATS)
def attributes_of_other_values(a):
    # error at `None.x`: None has no attribute 'x'
    # hint: a value must be assigned first; None can only be tested with 'is None'
    x = None.x
    # error at `"text".x`: str has no attribute 'x'
    # hint: print() takes an f-string, such as print(f"x = {x}")
    y = "text".x
    # error at `a.shape.x`: (int64,) has no attribute 'x'
    # hint: elements are read by index, such as p[0]; a named tuple is a plain one in kernels
    z = a.shape.x


VALUES = "vectors, atomics and masks"


@bad.kernel(FLOATS, 3, np.float64(1), clause="DEV-HTYPE-02", partial=VALUES)
def new_attributes(a, n, f):
    # error at `a.name`: 'name' of array[float32, 1] cannot be assigned
    # hint: names and elements of arrays can
    a.name = 1
    # error at `n.name`: 'name' of int cannot be assigned
    # hint: names and elements of arrays can
    n.name = 1
    # error at `f.name`: 'name' of float64 cannot be assigned
    # hint: names and elements of arrays can
    f.name = 1
    # error at `a[0].name`: 'name' of float32 cannot be assigned
    # hint: names and elements of arrays can
    a[0].name = 1
    # error at `a.shape.name`: 'name' of (int64,) cannot be assigned
    # hint: names and elements of arrays can
    a.shape.name = 1


@bad.kernel(FLOATS)
def attributes_that_are_fixed(a):
    # error at `a.shape`: 'shape' of array[float32, 1] cannot be assigned
    # hint: names and elements of arrays can
    a.shape = (1,)
    # error at `a.size`: 'size' of array[float32, 1] cannot be assigned
    # hint: names and elements of arrays can
    a.size += 1
    # error at `math.pi`: 'pi' of module math cannot be assigned
    # hint: names and elements of arrays can
    math.pi = 3


@bad.kernel(FLOATS, clause="DEV-POS-12", partial="host use")
def positions_assigned(a):
    # error at `D.thread_idx`: 'thread_idx' of module cuda.device cannot be assigned
    # hint: names and elements of arrays can
    D.thread_idx = 1
    # error at `D.block_dim.x`: 'x' of device.block_dim cannot be assigned
    # hint: names and elements of arrays can
    D.block_dim.x = 1
    # error at `D.block_idx.x`: 'x' of device.block_idx cannot be assigned
    # hint: names and elements of arrays can
    D.block_idx.x += 1
    # error at `D.lane_id`: 'lane_id' of module cuda.device cannot be assigned
    # hint: names and elements of arrays can
    D.lane_id = 0
    # error at `D.warp_size`: 'warp_size' of module cuda.device cannot be assigned
    # hint: names and elements of arrays can
    D.warp_size *= 2


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
