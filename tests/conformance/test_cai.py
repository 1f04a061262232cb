"""The CUDA Array Interface in memory of the host: consumed, and given on request (CAI)."""

import gc
import inspect
import mmap
import os
import random
import sys
import weakref
from pathlib import Path
from threading import Timer

import ml_dtypes
import numpy as np
import pytest
from cuda import device as D
from cuda.device import _exports, _testing, core
from cuda.device import array_api as xp
from cuda.device.errors import CompileError, LaunchTypeError
from support.array_views import check_elements, view_of
from support.clauses import clause
from support.dlpack import Producer
from support.interfaces import Cuda, cuda, cuda_dict, dictionary_of, sycl
from support.kernels import add_one
from support.launching import run
from support.scalars import assert_same_bits, samples

A = np.arange(12, dtype=np.float32).reshape(3, 4)
PLAIN = np.zeros(4)


@D.kernel
def copy(out, a):
    i, j = D.tid(2)
    if i < a.shape[0] and j < a.shape[1]:
        out[i, j] = a[i, j]


@D.kernel
def copy_flat(out, a):
    i = D.tid(1)
    if i < a.size:
        out[i] = a[i]


@D.kernel
def scalar(out, a):
    out[0] = a[()]


VIEWS = [A, A.T, A[::-1], A[:, 1::2], np.broadcast_to(A[0], (3, 4)), A[::-2, ::-1]]


@clause("CAI-STRIDE-01", "CAI-STRIDE-02", "CAI-STRIDE-03", "CAI-SHAPE-01", "CAI-VER-02")
@clause("CAI-DICT-05", "CAI-SYNC-01", "CAI-TYPE-02", "CAI-VER-05")
def test_launches_read_what_the_dictionary_says(target):
    for version, view in enumerate(VIEWS):
        out = np.zeros_like(view)
        fake = cuda(view, version=version, foo=1)
        run(copy, out, fake, grid=(1, 1), block=(4, 8))
        assert np.array_equal(out, view)
        assert fake.reads == 1
    out = np.zeros_like(A)
    for typestr in ("f4", "|f4", "=f4", "<f4"):
        for strides in (..., None, [16, 4]):
            run(copy, cuda(out), cuda(A, typestr=typestr, strides=strides), block=(4, 4))
            assert np.array_equal(out, A)
            out[:] = 0
    one = np.zeros(1)
    run(scalar, one, cuda(np.array(2.5)), block=1)
    assert one[0] == 2.5
    run(copy_flat, one, cuda(np.zeros(0), data=(0, False)), block=4)
    assert one[0] == 2.5
    names = ("bool", "int8", "uint16", "int64", "float16", "float64")
    for name in names:
        a = samples(name)
        out = np.zeros_like(a)
        run(copy_flat, out, cuda(a), grid=(len(a) + 31) // 32, block=32)
        assert_same_bits(out, a)


@clause("CAI-STRIDE-05")
def test_strides_need_not_be_whole_elements(target):
    records = np.zeros(5, [("x", "<f8"), ("y", "<i4")])
    records["x"] = range(5)
    out = np.zeros(5)
    run(copy_flat, out, cuda(records["x"]), block=8)
    assert out.tolist() == [0, 1, 2, 3, 4]


@clause("DEV-ARR-22")
def test_an_array_has_one_of_two_protocols(target):
    a = np.zeros(4)
    run(add_one, cuda(a), block=4)
    run(add_one, Producer(a), block=4)
    assert a.tolist() == [2] * 4
    with pytest.raises(TypeError, match="cannot be passed to a kernel"):
        run(add_one, object(), block=4)


class Both(Producer):
    """DLPack, and the dictionary."""

    reads = 0

    @property
    def __cuda_array_interface__(self):
        self.reads += 1
        return cuda_dict(self.array)


class Refuses(Both):
    def __dlpack__(self, **keywords):
        raise BufferError("no name for these elements")


@clause("DEV-ARR-23")
def test_dlpack_comes_first():
    a = Both(np.zeros(4))
    run(add_one, a, block=4)
    assert a.reads == 0
    assert a.array.tolist() == [1] * 4
    b = Refuses(np.zeros(4))
    run(add_one, b, block=4)
    assert b.reads == 1
    assert b.array.tolist() == [1] * 4


@clause("CAI-DATA-07", "USM-14", "DEV-DLP-11", partial="arrays of a GPU")
def test_memory_that_may_not_be_written_to_is_read_only(target):
    """Whatever its owner says: a store would end the process."""
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ)
    a = np.frombuffer(page, np.float64, 4)
    said = (a.ctypes.data, False)
    for given in (cuda(a, data=said), sycl(a, data=said), Producer(a)):
        with pytest.raises(CompileError, match="the array 'a' is read-only"):
            run(add_one, given, block=4)
        out = np.ones(4)
        run(copy_flat, out, given, block=4)
        assert not out.any()
        assert not D.asarray(given, device="cpu").flags.writeable


