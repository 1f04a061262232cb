"""Indices and elements: what cannot be indexed, bad indices, bad values stored (DEV-ARR)."""

import numpy as np
import pytest
from cuda import device as D
from support.bad_programs import BYTES, FLOATS, READ_ONLY, BadPrograms

bad = BadPrograms()


@bad.kernel(FLOATS, BYTES, clause="DEV-ARR-07")
def too_many_indices(a, b):
    # error at `b[0, 1, 2]`: array[int8, 2] has 2 dimensions, but 3 indices are given
    # hint: give one index for each dimension
    b[0, 1, 2] = 1
    # error at `b[a.shape[0], 0, 0]`: array[int8, 2] has 2 dimensions, but 3 indices are given
    # hint: give one index for each dimension
    a[0] = b[a.shape[0], 0, 0]


@bad.kernel(BYTES, np.zeros((2, 2, 2)), clause="DEV-ARR-07")
def too_many_indices_of_views(b, c):
    # error at `b[0][1, 2]`: array[int8, 1] has 1 dimension, but 2 indices are given
    # hint: give one index for each dimension
    b[0][1, 2] = 1
    # error at `c[None, 0, ..., 1, 0, :]`: array[float64, 3] has 3 dimensions, but 4 indices are given
    # hint: give one index for each dimension
    x = c[None, 0, ..., 1, 0, :]
    # error at `b[..., 0, 1, 2]`: array[int8, 2] has 2 dimensions, but 3 indices are given
    # hint: give one index for each dimension
    b[..., 0, 1, 2] = 1


@bad.kernel(FLOATS, 1.5)
def indices_that_are_no_integers(a, x):
    # error at `0.5`: an index must be an integer, found float
    # hint: convert it with int()
    a[0.5] = 1
    # error at `x`: an index must be an integer, found float
    # hint: convert it with int()
    a[x] = 1
    # error at `a[0]`@1: an index must be an integer, found float32
    # hint: convert it with int()
    a[a[0]] = 1
    # error at `D.tid(1) / 2`: an index must be an integer, found float32
    # hint: convert it with int(), or write // where both are integers
    a[D.tid(1) / 2] = 1


@bad.kernel(FLOATS, BYTES, clause="DEV-ARR-09")
def boolean_index(a, b):
    # error at `a[0] > 0`: an index must be an integer, found bool
    # hint: convert it with int()
    a[a[0] > 0] = 1
    # error at `True`: an index must be an integer, found bool
    # hint: convert it with int()
    b[True, 0] = 1


@bad.kernel(BYTES, clause="DEV-ARR-07")
def two_ellipses(b):
    # error at `...`@2: an index has more than one ellipsis
    # hint: one ... stands for all axes that have no index of their own
    c = b[..., ...]
    # error at `...`@2: an index has more than one ellipsis
    # hint: one ... stands for all axes that have no index of their own
    b[..., 0, ...] = 1


@bad.kernel(FLOATS, BYTES, clause="DEV-ARR-09")
def views_by_arrays(a, b):
    # error at `b[0]`: an index must be an integer, found array[int8, 1]
    # hint: kernels have no memory for a copy of the chosen elements; read them one by one, such as
    # ... a[i[k]]
    x = b[1:, b[0]]
    # error at `a`@2: an index must be an integer, found array[float32, 1]
    # hint: kernels have no memory for a copy of the chosen elements; read them one by one, such as
    # ... a[i[k]]
    a[a] = 0


@bad.kernel(FLOATS, BYTES, 3)
def bounds_of_slices(a, b, n):
    # error at `1.5:`: the bounds of a slice are integers, found float
    # hint: convert with int()
    x = a[1.5:]
    # error at `: a[0]`: the bounds of a slice are integers, found float32
    # hint: convert with int()
    a[: a[0]] = 0
    # error at `::0`: the step of a slice is zero
    # hint: give another step; a negative one goes backwards
    x = b[0, ::0]
    # error at `:: 2**31`: the step of a slice is 2147483648
    # hint: a step fits in int32
    x = a[:: 2**31]
    # error at `n:"x"`: the bounds of a slice are integers, found str
    # hint: convert with int()
    x = a[n:"x"]


@bad.kernel(FLOATS, 3)
def two_views_under_one_name(a, n):
    b = D.local_array((4, 4), D.float32)
    c = b
    if n > 0:
        # error at `b.T`: 'c' would be two views of 'b' here whose axes differ in more than bounds
        # ... and steps
        # hint: use two names, or write the statements once for each
        c = b.T
    a[0] = c[0, 1]


@bad.kernel(READ_ONLY, FLOATS, clause="DEV-ARR-28")
def views_of_what_is_read_only(r, a):
    # error at `r[:2]`: the array 'r' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    r[:2] = 1
    part = r[1:]
    # error at `part[0]`: the array 'r' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    part[0] = 1
    # error at `r.reshape(2, 2)[0]`: the array 'r' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    r.reshape(2, 2)[0] += 1
    # error at `r.view(D.int32)[0]`: the array 'r' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    r.view(D.int32)[0] = 1
    # error at `r[None, ::-1].T[0, 0]`: the array 'r' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    r[None, ::-1].T[0, 0] = a[0]


