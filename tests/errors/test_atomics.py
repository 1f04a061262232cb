"""Mistakes about atomics and fences (DEV-ATOM, DEV-ORDER, DEV-SCOPE)."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.bad_programs import BadPrograms
from support.clauses import clause
from support.sources import executed

bad = BadPrograms()

I4, F4, I1 = (np.zeros(4, t) for t in (np.int32, np.float32, np.int8))
FROZEN = np.zeros(4, np.int32)
FROZEN.flags.writeable = False
GRID = np.zeros((2, 2), np.int32)


@bad.kernel(I4, GRID, FROZEN, 1, clause="DEV-ATOM-08")
def references(a, g, frozen, n):
    # error at `n`: atomic_ref() takes an array and the indices of one element of it, found int
    # hint: for example device.atomic_ref(a, i) or device.atomic_ref(a, (i, j))
    D.atomic_ref(n, 0)
    # error at `0`: atomic_ref() takes an array and the indices of one element of it, found the index 0 of an array[int32, 2]
    # hint: for example device.atomic_ref(a, i) or device.atomic_ref(a, (i, j))
    D.atomic_ref(g, 0)
    # error at `D.atomic_ref(frozen, 0).add(1)`: the array 'frozen' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    D.atomic_ref(frozen, 0).add(1)
    a[0] = D.atomic_ref(frozen, 0).load()


@bad.kernel(I4, GRID, clause="DEV-ATOM-08")
def several_elements(a, g):
    # error at `...`: atomic_ref() takes an array and the indices of one element of it, found the index Ellipsis of an array[int32, 1]
    # hint: for example device.atomic_ref(a, i) or device.atomic_ref(a, (i, j))
    D.atomic_ref(a, ...).add(1)
    # error at `(1, ...)`: atomic_ref() takes an array and the indices of one element of it, found the index (int, Ellipsis) of an array[int32, 2]
    # hint: for example device.atomic_ref(a, i) or device.atomic_ref(a, (i, j))
    D.atomic_ref(g, (1, ...)).add(1)


PACKED = np.zeros(4, [("tag", "u1"), ("n", "i4"), ("z", "c16")])
LAST = np.zeros(4, [("n", "i4"), ("tag", "u1")])


@bad.kernel(PACKED, LAST, np.zeros(8), clause="DEV-ATOM-08")
def places(a, last, f):
    # error at `a["n"]`: int32 at this place may lie at no multiple of 4 bytes: this part of it begins at byte 1
    # hint: atomic operations need that; pass this part of the array as an argument of its own, or declare the type with its alignment
    D.atomic_ref(a["n"], 0).add(1)
    # error at `last["n"]`: int32 at this place may lie at no multiple of 4 bytes: the elements of the argument have 5 bytes
    # hint: atomic operations need that; pass this part of the array as an argument of its own, or declare the type with its alignment
    D.atomic_ref(last["n"], 0).add(1)
    # error at `f.view(D.float64x2)`: float64x2 at this place may lie at no multiple of 16 bytes: the elements of the argument lie at multiples of 8
    # hint: atomic operations need that; pass this part of the array as an argument of its own, or declare the type with its alignment
    D.atomic_ref(f.view(D.float64x2), 0).load()


@bad.kernel(I4, I1, clause="DEV-ATOM-08")
def smaller_elements(a, b):
    # error at `a.view(D.int64)`: int64 at this place may lie at no multiple of 8 bytes: the elements of the argument lie at multiples of 4
    # hint: atomic operations need that; pass this part of the array as an argument of its own, or declare the type with its alignment
    D.atomic_ref(a.view(D.int64), 0).add(1)
    # error at `b.view(D.int32)`: int32 at this place may lie at no multiple of 4 bytes: the elements of the argument lie at multiples of 1
    # hint: atomic operations need that; pass this part of the array as an argument of its own, or declare the type with its alignment
    D.atomic_ref(b.view(D.int32), 0).add(1)


@bad.kernel(I4, I4, 1, clause="DEV-ATOM-08")
def of_chosen_arrays(a, b, n):
    chosen = a if n > 0 else b
    # error at `chosen`: atomic_ref() of an array that is chosen when the kernel runs is not implemented yet
    # hint: write an if statement, with one of the arrays in each branch
    D.atomic_ref(chosen, 0).add(1)


@bad.kernel(I4, I4, clause=("DEV-ORDER-08", "DEV-SCOPE-05"))
def orders_and_scopes(a, n):
    # error at `"rel"`: the memory order of add() can be 'relaxed', 'consume', 'acquire', 'release', 'acq_rel', 'seq_cst'; found 'rel'
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.atomic_ref(a, 0).add(1, memory="rel")
    # error at `5`: the memory order of load() can be 'relaxed', 'consume', 'acquire', 'seq_cst'; found 5
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.atomic_ref(a, 0).load(5)
    # error at `n[0]`: the memory order of add() can be 'relaxed', 'consume', 'acquire', 'release', 'acq_rel', 'seq_cst'; found int32
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.atomic_ref(a, 0).add(1, n[0])
    # error at `None`: the memory order of threadfence() can be 'relaxed', 'consume', 'acquire', 'release', 'acq_rel', 'seq_cst'; found None
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.threadfence(None)
    # error at `"gpu"`: the scope of add() can be 'system', 'device', 'block' or 'thread'; found 'gpu'
    # hint: it is a constant string; leave it out for 'system'
    D.atomic_ref(a, 0).add(1, scope="gpu")
    # error at `"grid"`: the scope of threadfence() can be 'system', 'device', 'block' or 'thread'; found 'grid'
    # hint: it is a constant string; leave it out for 'system'
    D.threadfence(scope="grid")
    # error at `None`: the scope of load() can be 'system', 'device', 'block' or 'thread'; found None
    # hint: it is a constant string; leave it out for 'system'
    D.atomic_ref(a, 0).load(scope=None)


@bad.kernel(I4, clause="DEV-ATOM-27")
def orders_of_loads_and_stores(a):
    # error at `"release"`: the memory order of load() can be 'relaxed', 'consume', 'acquire', 'seq_cst'; found 'release'
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.atomic_ref(a, 0).load("release")
    # error at `"acq_rel"`: the memory order of load() can be 'relaxed', 'consume', 'acquire', 'seq_cst'; found 'acq_rel'
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.atomic_ref(a, 0).load("acq_rel")
    # error at `"acq_rel"`: the memory order of store() can be 'relaxed', 'release', 'seq_cst'; found 'acq_rel'
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.atomic_ref(a, 0).store(1, memory="acq_rel")
    # error at `"acquire"`: the memory order of store() can be 'relaxed', 'release', 'seq_cst'; found 'acquire'
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.atomic_ref(a, 0).store(1, "acquire")
    # error at `"consume"`: the memory order of store() can be 'relaxed', 'release', 'seq_cst'; found 'consume'
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.atomic_ref(a, 0).store(1, "consume")


@bad.kernel(F4, I1, clause=("DEV-ATOM-23", "DEV-ATOM-24"))
def dtypes(f, b):
    # error at `D.atomic_ref(f, 0).and_(1)`: and_() is not for elements of float32
    # hint: it is for uint32, int32, uint64, int64
    D.atomic_ref(f, 0).and_(1)
    # error at `D.atomic_ref(b, 0).add(1)`: add() is not for elements of int8
    # hint: it is for uint32, int32, uint64, int64, float32, float64
    D.atomic_ref(b, 0).add(1)


# Which types of elements each operation is not for.
SMALL = (D.int8, D.int16, D.uint8, D.uint16, D.float16, D.bfloat16, D.float8e4m3)
OTHERS = (*SMALL, np.bool_, np.complex64, D.int32x2)
OPERATIONS = {
    **dict.fromkeys(("add", "sub", "max", "min", "nanmax", "nanmin"), OTHERS),
    **dict.fromkeys(("and_", "or_", "xor"), (*OTHERS, D.float32, D.float64)),
}


@clause("DEV-ATOM-23", "DEV-ATOM-24")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_dtypes_of_operations(operation):
    for dtype in OPERATIONS[operation]:
        place = D.zeros(1, dtype=dtype, device="cpu")
        source = f"def kernel(a):\n    D.atomic_ref(a, 0).{operation}(a[0])\n"
        with pytest.raises(D.errors.CompileError) as raised:
            D.launch(D.kernel(executed(source)["kernel"]), place, grid=1, block=1)
        assert f"{operation}() is not for elements of " in str(raised.value), dtype
        with pytest.raises(TypeError, match="is not for elements of "):
            getattr(D.atomic_ref(place, 0), operation)(place[0])


@bad.kernel(I4, clause="DEV-ATOM-28")
def values(a):
    # error at `"a"`: add() of elements of int32 takes a number, found str
    # hint: convert it explicitly
    D.atomic_ref(a, 0).add("a")
    # error at `1j`: exch() of elements of int32 takes a number, found complex
    # hint: convert it explicitly
    D.atomic_ref(a, 0).exch(1j)


@D.struct
class Loose:
    x: D.float32
    y: D.float32


@D.struct
class Wide:
    x: D.int64
    y: D.int64
    z: D.int64


@D.struct
class Queue:
    head: D.Atomic(int)
    size: int


@bad.kernel(np.zeros(1, Queue.numpy_dtype))
def matched(a):
    match a[0].head:
        # error at `1`: '==' cannot compare 'AtomicRef[int]' and 'int'
        # hint: its value is what load() gives: ref.load()
        case 1:
            pass


C16, LOOSE, WIDE, V3 = (
    D.zeros(2, dtype=t, device="cpu") for t in (np.complex128, Loose, Wide, D.float32x3)
)
QUEUES = D.zeros(2, dtype=Queue, device="cpu")
COUNTS = D.zeros(2, dtype=D.Atomic(int), device="cpu")


@bad.kernel(WIDE, V3, LOOSE, clause=("DEV-ATOM-10", "DEV-ATOM-12"))
def sizes(wide, odd, loose):
    # error at `wide`: atomic_ref() is for elements of 1, 2, 4, 8 or 16 bytes; Wide has 24 bytes
    # hint: take a smaller type, or protect it by a lock
    D.atomic_ref(wide, 0).load()
    # error at `odd`: atomic_ref() is for elements of 1, 2, 4, 8 or 16 bytes; float32x3 has 12 bytes
    # hint: take a smaller type, or protect it by a lock
    D.atomic_ref(odd, 0).load()
    # error at `loose`: elements of Loose lie at multiples of 4 bytes; atomic operations on them need multiples of 8
    # hint: declare the type with @device.struct(align=8)
    D.atomic_ref(loose, 0).load()


@bad.kernel(C16, clause=("DEV-ATOM-14", "DEV-ATOM-16"))
def exchanges(c):
    # error at `D.atomic_ref(c, 0).exch(c[1])`: exch() is for elements of at most 8 bytes; complex128 has 16 bytes
    # hint: take a smaller type, or protect it by a lock
    D.atomic_ref(c, 0).exch(c[1])
    # error at `D.atomic_ref(c, 0).cas(1, c[1])`: cas() is for elements of at most 8 bytes; complex128 has 16 bytes
    # hint: take a smaller type, or protect it by a lock
    D.atomic_ref(c, 0).cas(1, c[1])
    # error at `D.atomic_ref(c, 0).add(1)`: add() is not for elements of complex128
    # hint: it is for uint32, int32, uint64, int64, float32, float64
    D.atomic_ref(c, 0).add(1)


@bad.kernel(I4, clause="DEV-ATOM-04")
def types(a):
    # error at `D.float64x3`: Atomic() is for types of at most 16 bytes; float64x3 has 24 bytes
    # hint: take a smaller type, or protect it by a lock
    D.shared_array(1, D.Atomic(D.float64x3))
    # error at `Queue`: an Atomic is of a number, vector or struct without atomics; found Queue
    # hint: for example device.Atomic(device.int32)
    D.local_array(1, D.Atomic(Queue))


@bad.kernel(QUEUES, COUNTS)
def copies(queues, counts):
    # error at `Queue(0)`: a Queue has atomics: it is used where it lies in memory and not made in a kernel
    # hint: make an array of it, shared, local or before the launch, and use its elements
    queues[0] = Queue(0)
    # error at `queues[0].head`: field 'head' of Queue is Atomic(int), which is not assigned as a whole
    # hint: its methods change it, such as store(...) and add(...)
    queues[0].head = 1
    # error at `queues[1]`: an element of 'queues' is Queue, which is not assigned as a whole
    # hint: its methods change it, such as store(...) and add(...)
    queues[0] = queues[1]
    # error at `counts[0] += 1`: an element of 'counts' is Atomic(int), which is not assigned as a whole
    # hint: its methods change it, such as store(...) and add(...)
    counts[0] += 1


@bad.kernel(I4, F4, COUNTS, QUEUES)
def references_as_numbers(a, f, counts, queues):
    r = D.atomic_ref(a, 0)
    # error at `r + 1` on `+`: cannot add 'AtomicRef[int32]' and 'int'
    # hint: its value is what load() gives: ref.load()
    a[1] = r + 1
    # error at `r`: AtomicRef[int32] cannot be stored in an array of int32
    # hint: its value is what load() gives: ref.load()
    a[1] = r
    # error at `counts[1]`: an AtomicRef[int] is used as a condition
    # hint: compare what it refers to: ref.load() != 0, or an attribute of a struct
    if counts[1]:
        a[1] = 1
    # error at `queues[0]`: a Queue is used as a condition
    # hint: compare what it refers to: ref.load() != 0, or an attribute of a struct
    if queues[0]:
        a[1] = 1
    # error at `float(r)`: float() needs a number, found AtomicRef[int32]
    # hint: its value is what load() gives: ref.load()
    f[0] = float(r)
    # error at `queues[0] * 2` on `*`: cannot multiply 'Queue' and 'int'
    # hint: name an attribute of it
    a[1] = queues[0] * 2


@bad.kernel(I4, QUEUES)
def operators_of_references(a, queues):
    r = D.atomic_ref(a, 0)
    # error at `r += 1` on `+`: cannot add 'AtomicRef[int32]' and 'int'
    # hint: its methods change it: r.add(...)
    r += 1
    s = D.atomic_ref(a, 0)
    # error at `s *= 2` on `*`: cannot multiply 'AtomicRef[int32]' and 'int'
    # hint: its methods change it; others than they have take a loop around s.cas(...)
    s *= 2
    # error at `D.atomic_ref(a, 0) == 3` on `==`: '==' cannot compare 'AtomicRef[int32]' and 'int'
    # hint: its value is what load() gives: ref.load()
    a[1] = D.atomic_ref(a, 0) == 3
    # error at `D.atomic_ref(a, 0)`: an index must be an integer, found AtomicRef[int32]
    # hint: its value is what load() gives: ref.load()
    a[D.atomic_ref(a, 0)] = 1
    # error at `D.atomic_ref(a, 1)`: add() of elements of int32 takes a number, found AtomicRef[int32]
    # hint: its value is what load() gives: ref.load()
    D.atomic_ref(a, 0).add(D.atomic_ref(a, 1))
    # error at `queues[0]`: the first argument of replace() is a struct, but the value is Queue
    # hint: it has atomics, so there is no copy of it: assign its attributes
    D.replace(queues[0], size=3)
    # error at `D.atomic_ref(a, 0)`: 'x' is declared int, but the value is AtomicRef[int32]
    # hint: its value is what load() gives: ref.load()
    x: int = D.atomic_ref(a, 0)
    # error at `D.atomic_ref(a, 0)`: 'y' is declared Atomic(int), but the value is AtomicRef[int32]
    # hint: write device.Atomic(int32), or device.AtomicInterface, which references to all types are
    y: D.Atomic(int) = D.atomic_ref(a, 0)
    # error at `D.Atomic`: 'device.Atomic' without the type of its value is no type that kernels have
    # hint: write device.Atomic(device.int32), for example, or device.AtomicInterface, which references to all types are
    z: D.Atomic = D.atomic_ref(a, 0)
    # error at `a[0]`: 'w' is declared device.AtomicRef, but the value is int32
    # hint: pass a reference, such as device.atomic_ref(array, index)
    w: D.AtomicRef = a[0]


@bad.kernel(I4, GRID, 1)
def a_choice_of_references(a, g, n):
    # error at `D.atomic_ref(a, 0) if n > 0 else D.atomic_ref(g, (0, 0))`: this would refer to an element of 'a' or to an element of 'g', chosen at run time
    # hint: which array is meant must be known when the kernel is compiled; choose between the indices of one array, or write the operation once for each array
    r = D.atomic_ref(a, 0) if n > 0 else D.atomic_ref(g, (0, 0))
    r.add(1)


@bad.kernel(I4)
def types_in_a_tuple(a):
    t = (D.Atomic(int), 3)
    # error at `t[0].add`: the type Atomic(int) has no attribute 'add'
    # hint: an object has methods: `x = device.Atomic(...)` makes one in a kernel, where nothing else is assigned; one from outside, such as a global variable, is passed in an array: device.zeros(1, dtype=device.Atomic(int))
    t[0].add(1)


OUTSIDE = D.Atomic(int)


@bad.kernel(I4)
def types_from_outside(a):
    # error at `OUTSIDE.add`: the type Atomic(int) has no attribute 'add'
    # hint: an object has methods: `x = device.Atomic(...)` makes one in a kernel, where nothing else is assigned; one from outside, such as a global variable, is passed in an array: device.zeros(1, dtype=device.Atomic(int))
    OUTSIDE.add(1)
    # error at `tuple[int, float]`: tuple[...] is a type outside of kernels and in annotations only
    # hint: name the type outside of the kernel, as in T = tuple[int, float]
    pair = D.Atomic(tuple[int, float])
    pair.store((1, 2.5))


@bad.kernel(I4, COUNTS)
def names_of_methods(a, counts):
    # error at `D.atomic_ref(a, 0).fetch_add`: AtomicRef[int32] has no attribute 'fetch_add'
    # hint: add() does that here; its methods are load, store, exch, cas, add, sub, and_, or_, xor, max, min, nanmax, nanmin, wait, notify_one and notify_all
    D.atomic_ref(a, 0).fetch_add(1)
    # error at `counts[0].compare_exchange_strong`: AtomicRef[int] has no attribute 'compare_exchange_strong'
    # hint: cas() does that here; its methods are load, store, exch, cas, add, sub, and_, or_, xor, max, min, nanmax, nanmin, wait, notify_one and notify_all
    counts[0].compare_exchange_strong(1, 2)
    # error at `counts[0].inc`: AtomicRef[int] has no attribute 'inc'
    # hint: add(1), or a loop around cas() where it starts again from 0, does that here; its methods are load, store, exch, cas, add, sub, and_, or_, xor, max, min, nanmax, nanmin, wait, notify_one and notify_all
    counts[0].inc()
    # error at `counts[0].stor`: AtomicRef[int] has no attribute 'stor'
    # hint: did you mean 'store'? its methods are load, store, exch, cas, add, sub, and_, or_, xor, max, min, nanmax, nanmin, wait, notify_one and notify_all
    counts[0].stor(1)
    # error at `counts[0].shape`: AtomicRef[int] has no attribute 'shape'
    # hint: its methods are load, store, exch, cas, add, sub, and_, or_, xor, max, min, nanmax, nanmin, wait, notify_one and notify_all
    a[0] = counts[0].shape


PACKED_COUNTS = np.zeros(2, [("tag", "u1"), ("n", D.Atomic(int).numpy_dtype)])
PACKED_NUMBERED = np.zeros(2, [("tag", "u4"), ("n", D.Atomic(int).numpy_dtype)])
PACKED_QUEUES = np.zeros(2, [("tag", "u1"), ("q", Queue.numpy_dtype)])


@bad.kernel(PACKED_COUNTS, PACKED_NUMBERED, PACKED_QUEUES, clause="DEV-ATOM-08")
def packed_members(counts, numbered, queues):
    # error at `counts[0].n`: Atomic(int) at this place may lie at no multiple of 4 bytes: it begins at byte 1 of a struct
    # hint: atomic operations need that; pass this part of the array as an argument of its own, or declare the type with its alignment
    counts[0].n.add(1)
    # error at `counts["n"]`: Atomic(int) at this place may lie at no multiple of 4 bytes: this part of it begins at byte 1
    # hint: atomic operations need that; pass this part of the array as an argument of its own, or declare the type with its alignment
    counts["n"][0].add(1)
    # error at `numbered[0].n`: Atomic(int) at this place may lie at no multiple of 4 bytes: its struct lies at multiples of 1
    # hint: atomic operations need that; pass this part of the array as an argument of its own, or declare the type with its alignment
    numbered[0].n.add(1)
    # error at `queues[0].q`: Queue at this place may lie at no multiple of 4 bytes: it begins at byte 1 of a struct
    # hint: atomic operations need that; pass this part of the array as an argument of its own, or declare the type with its alignment
    queues[0].q.head.add(1)


def counter_of_its_own():
    mine = D.Atomic(int)
    return mine


def row_of_its_own(n):
    mine = D.local_array((2, 2), D.float32)
    if n > 0:
        return n, mine[0]
    return n, mine[1]


@bad.kernel(I4, clause="DEV-ATOM-07")
def waits_alone(a):
    mine = D.Atomic(int)
    # error at `mine.wait(0)`: wait() on memory that no other thread sees would not end
    # hint: wait on an element of a global or shared array
    mine.wait(0)


def test_local_memory_does_not_leave_its_function():
    @D.kernel
    def escapes(a):
        counter_of_its_own().add(1)
        row_of_its_own(a[0])

    with pytest.raises(D.errors.CompileError) as raised:
        D.launch(escapes, I4, grid=1, block=1)
    text = str(raised.value)
    assert "this returns AtomicRef[int] in local memory of 'counter_of_its_own'" in text
    assert "this returns array[float32, 1] in local memory of 'row_of_its_own'" in text
    assert "    return mine\n" in text


@pytest.mark.parametrize("argument", [D.Atomic(int), Queue(size=1), (1, D.Atomic(D.float32x2))])
def test_atomics_are_not_passed_by_value(argument):
    @D.kernel
    def takes(a):
        pass

    with pytest.raises(D.errors.LaunchTypeError, match="passed by reference") as raised:
        D.launch(takes, argument, grid=1, block=1)
    assert "device.zeros(1, dtype=" in str(raised.value)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: D.Atomic(D.float64x3), TypeError, "would have 24 bytes; an atomic has at most 16"),
        (lambda: D.Atomic(list), TypeError, "found list"),
        (lambda: D.Atomic(Queue), TypeError, "has atomics itself"),
        (lambda: D.Atomic(int, align=3), ValueError, "expects a power of two, found 3"),
        (lambda: D.Atomic(int).add(1, memory="rel"), ValueError, "found 'rel'"),
        (lambda: D.Atomic(int).load("release"), ValueError, "of load() can be"),
        (lambda: D.Atomic(int).add(1, scope="gpu"), ValueError, "found 'gpu'"),
        (lambda: D.Atomic(int).add("a"), TypeError, "takes a number, found str"),
        (lambda: D.Atomic(D.int8).add(1), TypeError, "add() is not for elements of int8"),
        (lambda: D.Atomic(float).and_(1), TypeError, "it is for uint32, int32, uint64, int64"),
        (lambda: D.Atomic(D.int64x2).exch(D.int64x2(1, 2)), TypeError, "at most 8 bytes"),
        (lambda: D.Atomic(float).store(None), TypeError, "takes a number, found NoneType"),
        (lambda: D.Atomic(bool).store(None), TypeError, "store() of elements of bool takes a"),
        (lambda: D.Atomic(complex).exch(None), TypeError, "exch() of elements of complex takes a"),
        (lambda: D.Atomic(complex).cas(0, "1"), TypeError, "takes a number, found str"),
        (lambda: D.Atomic(int).add(np.float32([1, 2])), TypeError, "takes a number, found ndarray"),
        (lambda: D.Atomic(int).add(np.timedelta64(1)), TypeError, "a number, found timedelta64"),
        (lambda: D.Atomic(int).add(1j), TypeError, "takes a number, found complex"),
        (
            lambda: D.Atomic(D.uint32).add(-1),
            OverflowError,
            "add(): -1 does not fit in uint32; use a wider type, or one with a sign, or "
            "numpy.int64(-1), which wraps",
        ),
        (
            lambda: D.Atomic(int).add(float("nan")),
            OverflowError,
            "add(): nan does not fit in int; use a wider type, or numpy.float64(nan), which a "
            "kernel's rules convert",
        ),
        (lambda: D.Atomic(int).store(1e20), OverflowError, "store(): 1e+20 does not fit in int"),
        (lambda: D.Atomic(float).exch(1e300), OverflowError, "1e+300 does not fit in float"),
        (lambda: D.Atomic(float).exch(10**400), OverflowError, "does not fit in float; use a wide"),
        (lambda: D.Atomic("c8").store(1e300j), OverflowError, "in complex64; use complex128"),
        (lambda: D.atomic_ref(FROZEN, 0).add(1), TypeError, "the array is read-only"),
        (lambda: D.atomic_ref(GRID, 0), TypeError, "takes 2 indices of this array, found 1"),
        (lambda: D.atomic_ref(I4, 1.5), TypeError, "an int or a tuple of ints"),
        (lambda: D.atomic_ref(I4, 4), IndexError, "out of bounds"),
        (lambda: D.atomic_ref(V3, 0), ValueError, "found 12"),
        (lambda: D.replace(Queue(size=1), size=2), TypeError, "has atomics"),
    ],
)
def test_on_the_host(call, error, text):
    with pytest.raises(error) as raised:
        call()
    assert text in str(raised.value)


def test_tuples_with_atomics_are_no_attributes():
    for hint in (tuple[D.Atomic(int), int], tuple[int, tuple[int, D.Atomic(int)]], tuple[Queue]):
        with pytest.raises(TypeError, match="attribute 't' is a tuple with atomics; a tuple is a"):
            D.struct(type("H", (), {"__annotations__": {"t": hint}}))


# Formats that devices lack; an object's would be a pointer.
FOREIGN = ("O", "U4", "S4", "M8[s]", "m8[s]", "V8", "g", [("x", "O")], [("x", "M8[s]", (1,))])


@clause("DEV-ATOM-08")
@pytest.mark.parametrize("dtype", FOREIGN)
def test_formats_that_devices_lack(dtype):
    within = np.dtype(dtype)
    part = within.fields["x"][0].base if within.fields else within
    text = re.escape(f"values of {str(part)!r} are not accessed atomically: devices have no such")
    with pytest.raises(TypeError, match=r"atomic_ref\(\): " + text):
        D.atomic_ref(np.zeros(2, dtype), 0)
    with pytest.raises(TypeError, match=r"Atomic\(dtype\): " + text):
        D.Atomic(within)


def test_other_byte_orders():
    for dtype in (np.dtype(">i4"), np.dtype([("x", "<i2"), ("y", ">i2")])):
        with pytest.raises(TypeError, match="not in this machine's byte order; write dtype.newby"):
            D.Atomic(dtype)
        with pytest.raises(ValueError, match="not in this machine's byte order; convert it, for"):
            D.atomic_ref(np.zeros(2, dtype), 0)


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
