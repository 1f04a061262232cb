"""Structs with members that are arrays (DEV-STRUCT-07, -08, -10, -12): kernels take them apart."""

import pickle
from typing import Any

import numpy as np
import pytest
from cuda import device as D
from numpy.typing import NDArray
from support.clauses import clause
from support.dlpack import Producer
from support.launching import run, run_as_host


@D.struct
class Image:
    pixels: np.ndarray[tuple[int, int], np.dtype[np.float32]]
    scale: float = 1.0
    offset: D.int32x2 = D.int32x2(0, 0)

    @property
    def shape(self):
        return self.pixels.shape

    def at(self, y, x):
        return self.pixels[y + self.offset.y, x + self.offset.x] * self.scale

    @D.func
    def put(self, y, x, value):
        self.pixels[y, x] = value


@D.struct
class Pair:
    images: tuple[Image, Image]
    weights: NDArray[D.float32]
    any: np.ndarray
    none: None
    count: int


def image(seed=0, **others):
    pixels = np.random.default_rng(seed).integers(0, 100, (5, 7)).astype(np.float32)
    return Image(pixels, **others)


@D.kernel
def use_members(out, image, k):
    out[0] = image.pixels[1, 2] * image.scale
    out[1] = image.at(1, k)
    out[2], out[3] = image.shape
    out[4] = len(image.pixels)
    row = image.pixels[k]
    out[5] = row[-1]
    image.put(0, k, 33)
    image.pixels[4, 1:3] = 7
    for y in range(image.pixels.shape[0]):
        out[6] += image.pixels[y, y]


@clause("DEV-STRUCT-12", "DEV-STRUCT-13")
def test_members_that_are_arrays(target):
    run_as_host(use_members, np.zeros(8, np.float32), image(scale=0.5), 3)
    transposed = Image(np.arange(49, dtype=np.float32).reshape(7, 7).T, 2, D.int32x2(1, 2))
    run_as_host(use_members, np.zeros(8, np.float32), transposed, 2)


@D.kernel
def use_nested(out, pair):
    first, second = pair.images
    out[0] = first.at(1, 1) + second.at(2, 0)
    out[1] = pair.images[1].pixels[0, 0]
    total = D.float32(0)
    for w in pair.weights:
        total += w
    out[2] = total
    out[3] = pair.any[1] + pair.count
    out[4] = pair.none is None
    pair.any[0] = 9


@clause("DEV-STRUCT-12")
def test_nested_structs_and_tuples_with_arrays(target):
    weights = np.array([1, 2, 4], np.float32)
    for kind in (np.int8, np.float64, np.uint16):
        pair = Pair((image(1), image(2, scale=3)), weights[::-1], np.arange(4, dtype=kind), None, 5)
        run_as_host(use_nested, np.zeros(5), pair)


def blended(a: Image, b: Image, w):
    return a.at(0, 0) * w + b.at(0, 0)


def brighter(image: Image, by):
    return D.replace(image, scale=image.scale * by)


@D.kernel
def make_and_pass(out, a, b, n):
    out[0] = blended(a, b, 2)
    made = Image(b.pixels[1:, ::2], scale=2)
    out[1] = made.at(0, 1)
    out[2] = brighter(made, 3).at(0, 1)
    out[3] = D.replace(made, pixels=a.pixels).pixels[2, 2]
    out[4] = made.offset.x + made.scale
    local = D.local_array((2, 2), D.float32)
    local[...] = 5
    out[5] = Image(pixels=local).at(1, 1)
    best = made
    for k in range(n):
        best = Image(b.pixels[1:, ::2], scale=k)
    out[6] = best.at(0, 1)
    either = (a, b)[n % 2]
    out[7] = either.pixels[3, 3] * either.scale
    chosen = a
    if n > 2:
        chosen = b
    out[8] = chosen.pixels[1, 1]


def make_and_pass_in_numpy(a, b, n):
    made = b.pixels[1:, ::2]
    scale = n - 1 if n else 2
    either, chosen = (a, b)[n % 2], b if n > 2 else a
    return [
        a.at(0, 0) * 2 + b.at(0, 0),
        *(made[0, 1] * 2, made[0, 1] * 6, a.pixels[2, 2], 2, 5, made[0, 1] * scale),
        *(either.pixels[3, 3] * either.scale, chosen.pixels[1, 1]),
    ]


@clause("DEV-STRUCT-10", "DEV-STRUCT-12")
@pytest.mark.parametrize("n", [0, 3, 4])
def test_structs_with_arrays_are_made_and_passed_in_kernels(target, n):
    out, a, b = np.zeros(9, np.float32), image(3, scale=0.5), image(4, scale=4)
    run(make_and_pass, out, a, b, n)
    assert out.tolist() == make_and_pass_in_numpy(a, b, n)


@D.kernel
def copy_pixels(target, source):
    i = D.tid(1)
    if i < target.pixels.size:
        x, y = i % target.pixels.shape[1], i // target.pixels.shape[1]
        target.pixels[y, x] = source.pixels[y, x]


