"""Memory and barriers of a block on wrong arguments and in wrong places (DEV-MEM, DEV-BLK)."""

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.bad_programs import FLOATS, BadPrograms
from support.clauses import clause
from support.errors import check_error

bad = BadPrograms()
TYPE = errors.CompileTypeError
BIG = np.dtype(">f4")


@bad.kernel(FLOATS, 3, clause=("DEV-MEM-04", "DEV-CONST-04"))
def shapes(a, n):
    # error at `2.5`: the shape of local_array() is an int or a tuple of ints, found float
    # hint: write ints, such as 16 or (4, 8); // divides ints into an int, / into a float
    x = D.local_array(2.5, D.int32)
    # error at `"a"`: the shape of shared_array() is an int or a tuple of ints, found str
    # hint: write ints, such as 16 or (4, 8); // divides ints into an int, / into a float
    x = D.shared_array("a", D.int32)
    # error at `"x"`: the shape of shared_array() is an int or a tuple of ints, found str
    # hint: write ints, such as 16 or (4, 8); // divides ints into an int, / into a float
    x = D.shared_array((2, "x"), D.int32)
    # error at `True`: the shape of local_array() is an int or a tuple of ints, found bool
    # hint: write ints, such as 16 or (4, 8); // divides ints into an int, / into a float
    x = D.local_array(True, D.int32)
    # error at `None`: the shape of local_array() is an int or a tuple of ints, found None
    # hint: write ints, such as 16 or (4, 8); // divides ints into an int, / into a float
    x = D.local_array(None, D.int32)
    # error at `-1`: the shape of local_array() has a negative extent, -1
    # hint: an extent is 0 or more
    x = D.local_array(-1, D.int32)
    # error at `2 - 4`: the shape of shared_array() has a negative extent, -2
    # hint: an extent is 0 or more
    x = D.shared_array((4, 2 - 4), D.int32)
    # error at `[4]`: a list is not supported in kernels
    # hint: use a tuple, or device.local_array(shape, dtype) for elements that change
    x = D.local_array([4], D.int32)
    # error at `n`@1: the shape of local_array() is not a constant expression: it holds an int that
    # ... is known at run time only
    # hint: use literals, globals, and names assigned once from these
    x = D.local_array(n, D.int32)
    # error at `a.shape[0]`: the shape of shared_array() is not a constant expression: it holds an
    # ... int64 that is known at run time only
    # hint: use literals, globals, and names assigned once from these
    x = D.shared_array((2, a.shape[0]), D.int32)
    # error at `(1,) * 33`: the shape of local_array() has 33 dimensions; at most 32 are allowed
    # hint: make one axis of several, and compute the index on it
    x = D.local_array((1,) * 33, D.int32)


ONES = (1,) * 33


@bad.kernel(FLOATS, 3, clause="DEV-CONST-04")
def shapes_of_variables(a, n):
    m = 1
    if n > 3:
        m = 2
    # error at `m`: the shape of local_array() is not a constant expression: it holds an int that
    # ... is known at run time only
    # hint: use literals, globals, and names assigned once from these
    x = D.local_array(m, D.int32)
    # error at `D.block_dim.x`: the shape of local_array() is not a constant expression: it holds a
    # ... uint32 that is known at run time only
    # hint: use literals, globals, and names assigned once from these
    x = D.local_array(D.block_dim.x, D.int32)
    k = 1
    # error at `k`: the shape of local_array() is not a constant expression: it holds an int that is
    # ... known at run time only
    # hint: use literals, globals, and names assigned once from these
    x = D.local_array(k, D.int32)
    k = 2
    # error at `ONES`: the shape of local_array() has 33 dimensions; at most 32 are allowed
    # hint: make one axis of several, and compute the index on it
    x = D.local_array(ONES, D.int32)


