"""Attributes that things do not have in kernels, and attributes as targets (DEV-HTYPE-02)."""

import math

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
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


STEPPED = np.ones(8, np.float32)[::2]
TURNED = np.ones((3, 2), np.int8).T


@bad.kernel(FLOATS, clause="DEV-ARR-17")
def astype_that_copies(a):
    # error at `a.astype(D.int32)`: astype() would have to copy 'a', for which kernels have no memory
    # hint: convert elements where they are read, such as device.int32(a[i])
    b = a.astype(D.int32)
    # error at `a.astype(D.float64, copy=False)`: astype() would have to copy 'a', for which kernels
    # ... have no memory
    # hint: convert elements where they are read, such as device.float64(a[i])
    b = a.astype(D.float64, copy=False)
    # error at `a.astype("f4")`: astype() would have to copy 'a', for which kernels have no memory
    # hint: with copy=False it gives the array itself
    b = a.astype("f4")
    # error at `a[1:].astype(D.float32, copy=True)`: astype() would have to copy 'a', for which
    # ... kernels have no memory
    # hint: with copy=False it gives the array itself
    b = a[1:].astype(D.float32, copy=True)
    # error at `a.astype()`: 'astype' needs one type as its argument
    # hint: for example device.int32
    b = a.astype()


@bad.kernel(FLOATS, TURNED, STEPPED, 3, clause="DEV-ARR-15")
def reshape_that_copies(a, t, s, n):
    # error at `t.reshape(-1)`: reshape() would have to copy 't'
    # hint: its elements do not follow each other in memory, last axis first
    b = t.reshape(-1)
    # error at `t.T[:, 1:].reshape((6,))`: reshape() would have to copy 't'
    # hint: its elements do not follow each other in memory, last axis first
    b = t.T[:, 1:].reshape((6,))
    # error at `a.reshape(2, n)[1:].T.reshape(-1)`: reshape() would have to copy 'a'
    # hint: its elements do not follow each other in memory, last axis first
    b = a.reshape(2, n)[1:].T.reshape(-1)
    # error at `True`: reshape() with copy=True would have to copy 's', for which kernels have no
    # ... memory
    # hint: leave copy out, or give an array of the kernel's own the elements in a loop
    b = s.reshape((2, 2), copy=True)
    # error at `"F"`: reshape() in kernels takes elements in the order 'C', found 'F'
    # hint: leave order out, or transpose the result: .T
    b = a.reshape((2, 2), order="F")


@bad.kernel(FLOATS, 1.5, clause="DEV-ARR-15")
def reshape_to_what_is_no_shape(a, x):
    # error at `a.reshape(x, 2)`: the shape of reshape() is an int or a tuple of ints, found float
    # hint: write ints, such as 16 or (4, 8); // divides ints into an int, / into a float
    b = a.reshape(x, 2)
    # error at `a.reshape((-1, -1))`: the shape of reshape() has a negative extent, -1
    # hint: an extent is 0 or more
    b = a.reshape((-1, -1))
    own = D.local_array((4, 3), D.float32)
    # error at `own.reshape(5, -1)`: an array of 12 elements cannot be reshaped into (5, -1)
    # hint: the extents multiply to the number of elements; one may be -1, for what is left
    b = own.reshape(5, -1)


@bad.kernel(FLOATS, TURNED, STEPPED, clause="DEV-ARR-13")
def view_of_what_does_not_fit(a, t, s):
    # error at `s.view(D.int8)`: view() as int8 needs elements without gaps between them on the last
    # ... axis
    # hint: view the whole array first, and take a part of the view
    b = s.view(D.int8)
    # error at `t.view(D.int16)`: view() as int16 needs elements without gaps between them on the
    # ... last axis
    # hint: view the whole array first, and take a part of the view
    b = t.view(D.int16)
    # error at `a[1:].view(D.float64)`: view() as float64 needs elements at multiples of 8 bytes in
    # ... 'a'; this part of it begins at byte 4
    # hint: let the part begin, and its rows stand, at multiples of 8 bytes
    b = a[1:].view(D.float64)
    # error at `a[::2].view(D.int64)`: view() as int64 needs elements without gaps between them on
    # ... the last axis
    # hint: view the whole array first, and take a part of the view
    b = a[::2].view(D.int64)


@bad.kernel(FLOATS, raises=errors.CompileTypeError)
def arguments_of_methods(a):
    # error at `a.view(D.int32, 1)`: view() takes at most 1 argument, but 2 are given
    # hint: leave out the others
    b = a.view(D.int32, 1)
    # error at `a.reshape(shape=2, size=3)`: reshape() has no parameter 'size'
    # hint: its parameters are shape, order, copy
    b = a.reshape(shape=2, size=3)
    # error at `a.reshape((2, 2), shape=4)`: reshape() got two values for 'shape'
    # hint: give it by position or by its name, not both
    b = a.reshape((2, 2), shape=4)
    # error at `a.reshape()`: reshape() misses the argument 'shape'
    # hint: for example a.reshape(-1)
    b = a.reshape()


@bad.kernel(FLOATS, BYTES)
def unknown_attributes_of_arrays(a, b):
    # error at `a.lenght`: array[float32, 1] has no attribute 'lenght'
    # hint: arrays in kernels have shape, strides, size, ndim, dtype, T, view, reshape and astype;
    # ... sum(a), min(a) and max(a) work; other methods are called before or after the launch
    n = a.lenght
    # error at `b.sum`: array[int8, 2] has no attribute 'sum'
    # hint: arrays in kernels have shape, strides, size, ndim, dtype, T, view, reshape and astype;
    # ... sum(a), min(a) and max(a) work; other methods are called before or after the launch
    a[0] = b.sum()


@bad.kernel(FLOATS, 3, np.float64(1))
def unknown_attributes_of_numbers(a, n, f):
    # error at `n.numerator`: int has no attribute 'numerator'
    # hint: numbers have shape, strides, size, ndim, dtype, real, imag, view, reshape, astype and
    # ... conjugate
    x = n.numerator
    # error at `f.as_integer_ratio`: float64 has no attribute 'as_integer_ratio'
    # hint: numbers have shape, strides, size, ndim, dtype, real, imag, view, reshape, astype and
    # ... conjugate
    y = f.as_integer_ratio()
    # error at `a[0].x`: float32 has no attribute 'x'
    # hint: numbers have shape, strides, size, ndim, dtype, real, imag, view, reshape, astype and
    # ... conjugate
    z = a[0].x


@bad.kernel(FLOATS)
def unknown_attributes_of_positions(a):
    # error at `D.thread_idx.w`: device.thread_idx has no attribute 'w'
    # hint: it has x, y and z
    x = D.thread_idx.w
    # error at `D.tid(3).x`: (int32, int32, int32) has no attribute 'x'
    # hint: tuples have index and count; elements are read by index, such as p[0], and by the names of a
    # ... named tuple
    y = D.tid(3).x
    # error at `D.lane_id.x`: int32 has no attribute 'x'
    # hint: numbers have shape, strides, size, ndim, dtype, real, imag, view, reshape, astype and
    # ... conjugate
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
    # hint: a number is written into a text by an f-string, such as f"x = {x}"
    y = "text".x
    # error at `a.shape.x`: (int64,) has no attribute 'x'
    # hint: tuples have index and count; elements are read by index, such as p[0], and by the names of a
    # ... named tuple
    z = a.shape.x


VALUES = "atomics and masks"


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