@clause("DEV-STRUCT-08", "DEV-ARR-29")
def test_arrays_that_share_memory_and_arrays_that_must_not_change(target):
    pixels = np.arange(35, dtype=np.float32).reshape(5, 7)
    run(copy_pixels, Image(pixels[1:]), Image(pixels[:-1].copy()), grid=1, block=32)
    assert pixels[1:, 0].tolist() == [0, 7, 14, 21]
    constant = pixels.copy()
    constant.flags.writeable = False
    with pytest.raises(D.errors.CompileError, match="read-only"):
        run(copy_pixels, Image(constant), Image(pixels))


@clause("DEV-STRUCT-08", "DEV-ARR-22")
def test_arrays_of_other_libraries_are_looked_at_by_the_launch(target):
    out = np.zeros(8, np.float32)
    pixels = np.ones((5, 7), np.float32)
    run(use_members, out, Image(Producer(pixels)), 3)
    assert (out[4], pixels[0, 3]) == (5, 33)
    with pytest.raises(D.errors.CompileError) as caught:
        run(use_members, out, Image(Producer(np.ones((5, 7)))), 3)
    assert "'image.pixels' is array[float32, 2], but the value is array[float64, 2]" in str(
        caught.value
    )


# --- the host ---


@clause("DEV-STRUCT-06", "DEV-STRUCT-10")
def test_host_objects():
    made = image()
    assert made.pixels is D.replace(made, scale=2).pixels
    again = pickle.loads(pickle.dumps(made))
    assert np.array_equal(again.pixels, made.pixels)
    assert again.scale == 1
    with pytest.raises(AttributeError, match="Image is immutable"):
        made.pixels = made.pixels


REFUSED = [
    (3, "attribute 'pixels' of Image is an array of float32, 2 dimensions, found 'int'"),
    ([[1.0]], "attribute 'pixels' of Image is an array of float32, 2 dimensions, found 'list'"),
    (
        np.zeros((2, 2)),
        "attribute 'pixels' of Image is an array of float32, 2 dimensions, "
        "found one of float64, 2 dimensions",
    ),
    (
        np.zeros(2, np.float32),
        "attribute 'pixels' of Image is an array of float32, 2 dimensions, "
        "found one of float32, 1 dimension",
    ),
]


@clause("DEV-STRUCT-08")
@pytest.mark.parametrize(("value", "message"), REFUSED)
def test_other_values_are_refused(value, message):
    with pytest.raises(TypeError) as caught:
        Image(value)
    assert str(caught.value) == message


def struct_of(hint, **names):
    return D.struct(type("Made", (), {"__annotations__": {"a": hint}, **names}))


@clause("DEV-STRUCT-07")
@pytest.mark.parametrize(
    ("hint", "takes", "refuses"),
    [
        (np.ndarray, np.zeros((2, 2), np.int8), None),
        (D.Array, np.zeros(2), "x"),
        (NDArray[np.int16], np.zeros((1, 2), np.int16), np.zeros(2, np.int32)),
        (NDArray[Any], np.zeros(2), b""),
        (np.ndarray[tuple[int, ...], np.dtype[np.bool_]], np.zeros(2, bool), np.zeros(2, np.int8)),
        (np.ndarray[tuple[()], np.dtype[D.bfloat16]], np.zeros((), D.bfloat16), np.zeros(1)),
        (tuple[NDArray[np.float32], int], (np.zeros(2, np.float32), 1), (np.zeros(2), 1)),
    ],
)
def test_hints_of_arrays(hint, takes, refuses):
    made = struct_of(hint)
    assert made(takes).a is takes or made(takes).a[0] is takes[0]
    with pytest.raises(TypeError, match="attribute 'a' of Made"):
        made(refuses)


@clause("DEV-STRUCT-07")
@pytest.mark.parametrize(
    "hint",
    [
        *(NDArray[np.floating], NDArray[np.object_], NDArray[np.str_], NDArray[D.WarpMask]),
        *(np.ndarray[int, np.dtype[np.int8]], list[np.ndarray], np.recarray),
    ],
)
def test_hints_of_arrays_that_kernels_have_no_elements_for(hint):
    with pytest.raises(TypeError, match="the type hint of attribute 'a' is"):
        struct_of(hint)


@clause("DEV-STRUCT-07", "DEV-STRUCT-18")
def test_no_memory_holds_them():
    reason = "Image has arrays, so no memory holds it; keep its other attributes in arrays"
    for call in (
        lambda: D.zeros(3, dtype=Image, device="cpu"),
        lambda: D.full(3, image(), device="cpu"),
        lambda: D.asarray([image()], device="cpu"),
        lambda: Image.numpy_dtype,
    ):
        with pytest.raises(TypeError, match=reason):
            call()
    with pytest.raises(TypeError, match="Made has arrays, which no memory holds"):
        D.Atomic(struct_of(np.ndarray))
    with pytest.raises(TypeError, match="atomics, which lie in memory, and arrays"):
        D.struct(type("Both", (), {"__annotations__": {"a": np.ndarray, "b": D.Atomic(int)}}))
    with pytest.raises(TypeError, match="attribute 'a' is an array, which is no default"):
        struct_of(np.ndarray, a=np.zeros(3))