@bad.kernel(FLOATS, clause="DEV-MEM-06")
def orders(a):
    # error at `'A'`: the order of shared_array() is 'C' or 'F', found 'A'
    # hint: leave it out for 'C', where the last axis is the inner one
    x = D.shared_array(4, D.int32, order='A')  # fmt: skip
    # error at `1`: the order of local_array() is 'C' or 'F', found 1
    # hint: leave it out for 'C', where the last axis is the inner one
    x = D.local_array(4, D.int32, 1)
    # error at `None`: the order of local_array() is 'C' or 'F', found None
    # hint: leave it out for 'C', where the last axis is the inner one
    x = D.local_array(4, D.int32, None)


@bad.kernel(FLOATS, 16, clause="DEV-MEM-08")
def alignments(a, n):
    # error at `0`: the alignment of shared_array() is a power of two from 1 to 1024, a constant
    # ... expression; found 0
    # hint: leave it out, or write for example align=16
    x = D.shared_array(4, D.int32, align=0)
    # error at `3`@2: the alignment of shared_array() is a power of two from 1 to 1024, a constant
    # ... expression; found 3
    # hint: leave it out, or write for example align=16
    x = D.shared_array(4, D.int32, align=3)
    # error at `-8`: the alignment of local_array() is a power of two from 1 to 1024, a constant
    # ... expression; found -8
    # hint: leave it out, or write for example align=16
    x = D.local_array(4, D.int32, align=-8)
    # error at `n`@2: the alignment of local_array() is a power of two from 1 to 1024, a constant
    # ... expression; found int
    # hint: leave it out, or write for example align=16
    x = D.local_array(4, D.int32, "C", n)
    # error at `"16"`: the alignment of local_array() is a power of two from 1 to 1024, a constant
    # ... expression; found str
    # hint: leave it out, or write for example align=16
    x = D.local_array(4, D.int32, align="16")
    # error at `2048`: the alignment of local_array() is a power of two from 1 to 1024, a constant
    # ... expression; found 2048
    # hint: leave it out, or write for example align=16
    x = D.local_array(4, D.int32, align=2048)


@bad.kernel(FLOATS, clause="DEV-MEM-10")
def element_types(a):
    # error at `"nonsense"`: 'nonsense' is no element type of local_array()
    # hint: for example device.float32, int, numpy.int8 or 'f8'
    x = D.local_array(4, "nonsense")
    # error at `list`: 'list' is no element type of shared_array()
    # hint: for example device.float32, int, numpy.int8 or 'f8'
    x = D.shared_array(4, list)
    # error at `4`@2: int is no element type of shared_array()
    # hint: for example device.float32, int, numpy.int8 or 'f8'
    x = D.shared_array(4, dtype=4)
    # error at `BIG`: '>f4' is no element type of shared_array()
    # hint: for example device.float32, int, numpy.int8 or 'f8'
    x = D.shared_array(4, BIG)
    # error at `">i2"`: '>i2' is no element type of dtype()
    # hint: for example device.float32, int, numpy.int8 or 'f8'
    x = D.local_array(4, np.dtype(">i2"))
    # error at `a[0]`: float32 is no element type of dtype()
    # hint: for example device.float32, int, numpy.int8 or 'f8'
    x = D.local_array(4, np.dtype(a[0]))


@bad.kernel(FLOATS, raises=TYPE)
def arguments(a):
    # error at `D.local_array(4)`: local_array() misses the argument 'dtype'
    # hint: for example device.local_array(16, device.float32)
    x = D.local_array(4)
    # error at `D.shared_array(dtype=int)`: shared_array() misses the argument 'shape'
    # hint: for example device.shared_array(16, device.float32)
    x = D.shared_array(dtype=int)
    # error at `D.local_array(4, int, size=3)`: local_array() has no parameter 'size'
    # hint: its parameters are shape, dtype, order, align
    x = D.local_array(4, int, size=3)
    # error at `D.local_array(4, int, shape=3)`: local_array() got two values for 'shape'
    # hint: give it by position or by its name, not both
    x = D.local_array(4, int, shape=3)
    # error at `D.local_array(4, int, "C", 8, 9)`: local_array() takes 2 to 4 arguments, but 5 are
    # ... given
    # hint: its parameters are shape, dtype, order, align
    x = D.local_array(4, int, "C", 8, 9)
    # error at `D.dynamic_shared_array(4)`: dynamic_shared_array() takes 0 arguments, but 1 is given
    # hint: its size is shared= of the launch, in bytes; its type is given by .view(dtype)
    x = D.dynamic_shared_array(4)
    # error at `D.syncthreads(1)`: syncthreads() takes 0 arguments, but 1 is given
    # hint: call it without arguments
    D.syncthreads(1)
    # error at `D.syncthreads_count()`: syncthreads_count() misses the argument 'pred'
    # hint: write syncthreads_count(lambda: ...)
    D.syncthreads_count()


