"""Arrays as arguments: which are taken, which are refused (DEV-ARR-18, 21, 22, 28, 29)."""

import array
import dataclasses

import ml_dtypes
import numpy as np
import pytest
from cuda import device as D
from cuda.device import core
from cuda.device.errors import CompileError
from support.clauses import clause
from support.launching import run
from support.scalars import TYPES, assert_same_bits, samples

REFUSED = (TypeError, ValueError, BufferError)


@D.kernel
def copy(out, a):
    i = D.tid(1)
    if i < a.size:
        out[i] = a[i]


@D.kernel
def add_one(a):
    i = D.tid(1)
    if i < a.size:
        a[i] += 1


@clause("DEV-ARR-18")
@pytest.mark.parametrize("name", TYPES)
def test_element_types(target, name):
    a = samples(name)
    out = np.zeros_like(a)
    run(copy, out, a, grid=2, block=32)
    assert_same_bits(out, a)


def unsupported():
    return {
        "object": np.array([1, "a", None], dtype=object),
        "str": np.array(["a", "b"]),
        "bytes": np.array([b"a", b"b"]),
        "datetime": np.array(["2020-01-01"], dtype="datetime64[D]"),
        "timedelta": np.array([1], dtype="timedelta64[s]"),
        "longdouble": np.zeros(2, dtype=np.longdouble),
        "big-endian int": np.zeros(2, dtype=">i4"),
        "big-endian float": np.zeros(2, dtype=">f8"),
        "int4": np.zeros(2, dtype=ml_dtypes.int4),
    }


@clause("DEV-ARR-21")
@pytest.mark.parametrize("what", unsupported())
def test_unsupported_element_types_are_refused(what):
    a = unsupported()[what]
    with pytest.raises(TypeError) as raised:
        D.launch(add_one, a, grid=1, block=1)
    text = str(raised.value)
    assert a.dtype.name.rstrip("0123456789") in text or a.dtype.str in text
    assert "add_one" in text or "argument" in text


# --- any object with DLPack on the host ---


class OnlyDLPack:
    """Shows an array by DLPack alone and records the calls."""

    def __init__(self, a):
        self.a = a
        self.calls = []

    def __dlpack__(self, **keywords):
        self.calls.append(("__dlpack__", keywords))
        return self.a.__dlpack__(**keywords)

    def __dlpack_device__(self):
        self.calls.append(("__dlpack_device__", {}))
        return self.a.__dlpack_device__()


class OldDLPack(OnlyDLPack):
    """As before max_version: knows the keyword `stream` only."""

    def __dlpack__(self, *, stream=None):
        self.calls.append(("__dlpack__", {"stream": stream}))
        return self.a.__dlpack__(stream=stream)


class OnGPU(OnlyDLPack):
    """Claims to live on a GPU."""

    def __dlpack_device__(self):
        return (2, 0)


class Broken(OnlyDLPack):
    """Refuses to hand its memory out."""

    def __dlpack__(self, **keywords):
        raise BufferError("not today")


@clause("DEV-ARR-22")
@pytest.mark.parametrize("kind", [OnlyDLPack, OldDLPack])
@pytest.mark.parametrize("name", ["bool", "int8", "uint64", "float32", "float64"])
def test_objects_with_dlpack_are_arrays(target, kind, name):
    a = samples(name)
    out = np.zeros_like(a)
    run(copy, kind(out), kind(a), grid=2, block=32)
    assert_same_bits(out, a)


@clause("DEV-ARR-22")
def test_dlpack_strides_are_honoured(target):
    base = np.arange(60, dtype=np.int32)
    for view in (base[::3], base[::-1], base[7:40:2]):
        out = np.zeros(len(view), dtype=np.int32)
        run(copy, OnlyDLPack(out), OnlyDLPack(view), grid=2, block=32)
        assert np.array_equal(out, view)


NEITHER = {
    "list": [1.0, 2.0],
    "tuple of text": ("a", 1),
    "array.array": array.array("d", [1, 2]),
    "memoryview": memoryview(bytearray(8)),
    "bytearray": bytearray(8),
    "range": range(4),
    "object": object(),
}


