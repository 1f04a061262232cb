"""Structs in host code (DEV-STRUCT): @struct, align, replace."""

import copy
import dataclasses
import gc
import pickle
import weakref
from typing import ClassVar

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause


@D.struct
class Point:
    """A place in a grid."""

    x: int
    y: int
    z: int = 3
    AXES: ClassVar[int] = 3

    @D.func
    def norm2(self):
        return self.x**2 + self.y**2 + self.z**2

    def shifted(self, by):
        return D.replace(self, x=self.x + by)

    @staticmethod
    def origin():
        return Point(0, 0, 0)

    @classmethod
    def along_x(cls, x):
        return cls(x, 0, 0)

    @property
    def total(self):
        return self.x + self.y + self.z


@D.struct()
class Segment:
    a: Point
    b: "Point"
    w: D.float32x4
    t: tuple[int, D.float64]
    n: None
    c: complex = 1j
    h: D.float16 = 1.5
    v: D.float32x2 = D.float32x2(1, 2)


@D.struct(align=16)
class Complex:
    real: float
    imag: float


def make_segment(**changes):
    values = {"a": Point(1, 2), "b": Point(3, 4), "w": D.float32x4(1, 2, 3, 4), "t": (1, 2.5)}
    return Segment(**{**values, "n": None, **changes})


def layout(kind):
    found = kind.__cuda_device_struct__
    return found.size, found.align, [(f.name, f.offset) for f in found.fields]


def struct_of(**annotations):
    """A struct with these hints."""
    return D.struct(type("Made", (), {"__annotations__": annotations}))


# --- types and instances ---


@clause("DEV-STRUCT-02")
@clause("DEV-STRUCT-01")
def test_construction_by_position_keyword_and_default():
    p = Point(1, y=2)
    assert (p.x, p.y, p.z) == (1, 2, 3)
    assert type(p.x) is int
    assert isinstance(p, Point)
    assert p == Point(1, 2, 3) != Point(1, 2, 4)
    assert hash(p) == hash(Point(1, 2, 3))
    assert repr(p) == "Point(x=1, y=2, z=3)"
    assert Point.__doc__ == "A place in a grid."
    assert [f.name for f in dataclasses.fields(Point)] == ["x", "y", "z"]


@clause("DEV-STRUCT-06")
def test_underlying_is_the_class_as_it_was_written():
    class Plain:
        x: int

    made = D.struct(Plain)
    assert made.underlying is Plain
    assert made is not Plain
    assert not hasattr(Plain, "underlying")
    assert (made.__name__, made.__module__) == (Plain.__name__, Plain.__module__)


@clause("DEV-STRUCT-13")
def test_methods_properties_and_constants():
    p = Point(1, 2, 3)
    assert p.norm2() == 14
    assert p.shifted(5) == Point(6, 2, 3)
    assert p.total == 6
    assert Point.origin() == Point(0, 0, 0)
    assert Point.along_x(4) == Point(4, 0, 0)
    assert Point.AXES == p.AXES == 3


@clause("DEV-STRUCT-12")
def test_members_of_every_kind():
    s = make_segment()
    assert (s.a, s.b, s.t, s.n, s.c) == (Point(1, 2), Point(3, 4), (1, 2.5), None, 1j)
    assert type(s.w) is D.float32x4
    assert type(s.h) is np.float16
    assert [type(part) for part in s.t] == [int, np.float64]
    for made in (pickle.loads(pickle.dumps(s)), copy.copy(s), copy.deepcopy(s)):
        assert made == s
        assert type(made) is Segment


def test_formats_give_numbers_of_numpy():
    kind = struct_of(a=D.int8, b=D.bfloat16, c=np.bool_, d=D.complex128, e=float, f=bool)
    made = kind(-5, 0.1, True, 1 + 2j, 0.1, np.True_)
    types = [type(getattr(made, name)) for name in "abcdef"]
    assert types == [np.int8, D.bfloat16, bool, np.complex128, float, bool]
    assert made.e == 0.1  # rounded where a kernel takes it
    assert made.b == D.bfloat16(0.1)


def test_structs_without_attributes_and_with_hints_in_quotes():
    assert layout(struct_of()) == (1, 1, [])

    @D.struct
    class Inner:
        x: "D.float32"

    @D.struct
    class Outer:
        inner: "Inner"

    assert Outer(Inner(1)).inner.x == 1


# --- immutable ---


@clause("DEV-STRUCT-10")
def test_assignment_names_replace():
    p = Point(1, 2)
    with pytest.raises(AttributeError) as info:
        p.x = 3
    assert str(info.value) == "Point is immutable; device.replace(p, x=...) makes another one"
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del p.x
    q = D.replace(p, x=9, z=0)
    assert (p, q) == (Point(1, 2, 3), Point(9, 2, 0))
    assert type(q) is Point


