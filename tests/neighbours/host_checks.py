"""What is asked of each library in turn.

A check gives True or a text for the table; what goes wrong raises. None is left out but those whose
column the library declares that it lacks.

host_checks.py NAME: all of them for one library, as JSON; each library has a process of its own.
"""

import gc
import json
import sys
import traceback

import ml_dtypes  # noqa: F401  (names its formats for NumPy)
import numpy as np
from cuda import device as D
from cuda.device import array_api as xp
from cuda.device.errors import CompileError

from neighbours.host_libraries import HOST_LIBRARIES

SIZE = 37
NOTHING = "-"  # the library has no such thing, and its `lacks` says so


@D.kernel
def copy(out, a):
    i = D.tid(1)
    if i < a.size:
        out[i] = a[i]


@D.kernel
def store(a, i: D.int32, value):
    a[i] = value[0]


def launch(kernel, *args):
    D.launch(kernel, *args, grid=2, block=32)


def numbers(dtype, size=SIZE):
    return (np.arange(size) % 5).astype(dtype)


def read(given, dtype, size):
    """What a kernel finds in an array."""
    out = np.full(size, 7).astype(dtype)
    launch(copy, out, given)
    return out


def of_ours(wanted):
    """An array of our own class, which speaks by our DLPack exporter, not NumPy's."""
    made = xp.asarray(D.empty(wanted.shape, wanted.dtype, device="cpu"))
    made[...] = wanted
    assert type(made) is xp.HostArray
    return made


def first_dtype(library):
    return "float32" if "float32" in library.dtypes else library.dtypes[0]


def into_kernels(library):
    wanted = numbers(first_dtype(library))
    found = read(library.given(library.make(wanted)), wanted.dtype, SIZE)
    assert np.array_equal(found, wanted), found
    return True


def from_us(library):
    """In each format that it takes, and without a copy: it sees what a kernel stores later."""
    for name in (*library.dtypes, *library.takes_too):
        wanted = numbers(name)
        ours = of_ours(wanted)
        theirs = library.take(ours)
        assert np.array_equal(library.look(theirs), wanted), name
        wanted[3] = 0
        launch(store, ours, 3, np.zeros(1, wanted.dtype))
        assert np.array_equal(library.look(theirs), wanted), f"{name}: a copy"
    return True


def our_stores(library):
    wanted = numbers(first_dtype(library))
    theirs = library.make(wanted)
    launch(store, library.given(theirs), 3, np.array([9], wanted.dtype))
    wanted[3] = 9
    assert np.array_equal(library.look(theirs), wanted)
    return True


def their_stores(library):
    wanted = numbers(first_dtype(library))
    theirs = library.make(wanted)
    given = library.given(theirs)
    assert np.array_equal(read(given, wanted.dtype, SIZE), wanted)
    library.store(theirs, 5, 8)
    wanted[5] = 8
    assert np.array_equal(read(given, wanted.dtype, SIZE), wanted)
    return True


def source_deleted(library):
    """Each side keeps the memory as long as it looks at it."""
    wanted = numbers(first_dtype(library))
    theirs = library.make(wanted)
    given = library.given(theirs)
    view = kept(given)
    del theirs, given
    churn(wanted)
    assert np.array_equal(read(view, wanted.dtype, SIZE), wanted)
    if "out" in library.lacks:
        return True
    ours = of_ours(wanted)
    theirs = library.take(ours)
    del ours
    churn(wanted)
    assert np.array_equal(library.look(theirs), wanted)
    return True


def kept(given):
    """An array of ours in the same memory."""
    if hasattr(given, "__sycl_usm_array_interface__"):
        return D.from_sycl_usm(given)
    return given[:] if isinstance(given, np.ndarray) else D.from_dlpack(given)


def churn(wanted):
    """Memory that was freed is written over."""
    gc.collect()
    for _ in range(50):
        np.full(wanted.size, 123).astype(wanted.dtype)


def refusal_of(kernel, *args):
    """The text of the error that a launch ends with."""
    try:
        launch(kernel, *args)
    except CompileError as error:
        return str(error)
    return "none: it has run"


def read_only(library):
    """A kernel that stores is refused, one that reads is not."""
    wanted = numbers(first_dtype(library))
    fixed = library.read_only(wanted)
    given = library.given(fixed)
    assert np.array_equal(read(given, wanted.dtype, SIZE), wanted)
    assert "read-only" in refusal_of(store, given, 0, np.array([9], wanted.dtype))
    assert np.array_equal(library.look(fixed), wanted)
    return True


def dtypes(library):
    for name in library.dtypes:
        wanted = numbers(name)
        given = library.given(library.make(wanted))
        assert kept(given).dtype == wanted.dtype, name
        assert np.array_equal(read(given, wanted.dtype, SIZE), wanted), name
    return str(len(library.dtypes))


def zero_size(library):
    empty = library.given(library.make(numbers(first_dtype(library), 0)))
    found = read(empty, first_dtype(library), 4)
    assert (found == 7).all()
    return True


def not_contiguous(library):
    wanted = numbers(first_dtype(library))
    half = library.given(library.strided(library.make(wanted)))
    found = read(half, wanted.dtype, SIZE // 2 + 1)
    assert np.array_equal(found, wanted[::2])
    return True


CHECKS = {
    "in": into_kernels,
    "out": from_us,
    "our stores": our_stores,
    "their stores": their_stores,
    "source deleted": source_deleted,
    "read-only": read_only,
    "dtypes": dtypes,
    "zero size": zero_size,
    "not contiguous": not_contiguous,
}


def results(library):
    """What each check gives; a text for the table is one that the library announces."""
    found = {}
    for name, check in CHECKS.items():
        try:
            found[name] = NOTHING if name in library.lacks else check(library)
            assert found[name] == library.cell(name), found[name]
        except Exception:
            found[name] = {"error": traceback.format_exc()}
    return found


if __name__ == "__main__":
    made = HOST_LIBRARIES[sys.argv[1]]()
    print(
        json.dumps(
            {
                "version": made.version,
                "streams": made.streams,
                "note": made.note,
                "results": results(made),
            }
        )
    )
