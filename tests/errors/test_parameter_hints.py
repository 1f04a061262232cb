"""Each parameter with a hint of the functions that kernels call, given another type (DEV-GEN-05)."""

import pytest
from cuda import device as D
from cuda.device import errors
from support.bad_programs import FLOATS, BadPrograms
from support.clauses import clause

bad = BadPrograms()


@bad.kernel(FLOATS, 3, clause="DEV-GEN-05")
def bits_and_fma(a, n):
    x = a[0]
    # error at `1.5`: popc needs an integer, found float
    # hint: convert with a fixed format such as device.int32()
    D.popc(1.5)
    # error at `None`: brev needs an integer, found None
    # hint: convert with a fixed format such as device.int32()
    D.brev(None)
    # error at `a`: clz needs an integer, found array[float32, 1]
    # hint: convert with a fixed format such as device.int32()
    D.clz(a)
    # error at `"x"`: ffs needs an integer, found str
    # hint: convert with a fixed format such as device.int32()
    D.ffs("x")
    # error at `1`: cbrt needs floating-point arguments, found int
    # hint: convert with float() or device.float64()
    D.cbrt(1)
    # error at `1`: fma needs floating-point arguments, found int
    # hint: convert with float() or device.float64()
    D.fma(1, x, x)
    # error at `None`: fma needs floating-point arguments, found None
    # hint: convert with float() or device.float64()
    D.fma(x, None, x)
    # error at `a`@2: fma needs floating-point arguments, found array[float32, 1]
    # hint: convert with float() or device.float64()
    D.fma(x, x, a)


@bad.kernel(FLOATS, 3, clause="DEV-GEN-05")
def positions(a, n):
    # error at `"x"`: tid() needs the number of dimensions as a constant, found str
    # hint: write 1, 2 or 3
    D.tid("x")
    # error at `1.5`: tid() needs the number of dimensions as a constant, found float
    # hint: write 1, 2 or 3
    D.tid(1.5)
    # error at `None`: grid_size() needs the number of dimensions as a constant, found None
    # hint: write 1, 2 or 3
    D.grid_size(None)


@bad.kernel(FLOATS, 3, clause="DEV-GEN-05")
def arrays(a, n):
    # error at `"3"`: the shape of local_array() is an int or a tuple of ints, found str
    # hint: write ints, such as 16 or (4, 8); // divides ints into an int, / into a float
    D.local_array("3", D.int32)
    # error at `5`: int is no element type of local_array()
    # hint: for example device.float32, int, numpy.int8 or 'f8'
    D.local_array(3, 5)
    # error at `1`: the order of local_array() is 'C' or 'F', found 1
    # hint: leave it out for 'C', where the last axis is the inner one
    D.local_array(3, D.int32, order=1)
    # error at `"a"`: the alignment of local_array() is a power of two from 1 to 1024, a constant
    # ... expression; found str
    # hint: leave it out, or write for example align=16
    D.local_array(3, D.int32, align="a")
    # error at `2.5`: the shape of shared_array() is an int or a tuple of ints, found float
    # hint: write ints, such as 16 or (4, 8); // divides ints into an int, / into a float
    D.shared_array(2.5, D.int32)
    # error at `"x"`: 'x' is no element type of shared_array()
    # hint: for example device.float32, int, numpy.int8 or 'f8'
    D.shared_array(3, "x")
    # error at `"X"`: the order of shared_array() is 'C' or 'F', found 'X'
    # hint: leave it out for 'C', where the last axis is the inner one
    D.shared_array(3, D.int32, order="X")
    # error at `1.5`: the alignment of shared_array() is a power of two from 1 to 1024, a constant
    # ... expression; found 1.5
    # hint: leave it out, or write for example align=16
    D.shared_array(3, D.int32, align=1.5)