@clause("DEV-ARR-23")
def test_a_tensor_that_is_refused_leaves_the_array_to_the_dictionary():
    """In launches as in asarray()."""
    rocm = 10
    for fields in ({"code": 99}, {"lanes": 8}, {"device": (rocm, 0)}):
        a = Both(np.zeros(4), **fields)
        run(add_one, a, block=4)
        assert a.array.tolist() == [1] * 4
        assert np.shares_memory(D.asarray(a, device="cpu"), a.array)
        with pytest.raises((BufferError, TypeError, ValueError)):
            run(add_one, Producer(np.zeros(4), **fields), block=4)


def test_launches_read_dictionaries_without_python():
    """With a stream too; what they do not read themselves is read by the package's modules."""
    a = np.zeros(4)

    def modules(given):
        names = set()
        sys.setprofile(lambda frame, event, _: names.add(frame.f_code.co_filename))
        try:
            D.launch(add_one, given, grid=1, block=4)
        finally:
            sys.setprofile(None)
        return {name for name in names if "_interfaces" in name}

    for changes in (
        *({}, {"stream": None}, {"stream": 1}, {"stream": 2, "strides": None}),
        *({"typestr": "f8"}, {"shape": (0,), "data": (0, False)}, {"mask": 1, "version": 0}),
    ):
        assert modules(cuda(a, **changes)) == set()
    assert modules(cuda(a, shape=[4])) != set()
    assert a.tolist() == [7] * 4
    z = np.zeros(4, np.complex64)
    assert modules(cuda(z)) == set()
    assert z.tolist() == [1] * 4


@D.kernel
def move_fields(out, a):
    i = D.tid(1)
    if i < a.size:
        out["x"][i] = a[i]["x"] + a[i]["y"]
        out["y"][i] = a[i]["y"]


@clause("CAI-DESCR-01")
def test_launches_read_structured_items(target):
    """Once by Python, and from then on as what said the same before."""
    same = [("x", "<f4"), ("y", "<i4")], [("y", "<i4"), ("x", "<f4")]
    nested = [("z", [("u", "<i2", (2,))]), ("x", "<f4"), (("title", "y"), "<f4")]
    padded = [("x", "<f2"), ("", "|V2"), ("y", "<f4")]
    for descr in (*same, nested, padded, *same, nested, padded):
        dtype = np.lib.format.descr_to_dtype(descr)
        a, out = np.zeros(9, dtype), np.zeros(9, dtype)
        a["x"], a["y"] = range(9), range(9, 18)
        typestr = f"|V{dtype.itemsize}"
        for view, to in ((a, out), (a[::-2], out[4:])):
            given = cuda(view, typestr=typestr, descr=descr)
            run(move_fields, cuda(to, typestr=typestr, descr=[*descr]), given, block=16)
            assert to["x"].tolist() == (view["x"] + view["y"]).tolist()
            assert to["y"].tolist() == view["y"].tolist()


def test_a_description_is_read_once():
    a = np.zeros(4, [("x", "<f4"), ("y", "<i4")])
    first, second = a.dtype.descr, a.dtype.descr

    def reads(descr, typestr="|V8"):
        """Whether the module reads the description."""
        seen = set()
        sys.setprofile(lambda frame, event, _: seen.add(frame.f_code.co_name))
        try:
            run(size_and_axes, np.zeros(2, int), cuda(a, typestr=typestr, descr=descr))
        finally:
            sys.setprofile(None)
        return "_structured" in seen

    reads(first)
    assert [reads(first), reads(second), reads(second, "V8")] == [False, False, True]

    class Text(str):
        __slots__ = ()

    # What could mean another thing the next time is read each time.
    subclass, lists = [(Text("x"), "<f4"), ("y", "<i4")], [["x", "<f4"], ["y", "<i4"]]
    assert [reads(subclass), reads(subclass)] == [True, True]
    assert [reads(lists), reads(lists)] == [True, False]
    # A list that has changed since.
    second[0] = ("y", "<f4")
    for _ in range(2):
        with pytest.raises(ValueError, match="name already used"):
            reads(second)
    second[1] = ("z", "<i4")
    assert [reads(second), reads(second)] == [True, False]


@D.kernel
def read_y(out, a):
    out[0] = a[0]["y"]


def test_many_descriptions_are_told_apart():
    """More than launches keep in mind."""
    out = np.zeros(1, np.int32)
    with _testing.use_target("interpreter"):
        for i in range(150):
            other = (f"n{i}", "<f4")
            descr = [("y", "<i4"), other] if i % 3 else [other, ("y", "<i4")]
            a = np.zeros(1, descr)
            a["y"] = i
            for _ in range(2):
                run(read_y, out, cuda(a, typestr="|V8", descr=descr))
                assert out[0] == i


@clause("CAI-DATA-07", "DEV-ARR-28")
def test_a_read_only_array_may_only_be_read(target):
    a = np.arange(4.0)
    data = (a.ctypes.data, True)
    out = np.zeros(4)
    run(copy_flat, out, cuda(a, data=data), block=4)
    assert np.array_equal(out, a)
    with pytest.raises((CompileError, ValueError, TypeError), match="read-only"):
        run(add_one, cuda(a, data=data), block=4)
    assert a.tolist() == [0, 1, 2, 3]


# What is changed in a good dictionary; exception; a part of its text. `...` leaves the key out.
P = PLAIN.ctypes.data
DEEP = [("x", "<f8")]
for _ in range(17):
    DEEP = [("x", DEEP)]
