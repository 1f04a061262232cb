"""Attributes and strides of arrays in device code (DEV-ARR-05, 10, 11)."""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import run
from support.layouts import COPY, launch_copy, layouts

# --- striding ---


@clause("DEV-ARR-05")
@pytest.mark.parametrize("name", layouts())
def test_strides_of_an_input_are_honoured(target, name):
    a = layouts()[name]
    out = np.full(a.shape, -1, dtype=a.dtype)
    launch_copy(out, a)
    assert np.array_equal(out, a)


@clause("DEV-ARR-05")
@pytest.mark.parametrize("name", [n for n in layouts() if "broadcast" not in n])
def test_strides_of_an_output_are_honoured(target, name):
    out = layouts()[name]
    whole = out if out.base is None else out.base
    while whole.base is not None:
        whole = whole.base
    untouched = np.ones(whole.nbytes, dtype=bool)
    offset = np.lib.array_utils.byte_bounds(out)[0] - whole.__array_interface__["data"][0]
    steps = sum(
        np.arange(n).reshape([-1 if k == axis else 1 for k in range(out.ndim)]) * stride
        for axis, (n, stride) in enumerate(zip(out.shape, out.strides, strict=True))
    )
    start = (steps - steps.min() + offset).reshape(-1)
    for byte in range(out.itemsize):
        untouched[start + byte] = False
    before = np.frombuffer(whole.tobytes("A"), dtype=np.uint8)[untouched]
    values = np.random.default_rng(3).integers(0, 100, out.shape).astype(out.dtype)
    launch_copy(out, values)
    assert np.array_equal(out, values)
    assert np.array_equal(np.frombuffer(whole.tobytes("A"), dtype=np.uint8)[untouched], before)


@clause("DEV-ARR-05")
@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (0, 0)])
def test_arrays_of_size_zero(target, shape):
    a = np.zeros(shape)
    out = np.full((1,) * len(shape), 7.0)
    run(COPY[len(shape)], out, a, grid=1, block=32)
    assert (out == 7).all()


# --- attributes ---


@D.kernel
def attributes_1d(out, a):
    out[0] = a.shape[0]
    out[1] = a.strides[0]
    out[2] = a.size
    out[3] = a.ndim
    out[4] = len(a)
    out[5] = len(a.shape)


@D.kernel
def attributes_2d(out, a):
    h, w = a.shape
    s, t = a.strides
    out[0] = h
    out[1] = w
    out[2] = s
    out[3] = t
    out[4] = a.size
    out[5] = a.ndim
    out[6] = len(a)
    out[7] = a.shape[-1]
    out[8] = len(a.strides)


@D.kernel
def attributes_3d(out, a):
    d, h, w = a.shape
    out[0] = d
    out[1] = h
    out[2] = w
    out[3] = a.strides[0]
    out[4] = a.strides[1]
    out[5] = a.strides[-1]
    out[6] = a.size
    out[7] = a.ndim
    out[8] = len(a)


@clause("DEV-ARR-10")
@pytest.mark.parametrize("name", [n for n in layouts() if layouts()[n].ndim == 1])
def test_attributes_of_a_vector(target, name):
    a = layouts()[name]
    out = np.zeros(6, dtype=np.int64)
    run(attributes_1d, out, a)
    assert out.tolist() == [len(a), a.strides[0], a.size, 1, len(a), 1]


@clause("DEV-ARR-10")
@pytest.mark.parametrize("name", [n for n in layouts() if layouts()[n].ndim == 2])
def test_attributes_of_a_matrix(target, name):
    a = layouts()[name]
    out = np.zeros(9, dtype=np.int64)
    run(attributes_2d, out, a)
    assert out.tolist() == [*a.shape, *a.strides, a.size, 2, len(a), a.shape[1], 2]


@clause("DEV-ARR-10")
@pytest.mark.parametrize("name", [n for n in layouts() if layouts()[n].ndim == 3])
def test_attributes_of_a_box(target, name):
    a = layouts()[name]
    out = np.zeros(9, dtype=np.int64)
    run(attributes_3d, out, a)
    assert out.tolist() == [*a.shape, *a.strides, a.size, 3, len(a)]


@D.kernel
def wide_attributes(out, a):
    out[0] = a.shape[0] * 1_000_000_000
    out[1] = a.size * 1_000_000_000
    out[2] = len(a) * 1_000_000_000
    out[3] = a.strides[0] * 1_000_000_000
    out[4] = a.shape[0] - 10


@clause("DEV-ARR-10")
def test_attributes_are_int64(target):
    a = np.zeros(7, dtype=np.float64)
    out = np.zeros(5, dtype=np.int64)
    run(wide_attributes, out, a)
    assert out.tolist() == [7 * 10**9, 7 * 10**9, 7 * 10**9, 8 * 10**9, -3]


# --- refused ---


@D.kernel
def reads_flags(out, a):
    out[0] = a.flags  # refused


@D.kernel
def reads_device(out, a):
    out[0] = a.device  # refused


@D.kernel
def reads_nonsense(out, a):
    out[0] = a.colour  # refused


A1 = np.zeros(4)


@clause("DEV-ARR-11")
@pytest.mark.parametrize(
    ("kernel", "word"),
    [(reads_flags, "flags"), (reads_device, "device"), (reads_nonsense, "colour")],
)
def test_other_attributes_are_refused(kernel, word):
    expect_refusal(kernel, A1, A1, words=(word,))