@clause("DEV-STRUCT-09")
@clause("DEV-HTYPE-02", partial="atomics and masks")
def test_no_new_attributes():
    p = Point(1, 2)
    with pytest.raises(AttributeError) as info:
        p.foo = 1
    assert str(info.value) == "'Point' has no attribute 'foo', and a struct gets no new ones"
    with pytest.raises(AttributeError):
        p.foo  # noqa: B018
    assert not hasattr(p, "__dict__")


@clause("DEV-STRUCT-10")
def test_vectors_in_structs_do_not_change_them():
    given = D.float32x2(1, 2)
    s = make_segment(v=given)
    given[0] = 9
    s.v[0] = 9
    assert s.v == D.float32x2(1, 2)
    assert make_segment().v == D.float32x2(1, 2)
    pair = struct_of(t=tuple[int, D.int32x2])((1, D.int32x2(1, 2)))
    pair.t[1][0] = 5
    assert pair.t[1] == D.int32x2(1, 2)


def test_replace_of_what_is_not_there():
    with pytest.raises(TypeError) as info:
        D.replace(Point(1, 2), q=1)
    assert str(info.value) == "Point has no attribute 'q' to replace; it has x, y, z"
    with pytest.raises(TypeError, match="expects a struct, found 'int'"):
        D.replace(3, x=1)
    with pytest.raises(TypeError, match="attribute 'x' of Point is of type int32"):
        D.replace(Point(1, 2), x=1.5)


# --- values match their hints ---

LOSSLESS = [
    (int, [1, True, np.int8(1), np.uint16(1), np.int32(1), -(2**31)], 1.5),
    (float, [1, 2.5, True, np.float16(1), np.float32(1), np.int16(1)], np.float64(1)),
    (bool, [True, np.False_], 1),
    (complex, [1, 2.5, 1j, np.complex64(1j), np.float32(1), np.int8(1)], np.complex128(1)),
    (D.uint8, [255, True, np.uint8(3)], np.int8(3)),
    (D.int64, [2**62, np.int32(1), np.uint32(1)], np.uint64(1)),
    (D.float16, [1, 0.5, np.int8(1), np.uint8(255)], np.int16(1)),
    (D.float64, [1, 0.1, np.float32(1), np.int32(1), np.uint32(1)], np.int64(1)),
    (D.complex128, [1j, np.complex64(1), np.float64(1), np.int32(1)], np.int64(1)),
    (D.bfloat16, [1, 0.5], np.float16(1)),
    (D.float32x2, [D.float32x2(1, 2), D.float16x2(1, 2), D.int16x2(1, 2)], D.int32x2(1, 2)),
    (D.float32x2, [], D.float32x3(1, 2, 3)),
    (D.float32x2, [], (1, 2)),
    (Point, [Point(1, 2)], (1, 2, 3)),
    (tuple[int, float], [(1, 2.5), (np.int8(1), 2)], (1, "a")),
    (tuple[int, float], [], (1,)),
    (tuple[int, float], [], [1, 2.5]),
    (None, [None], 0),
    (int, [], "a"),
    (int, [], None),
    (float, [], "1.5"),
    (float, [], np.zeros(1)),
    (complex, [], "1j"),
]


@clause("DEV-STRUCT-08")
@pytest.mark.parametrize(("hint", "accepted", "refused"), LOSSLESS)
def test_values_convert_without_loss_or_not_at_all(hint, accepted, refused):
    kind = struct_of(x=hint)
    for value in accepted:
        assert kind(value).x == value
    with pytest.raises(TypeError, match="attribute 'x' of Made"):
        kind(refused)