BAD = [
    ({"shape": ...}, ValueError, "no key 'shape'"),
    ({"typestr": ...}, ValueError, "no key 'typestr'"),
    ({"data": ...}, ValueError, "no key 'data'"),
    ({"version": ...}, ValueError, "no key 'version'"),
    ({"shape": None}, TypeError, "'shape' is None; a tuple of ints was expected"),
    ({"shape": "ab"}, TypeError, "'shape' is 'ab'; a tuple of ints was expected"),
    ({"shape": 4}, TypeError, "'shape' is 4; a tuple of ints was expected"),
    ({"shape": (2.5,)}, TypeError, "'shape' is (2.5,); a tuple of ints was expected"),
    ({"shape": (True,)}, TypeError, "'shape' is (True,); a tuple of ints was expected"),
    ({"shape": ("4",)}, TypeError, "'shape' is ('4',); a tuple of ints was expected"),
    ({"shape": (None,)}, TypeError, "'shape' is (None,); a tuple of ints was expected"),
    ({"shape": {4}}, TypeError, "'shape' is {4}; a tuple of ints was expected"),
    ({"shape": (-1,)}, ValueError, "'shape' is (-1,): an extent is negative"),
    ({"shape": (1 << 63,), "strides": None}, ValueError, "an extent does not fit 64 bits"),
    ({"shape": (1 << 62,)}, ValueError, "do not fit the address space"),
    ({"shape": (1 << 62, 4), "strides": None}, ValueError, "do not fit the address space"),
    ({"shape": (1 << 40, 1 << 40), "strides": (0, 0)}, ValueError, "do not fit the address space"),
    ({"shape": (1,) * 65, "strides": None}, ValueError, "65 dimensions; at most 64 are allowed"),
    ({"data": (P,)}, ValueError, "(address, read-only) was expected"),
    ({"data": (P, False, 1)}, ValueError, "(address, read-only) was expected"),
    ({"data": ()}, ValueError, "(address, read-only) was expected"),
    ({"data": None}, TypeError, "'data' is None; (address, read-only) was expected"),
    ({"data": P}, TypeError, "(address, read-only) was expected"),
    ({"data": ("x", False)}, TypeError, "an int as address was expected"),
    ({"data": (1.5, False)}, TypeError, "an int as address was expected"),
    ({"data": (True, False)}, TypeError, "an int as address was expected"),
    ({"data": (None, False)}, TypeError, "an int as address was expected"),
    ({"data": (P, "no")}, TypeError, "a bool as read-only flag was expected"),
    ({"data": (P, None)}, TypeError, "a bool as read-only flag was expected"),
    ({"data": (-1, False)}, ValueError, "the address does not fit 64 bits"),
    ({"data": (1 << 64, False)}, ValueError, "the address does not fit 64 bits"),
    ({"data": (0, False)}, ValueError, "'data' is the null pointer, and 'shape' (4,) has elements"),
    ({"data": (16, False)}, ValueError, "memory neither of this process nor of a GPU"),
    ({"data": ((1 << 64) - 8, False)}, ValueError, "do not fit the address space"),
    ({"version": "3"}, TypeError, "'version' is '3'; an int was expected"),
    ({"version": None}, TypeError, "'version' is None; an int was expected"),
    ({"version": True}, TypeError, "'version' is True; an int was expected"),
    ({"version": 3.0}, TypeError, "'version' is 3.0; an int was expected"),
    ({"version": -1}, ValueError, "'version' is -1: a version is not negative"),
    ({"typestr": None}, TypeError, "'typestr' is None; a string such as '<f4' was expected"),
    ({"typestr": b"<f8"}, TypeError, "a string such as '<f4' was expected"),
    ({"typestr": np.float64}, TypeError, "a string such as '<f4' was expected"),
    ({"typestr": ""}, ValueError, "a string such as '<f4' was expected"),
    ({"typestr": "f"}, ValueError, "a string such as '<f4' was expected"),
    ({"typestr": "<<f8"}, ValueError, "a string such as '<f4' was expected"),
    ({"typestr": "<f8 "}, ValueError, "a string such as '<f4' was expected"),
    ({"typestr": "<f٨"}, ValueError, "a string such as '<f4' was expected"),
    ({"typestr": "<f4,<f4"}, ValueError, "a string such as '<f4' was expected"),
    ({"typestr": "<f3"}, TypeError, "elements of kind 'f' have 2, 4, 8 bytes"),
    ({"typestr": "<i16"}, TypeError, "elements of kind 'i' have 1, 2, 4, 8 bytes"),
    ({"typestr": "<c4"}, TypeError, "elements of kind 'c' have 8, 16 bytes"),
    ({"typestr": "|b2"}, TypeError, "elements of kind 'b' have 1 bytes"),
    ({"typestr": "<q8"}, TypeError, "there is no kind 'q' of elements"),
    ({"typestr": ">f8"}, TypeError, "the byte order is not this machine's"),
    ({"typestr": "|t1"}, TypeError, "kernels do not take bit fields"),
    ({"typestr": "<m8"}, TypeError, "kernels do not take time differences"),
    ({"typestr": "<M8"}, TypeError, "kernels do not take dates"),
    ({"typestr": "<m8[ns]"}, TypeError, "kernels do not take time differences"),
    ({"typestr": "<M8[25s]"}, TypeError, "kernels do not take dates"),
    ({"typestr": "<f8[s]"}, ValueError, "a string such as '<f4' was expected"),
    ({"typestr": "|O"}, TypeError, "kernels do not take Python objects"),
    ({"typestr": "|O8"}, TypeError, "kernels do not take Python objects"),
    ({"typestr": "|S8"}, TypeError, "kernels do not take byte strings"),
    ({"typestr": "<U2"}, TypeError, "kernels do not take text"),
    ({"typestr": "|V0"}, ValueError, "an element has no bytes"),
    ({"typestr": "|V8", "descr": [("x", "<f4")]}, ValueError, "it has 4 bytes, and 'typestr'"),
    ({"descr": [("x", "<f8")]}, ValueError, "'typestr' '<f8' is no structure"),
    ({"typestr": "|V8", "descr": "x"}, TypeError, "a list of (name, typestr[, shape])"),
    ({"typestr": "|V8", "descr": []}, TypeError, "a list of (name, typestr[, shape])"),
    ({"typestr": "|V8", "descr": DEEP}, ValueError, "structures are nested more than 16 deep"),
    ({"typestr": "\ud800f8"}, ValueError, "a string such as '<f4' was expected"),
    ({"descr": [("", "=f8")]}, None, ""),
    ({"descr": [("", "f8")]}, None, ""),
    ({"typestr": "|V8", "descr": [("x",)]}, TypeError, "(name, typestr[, shape]) was expected"),
    ({"typestr": "|V8", "descr": [(1, "<f8")]}, TypeError, "a name, or (title, name), was"),
    ({"typestr": "|V8", "descr": [("x", "|O")]}, TypeError, "kernels do not take Python objects"),
    ({"typestr": "|V8", "descr": [("x", "<f4"), ("x", "<f4")]}, ValueError, "x"),
    ({"typestr": "|V8", "descr": [("x", "<f4", -2)]}, TypeError, "a tuple of ints was expected"),
    ({"strides": 8}, TypeError, "'strides' is 8; a tuple of ints was expected"),
    ({"strides": "8"}, TypeError, "'strides' is '8'; a tuple of ints was expected"),
    ({"strides": ...}, None, ""),
    ({"strides": (8, 8)}, ValueError, "'strides' is (8, 8): 1 were expected"),
    ({"strides": ()}, ValueError, "'strides' is (): 1 were expected"),
    ({"strides": (8.0,)}, TypeError, "'strides' is (8.0,); a tuple of ints was expected"),
    ({"strides": (None,)}, TypeError, "'strides' is (None,); a tuple of ints was expected"),
    ({"strides": (1 << 63,)}, ValueError, "64 bits overflow"),
    ({"strides": (1 << 62,)}, ValueError, "memory neither of this process nor of a GPU"),
    ({"strides": (-(1 << 62),)}, ValueError, "do not fit the address space"),
    ({"stream": 0}, ValueError, "'stream' is 0: the interface forbids 0"),
    ({"stream": True}, TypeError, "'stream' is True; an int was expected"),
    ({"stream": "1"}, TypeError, "'stream' is '1'; an int was expected"),
    ({"stream": 1.0}, TypeError, "'stream' is 1.0; an int was expected"),
    ({"stream": -1}, ValueError, "'stream' is -1: None, 1, 2 or the address"),
    ({"stream": 1 << 64}, ValueError, "the address of a cudaStream_t was expected"),
    ({"mask": cuda(np.ones(4, bool))}, NotImplementedError, "'mask'"),
    ({"mask": cuda(np.ones(1, np.uint8), typestr="|t1")}, NotImplementedError, "'mask'"),
    ({"mask": cuda(np.ones(4, bool)), "version": 0}, None, ""),
    ({"mask": None}, None, ""),
    ({"version": 17}, None, ""),
]