@bad.kernel(FLOATS, 3, clause="DEV-GEN-05")
def barriers(a, n):
    # error at `True`: the predicate of syncthreads_count() is a function without parameters, found
    # ... bool
    # hint: write syncthreads_count(lambda: ...)
    D.syncthreads_count(True)
    # error at `1`: the predicate of syncthreads_and() is a function without parameters, found int
    # hint: write syncthreads_and(lambda: ...)
    D.syncthreads_and(1)
    # error at `None`: the predicate of syncthreads_or() is a function without parameters, found
    # ... None
    # hint: write syncthreads_or(lambda: ...)
    D.syncthreads_or(None)


@bad.kernel(FLOATS, 3, clause="DEV-GEN-05")
def votes_of_warps(a, n):
    x = a[0]
    p = lambda: a[0] > 0
    # error at `1.5`: 'mask' of syncwarp() takes a WarpMask or an integer, found float
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.syncwarp(1.5)
    # error at `1.0`: 'mask' of all_sync() takes a WarpMask or an integer, found float
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.all_sync(1.0, p)
    # error at `1.0`: the predicate of all_sync() is a function without parameters, found float
    # hint: write all_sync(lambda: ...)
    D.all_sync(-1, 1.0)
    # error at `"m"`: 'mask' of any_sync() takes a WarpMask or an integer, found str
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.any_sync("m", p)
    # error at `x`: the predicate of any_sync() is a function without parameters, found float32
    # hint: write any_sync(lambda: ...)
    D.any_sync(-1, x)
    # error at `None`: 'mask' of eq_sync() takes a WarpMask or an integer, found None
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.eq_sync(None, p)
    # error at `None`: the predicate of eq_sync() is a function without parameters, found None
    # hint: write eq_sync(lambda: ...)
    D.eq_sync(-1, None)
    # error at `x`: 'mask' of ballot_sync() takes a WarpMask or an integer, found float32
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.ballot_sync(x, p)
    # error at `"p"`: the predicate of ballot_sync() is a function without parameters, found str
    # hint: write ballot_sync(lambda: ...)
    D.ballot_sync(-1, "p")


@bad.kernel(FLOATS, 3, clause="DEV-GEN-05")
def shuffles(a, n):
    x = a[0]
    p = lambda: a[0] > 0
    # error at `x`: 'mask' of shfl_sync() takes a WarpMask or an integer, found float32
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.shfl_sync(x, 1, 2)
    # error at `"v"`: shfl_sync() takes numbers, and what is made of them, found str
    # hint: give it a number, a vector, a tuple or a struct
    D.shfl_sync(-1, "v", 2)
    # error at `2.0`: 'src_lane' of shfl_sync() is an integer, found float
    # hint: convert it with device.int32()
    D.shfl_sync(-1, 1, 2.0)
    # error at `None`: 'mask' of shfl_up_sync() takes a WarpMask or an integer, found None
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.shfl_up_sync(None, 1, 2)
    # error at `None`: shfl_up_sync() takes numbers, and what is made of them, found None
    # hint: give it a number, a vector, a tuple or a struct
    D.shfl_up_sync(-1, None, 2)
    # error at `1.5`: 'delta' of shfl_up_sync() is an integer, found float
    # hint: convert it with device.int32()
    D.shfl_up_sync(-1, 1, 1.5)
    # error at `"m"`: 'mask' of shfl_down_sync() takes a WarpMask or an integer, found str
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.shfl_down_sync("m", 1, 2)
    # error at `a`: shfl_down_sync() takes numbers, and what is made of them, found array[float32,
    # ... 1]
    # hint: give it a number, a vector, a tuple or a struct
    D.shfl_down_sync(-1, a, 2)
    # error at `None`: 'delta' of shfl_down_sync() is an integer, found None
    # hint: convert it with device.int32()
    D.shfl_down_sync(-1, 1, None)
    # error at `1.5`: 'mask' of shfl_xor_sync() takes a WarpMask or an integer, found float
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.shfl_xor_sync(1.5, 1, 2)
    # error at `p`: shfl_xor_sync() takes numbers, and what is made of them, found a lambda
    # hint: give it a number, a vector, a tuple or a struct
    D.shfl_xor_sync(-1, p, 2)
    # error at `1.5`: 'flag' of shfl_xor_sync() is an integer, found float
    # hint: convert it with device.int32()
    D.shfl_xor_sync(-1, 1, 1.5)


