"""Host arrays as arguments: lifetimes, layouts, messages of refusals.

The rows of the contract are shown in tests/conformance/test_dlp.py and test_arr_args.py.
"""

import gc
import re
import sys
import weakref

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.dlpack import Producer
from support.kernels import add_one, spin

from support import dlpack


@D.kernel
def copy(out, a):
    i, j = D.tid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[i, j] = a[i, j]


@D.kernel
def first(out, a):
    out[0] = a[0]


def run(kernel, *args, **options):
    D.launch(kernel, *args, grid=4, block=64, **options)


# --- layouts ---

BASE = np.arange(600, dtype=np.float32).reshape(20, 30)
VIEWS = {
    "rows": BASE,
    "transposed": BASE.T,
    "stepped": BASE[::2, 1::3],
    "reversed": BASE[::-1, ::-1],
    "part": BASE[3:, 2:],
    "broadcast": np.broadcast_to(BASE[:1], (7, 30)),
    "one column": BASE[:, :1],
}


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("how", ["NumPy", "DLPack 1", "DLPack 0"])
def test_layouts(target, view, how):
    a = VIEWS[view]
    rows, columns = a.shape
    given = a if how == "NumPy" else Producer(a, versioned=how == "DLPack 1")
    out = np.full((32, 32), -1, dtype=np.float32)
    D.launch(copy, out, given, grid=(4, 4), block=(8, 8))
    assert np.array_equal(out[:rows, :columns], a)
    assert (out[rows:] == -1).all()
    assert (out[:, columns:] == -1).all()


@pytest.mark.parametrize("offset", [*range(1, 9), 16, 31, 32, 64])
def test_any_alignment(target, offset):
    """Not even a multiple of the item size: NumPy makes such arrays of packed records."""
    raw = np.zeros(offset + 256 + 64, dtype=np.uint8)
    a = np.ndarray(64, dtype=np.float32, buffer=raw, offset=offset)
    run(add_one, a)
    assert (a == 1).all()
    assert (raw[:offset] == 0).all()
    assert (raw[offset + 256 :] == 0).all()


def test_strides_that_are_no_multiple_of_the_item_size(target):
    records = np.zeros(50, dtype=np.dtype([("tag", "u1"), ("x", "f4")]))
    run(add_one, records["x"])
    assert (records["x"] == 1).all()
    assert (records["tag"] == 0).all()


# --- lifetimes ---


@pytest.mark.parametrize("versioned", [True, False])
def test_the_deleter_waits_for_the_launch(versioned):
    device = D.core.Device("host")
    stream, gate = device.create_stream(), device.create_stream()
    run(spin, np.ones(1, np.uint32), 1)
    a = Producer(np.zeros(64), versioned=versioned)
    D.launch(spin, np.ones(1, np.uint32), 20_000_000, grid=1, block=1, stream=gate)
    stream.wait(gate)
    run(add_one, a, stream=stream)
    assert a.deleted == 0
    stream.sync()
    assert a.deleted == 1
    assert (a.array == 1).all()


def test_a_refused_launch_frees_what_it_took():
    a, b = Producer(np.zeros(4)), Producer(np.zeros(4))
    with pytest.raises(errors.LaunchTypeError):
        D.launch(copy, (a, b), "text", grid=1, block=1)
    assert (a.deleted, b.deleted) == (1, 1)


def test_a_kernel_that_does_not_compile_frees_what_it_took():
    stream = D.core.Device("host").create_stream()
    a = Producer(np.zeros(4), flags=dlpack.READ_ONLY)
    with pytest.raises(errors.CompileError, match="read-only"):
        run(add_one, a)
    with pytest.raises(errors.CompileError, match="read-only"):
        run(add_one, a, stream=stream)
    assert a.deleted == 2


class Array(np.ndarray):
    """An ndarray that can be watched."""


def test_a_launch_keeps_its_arrays_and_no_longer_than_needed():
    stream = D.core.Device("host").create_stream()
    a = np.zeros(4).view(Array)
    reference = weakref.ref(a)
    run(add_one, a, stream=stream)
    del a
    stream.sync()
    gc.collect()
    assert reference() is None


def test_references_of_finished_launches_are_dropped_by_later_ones():
    stream = D.core.Device("host").create_stream()
    a, b = np.zeros(4), np.zeros(4)
    run(add_one, a, stream=stream)
    stream.sync()
    before = sys.getrefcount(a)
    for _ in range(100):
        run(add_one, a, stream=stream)
    while not stream.is_done:
        pass
    run(add_one, b)
    assert sys.getrefcount(a) == before


def test_nothing_leaks():
    stream = D.core.Device("host").create_stream()
    a = np.zeros(64)
    number = 2**31 - 5
    things = (a, number)
    run(first, np.zeros(1), a)
    before = [sys.getrefcount(thing) for thing in things]
    for _ in range(100):
        run(add_one, a)
        run(add_one, a, stream=stream)
        with pytest.raises(errors.LaunchTypeError):
            D.launch(first, a, a, number, grid=1, block=1)
        with pytest.raises(errors.LaunchTypeError):
            D.launch(first, a, "text", grid=1, block=1)
    stream.sync()
    assert [sys.getrefcount(thing) for thing in things] == before


# --- the keyword of DLPack 1 ---


class Asked:
    """A producer of a NumPy array that notes how it was asked."""

    def __init__(self):
        self.array = np.zeros(4)
        self.asked = []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Unknown(Asked):
    def __dlpack__(self, stream=None):
        self.asked.append(stream)
        return self.array.__dlpack__()


class Wrapped(Asked):
    """Hands its keywords on to a function that does not know them."""

    def __dlpack__(self, **keywords):
        self.asked.append(sorted(keywords))
        return self.inner(**keywords)

    def inner(self, stream=None):
        return self.array.__dlpack__()