@clause("CAI-DICT-03", "CAI-SHAPE-02", "CAI-DATA-02", "CAI-DATA-04", "CAI-VER-04", "CAI-TYPE-03")
@clause("CAI-TYPE-04", "CAI-TYPE-06", "CAI-DESCR-02", "CAI-STRIDE-04", "CAI-STREAM-02")
@clause("CAI-STREAM-06", "CAI-MASK-01", "CAI-MASK-02", "CAI-VER-05")
def test_malformed_dictionaries_are_refused():
    assert sum(error is not None for _, error, _ in BAD) >= 60
    for changes, error, text in BAD:
        fake = cuda(PLAIN, **changes)
        if error is None:
            assert D.as_cuda_array(fake).tolist() == [0] * 4
            run(add_one, fake, block=4)
            assert PLAIN.tolist() == [1] * 4, changes
            PLAIN[:] = 0
            continue
        for use in (D.as_cuda_array, lambda fake: run(add_one, fake, block=4)):
            with pytest.raises(error) as raised:
                use(fake)
            assert type(raised.value) is error, changes
            assert text in str(raised.value), changes
        assert str(raised.value).startswith("argument 1 ('"), raised.value
    assert PLAIN.tolist() == [0] * 4
    for wrong in ([], None, "x", (1, 2)):
        with pytest.raises(TypeError, match="a dict was expected"):
            D.from_cuda_array_interface(wrong)


