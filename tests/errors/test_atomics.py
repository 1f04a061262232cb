"""Mistakes about atomics and fences (DEV-ATOM, DEV-ORDER, DEV-SCOPE)."""

import numpy as np
import pytest
from cuda import device as D
from support.bad_programs import BadPrograms

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
    # hint: pass a writable array, or store in another one
    D.atomic_ref(frozen, 0).add(1)
    a[0] = D.atomic_ref(frozen, 0).load()


@bad.kernel(I4, I4, clause=("DEV-ORDER-08", "DEV-SCOPE-05"))
def orders_and_scopes(a, n):
    # error at `"rel"`: the memory order of add() can be 'relaxed', 'consume', 'acquire', 'release', 'acq_rel', 'seq_cst'; found 'rel'
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.atomic_ref(a, 0).add(1, memory="rel")
    # error at `None`: the memory order of threadfence() can be 'relaxed', 'consume', 'acquire', 'release', 'acq_rel', 'seq_cst'; found None
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.threadfence(None)
    # error at `"gpu"`: the scope of add() can be 'system', 'device', 'block' or 'thread'; found 'gpu'
    # hint: it is a constant string; leave it out for 'system'
    D.atomic_ref(a, 0).add(1, scope="gpu")


@bad.kernel(I4, clause="DEV-ATOM-27")
def orders_of_loads_and_stores(a):
    # error at `"release"`: the memory order of load() can be 'relaxed', 'consume', 'acquire', 'seq_cst'; found 'release'
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.atomic_ref(a, 0).load("release")
    # error at `"acq_rel"`: the memory order of store() can be 'relaxed', 'release', 'seq_cst'; found 'acq_rel'
    # hint: it is a constant string; leave it out for 'seq_cst'
    D.atomic_ref(a, 0).store(1, memory="acq_rel")


@bad.kernel(F4, I1, clause=("DEV-ATOM-23", "DEV-ATOM-24"))
def dtypes(f, b):
    # error at `D.atomic_ref(f, 0).and_(1)`: and_() is not for elements of float32
    # hint: it is for uint32, int32, uint64, int64
    D.atomic_ref(f, 0).and_(1)
    # error at `D.atomic_ref(b, 0).add(1)`: add() is not for elements of int8
    # hint: it is for uint32, int32, uint64, int64, float32, float64
    D.atomic_ref(b, 0).add(1)


@bad.kernel(I4, clause="DEV-ATOM-28")
def values(a):
    # error at `"a"`: add() of elements of int32 takes a number, found str
    # hint: convert it explicitly
    D.atomic_ref(a, 0).add("a")
    # error at `1j`: exch() of elements of int32 takes a number, found complex
    # hint: convert it explicitly
    D.atomic_ref(a, 0).exch(1j)


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