@clause("DEV-STRUCT-08")
@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (
            lambda: Point("a", 2, 3),
            TypeError,
            "attribute 'x' of Point is of type int32, found 'str'",
        ),
        (
            lambda: Point(1.5, 2, 3),
            TypeError,
            "attribute 'x' of Point is of type int32, found 'float', which does not convert "
            "without loss; convert it: device.int32(...)",
        ),
        (
            lambda: Point(1, 2**31, 3),
            OverflowError,
            "attribute 'y' of Point: 2147483648 is out of the range of int32, "
            "-2147483648 to 2147483647",
        ),
        (
            lambda: Complex(1e300, 0),
            OverflowError,
            "attribute 'real' of Complex: 1e+300 is out of the range of float32, "
            "-3.4028235e+38 to 3.4028235e+38",
        ),
        (
            lambda: make_segment(c=1e300j),
            OverflowError,
            "attribute 'c' of Segment: 1e+300 is out of the range of float32, "
            "-3.4028235e+38 to 3.4028235e+38",
        ),
        (
            lambda: make_segment(t=(1, "a")),
            TypeError,
            "item 1 of attribute 't' of Segment is of type float64, found 'str'",
        ),
        (
            lambda: make_segment(t=(1,)),
            TypeError,
            "attribute 't' of Segment is a tuple of 2, found 1",
        ),
        (lambda: make_segment(b=1), TypeError, "attribute 'b' of Segment is a Point, found 'int'"),
        (lambda: make_segment(n=0), TypeError, "attribute 'n' of Segment is None, found 'int'"),
        (
            lambda: make_segment(w=D.float64x4(1, 2, 3, 4)),
            TypeError,
            "attribute 'w' of Segment is a float32x4, found 'float64x4', which does not convert "
            "without loss; convert it: device.float32x4(*v)",
        ),
        (
            lambda: make_segment(c=np.complex128(1)),
            TypeError,
            "attribute 'c' of Segment is of type complex64, found 'complex128', which does not "
            "convert without loss; convert it: device.complex64(...)",
        ),
    ],
)
def test_messages_about_values(make, kind, text):
    with pytest.raises(kind) as info:
        make()
    assert str(info.value) == text


# --- hints ---


@clause("DEV-STRUCT-07")
@pytest.mark.parametrize(
    ("hint", "text"),
    [
        (str, "is str; it can be int, float, bool, complex, a format such as device.float32"),
        (list, "is list; it can be"),
        (list[int], r"is list\[int\]; it can be"),
        (tuple, "is tuple; it can be"),
        (tuple[int, ...], r"is tuple\[int, ...\]; it can be"),
        (tuple[int, str], r"is tuple\[int, str\]; it can be"),
        ("Missing", "cannot be evaluated: name 'Missing' is not defined"),
        ("Made", "cannot be evaluated: name 'Made' is not defined"),
        (D.ConstExpr[int], r"is ConstExpr\[int\]; it can be"),
        (D.Vector, "is Vector; it can be"),
        (np.floating, "is floating; it can be"),
        (np.longdouble, "is longdouble; it can be"),
        (np.str_, "is str_; it can be"),
        (3, "is 3; it can be"),
    ],
)
def test_hints_that_kernels_have_no_values_of(hint, text):
    with pytest.raises(
        TypeError, match=f"@struct class Made: the type hint of attribute 'x' {text}"
    ):
        struct_of(x=hint)


@clause("DEV-STRUCT-07")
def test_attributes_without_a_hint():
    with pytest.raises(TypeError) as info:

        @D.struct
        class A:
            x = 1

    assert str(info.value) == (
        "@struct class A: attribute 'x' has no type hint; write x: int = ... for an attribute, "
        "x: ClassVar[int] = ... for a constant of the class"
    )


def refused(body, bases=(), **annotations):
    with pytest.raises(TypeError) as info:
        D.struct(type("A", bases, {"__annotations__": annotations, **body}))
    return str(info.value)


def test_classes_that_are_no_structs():
    assert "has no base classes, found Point" in refused({}, (Point,), w=int)
    assert "has no __init__ of its own" in refused({"__init__": lambda self: None}, x=int)
    assert "has no __slots__ of its own" in refused({"__slots__": ("x",)}, x=int)
    assert "'underlying' is the name of an attribute" in refused({}, underlying=int)
    assert "attribute 'x' is a dataclasses.field" in refused({"x": dataclasses.field()}, x=int)
    assert "attribute 'x' of A is of type int32" in refused({"x": "a"}, x=int)
    with pytest.raises(TypeError, match="@struct expects a class, found 'int'"):
        D.struct(3)
    with pytest.raises(TypeError, match="'Point' is decorated with @struct twice"):
        D.struct(Point)
    with pytest.raises(TypeError, match="x"):
        Point()


# --- alignment and layout ---


@clause("DEV-STRUCT-02", "DEV-STRUCT-03", "DEV-STRUCT-04")
@clause("DEV-ABI-08", partial="interoperable calls")
def test_alignment_and_size():
    assert layout(Point) == (12, 4, [("x", 0), ("y", 4), ("z", 8)])
    assert layout(struct_of(a=D.int8, b=D.float64)) == (16, 8, [("a", 0), ("b", 8)])
    assert layout(Complex) == (16, 16, [("real", 0), ("imag", 4)])
    assert layout(D.struct(align=1)(Point.underlying)) == layout(Point)
    assert layout(struct_of(t=tuple[int, int, int])) == (12, 4, [("t", 0)])
    assert layout(struct_of(t=tuple[D.int8, D.float64])) == (16, 8, [("t", 0)])