class Without:
    @property
    def __cuda_array_interface__(self):
        raise AttributeError("memory of the host")


@clause("CAI-DICT-04")
def test_an_object_without_the_attribute_is_no_array():
    for what in ([1], Without(), Cuda, 3):
        with pytest.raises(TypeError, match=r"as_cuda_array\(\) needs __cuda_array_interface__"):
            D.as_cuda_array(what)
        found = type(what).__qualname__
        with pytest.raises(TypeError, match=f"is a '{found}'; a dict was expected"):
            D.from_cuda_array_interface(what)
    with pytest.raises(TypeError, match="cannot be passed to a kernel"):
        run(add_one, Without(), block=4)


RECORD = np.dtype(
    {"names": ["x", "y"], "formats": ["<f4", "<i2"], "offsets": [0, 8], "itemsize": 12}
)


@clause("CAI-DESCR-01")
def test_structured_items():
    a = np.zeros(3, RECORD)
    a["x"], a["y"] = [1, 2, 3], [4, 5, 6]
    b = D.as_cuda_array(cuda(a, typestr="|V12", descr=a.dtype.descr))
    assert b.dtype.itemsize == 12
    assert b["x"].tolist() == [1, 2, 3]
    assert b["y"].tolist() == [4, 5, 6]
    b["y"][0] = 9
    assert a["y"][0] == 9
    c = D.as_cuda_array(
        cuda(a, typestr="|V12", descr=[(("title", "p"), "<f4"), ("q", [("u", "<i4", (2,))])])
    )
    assert c["p"].tolist() == [1, 2, 3]
    assert c["q"]["u"].shape == (3, 2)
    assert D.as_cuda_array(cuda(PLAIN, descr=[("", "<f8")])).dtype == np.float64


@clause("CAI-TYPE-05")
def test_formats_without_a_type_string(target):
    a = np.array([1, 2.5, -3], D.bfloat16)
    fake = cuda_dict(a, typestr="<V2")
    b = D.from_cuda_array_interface(fake, a, dtype=D.bfloat16)
    out = np.zeros(3, np.float32)
    run(copy_flat, out, b, block=4)
    assert out.tolist() == [1, 2.5, -3]
    assert D.from_cuda_array_interface(fake, a).dtype == np.dtype("V2")
    with pytest.raises(LaunchTypeError) as raised:
        run(copy_flat, out, Cuda(fake, a), block=4)
    assert str(raised.value).startswith(
        "argument 2 ('a') of kernel 'copy_flat': arrays of '|V2' cannot be passed to a kernel"
    )
    with pytest.raises(ValueError, match="has 4 bytes, and an element 2"):
        D.from_cuda_array_interface(fake, a, dtype=np.float32)
    with pytest.raises(TypeError, match="no Python objects"):
        D.from_cuda_array_interface(fake, a, dtype=object)


@clause("CAI-NB-05", "CAI-NB-06")
def test_who_keeps_the_owner():
    assert str(inspect.signature(D.as_cuda_array)).startswith("(obj: Any, sync: bool = True)")
    assert list(inspect.signature(D.from_cuda_array_interface).parameters)[:3] == [
        *("desc", "owner", "sync")
    ]
    a = np.zeros(4)
    fake = cuda(a)
    alive = weakref.ref(fake)
    kept = D.as_cuda_array(fake)
    del fake
    gc.collect()
    assert alive() is not None
    assert np.shares_memory(kept, a)
    del kept
    gc.collect()
    assert alive() is None
    for named in (False, True):
        fake = cuda(a)
        alive = weakref.ref(fake)
        b = D.from_cuda_array_interface(fake.__cuda_array_interface__, fake if named else None)
        del fake
        gc.collect()
        assert (alive() is not None) is named
        assert b.shape == (4,)
        del b


@clause("CAI-LIFE-04")
def test_launches_keep_temporaries():
    stream = D.core.Device("host").create_stream()
    out = np.zeros(4096)
    for i in range(200):
        D.launch(copy_flat, out, cuda(np.full(4096, i + 1.0)), grid=16, block=256, stream=stream)
        gc.collect(0)
    stream.sync()
    assert (out == 200).all()


def random_value(rng, a):
    good = cuda_dict(a)
    return rng.choice(
        [
            *good.values(),
            *(
                None,
                0,
                1,
                -1,
                2,
                1 << 62,
                1 << 64,
                2.5,
                "",
                "<f8",
                "|i1",
                "<f4",
                "c16",
                "<V8",
                b"x",
                True,
            ),
            (),
            tuple(
                rng.choice([0, 1, 2, -1, 8, 1 << 31, 1 << 62, None])
                for _ in range(rng.randint(0, 4))
            ),
            [rng.randint(-20, 20) for _ in range(rng.randint(0, 4))],
            [("x", rng.choice(["<f4", "<f8", "|O", 3])) for _ in range(rng.randint(0, 3))],
            [("", rng.choice(["<f8", "=f8", "|f8", "f8", ">f8", "<c8", "|V8"]))],
            (a.ctypes.data + rng.randint(-8, 8), rng.choice([True, False])),
        ]
    )