@clause("DEV-ARR-22")
@pytest.mark.parametrize("what", NEITHER)
def test_objects_with_neither_protocol_are_refused(what):
    with pytest.raises(TypeError) as raised:
        D.launch(add_one, NEITHER[what], grid=1, block=1)
    text = str(raised.value)
    assert "add_one" in text or "argument" in text
    assert type(NEITHER[what]).__name__ in text or "str" in text
    if what in ("array.array", "memoryview", "bytearray"):
        assert "asarray" in text


@clause("DEV-ARR-22")
def test_a_producer_that_refuses_is_an_error():
    with pytest.raises(REFUSED, match="not today"):
        D.launch(add_one, Broken(np.zeros(4)), grid=1, block=1)


@clause("DEV-ARR-29", partial="arrays of the host on a GPU")
def test_memory_of_a_gpu_is_refused_on_the_host():
    stream = core.Device("host").default_stream  # without it, a GPU that is there would run it
    with pytest.raises(REFUSED, match=r"the array lives on (a CUDA GPU|GPU 0)"):
        D.launch(add_one, OnGPU(np.zeros(4)), grid=1, block=1, stream=stream)


# --- read-only ---


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


FORMS = {"NumPy": read_only, "DLPack": lambda a: OnlyDLPack(read_only(a))}


@clause("DEV-ARR-28")
@pytest.mark.parametrize("form", FORMS)
def test_a_store_to_a_read_only_array_is_refused(form):
    a = FORMS[form](np.zeros(4))
    with pytest.raises((CompileError, TypeError, ValueError, BufferError), match="read-only"):
        D.launch(add_one, a, grid=1, block=4)
    plain = a.a if isinstance(a, OnlyDLPack) else a
    assert (plain == 0).all()


@clause("DEV-ARR-28")
@pytest.mark.parametrize("form", FORMS)
def test_a_read_only_array_may_be_read(target, form):
    a = np.arange(40.0)
    out = np.zeros(40)
    run(copy, out, FORMS[form](a), grid=2, block=32)
    assert np.array_equal(out, a)


@clause("DEV-ARR-28")
def test_writable_and_read_only_arrays_are_told_apart_at_each_launch(target):
    a = np.zeros(4)
    run(add_one, a, block=4)
    a.flags.writeable = False
    with pytest.raises((CompileError, TypeError, ValueError), match="read-only"):
        run(add_one, a, block=4)
    a.flags.writeable = True
    run(add_one, a, block=4)
    assert a.tolist() == [2] * 4


@D.kernel
def first(out, a):
    out[0] = a[0]


@D.kernel
def field(out, a):
    out[0] = a.n


@clause("DEV-ARR-22", "DEV-ARR-23")
def test_a_class_that_changes_is_looked_at_anew():
    """Launches remember which classes have arrays, and Python tells when one has changed."""

    class Base:
        pass

    class Changing(Base):
        n: int = 7

    a, out = Changing(), np.zeros(1)
    memory = {name: np.full(1, number) for name, number in (("dlpack", 3.0), ("cuda", 4.0))}
    Changing.__dlpack__ = lambda self, **how: memory["dlpack"].__dlpack__(**how)
    Changing.__dlpack_device__ = lambda self: (1, 0)
    dictionary = memory["cuda"].__array_interface__ | {"version": 3}
    for _ in range(2):
        run(first, out, a)
        assert out.tolist() == [3]
    del Changing.__dlpack__
    Base.__cuda_array_interface__ = dictionary
    for _ in range(2):
        run(first, out, a)
        assert out.tolist() == [4]
    dataclasses.dataclass(frozen=True)(Changing)
    run(field, out, a)
    assert out.tolist() == [7]
    del Base.__cuda_array_interface__, Changing.__dataclass_params__
    with pytest.raises(TypeError, match="Changing' cannot be passed to a kernel"):
        run(first, out, a)


@clause("DEV-ARR-23")
def test_methods_of_one_object_count():
    """Those that it has beside its class's, or in the place of those."""

    class Having:
        pass

    class Replaced(OnlyDLPack):
        pass

    memory, out = np.full(1, 5.0), np.zeros(1)
    for a in (Having(), Replaced(np.full(1, 6.0))):
        a.__dlpack__, a.__dlpack_device__ = memory.__dlpack__, memory.__dlpack_device__
        for _ in range(2):
            run(first, out, a)
            assert out.tolist() == [5]
    with pytest.raises(TypeError, match="Having' cannot be passed to a kernel"):
        run(first, out, Having())