@bad.kernel(FLOATS, 3, clause="DEV-GEN-05")
def matches(a, n):
    # error at `1.5`: 'mask' of match_any_sync() takes a WarpMask or an integer, found float
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.match_any_sync(1.5, n)
    # error at `"v"`: match_any_sync() takes numbers, and what is made of them, found str
    # hint: give it a number, a vector, a tuple or a struct
    D.match_any_sync(-1, "v")
    # error at `None`: 'mask' of match_all_sync() takes a WarpMask or an integer, found None
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.match_all_sync(None, n)
    # error at `a`@3: match_all_sync() takes numbers, and what is made of them, found array[float32,
    # ... 1]
    # hint: give it a number, a vector, a tuple or a struct
    D.match_all_sync(-1, a)


@bad.kernel(FLOATS, 3, clause="DEV-GEN-05")
def masks_and_vectors(a, n):
    # error at `1.5`: WarpMask() takes a WarpMask or an integer, found float
    # hint: give it a bit for each lane; all lanes: -1 or 0xFFFFFFFF
    D.WarpMask(1.5)
    # error at `None`: an index must be an integer, found None
    # hint: give one integer
    D.WarpMask(1)[None]
    # error at `1.5`: an index must be an integer, found float
    # hint: convert it with int()
    D.WarpMask(1)[1.5]
    # error at `D.WarpMask(1) << 1.5` on `<<`: '<<' needs integers, found 'int32' and 'float'
    # hint: convert with int() or a fixed format such as device.int32()
    D.WarpMask(1) << 1.5
    # error at `D.WarpMask(1) >> None` on `>>`: cannot shift 'int32' by 'None'
    # hint: operators work on numbers
    D.WarpMask(1) >> None
    # error at `"y"`: component y of float32x2 is float32, but the value is str
    # hint: give a number
    D.float32x2(1, "y")
    # error at `1.5`: an index must be an integer, found float
    # hint: convert it with int()
    D.float32x2(1, 2)[1.5]
    # error at `None`: an index must be an integer, found None
    # hint: give one integer
    D.float32x2(1, 2)[None]


@bad.kernel(FLOATS, 3, clause="DEV-GEN-05")
def atomics(a, n):
    # error at `"x"`: 'x' is no element type of Atomic()
    # hint: for example device.float32, int, numpy.int8 or 'f8'
    D.Atomic("x")
    # error at `"a"`: the alignment of Atomic() is a power of two from 1 to 1024, a constant
    # ... expression; found str
    # hint: leave it out, or write for example align=16
    D.Atomic(D.int32, align="a")
    # error at `5`: atomic_ref() takes an array and the indices of one element of it, found int
    # hint: for example device.atomic_ref(a, i) or device.atomic_ref(a, (i, j))
    D.atomic_ref(5, 0)
    # error at `1.5`: an index must be an integer, found float
    # hint: convert it with int()
    D.atomic_ref(a, 1.5)
    # error at `"x"`: the memory order of load() can be 'relaxed', 'consume', 'acquire', 'seq_cst';
    # ... found 'x'
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.atomic_ref(a, 0).load("x")
    # error at `"v"`: store() of elements of float32 takes a number, found str
    # hint: convert it explicitly
    D.atomic_ref(a, 0).store("v")
    # error at `None`: add() of elements of float32 takes a number, found None
    # hint: convert it explicitly
    D.atomic_ref(a, 0).add(None)
    # error at `"x"`: cas() of elements of float32 takes a number, found str
    # hint: convert it explicitly
    D.atomic_ref(a, 0).cas("x", 1.0)
    # error at `None`: cas() of elements of float32 takes a number, found None
    # hint: convert it explicitly
    D.atomic_ref(a, 0).cas(1.0, None)
    # error at `"x"`: exch() of elements of float32 takes a number, found str
    # hint: convert it explicitly
    D.atomic_ref(a, 0).exch("x")
    # error at `"x"`: wait() of elements of float32 takes a number, found str
    # hint: convert it explicitly
    D.atomic_ref(a, 0).wait("x")
    # error at `1`: the memory order of threadfence() can be 'relaxed', 'consume', 'acquire',
    # ... 'release', 'acq_rel', 'seq_cst'; found 1
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.threadfence(1)
    # error at `5`: the scope of threadfence() can be 'system', 'device', 'block' or 'thread'; found
    # ... 5
    # hint: it is a constant string; leave it out for 'system'
    D.threadfence("acq_rel", 5)
    # error at `"nothing"`: the memory order of threadfence() can be 'relaxed', 'consume',
    # ... 'acquire', 'release', 'acq_rel', 'seq_cst'; found 'nothing'
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.threadfence("nothing")
    # error at `"x"`: the scope of threadfence() can be 'system', 'device', 'block' or 'thread';
    # ... found 'x'
    # hint: it is a constant string; leave it out for 'system'
    D.threadfence("acq_rel", "x")