# Of eight bytes each, without gaps, which a copy need not have.
RECORDS = (
    [("x", "<f4"), ("y", "<i4")],
    [("y", "<i4"), ("x", "<f4")],
    [("x", "|u1"), ("y", "<i2", (3,)), (("title", "z"), "|i1")],
    [("p", [("x", "<i2"), ("y", "<f2")]), ("q", "<u4", (1,))],
)


def random_dictionary(rng, a):
    """Of numbers or records, in which some keys are missing or wrong."""
    fields = cuda_dict(a)
    if rng.random() < 0.3:
        fields |= {"typestr": rng.choice(("|V8", "<V8", "V8")), "descr": [*rng.choice(RECORDS)]}
    keys = ("shape", "typestr", "data", "strides", "version", "descr", "stream", "mask")
    for key in rng.sample(keys, rng.randint(0, 3)):
        fields[key] = random_value(rng, a)
        if key == "stream" and isinstance(fields[key], int) and abs(fields[key]) > 2:
            fields[key] = 1  # a GPU takes other integers for handles, and trusts them
        if rng.random() < 0.1:
            del fields[key]
    return fields


def said_dtype(fields):
    """What a sound dictionary says of its elements, by NumPy alone."""
    said = np.dtype(fields["typestr"].lstrip("|<"))
    if said.kind != "V" or not fields.get("descr"):
        return said
    name, kind = fields["descr"][0][:2]
    # By a list, NumPy would name it f0.
    return np.dtype(fields["descr"]) if name else np.dtype({"names": [""], "formats": [kind]})


# As many in long mode as in a day of work.
PROGRAMS = 1_000_000 if os.environ.get("CUDA_DEVICE_LONG_TESTS") else 10_000


@D.kernel
def size_and_axes(out, a):
    out[0], out[1] = a.size, a.ndim


def launched(fields, owner):
    """The size and number of axes that a launch finds; or the text of what it refuses."""
    out = np.zeros(2, np.int64)
    try:
        run(size_and_axes, out, Cuda(fields, owner))
    except (TypeError, ValueError, NotImplementedError) as error:
        return str(error).removeprefix("argument 2 ('a') of kernel 'size_and_axes': ")
    return out.tolist()


IMPORTERS = (
    lambda given: D.from_cuda_array_interface(given.description, given.keep),
    D.as_cuda_array,
    lambda given: D.asarray(given, device="cpu", copy=False),
    lambda given: xp.asarray(given, device="cpu", copy=False),
)


def test_random_dictionaries_never_end_the_process():
    """Imports and launches agree, which read plain dictionaries each in a way of its own."""
    rng = random.Random(3)
    a = np.arange(64.0)
    made, compared, records, refused = 0, 0, 0, set()
    for _ in range(PROGRAMS):
        fields = random_dictionary(rng, a)
        found = launched(fields, a)
        try:
            b = rng.choice(IMPORTERS)(Cuda(fields, a))
        except (TypeError, ValueError, NotImplementedError) as error:
            refused.add(type(error))
            b, wanted = None, str(error)
        else:
            made += 1
            nameless = b.dtype.kind == "V" and b.dtype.names is None
            wanted = [b.size, b.ndim]
            if nameless:
                assert "cannot be passed to a kernel: devices have no such format" in found, fields
                wanted = found
        assert found == wanted, fields
        if b is None or nameless:
            continue
        address, fixed = fields["data"]
        dtype = said_dtype(fields)
        steps = fields.get("strides")
        view = view_of(a, address, fields["shape"], None if steps is None else tuple(steps), dtype)
        assert b.flags.writeable is not bool(fixed)
        assert b.shape == tuple(fields["shape"])
        assert b.size == 0 or b.ctypes.data == address
        if view is not None and view.size <= 64:
            compared += 1
            records += dtype.kind == "V"
            check_elements(b, Cuda(fields, a), view)
    assert PROGRAMS // 20 < made < PROGRAMS
    assert compared > made // 4
    assert records > compared // 10
    assert refused == {TypeError, ValueError, NotImplementedError}


# --- what arrays of the host give, where the environment asks for it ---


@pytest.fixture
def exports(monkeypatch):
    monkeypatch.setenv("CUDA_DEVICE_HOST_CAI", "1")


FORMATS = {
    **{np.bool_: "|b1", np.int8: "|i1", np.int16: "<i2", np.int32: "<i4", np.int64: "<i8"},
    **{np.uint8: "|u1", np.uint16: "<u2", np.uint32: "<u4", np.uint64: "<u8"},
    **{np.float16: "<f2", np.float32: "<f4", np.float64: "<f8"},
    **{np.complex64: "<c8", np.complex128: "<c16"},
    **{D.bfloat16: "<V2", D.float8e4m3: "|V1", D.float8e5m2: "|V1"},
}
KEYS = {"shape", "typestr", "data", "version", "strides", "stream"}