class Strict(Asked):
    def __dlpack__(self, **keywords):
        self.asked.append(sorted(keywords))
        if keywords:
            raise TypeError("__dlpack__() takes no keyword arguments")
        return self.array.__dlpack__()


@pytest.mark.parametrize(
    ("kind", "asked"),
    [(Unknown, [None]), (Wrapped, [["max_version"], []]), (Strict, [["max_version"], []])],
)
def test_producers_that_do_not_know_the_keyword_are_asked_without(kind, asked):
    a = kind()
    run(add_one, a)
    assert a.asked == asked
    assert (a.array == 1).all()


class Builtin(Asked):
    """Its __dlpack__ is a C function without keywords."""

    @property
    def __dlpack__(self):
        return iter([self.array.__dlpack__()]).__next__


def test_a_c_function_that_does_not_know_the_keyword():
    a = Builtin()
    run(add_one, a)
    assert (a.array == 1).all()


class Failing(Asked):
    def __init__(self, text):
        super().__init__()
        self.text = text

    def __dlpack__(self, *, max_version=None):
        self.asked.append(max_version)
        raise TypeError(self.text)


@pytest.mark.parametrize(
    "text",
    [
        "this array cannot be exported",
        "an argument of the wrong type",
        "helper() got an unexpected keyword argument 'copy'",
        "max_version is not a pair",
    ],
)
def test_a_type_error_of_the_export_itself_is_raised_as_it_is(text):
    a = Failing(text)
    with pytest.raises(TypeError) as raised:
        run(add_one, a)
    assert str(raised.value) == text
    assert not isinstance(raised.value, errors.LaunchTypeError)
    assert raised.value.__traceback__ is not None
    assert a.asked == [(1, 0)]


# --- refusals ---


PLACE = "argument 1 ('a') of kernel 'add_one': "
ADVICE = "\n  make an array of NumPy of it and pass that, for example numpy.array(...)"


def test_messages_of_refusals():
    a = Producer(np.zeros(4), version=(2, 0))
    with pytest.raises(errors.LaunchBufferError) as raised:
        run(add_one, a)
    assert str(raised.value) == f"{PLACE}DLPack version 2.0 is not known{ADVICE}"
    a = Producer(np.zeros(4), lanes=8)
    with pytest.raises(errors.LaunchBufferError) as raised:
        run(add_one, a)
    assert str(raised.value) == f"{PLACE}elements of 8 lanes{ADVICE}"
    a = Producer(np.zeros(4), code=6, bits=8, lanes=2)
    with pytest.raises(errors.LaunchTypeError, match="arrays of 'bool8x2' cannot"):
        run(add_one, a)
    a = Producer(np.zeros(4), code=0, bits=4)
    with pytest.raises(errors.LaunchTypeError, match="arrays of 'int4' cannot"):
        run(add_one, a)


IMPOSSIBLE = {
    "no memory": ({"data": None}, "the tensor has elements but no memory"),
    "an extent below zero": ({"shape": (-1,)}, "axis 0 has the extent -1"),
    "a long stride": ({"strides": (2**62,)}, "the stride of axis 0 does not fit 64 bits in bytes"),
    "a large size": ({"shape": (2**61,)}, "the size of the tensor does not fit 64 bits in bytes"),
}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_tensors_that_cannot_be(what):
    fields, text = IMPOSSIBLE[what]
    a = Producer(np.zeros(4), **fields)
    with pytest.raises(errors.LaunchBufferError) as raised:
        run(add_one, a)
    assert str(raised.value) == f"{PLACE}{text}{ADVICE}"
    assert a.deleted == 1


def test_device_types_are_not_cut_to_32_bits():
    class Elsewhere(Producer):
        def __dlpack_device__(self):
            return (2**32 + 1, 0)

    with pytest.raises(errors.LaunchValueError, match="DLPack device type 4294967297"):
        run(add_one, Elsewhere(np.zeros(4)))


def test_the_error_of_a_producer_comes_through():
    class Refusing(Producer):
        def __dlpack__(self, **keywords):
            raise BufferError("not today")

    with pytest.raises(BufferError, match="not today"):
        run(add_one, Refusing(np.zeros(4)))


# --- neighbours ---


def test_torch():
    torch = pytest.importorskip("torch", reason="waits for PyTorch")
    a = torch.zeros(100, dtype=torch.float32)
    run(add_one, a[::2])
    assert (a[::2] == 1).all()
    assert (a[1::2] == 0).all()


class Lost:
    def __init__(self, device):
        self.device = device

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        raise AssertionError("never asked")


@pytest.mark.parametrize("take", [D.from_dlpack, D.asarray, D.to_host])
@pytest.mark.parametrize("device", [None, (), "cpu", ("1", 0)])
def test_a_producer_that_does_not_say_where_it_lives(take, device):
    text = f"Lost' gave {device!r}, not (device type, device id)"
    with pytest.raises(BufferError, match=re.escape(text)):
        take(Lost(device))


class Proxy:
    """Its methods are what __getattr__ gives; keeps the names that it was asked for."""

    def __init__(self, array):
        self._producer, self._asked = Producer(array), []

    def __getattr__(self, name):
        self._asked.append(name)
        return getattr(self._producer, name)


def test_methods_that_an_object_makes_are_looked_up_once():
    proxy = Proxy(np.zeros(4))
    for n in (1, 2):
        D.launch(add_one, proxy, grid=1, block=4)
        dlpack_names = [name for name in proxy._asked if name.startswith("__dlpack")]
        assert dlpack_names == ["__dlpack_device__", "__dlpack__"] * n
    assert proxy._producer.array.tolist() == [2] * 4