@bad.kernel(FLOATS, clause="DEV-MEM-12")
def too_much(a):
    # error at `D.shared_array(100_000, D.float64)`: the kernel's shared arrays take 800000 bytes,
    # ... 800000 of them for this one; at most 49152 are allowed
    # hint: more is to be had from dynamic_shared_array() and shared= in the launch
    x = D.shared_array(100_000, D.float64)


@bad.kernel(FLOATS, clause="DEV-MEM-12")
def too_much_together(a):
    x = D.shared_array(12_287, D.float32)
    # error at `D.shared_array(5, D.int8)`: the kernel's shared arrays take 49153 bytes, 5 of them
    # ... for this one; at most 49152 are allowed
    # hint: more is to be had from dynamic_shared_array() and shared= in the launch
    y = D.shared_array(5, D.int8)


@bad.kernel(FLOATS)
def too_much_of_its_own(a):
    # error at `D.local_array((1 << 40, 1 << 40), D.int64)`: the local arrays of each thread take
    # ... {bytes} bytes, {bytes} of them for this one; at most 524288 are allowed
    x = D.local_array((1 << 40, 1 << 40), D.int64)


bad.pop()  # its figure is not the product, which does not fit 64 bits: see below


def test_the_figure_of_local_arrays():
    @D.kernel
    def kernel(a):
        x = D.local_array((1024, 513), D.uint8)
        a[0] = x[0, 0]

    with pytest.raises(errors.CompileError) as raised:
        D.launch(kernel, FLOATS, grid=1, block=1)
    assert (
        "the local arrays of each thread take 525312 bytes, 525312 of them for this one; at most "
        "524288 are allowed" in str(raised.value)
    )


def test_extents_beyond_every_number():
    with pytest.raises(errors.CompileError, match="at most 524288 are allowed"):
        D.launch(D.kernel(too_much_of_its_own.underlying), FLOATS, grid=1, block=1)


@bad.kernel(FLOATS)
def what_arrays_cannot(a):
    tile = D.shared_array((2, 4), D.float32, order="F")
    flat = D.local_array(6, D.uint8)
    # error at `tile`: the array 'tile' is used as a condition
    # hint: compare an element, or its size
    x = 1 if tile else 2
    # error at `tile.view(D.int8)`: view() as int8 needs elements without gaps between them on the
    # ... last axis
    # hint: view the whole array first, and take a part of the view
    x = tile.view(D.int8)
    # error at `flat.view(D.uint32)`: 6 elements of uint8 on the last axis are no whole number of
    # ... uint32
    # hint: take a part whose bytes are a whole number of the new elements
    x = flat.view(D.uint32)
    # error at `flat.view(D.uint16)`: view() as uint16 needs memory aligned to 2 bytes; that of
    # ... 'flat' is aligned to 1
    # hint: give it align=2
    x = flat.view(D.uint16)
    # error at `tile.reshape(8)`: reshape() would have to copy 'tile'
    # hint: its elements do not follow each other in memory, last axis first
    x = tile.reshape(8)
    # error at `flat.reshape((4, -1))`: an array of 6 elements cannot be reshaped into (4, -1)
    # hint: the extents multiply to the number of elements; one may be -1, for what is left
    x = flat.reshape((4, -1))
    # error at `flat.reshape(5)`: an array of 6 elements cannot be reshaped into (5)
    # hint: the extents multiply to the number of elements; one may be -1, for what is left
    x = flat.reshape(5)
    # error at `::0`: the step of a slice is zero
    # hint: give another step; a negative one goes backwards
    x = flat[::0]
    # error at `1.5:`: the bounds of a slice are integers, found float
    # hint: convert with int()
    x = flat[1.5:]
    # error at `tile[0, 1, 2:]`: array[float32, 2] has 2 dimensions, but 3 indices are given
    # hint: give one index for each dimension
    x = tile[0, 1, 2:]