@bad.kernel(FLOATS, 3, raises=errors.CompileTypeError, clause="DEV-GEN-05")
def targets(a, n):
    # error at `1`: target() takes a target description, but an int is given
    # hint: for example is_device or provides(sm80), or several of them combined by ~, | and &
    if D.target(1):
        pass
    # error at `"sm_90"`: is_exactly() takes an architecture, but a str is given
    # hint: write one of its selectors, for example sm80
    if D.target(D.is_exactly("sm_90")):
        pass
    # error at `90`: provides() takes an architecture, but an int is given
    # hint: write one of its selectors, for example sm80
    if D.target(D.provides(90)):
        pass


@bad.kernel(FLOATS, 3, clause="DEV-GEN-05")
def structs(a, n):
    # error at `5`: the first argument of replace() is a struct, but the value is int
    # hint: give a struct
    D.replace(5, x=1)


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()


@clause("DEV-GEN-05")
@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: D.align(D.int32, "a"), TypeError, "an int, found 'str'"),
        (lambda: D.align(5, 8), TypeError, "t is a type"),
        (lambda: D.struct(align="a"), TypeError, "align"),
        (lambda: D.struct(5), TypeError, "class"),
        (lambda: D.kernel(5), TypeError, "function"),
        (lambda: D.func("f"), TypeError, "function"),
        (lambda: D.Atomic("x"), TypeError, "x"),
        (lambda: D.Atomic(D.int32, align="a"), TypeError, "align"),
        (lambda: D.WarpMask("m"), TypeError, "m"),
        (lambda: D.float32x2(1, 2)[1.5], TypeError, "integer"),
        (lambda: D.float32x2(1, "y"), TypeError, "y"),
        (lambda: D.target(1), TypeError, "target"),
        (lambda: D.provides("sm_90"), TypeError, "architecture"),
        (lambda: D.launch(5, grid=1, block=1), TypeError, "kernel"),
        (lambda: D.launch(stores, FLOATS, grid="x", block=1), TypeError, "grid"),
        (lambda: D.launch(stores, FLOATS, grid=1, block="x"), TypeError, "block"),
        (lambda: D.launch(stores, FLOATS, grid=1, block=1, shared="x"), TypeError, "shared"),
        (lambda: D.launch(stores, FLOATS, grid=1, block=1, stream="x"), TypeError, "stream"),
    ],
)
def test_functions_of_the_host(call, error, words):
    with pytest.raises(error, match=words):
        call()


@D.kernel
def stores(a):
    a[0] = 1