@clause("CAI-TYPE-01", "CAI-TYPE-05", "CAI-DATA-03", "CAI-DATA-08", "CAI-DATA-09", "CAI-DICT-01")
@clause("CAI-DICT-02", "CAI-SHAPE-01", "CAI-STRIDE-01", "CAI-STRIDE-02", "CAI-VER-01")
@pytest.mark.usefixtures("exports")
def test_dictionaries_of_arrays_of_the_host(target):
    for format, text in FORMATS.items():
        for made in (D.zeros(3, format, device="cpu"), xp.zeros(3, dtype=format)):
            assert made.__cuda_array_interface__["typestr"] == text
    a = D.arange(24, dtype=np.float32, device="cpu").reshape(2, 3, 4)
    base = a.ctypes.data

    def said(view):
        found = dictionary_of(view, "__cuda_array_interface__")
        assert set(found) == KEYS
        assert all(type(n) is int for n in (*found["shape"], *(found["strides"] or ())))
        assert type(found["data"]) is tuple
        assert [type(part) for part in found["data"]] == [int, bool]
        assert (type(found["version"]), found["version"], found["stream"]) == (int, 3, None)
        return found["shape"], found["strides"], found["data"][0] - base, found["data"][1]

    assert said(a) == ((2, 3, 4), None, 0, False)
    assert said(a[1]) == ((3, 4), None, 48, False)
    assert said(a.T) == ((4, 3, 2), (4, 16, 48), 0, False)
    assert said(a[:, ::-1]) == ((2, 3, 4), (48, -16, 4), 32, False)
    assert said(a[1, 2, 3:]) == ((1,), None, 92, False)
    assert said(xp.broadcast_to(a[0, 0], (2, 4)))[1] == (0, 4)
    assert said(D.zeros((), np.int8, device="cpu"))[0] == ()
    assert said(a[:, :0])[2] == -base
    fixed = a.view()
    fixed.flags.writeable = False
    assert said(fixed)[3] is True
    # Elements are NumPy's numbers still, and records what they were.
    assert type(a[0, 0, 0]) is np.float32
    assert type(a.sum()) is np.float32
    # The same memory again, by way of the dictionary alone.
    again = D.from_cuda_array_interface(a[:, ::-1].__cuda_array_interface__, a)
    assert np.shares_memory(again, a)
    assert np.array_equal(again, a[:, ::-1])
    with pytest.raises((CompileError, ValueError, TypeError), match="read-only"):
        run(add_one, Cuda(fixed[0, 0].__cuda_array_interface__, a), block=4)
    out = np.zeros((3, 4), np.float32)
    run(copy, out, Cuda(fixed[1].__cuda_array_interface__, a), block=(4, 4))
    assert np.array_equal(out, a[1])
    point = np.dtype([("x", "<f4"), ("y", "<i2")], align=True)
    records = D.zeros(2, point, device="cpu").__cuda_array_interface__
    assert (records["typestr"], records["descr"]) == ("|V8", point.descr)
    assert D.from_cuda_array_interface(records).dtype == point


@pytest.mark.usefixtures("exports")
def test_fields_without_a_description_have_no_dictionary():
    """hasattr() says so, and the attribute why."""
    layout = {"names": ["x", "y"], "formats": ["<f4", "<f4"], "offsets": [4, 0], "itemsize": 8}
    a = D.zeros(3, np.dtype(layout), device="cpu")
    for name in ("__cuda_array_interface__", "__sycl_usm_array_interface__"):
        assert not hasattr(a, name)
        with pytest.raises(AttributeError, match="overlap or are out of order"):
            getattr(a, name)


# Elements that no library may take for what they are not, and why.
NAMELESS = {
    "longdouble": (np.longdouble, "elements of kind 'f' have 2, 4, 8 bytes"),
    "clongdouble": (np.clongdouble, "elements of kind 'c' have 8, 16 bytes"),
    "big-endian": (">f4", "the byte order is not this machine's"),
    "bytes": ("S3", "kernels do not take byte strings"),
    "dates": ("M8[s]", "kernels do not take dates"),
    "int4": (ml_dtypes.int4, "they would be bytes without a meaning"),
    "a field": ([("x", "f4"), ("y", ">i4")], "the byte order is not this machine's"),
}


@clause("CAI-TYPE-02")
@pytest.mark.usefixtures("exports")
@pytest.mark.parametrize("name", NAMELESS)
def test_elements_that_kernels_do_not_take_have_no_dictionary(name):
    dtype, why = NAMELESS[name]
    a = np.zeros(3, dtype).view(xp.HostArray)
    assert not hasattr(a, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match=f"are for no library of GPUs: .*{why}"):
        _ = a.__cuda_array_interface__


@clause("CAI-TYPE-05")
@pytest.mark.usefixtures("exports")
def test_formats_without_a_name_come_back_where_the_caller_says_so():
    """Alone, and as fields."""
    for dtype in (np.dtype(D.bfloat16), np.dtype([("x", "f4"), ("y", D.bfloat16)])):
        a = np.ones(3, dtype).view(xp.HostArray)
        desc = a.__cuda_array_interface__
        again = D.from_cuda_array_interface(desc, a, dtype=dtype)
        assert again.dtype == dtype
        assert again.tobytes() == a.tobytes()
        nameless = D.as_cuda_array(a).dtype
        assert (nameless if nameless.names is None else nameless["y"]) == np.dtype("V2")