@bad.kernel(FLOATS, 3)
def views_between_elements(a, n):
    words = D.shared_array(9, D.uint32, align=16)
    rows = D.local_array((4, 3), D.uint32, align=16)
    # error at `words[1:].view(D.uint64)`: view() as uint64 needs elements at multiples of 8 bytes
    # ... in 'words'; this part of it begins at byte 4
    # hint: let the part begin, and its rows stand, at multiples of 8 bytes
    x = words[1:].view(D.uint64)
    # error at `rows[:, :2].view("f8")`: view() as float64 needs elements at multiples of 8 bytes
    # ... in 'rows'; rows of this part are 12 bytes apart
    # hint: let the part begin, and its rows stand, at multiples of 8 bytes
    x = rows[:, :2].view("f8")
    # error at `rows[1:, 1:].view(D.int64)`: view() as int64 needs elements at multiples of 8 bytes
    # ... in 'rows'; rows of this part are 12 bytes apart
    # hint: let the part begin, and its rows stand, at multiples of 8 bytes
    x = rows[1:, 1:].view(D.int64)


@bad.kernel(FLOATS)
def reshapes_that_would_copy(a):
    rows = D.local_array((4, 3), D.uint32)
    # error at `rows[:, :2].reshape(8)`: reshape() would have to copy 'rows'
    # hint: its elements do not follow each other in memory, last axis first
    x = rows[:, :2].reshape(8)
    # error at `rows[::-1].reshape(12)`: reshape() would have to copy 'rows'
    # hint: its elements do not follow each other in memory, last axis first
    x = rows[::-1].reshape(12)
    # error at `rows.T.reshape(2, 6)`: reshape() would have to copy 'rows'
    # hint: its elements do not follow each other in memory, last axis first
    x = rows.T.reshape(2, 6)


@bad.kernel(FLOATS, 3)
def two_arrays_under_one_name(a, n):
    one = D.local_array(4, D.int32)
    two = D.local_array(4, D.float32)
    if n > 3:
        # error at `one`: 'two' would be both array[float32, 1] and array[int32, 1] here
        # hint: give the two values one type, or use two names
        two = one
    two[0] = 1
    # error at `one if n > 2 else a`: the alternatives have types array[int32, 1] and array[float32, 1], which have no common type
    # hint: convert one of them
    three = one if n > 2 else a


@bad.kernel(FLOATS, 3, clause="DEV-BLK-06")
def predicates(a, n):
    # error at `True`: the predicate of syncthreads_count() is a function without parameters, found
    # ... bool
    # hint: write syncthreads_count(lambda: ...)
    x = D.syncthreads_count(True)
    # error at `n > 0`: the predicate of syncthreads_and() is a function without parameters, found
    # ... bool
    # hint: write syncthreads_and(lambda: ...)
    x = D.syncthreads_and(n > 0)
    # error at `1`: the predicate of syncthreads_or() is a function without parameters, found int
    # hint: write syncthreads_or(lambda: ...)
    x = D.syncthreads_or(pred=1)
    # error at `None`: the predicate of syncthreads_or() is a function without parameters, found
    # ... None
    # hint: write syncthreads_or(lambda: ...)
    x = D.syncthreads_or(None)
    # error at `lambda v: v > 0`: the predicate of syncthreads_or() is called without arguments, but
    # ... 'v' has no default
    # hint: write syncthreads_or(lambda: ...); a lambda reads the variables around it
    x = D.syncthreads_or(lambda v: v > 0)
    # error at `positive`: the predicate of syncthreads_or() is called without arguments, but 'v'
    # ... has no default
    # hint: write syncthreads_or(lambda: ...); a lambda reads the variables around it
    x = D.syncthreads_or(positive)
    # error at `lambda: n`: the predicate of syncthreads_count() gives a bool, found int
    # hint: compare it, for example with != 0
    x = D.syncthreads_count(lambda: n)
    # error at `lambda: None`: the predicate of syncthreads_count() gives a bool, found None
    # hint: compare it, for example with != 0
    x = D.syncthreads_count(lambda: None)