@bad.kernel(FLOATS, BYTES, clause="DEV-ARR-31")
def values_that_no_part_takes(a, b):
    # error at `None`: None cannot be stored in an array of float32
    # hint: an element takes a number
    a[1:] = None
    # error at `"x"`: str cannot be stored in an array of float32
    # hint: an element takes a number
    a[...] = "x"
    # error at `(1, 2)`: (int, int) cannot be stored in an array of int8
    # hint: an element takes a number
    b[0, :2] = (1, 2)
    # error at `300`: 300 does not fit in int8
    # hint: use a wider type, such as int64
    b[0] = 300
    # error at `a`@2: array[float32, 1] cannot be stored in an array of float32
    # hint: an element takes a number
    a[1] = a


@bad.kernel(FLOATS, BYTES)
def shapes_that_differ(a, b):
    own = D.local_array((4, 3), D.float32)
    # error at `own`@2: an array of shape (4, 3) cannot be stored into a part of shape (3,)
    # hint: the shapes must be equal; axes of extent 1 and axes that are missing in front are
    # ... repeated
    own[0] = own
    # error at `own[0, :2]`: an array of shape (2,) cannot be stored into a part of shape (4, 3)
    # hint: the shapes must be equal; axes of extent 1 and axes that are missing in front are
    # ... repeated
    own[...] = own[0, :2]
    # error at `b`: an array of shape (?, ?) cannot be stored into a part of shape (?,)
    # hint: the shapes must be equal; axes of extent 1 and axes that are missing in front are
    # ... repeated
    a[1:] = b


@bad.kernel(FLOATS, BYTES)
def parts_that_overlap(a, b):
    # error at `a[:]`: storing 'a' into 'a' this way needs a copy where the two parts overlap, for
    # ... which kernels have no memory
    # hint: write a loop that stores the elements in the order that is meant
    a[:] = a[::-1]
    # error at `b[...]`: storing 'b' into 'b' this way needs a copy where the two parts overlap, for
    # ... which kernels have no memory
    # hint: write a loop that stores the elements in the order that is meant
    b[...] = b.T
    own = D.local_array((4, 3), D.float32)
    # error at `own[:]`: storing 'own' into 'own' this way needs a copy where the two parts overlap,
    # ... for which kernels have no memory
    # hint: write a loop that stores the elements in the order that is meant
    own[:] += own[:1]
    flat = own.reshape(-1)
    # error at `flat[:6]`: storing 'own' into 'own' this way needs a copy where the two parts overlap,
    # ... for which kernels have no memory
    # hint: write a loop that stores the elements in the order that is meant
    flat[:6] = own[2:].reshape(-1)
    # error at `b[:]`: storing 'b' into 'b' this way needs a copy where the two parts overlap, for
    # ... which kernels have no memory
    # hint: write a loop that stores the elements in the order that is meant
    b[:] = b[0]


@bad.kernel(FLOATS, 3)
def indices_of_numbers(a, n):
    # error at `n[0]`: int cannot be indexed
    # hint: arrays and tuples can
    x = n[0]
    # error at `a[0][0]`: float32 cannot be indexed
    # hint: arrays and tuples can
    y = a[0][0]
    # error at `a.size[0]`: int64 cannot be indexed
    # hint: arrays and tuples can
    z = a.size[0]


@bad.kernel(FLOATS)
def indices_of_other_things(a):
    nothing = None
    # error at `nothing[0]`: None cannot be indexed
    # hint: arrays and tuples can
    y = nothing[0]
    # error at `D.tid[1]`: device.tid cannot be indexed
    # hint: arrays and tuples can
    z = D.tid[1]


WEIGHTS = (0.25, 0.5, 0.25)


def fill(x):
    x[0] = 1


@bad.kernel(FLOATS)
def index_of_a_tuple_that_is_no_integer(a):
    # error at `0.5`: an index must be an integer, found float
    # hint: convert it with int()
    a[0] = a.shape[0.5]


@bad.kernel(FLOATS, clause="DEV-ARR-31", partial="complex numbers")
def values_that_are_no_numbers(a):
    # error at `None`: None cannot be stored in an array of float32
    # hint: an element takes a number
    a[0] = None
    # error at `a.shape`: (int64,) cannot be stored in an array of float32
    # hint: an element takes a number
    a[0] = a.shape
    # error at `a`@2: array[float32, 1] cannot be stored in an array of float32
    # hint: an element takes a number
    a[1] = a
    # error at `D.tid`: device.tid cannot be stored in an array of float32
    # hint: an element takes a number
    a[2] = D.tid


@bad.kernel(FLOATS)
def complex_value(a):
    # error at `1j`: complex cannot be stored in an array of float32
    # hint: .real and abs() are numbers without an imaginary part
    a[0] = 1j