@clause("CAI-SYNC-11")
@pytest.mark.parametrize(
    ("said", "stream"), [(None, 5), ("0", None), ("1", 5), ("", 5), ("no", 5), ("00", 5)]
)
def test_one_value_of_the_environment_leaves_the_stream_out(monkeypatch, said, stream):
    if said is not None:
        monkeypatch.setenv("CUDA_DEVICE_ARRAY_INTERFACE_STREAM", said)
    assert _exports.as_asked({"version": 3, "stream": 5}) == {"version": 3, "stream": stream}


@clause("CAI-VER-03", "CAI-SYNC-11")
@pytest.mark.usefixtures("exports")
def test_the_environment_is_read_at_each_use(monkeypatch):
    a = D.zeros(3, device="cpu")
    assert hasattr(a, "__cuda_array_interface__")
    monkeypatch.setenv("CUDA_DEVICE_ARRAY_INTERFACE_VERSION", "2")
    assert set(a.__cuda_array_interface__) == KEYS - {"stream"}
    assert a.__cuda_array_interface__["version"] == 2
    monkeypatch.setenv("CUDA_DEVICE_ARRAY_INTERFACE_VERSION", "4")
    with pytest.raises(ValueError, match="CUDA_DEVICE_ARRAY_INTERFACE_VERSION='4'; 2 or 3 was"):
        _ = a.__cuda_array_interface__
    monkeypatch.delenv("CUDA_DEVICE_HOST_CAI")
    assert not hasattr(a, "__cuda_array_interface__")
    assert not hasattr(xp.zeros(3), "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="CUDA_DEVICE_HOST_CAI=1 in the environment exports"):
        _ = a.__cuda_array_interface__
    assert type(D.zeros(3, device="cpu")) is np.ndarray


GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "arrays-and-memory.md"


@clause("CAI-SYNC-12", "CAI-SYNC-13")
def test_the_guide_says_what_is_left_to_the_user():
    text = " ".join(GUIDE.read_text().split())
    for step in (
        "an array after it has taken it, on a stream of its own, is not known here: have a stream",
        "(`stream.wait(theirs)`), or wait for it by the library's means",
        "`sync=False`",
        "`CUDA_DEVICE_ARRAY_INTERFACE_SYNC=0`",
        "`CUDA_DEVICE_ARRAY_INTERFACE_STREAM=0`",
    ):
        assert step in text


@clause("CAI-LIFE-01")
@pytest.mark.usefixtures("exports")
def test_a_dictionary_keeps_nothing():
    a = D.zeros(3, device="cpu")
    kept, alive = a.__cuda_array_interface__, weakref.ref(a)
    del a
    gc.collect()
    assert alive() is None
    assert kept["shape"] == (3,)


@clause("CAI-LIFE-02")
@pytest.mark.usefixtures("exports")
def test_memory_of_ours_that_was_freed_under_an_array():
    """Found at the next launch, also where other memory is at the address by then."""
    for again in (False, True):
        a = D.zeros(4, device="cpu")
        address, kept = a.ctypes.data, D.zeros(4, device="cpu")
        b = D.from_cuda_array_interface(a.__cuda_array_interface__)
        for use in (b, b[1:], b.view(np.ndarray)[::-1]):
            run(add_one, use, block=4)
        assert a.tolist() == [2, 3, 3, 3]
        owned = D.from_cuda_array_interface(kept.__cuda_array_interface__, kept)
        del a, kept
        gc.collect()
        taken = D.zeros(4, device="cpu") if again else None
        assert not again or taken.ctypes.data == address
        for use in (b, b[1:], b.view(np.ndarray)[::-1]):
            with pytest.raises(ValueError, match="freed") as raised:
                run(add_one, use, block=4)
            assert str(raised.value) == (
                "argument 1 ('a') of kernel 'add_one': the array that owned the memory is gone, "
                "and its memory freed; from_cuda_array_interface(desc, owner=a) keeps it"
            )
        run(add_one, owned, block=4)
        assert owned.tolist() == [1] * 4


@D.kernel
def when_let(a, gate):
    while D.atomic_ref(gate, 0).load() == 0:
        pass
    a[1] = 1


@clause("CAI-SYNC-10", partial="arrays of a GPU")
@pytest.mark.usefixtures("exports")
def test_what_is_queued_is_done_when_the_dictionary_is_given():
    """No stream of the host has a handle: the stream is None, there is nothing to wait for."""
    stream = core.Device("host").create_stream()
    a = D.zeros(2, np.uint32, device="cpu")
    gate = np.zeros(1, np.int32)
    D.launch(when_let, a, gate, grid=1, block=1, stream=stream)
    Timer(0.2, lambda: gate.fill(1)).start()
    assert a.__cuda_array_interface__["stream"] is None
    assert a[1] == 1


def test_errors_of_a_producer_name_the_argument():
    """As those of __dlpack__ do."""

    class Broken:
        @property
        def __cuda_array_interface__(self):
            raise RuntimeError("the pool is closed")

    with pytest.raises(RuntimeError, match="the pool is closed") as failure:
        run(add_one, Broken(), block=1)
    assert failure.value.__notes__ == ["argument 1 ('a') of kernel 'add_one'"]
