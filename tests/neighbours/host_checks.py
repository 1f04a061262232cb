"""What is asked of each library in turn.

A check gives True or a text for the table; what goes wrong raises.

host_checks.py NAME: all of them for one library, as JSON; each library has a process of its own.
"""

import gc
import json
import sys
import traceback

import ml_dtypes  # noqa: F401  (names its formats for NumPy)
import numpy as np
from cuda import device as D
from cuda.device.errors import CompileError

from neighbours.host_libraries import HOST_LIBRARIES

SIZE = 37
NOTHING = "-"  # the library has no such thing


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
    made = D.empty(wanted.shape, wanted.dtype, device="cpu")
    made[:] = wanted
    return made


def first_dtype(library):
    return "float32" if "float32" in library.dtypes else library.dtypes[0]


def into_kernels(library):
    wanted = numbers(first_dtype(library))
    found = read(library.given(library.make(wanted)), wanted.dtype, SIZE)
    assert np.array_equal(found, wanted), found
    return True


def from_us(library):
    wanted = numbers(first_dtype(library))
    ours = of_ours(wanted)
    theirs = library.take(ours)
    if theirs is None:
        return NOTHING
    assert np.array_equal(library.look(theirs), wanted)
    launch(store, ours, 3, np.array([9], wanted.dtype))
    assert library.look(theirs)[3] == 9
    return True


def our_stores(library):
    if not library.can_store:
        return NOTHING
    a = numbers(first_dtype(library))
    theirs = library.make(a)
    launch(store, library.given(theirs), 3, np.array([9], a.dtype))
    assert library.look(theirs)[3] == 9
    return True


def their_stores(library):
    if not library.can_store:
        return NOTHING
    a = numbers(first_dtype(library))
    theirs = library.make(a)
    given = library.given(theirs)
    assert read(given, a.dtype, SIZE)[5] == a[5]
    library.store(theirs, 5, 8)
    assert read(given, a.dtype, SIZE)[5] == 8
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
    ours = of_ours(wanted)
    theirs = library.take(ours)
    del ours
    churn(wanted)
    assert theirs is None or np.array_equal(library.look(theirs), wanted)
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


def read_only(library):
    if not library.says_read_only:
        return NOTHING
    fixed = library.given(library.read_only(numbers(first_dtype(library))))
    refused = ""
    try:
        launch(store, fixed, 0, np.array([9], first_dtype(library)))
    except CompileError as error:
        refused = str(error)
    if not refused:
        return library.unmarked
    assert "read-only" in refused
    return True


def dtypes(library):
    for name in library.dtypes:
        wanted = numbers(name)
        found = read(library.given(library.make(wanted)), wanted.dtype, SIZE)
        assert np.array_equal(found, wanted), name
    return f"{len(library.dtypes)}"


def zero_size(library):
    if not library.zero_size:
        return NOTHING
    empty = library.given(library.make(numbers(first_dtype(library), 0)))
    found = read(empty, first_dtype(library), 4)
    assert (found == 7).all()
    return True


def not_contiguous(library):
    wanted = numbers(first_dtype(library))
    half = library.strided(library.make(wanted))
    if half is None:
        return NOTHING
    found = read(library.given(half), wanted.dtype, SIZE // 2 + 1)
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
    found = {}
    for name, check in CHECKS.items():
        try:
            found[name] = check(library)
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