def positive(v):
    return v > 0


@bad.kernel(FLOATS, 3)
def lambdas_elsewhere(a, n):
    # error at `lambda: 3`: max() needs a number, found a lambda
    # hint: it works on numbers
    x = max(lambda: 3, 2)


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()


# --- a @func runs on the host too ---


@D.func
def waits():
    D.syncthreads()
    return 1


@D.kernel
def uses_waits(a):
    a[0] = waits()


@clause("DEV-FUNC-04", "DEV-MEM-13", partial="target guards")
def test_barriers_in_a_func():
    with pytest.raises(errors.CompileError, match="'device.syncthreads' exists only on devices"):
        D.launch(uses_waits, FLOATS, grid=1, block=1)


@clause("DEV-MEM-13")
@pytest.mark.parametrize(
    "use",
    [
        lambda: D.local_array(4, D.int32),
        lambda: D.shared_array((2, 2), D.int32, order="F", align=16),
        D.dynamic_shared_array,
    ],
)
def test_memory_on_the_host(use):
    with pytest.raises(errors.DeviceOnlyError, match="exists in kernels only"):
        use()


# --- barriers that some threads certainly miss ---


@D.kernel
def in_a_divergent_if(a):
    t = D.thread_idx.x
    if t < 16:
        D.syncthreads()
    a[t] = 1


DIVERGENT = """
test_blocks.py:L+4:9: some threads of a block come to this syncthreads() and others do not
  L+4 |         D.syncthreads()
      |         ^^^^^^^^^^^^^^^
all threads of a block call it, or have left the kernel; move it out of the condition
test_blocks.py:L+3:8: under this condition
  L+3 |     if t < 16:
      |        ^^^^^^
  in kernel 'in_a_divergent_if', specialised for (array[float32, 1])
"""

CERTAINLY = "found where no other thread comes to a barrier for certain; targets do not check yet"


@clause("DEV-BLK-05", partial=CERTAINLY)
@pytest.mark.parametrize("block", [17, 32, 64, (4, 16)])
def test_a_barrier_in_a_divergent_if(block):
    a = np.zeros(64, np.float32)
    if block == (4, 16):
        D.launch(in_a_divergent_if, a, grid=1, block=block)  # x < 16 holds for all of them
        return
    with pytest.raises(errors.CompileError) as raised:
        D.launch(in_a_divergent_if, a, grid=1, block=block)
    check_error(raised, DIVERGENT, at=in_a_divergent_if)


@D.kernel
def in_every_second_round(a):
    for k in range(3):
        if D.lane_id % 2 == 0:
            a[0] = D.syncthreads_count(lambda: True)


@D.kernel
def of_nested_conditions(a):
    if D.thread_idx.y == 0:
        a[0] = 1
        if D.thread_idx.x < 2:
            D.syncthreads()


CERTAIN = [in_every_second_round, of_nested_conditions]


@clause("DEV-BLK-05", partial=CERTAINLY)
@pytest.mark.parametrize("kernel", CERTAIN, ids=lambda k: k.underlying.__name__)
def test_barriers_that_are_certainly_divergent(kernel):
    with pytest.raises(errors.CompileError, match="some threads of a block come to this"):
        D.launch(kernel, FLOATS, grid=1, block=(2, 2))


@D.kernel(execution="gangs")
def in_both_branches(a):
    if D.tid(1) == 0:
        D.syncthreads()
    else:
        a[0] = D.syncthreads_count(lambda: True)