@bad.kernel(READ_ONLY, FLOATS, clause="DEV-ARR-28")
def read_only(r, a):
    # error at `r[0]`: the array 'r' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    r[0] = 1
    # error at `r[1]`: the array 'r' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    r[1] += a[1]
    # error at `r[2]`: the array 'r' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    a[0], r[2] = 1, 2
    # error at `r[3]`: the array 'r' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    for r[3] in range(3):
        pass


@bad.kernel((np.int32(1), np.int32(2)))
def element_of_a_tuple_argument(pair):
    # error at `pair[0]`: an element of (int32, int32) cannot be assigned
    # hint: tuples do not change; elements of device.local_array(shape, dtype) do
    pair[0] = 3


@bad.kernel(FLOATS)
def elements_of_what_is_no_array(a):
    # error at `a.shape[0]`: an element of (int64,) cannot be assigned
    # hint: tuples do not change; elements of device.local_array(shape, dtype) do
    a.shape[0] = 3
    # error at `D.thread_idx[0]`: an element of device.thread_idx cannot be assigned
    # hint: names and elements of arrays can
    D.thread_idx[0] += 1


@bad.kernel(FLOATS)
def one_dimension(a):
    # error at `a[0, 0]`: array[float32, 1] has 1 dimension, but 2 indices are given
    # hint: give one index for each dimension
    a[0, 0] = 1


@bad.kernel(np.ones((), np.float32))
def no_dimension(a):
    # error at `a[0]`: array[float32, 0] has 0 dimensions, but 1 index is given
    # hint: give one index for each dimension
    a[0] = 1


@bad.kernel(FLOATS, BYTES, clause="DEV-ARR-09")
def arrays_and_text_as_index(a, b):
    # error at `b`: an index must be an integer, found array[int8, 2]
    # hint: kernels have no memory for a copy of the chosen elements; read them one by one, such as
    # ... a[i[k]]
    a[b] = 1
    # error at `"x"`: an index must be an integer, found str
    # hint: give one integer for each dimension
    a["x"] = 1
    # error at `a`@3: an index must be an integer, found array[float32, 1]
    # hint: give one integer
    a[0] = b.shape[a]


@bad.kernel(np.zeros((2, 2), np.float32), clause="DEV-ARR-09")
def text_as_index_of_views(a):
    # error at `"x"`: an index must be an integer, found str
    # hint: give one integer for each dimension
    a["x"] = 1
    # error at `"x"`: an index must be an integer, found str
    # hint: give one integer for each dimension
    a["x"] += 1
    # error at `"x"`: an index must be an integer, found str
    # hint: give one integer for each dimension
    a[1:]["x"] = 1
    # error at `"x"`: an index must be an integer, found str
    # hint: give one integer for each dimension
    b = a["x"]


@bad.kernel(np.zeros(2, [("v", np.float32, (3,))]), clause="DEV-ARR-09")
def text_as_index_of_a_field_of_all(a):
    # error at `"x"`: an index must be an integer, found str
    # hint: give one integer for each dimension
    a["v"]["x"] = 1
    # error at `"x"`: an index must be an integer, found str
    # hint: give one integer for each dimension
    a["v"]["x"] += 1


@bad.kernel(FLOATS)
def positions_as_index_and_value(a):
    # error at `D.thread_idx`: an index must be an integer, found device.thread_idx
    # hint: name a component of it: .x, .y or .z
    a[D.thread_idx] = 1
    # error at `D.block_idx`: device.block_idx cannot be stored in an array of float32
    # hint: name a component of it: .x, .y or .z
    a[0] = D.block_idx


@bad.kernel(FLOATS)
def constants_beyond_an_array(a):
    s = D.local_array(4, D.float32)
    # error at `4`: index 4 is outside of 's', whose extent is 4 here
    # hint: it can be from -4 to 3
    s[4] = 1
    t = D.shared_array((2, 5), D.float32)
    # error at `-6`: index -6 is outside of axis 1 of 't', whose extent is 5 here
    # hint: it can be from -5 to 4
    a[0] = t[1, -6]
    v = s[1:]
    # error at `3`: index 3 is outside of a view of 's', whose extent is 3 here
    # hint: it can be from -3 to 2
    a[1] = v[3]
    none = D.local_array(0, D.float32)
    # error at `0`: index 0 is outside of 'none', whose extent is 0 here
    # hint: it has no elements
    none[0] = 1


@D.kernel
def constants_where_they_may_not_run(a, n):
    s = D.local_array(4, D.float32)
    s[3] = 1
    s[-4] = 2
    if s.size > 4:
        s[4] = 3
    if n > 4:
        s[4] = 3
    for _ in range(s.size - 4):
        s[4] = 3
    a[0] = s[0] + s[3]


def test_constants_beyond_an_array_where_they_may_not_run(target):
    a = np.zeros(1, np.float32)
    D.launch(constants_where_they_may_not_run, a, 4, grid=1, block=1)
    assert a[0] == 3


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