@clause("DEV-STRUCT-12")
@clause("DEV-STRUCT-11", partial="interoperable calls")
def test_offsets_of_nested_members():
    size, align, fields = layout(Segment)
    assert (size, align) == (96, 16)
    assert dict(fields) == {
        **{"a": 0, "b": 12, "w": 32, "t": 48},
        **{"n": 64, "c": 72, "h": 80, "v": 88},
    }
    assert layout(struct_of(a=D.int8, v=D.float32x3, b=D.int8)) == (
        *(20, 4),
        [("a", 0), ("v", 4), ("b", 16)],
    )


@clause("DEV-STRUCT-05")
@pytest.mark.parametrize(
    ("align", "kind"),
    [(0, ValueError), (3, ValueError), (-8, ValueError), (512, ValueError)]
    + [(value, TypeError) for value in (1.0, "8", None, True)],
)
def test_bad_alignment(align, kind):
    with pytest.raises(kind, match=r"@struct\(align=...\)"):
        D.struct(align=align)
    with pytest.raises(kind, match=r"align\(t, n\)"):
        D.align(D.int32, align)


@clause("DEV-STRUCT-16")
def test_align():
    aligned = D.align(D.int32, 16)
    assert repr(aligned) == "device.align(int32, 16)"
    assert type(aligned(3)) is np.int32
    assert D.align(D.int64, 4) is D.int64
    assert aligned == D.align(D.align(D.int32, 8), 16) != D.align(D.int32, 8)
    assert pickle.loads(pickle.dumps(aligned)) == aligned
    assert hash(aligned) == hash(D.align(D.int32, 16))
    kind = struct_of(a=D.int8, b=aligned, c=int)
    assert layout(kind) == (32, 16, [("a", 0), ("b", 16), ("c", 20)])
    assert type(kind(1, 2, 3).b) is np.int32
    nested = struct_of(a=D.int8, p=D.align(Point, 32))
    assert layout(nested) == (64, 32, [("a", 0), ("p", 32)])
    with pytest.raises(AttributeError, match="immutable"):
        aligned.align = 8


@clause("DEV-STRUCT-17")
def test_align_of_what_is_no_type():
    for wrong in (5, str, list[int], "int32", D.Vector):
        with pytest.raises(TypeError, match="t is a type, int, float"):
            D.align(wrong, 8)


# --- arrays ---


@clause("DEV-STRUCT-18", "DEV-ARR-20")
def test_arrays_of_structs():
    a = D.zeros(3, dtype=Point, device="cpu")
    assert a.dtype == np.dtype([("x", "i4"), ("y", "i4"), ("z", "i4")])
    a[1] = (1, 2, 3)
    a[2].x = 7
    assert (a[1].x, a["x"].tolist()) == (1, [0, 1, 7])
    assert Point(*a[1]) == Point(1, 2, 3)
    assert D.full(2, Point(1, 2), device="cpu").tolist() == [(1, 2, 3)] * 2
    assert D.asarray([Point(1, 2), Point(3, 4)], dtype=Point, device="cpu")["y"].tolist() == [2, 4]
    s = D.full(1, make_segment(), device="cpu")
    assert (s.itemsize, s.dtype.alignment) == (96, 16)
    assert s[0]["w"].tolist() == (1, 2, 3, 4)
    assert s[0].a.z == 3
    assert D.empty(2, dtype=Complex).dtype.alignment == 16


def test_elements_become_structs_again():
    given = make_segment()
    assert Segment(*D.full(1, given, device="cpu")[0]) == given
    points = D.full(2, Point(1, 2), device="cpu")
    assert D.replace(given, a=points[1]).a == Point(1, 2)
    with pytest.raises(TypeError, match="attribute 'w' of Segment is a float32x4"):
        D.replace(given, w=D.zeros(1, D.int32x4, device="cpu")[0])
    assert Point.norm2(points[0]) == 14


def test_elements_take_vectors_and_structs():
    s = D.full(1, make_segment(), device="cpu")
    s[0].w = D.float32x4(5, 6, 7, 8)
    assert s[0].w == D.float32x4(5, 6, 7, 8)
    s[0]["w"] = D.float32x4(1, 2, 3, 4)
    assert s[0].w.tolist() == (1, 2, 3, 4)
    s[0].a = Point(7, 8, 9)
    assert s[0].a == Point(7, 8, 9)
    assert s[0].a != Point(7, 8, 8)


def test_elements_know_their_struct():
    a = D.zeros(3, dtype=Point, device="cpu")
    for b in (a[1:], a.copy(), pickle.loads(pickle.dumps(a))):
        assert b.dtype.type.__cuda_device_type__ is Point


def test_a_struct_with_a_dtype_is_collected():
    def make():
        kind = struct_of(x=int)
        return weakref.ref(kind), kind.numpy_dtype

    kind, dtype = make()
    gc.collect()
    assert kind() is None
    assert dtype.type.__cuda_device_type__ is None