@D.kernel(execution="gangs")
def as_often_as_the_thread(a):
    for k in range(D.thread_idx.x):
        D.syncthreads()
    D.syncthreads_or(lambda: True)


@D.kernel(execution="gangs")
def behind_a_uniform_condition(a):
    if a.size > 1:
        if D.thread_idx.y > 0:
            D.syncthreads()
    D.syncthreads_or(lambda: True)


IN_GANGS = [in_both_branches, as_often_as_the_thread, behind_a_uniform_condition]
IN_GANGS_TEXT = """
test_blocks.py:L+4:13: some threads of a block come to this syncthreads() and others do not
  L+4 |             D.syncthreads()
      |             ^^^^^^^^^^^^^^^
all threads of a block call it, or have left the kernel; move it out of the condition
test_blocks.py:L+3:12: under this condition
  L+3 |         if D.thread_idx.y > 0:
      |            ^^^^^^^^^^^^^^^^^^
or leave execution="gangs" out: threads with stacks of their own tell barriers of different kinds apart
  in kernel 'behind_a_uniform_condition', specialised for (array[float32, 1])
"""


@pytest.mark.parametrize("kernel", IN_GANGS, ids=lambda k: k.underlying.__name__)
def test_gangs_that_are_asked_for_take_no_barriers_of_two_kinds_that_threads_miss(kernel):
    with pytest.raises(errors.CompileError, match="some threads of a block come to this"):
        D.launch(kernel, FLOATS, grid=1, block=(2, 2))


def test_the_message_about_gangs_that_are_asked_for():
    with pytest.raises(errors.CompileError) as raised:
        D.launch(behind_a_uniform_condition, FLOATS, grid=1, block=(2, 2))
    check_error(raised, IN_GANGS_TEXT, at=behind_a_uniform_condition)


@D.kernel
def others_have_left(a):
    if D.thread_idx.x > 0:
        return
    if D.thread_idx.x < 1:
        D.syncthreads()
        a[0] = 5


@D.kernel
def others_leave_by_then(a):
    for k in range(2):
        if D.thread_idx.x == k:
            break
        D.syncthreads()
    a[0] = 5


@D.kernel
def not_known(a):
    if D.thread_idx.x < a[0]:
        D.syncthreads()
    a[0] = 5


@D.kernel
def all_of_them(a):
    if D.thread_idx.x < 4:
        D.syncthreads()
    a[0] = 5


@pytest.mark.parametrize(
    ("kernel", "block"),
    [(others_have_left, 4), (others_leave_by_then, 4), (not_known, 4), (all_of_them, 4)],
)
def test_barriers_that_may_be_right(target, kernel, block):
    a = np.full(4, 9, np.float32)
    D.launch(kernel, a, grid=1, block=block)
    assert a[0] == 5


# --- launches ---


@D.kernel
def half_static(out):
    held = D.shared_array(48 * 1024, D.uint8)
    held[0] = 1
    out[0] = D.dynamic_shared_array().size + held[0]


@clause("DEV-MEM-12", "DEV-LAUNCH-09")
def test_static_and_dynamic_memory_share_one_limit(target):
    out = np.zeros(1, np.int64)
    D.launch(half_static, out, grid=1, block=1, shared=179 * 1024)
    assert out[0] == 179 * 1024 + 1
    with pytest.raises(errors.LaunchValueError) as raised:
        D.launch(half_static, out, grid=1, block=1, shared=179 * 1024 + 1)
    assert str(raised.value) == (
        "a block of this launch needs 232449 bytes of shared memory, 49152 for the kernel's arrays "
        "and 183297 from shared=; at most 232448 are allowed\n"
        "  give each block a smaller part of the work, in smaller arrays"
    )


@D.kernel
def uses_none(out):
    out[0] = 3


def test_dynamic_memory_that_nobody_uses(target):
    out = np.zeros(1, np.int64)
    D.launch(uses_none, out, grid=1, block=1, shared=1000)
    assert out[0] == 3
