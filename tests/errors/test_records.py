"""Mistakes about vectors and structs in kernels (DEV-VEC, DEV-STRUCT, DEV-HTYPE-02)."""

from typing import ClassVar

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.bad_programs import FLOATS, BadPrograms
from support.errors import check_error

bad = BadPrograms()


@D.struct
class Point:
    x: int
    y: D.float32
    SIDES: ClassVar[int] = 4

    def moved(self, by):
        return D.replace(self, x=self.x + by)

    @property
    def total(self):
        return self.x + self.y


@D.struct
class Line:
    first: Point
    color: D.uint8x4
    ends: tuple[int, D.float64]
    note: None


V = D.float32x3(1, 2, 3)
POINTS = D.zeros(4, dtype=Point, device="cpu")
VECTORS = D.zeros(4, dtype=D.float32x2, device="cpu")
RECORDS = np.zeros(4, np.dtype([("x", "f4"), ("inner", [("u", "i2")]), ("m", "f4", (2, 3))]))
LINE = Line(Point(1, 2), D.uint8x4(1, 2, 3, 4), (1, 2.5), None)


# --- vectors ---


@bad.kernel(FLOATS, V, np.complex64(1j), clause="DEV-VEC-08")
def components_that_do_not_convert(a, v, z):
    # error at `"a"`: component x of int32x2 is int32, but the value is str
    # hint: give a number
    w = D.int32x2("a", 1)
    # error at `a`: component y of int32x2 is int32, but the value is array[float32, 1]
    # hint: give a number
    w = D.int32x2(1, a)
    # error at `None`: component y of float32x3 is float32, but the value is None
    # hint: give a number
    w = D.float32x3(1, None, 2)
    # error at `v`: component x of float32x1 is float32, but the value is float32x3
    # hint: give a number
    w = D.float32x1(v)
    # error at `(1,)`: component x of float32x1 is float32, but the value is (int,)
    # hint: give a number
    w = D.float32x1((1,))
    # error at `z`: component x of float32x2 is float32, but the value is complex64
    # hint: give a number
    w = D.float32x2(z, 0)
    # error at `300`: 300 does not fit in int8
    # hint: use a wider type, such as int64
    w = D.int8x2(1, 300)
    # error at `-1`: -1 does not fit in uint8
    # hint: use a signed type, such as int64
    w = D.uint8x1(-1)


@bad.kernel(FLOATS, V, clause="DEV-VEC-09", raises=errors.CompileTypeError)
def other_numbers_of_components(a, v):
    # error at `D.int32x3(1, 2)`: int32x3() takes 3 arguments, but 2 are given
    # hint: give one number for each component
    w = D.int32x3(1, 2)
    # error at `D.int32x3(1, 2, 3, 4)`: int32x3() takes 3 arguments, but 4 are given
    # hint: give one number for each component
    w = D.int32x3(1, 2, 3, 4)
    # error at `D.int32x3()`: int32x3() takes 3 arguments, but 0 are given
    # hint: give one number for each component
    w = D.int32x3()
    # error at `D.float32x2(x=1, y=2)`: float32x2() has no parameter 'x'
    # hint: give its components by position
    w = D.float32x2(x=1, y=2)
    # error at `D.float64x4(*v)`: float64x4() takes 4 arguments, but 3 are given
    # hint: give one number for each component
    w = D.float64x4(*v)
    # error at `D.Vector`: 'D.Vector' cannot be used in a kernel
    # hint: call it outside of the kernel, and pass what it gives as an argument; kernels call
    # ... Python functions, and those of math and cuda.device
    w = D.Vector(1, 2)


CHECKED = "an index at run time in a checked kernel"


@bad.kernel(FLOATS, V, 1, clause=("DEV-VEC-11", "DEV-VEC-14"), partial=CHECKED)
def indices_of_vectors(a, v, n):
    # error at `3`: index 3 is outside of a float32x3, which has 3 elements
    # hint: the last one has index -1
    a[0] = v[3]
    # error at `-4`: index -4 is outside of a float32x3, which has 3 elements
    # hint: the last one has index -1
    a[0] = v[-4]
    # error at `1`@3: index 1 is outside of an int8x1, which has 1 element
    # hint: the last one has index -1
    a[0] = D.int8x1(1)[1]
    # error at `1.0`: an index must be an integer, found float
    # hint: convert it with int()
    a[0] = v[1.0]
    # error at `n, 0`: an index must be an integer, found (int, int)
    # hint: give one integer
    a[0] = v[n, 0]
    # error at `v[0:2]`: (float32, float32) cannot be stored in an array of float32
    # hint: an element takes a number
    a[0] = v[0:2]
    # error at `3`: index 3 is outside of a float32x3, which has 3 elements
    # hint: the last one has index -1
    v[3] = 1
    # error at `-4`: index -4 is outside of a float32x3, which has 3 elements
    # hint: the last one has index -1
    v[-4] = 1
    # error at `1.0`: an index must be an integer, found float
    # hint: give one integer
    v[1.0] = 1
    # error at `0:2`: an index must be an integer, found slice
    # hint: give one integer
    v[0:2] = 1


@bad.kernel(FLOATS, V, np.complex64(1j), clause="DEV-VEC-13")
def components_assigned(a, v, z):
    # error at `"a"`: a component of float32x3 is float32, but the value is str
    # hint: write device.float32(...)
    v[0] = "a"
    # error at `a`: a component of float32x3 is float32, but the value is array[float32, 1]
    # hint: write device.float32(...)
    v[0] = a
    # error at `None`: a component of float32x3 is float32, but the value is None
    # hint: write device.float32(...)
    v[1] = None
    # error at `v`@2: a component of float32x3 is float32, but the value is float32x3
    # hint: write device.float32(...)
    v[2] = v
    # error at `z`: a component of float32x3 is float32, but the value is complex64
    # hint: write device.float32(...)
    v[0] = z
    w = D.int8x2(1, 2)
    # error at `300`: 300 does not fit in int8
    # hint: use a wider type, such as int64
    w[0] = 300
    # error at `1, None`: a component of float32x3 is float32, but the value is None
    # hint: write device.float32(...)
    v[0], v[1] = 1, None


@bad.kernel(FLOATS, V, 1, clause="DEV-VEC-17")
def components_that_are_not_there(a, v, n):
    # error at `D.int32x1(n).y`: an int32x1 has no attribute 'y'
    # hint: it has x, size, dtype
    a[0] = D.int32x1(n).y
    # error at `D.int32x2(n, n).z`: an int32x2 has no attribute 'z'
    # hint: it has x, y, size, dtype
    a[0] = D.int32x2(n, n).z
    # error at `v.w`: a float32x3 has no attribute 'w'
    # hint: it has x, y, z, size, dtype
    a[0] = v.w
    # error at `v.X`: a float32x3 has no attribute 'X'
    # hint: it has x, y, z, size, dtype
    a[0] = v.X
    # error at `D.thread_idx.w`: device.thread_idx has no attribute 'w'
    # hint: it has x, y and z
    a[0] = D.thread_idx.w
    # error at `D.float32x4.x`: device.float32x4 has no attribute 'x'
    # hint: use it without '.'
    a[0] = D.float32x4.x


@bad.kernel(FLOATS, V, clause="DEV-HTYPE-02", partial="atomics and masks")
def attributes_of_vectors(a, v):
    # error at `v.foo`: a float32x3 has no attribute 'foo'
    # hint: attributes cannot be added in a kernel
    v.foo = 1
    # error at `v.x`: 'x' of a float32x3 cannot be assigned
    # hint: write v[0] = ..., which gives the variable a changed vector
    v.x = 1
    # error at `v.x`: 'x' of a float32x3 cannot be assigned
    # hint: write v[0] = ..., which gives the variable a changed vector
    v.x += 1
    # error at `v.size`: a float32x3 has no attribute 'size'
    # hint: attributes cannot be added in a kernel
    v.size = 4
    # error at `D.float32x2(1, 2).y`: 'y' of a float32x2 cannot be assigned
    # hint: write p[1] = ..., which gives the variable a changed vector
    D.float32x2(1, 2).y = 3
    # error at `D.float32x2(1, 2)[0]`: an element of float32x2 cannot be assigned
    # hint: names and elements of arrays can
    D.float32x2(1, 2)[0] = 3
    # error at `(v, v)[0][1]`: an element of float32x3 cannot be assigned
    # hint: names and elements of arrays can
    (v, v)[0][1] = 3
    # error at `D.thread_idx[0]`: an element of device.thread_idx cannot be assigned
    # hint: names and elements of arrays can
    D.thread_idx[0] = 1


@bad.kernel(FLOATS, V, D.int32x2(1, 2))
def operators_of_vectors(a, v, w):
    # error at `v + w` on `+`: cannot add 'float32x3' and 'int32x2'
    # hint: vectors mix with numbers, and with vectors of as many components
    b = v + w
    # error at `v + a` on `+`: cannot add 'float32x3' and 'array[float32, 1]'
    # hint: vectors mix with numbers, and with vectors of as many components
    b = v + a
    # error at `v + (1, 2, 3)` on `+`: cannot add 'float32x3' and '(int, int, int)'
    # hint: vectors mix with numbers, and with vectors of as many components
    b = v + (1, 2, 3)
    # error at `v & v` on `&`: '&' needs integers, found 'float32' and 'float32'
    # hint: convert with int() or a fixed format such as device.int32()
    b = v & v
    # error at `v << 1` on `<<`: '<<' needs integers, found 'float32' and 'int'
    # hint: convert with int() or a fixed format such as device.int32()
    b = v << 1
    # error at `~v`: unary '~' does not work on 'float32'
    # hint: it works on numbers, '~' on integers
    b = ~v
    # error at `v @ v` on `@`: cannot matrix-multiply 'float32x3' and 'float32x3'
    # hint: vectors mix with numbers, and with vectors of as many components
    b = v @ v
    # error at `w + None` on `+`: cannot add 'int32x2' and 'None'
    # hint: vectors mix with numbers, and with vectors of as many components
    b = w + None
    # error at `300`: 300 does not fit in uint8
    # hint: use a wider type, such as int64
    b = D.uint8x2(1, 2) + 300
    # error at `D.float8e4m3x2(1, 2) + D.float16x2(1, 2)` on `+`: cannot add 'float8e4m3' and
    # ... 'float16': no promotion is defined for this pair
    # hint: cast one side explicitly
    b = D.float8e4m3x2(1, 2) + D.float16x2(1, 2)
    # error at `w < w`: '<' cannot compare 'int32x2' and 'int32x2'
    # hint: numbers can be compared, and tuples of them
    b = w < w
    # error at `w == (1, 2)`: '==' cannot compare 'int32x2' and '(int, int)'
    # hint: numbers can be compared, and tuples of them
    b = w == (1, 2)
    # error at `w is w`: 'is' cannot compare 'int32x2' and 'int32x2'
    # hint: it works with None only; values are compared with ==
    b = w is w
    # error at `w`: int32x2 cannot be used as a condition
    # hint: conditions are numbers and comparisons
    b = not w
    # error at `D.uint8x2(1, 2) + w + v`: cannot add 'int32x2' and 'float32x3'
    # hint: vectors mix with numbers, and with vectors of as many components
    b = D.uint8x2(1, 2) + w + v


@bad.kernel(FLOATS, V, 2)
def vectors_elsewhere(a, v, n):
    # error at `v`: float32x3 cannot be stored in an array of float32
    # hint: an element takes a number
    a[0] = v
    # error at `v`: an index must be an integer, found float32x3
    # hint: give one integer for each dimension
    a[v] = 1
    # error at `float(v)`: float() needs a number, found float32x3
    # hint: it works on numbers
    b = float(v)
    # error at `v if n > 1 else 0`: the alternatives have types float32x3 and int, which have no
    # ... common type
    # hint: convert one of them
    b = v if n > 1 else 0
    # error at `v if n > 1 else D.float32x2(1, 2)`: the alternatives have types float32x3 and
    # ... float32x2, which have no common type
    # hint: convert one of them
    b = v if n > 1 else D.float32x2(1, 2)
    if n > 1:
        c = v
    else:
        # error at `D.int32x3(1, 2, 3)`: 'c' would be both float32x3 and int32x3 here
        # hint: give the two values one type, or use two names
        c = D.int32x3(1, 2, 3)
    a[0] = c.x
    # error at `v`: the shape of local_array() is an int or a tuple of ints, found float32x3
    # hint: write ints, such as 16 or (4, 8); // divides ints into an int, / into a float
    d = D.local_array(v, D.float32)
    # error at `v`: range() needs integers, found float32x3
    # hint: convert with int()
    for k in range(v):
        pass
    # error at `v`: 3 values cannot be unpacked into 2 names
    # hint: write one name for each value; the shape of an array has one for each dimension
    e, f = v
    # error at `v`: float32x3 cannot be called
    # hint: functions, types and intrinsics can
    v()


# --- structs ---


@bad.kernel(FLOATS, 1.5, np.int64(3), clause="DEV-STRUCT-08")
def fields_that_do_not_convert(a, x, n):
    # error at `"a"`: field 'x' of Point is int, but the value is str
    # hint: write int(...)
    p = Point("a", 2)
    # error at `1.5`: field 'x' of Point is int, but the value is float
    # hint: write int(...)
    p = Point(1.5, 2)
    # error at `x`: field 'x' of Point is int, but the value is float
    # hint: write int(...)
    p = Point(x, 2)
    # error at `n`@2: field 'x' of Point is int, but the value is int64
    # hint: write int(...)
    p = Point(n, 2)
    # error at `np.float64(0.5)`: field 'y' of Point is float32, but the value is float64
    # hint: write device.float32(...)
    p = Point(1, np.float64(0.5))
    # error at `None`: field 'y' of Point is float32, but the value is None
    # hint: write device.float32(...)
    p = Point(1, None)
    # error at `a`: field 'x' of Point is int, but the value is array[float32, 1]
    # hint: write int(...)
    p = Point(a, 1)
    # error at `(1,)`: field 'y' of Point is float32, but the value is (int,)
    # hint: write device.float32(...)
    p = Point(x=1, y=(1,))
    # error at `0.5`: field 'x' of Point is int, but the value is float
    # hint: write int(...)
    q = D.replace(Point(1, 2), x=0.5)
    # error at `(1, 2)`@1: field 'first' of Line is Point, but the value is (int, int)
    # hint: write Point(...)
    line = Line((1, 2), D.uint8x4(1, 2, 3, 4), (1, 2), None)
    # error at `D.int8x4(1, 2, 3, 4)`: field 'color' of Line is uint8x4, but the value is int8x4
    # hint: write device.uint8x4(...)
    line = Line(Point(1, 2), D.int8x4(1, 2, 3, 4), (1, 2), None)
    # error at `(1, 2, 3)`: field 'ends' of Line is (int, float64), but the value is (int, int,
    # ... int)
    # hint: give a tuple of its 2 elements
    line = Line(Point(1, 2), D.uint8x4(1, 2, 3, 4), (1, 2, 3), None)
    # error at `(1.5, 2)`: element 0 of field 'ends' of Line is int, but the value is float
    # hint: write int(...)
    line = Line(Point(1, 2), D.uint8x4(1, 2, 3, 4), (1.5, 2), None)
    # error at `0`: field 'note' of Line is None, but the value is int
    # hint: give None
    line = Line(Point(1, 2), D.uint8x4(1, 2, 3, 4), (1, 2), 0)


@bad.kernel(FLOATS, Point(1, 2), raises=errors.CompileTypeError)
def constructions(a, p):
    # error at `Point(1)`: Point() misses the argument 'y'
    # hint: its fields are x, y
    q = Point(1)
    # error at `Point()`: Point() misses the argument 'x'
    # hint: its fields are x, y
    q = Point()
    # error at `Point(1, 2, 3)`: Point() takes 2 arguments, but 3 are given
    # hint: its fields are x, y
    q = Point(1, 2, 3)
    # error at `Point(1, 2, z=3)`: Point() has no parameter 'z'
    # hint: its fields are x, y
    q = Point(1, 2, z=3)
    # error at `Point(1, x=2)`: Point() got two values for 'x'
    # hint: give it by position or by its name, not both
    q = Point(1, x=2)
    # error at `D.replace(p, q=1)`: Point() has no parameter 'q'
    # hint: its fields are x, y
    q = D.replace(p, q=1)
    # error at `D.replace(p, 1)`: replace() takes 1 argument, but 2 are given
    # hint: leave out the others
    q = D.replace(p, 1)
    # error at `a`@2: the first argument of replace() is a struct, but the value is array[float32,
    # ... 1]
    # hint: give a struct
    q = D.replace(a, x=1)
    # error at `D.float32x2(1, 2)`: the first argument of replace() is a struct, but the value is
    # ... float32x2
    # hint: give a struct
    q = D.replace(D.float32x2(1, 2), x=1)
    # error at `D.replace(p, SIDES=1)`: Point() has no parameter 'SIDES'
    # hint: its fields are x, y
    q = D.replace(p, SIDES=1)


@bad.kernel(FLOATS, Point(1, 2), LINE, clause=("DEV-STRUCT-09", "DEV-STRUCT-10"))
def attributes_of_structs(a, p, line):
    # error at `p.foo`: a Point has no attribute 'foo'
    # hint: attributes cannot be added in a kernel
    p.foo = 1
    # error at `p.x`: 'x' of a Point cannot be assigned: it is immutable
    # hint: make a changed one: p = device.replace(p, x=...)
    p.x = 3
    # error at `p.x`: 'x' of a Point cannot be assigned: it is immutable
    # hint: make a changed one: p = device.replace(p, x=...)
    p.x += 1
    # error at `line.first.x`: 'x' of a Point cannot be assigned: it is immutable
    # hint: make a changed one: line.first = device.replace(line.first, x=...)
    line.first.x = 1
    # error at `line.color[0]`: an element of uint8x4 cannot be assigned
    # hint: names and elements of arrays can
    line.color[0] = 1
    # error at `line.ends[0]`: an element of (int, float64) cannot be assigned
    # hint: tuples do not change; elements of device.local_array(shape, dtype) do
    line.ends[0] = 1
    # error at `Point.SIDES`: 'SIDES' of class Point cannot be assigned
    # hint: names and elements of arrays can
    Point.SIDES = 3
    # error at `Point.foo`: 'foo' of class Point cannot be assigned
    # hint: names and elements of arrays can
    Point.foo = 3
    # error at `p[0]`: an element of Point cannot be assigned
    # hint: names and elements of arrays can
    p[0] = 1
    # error at `del p.x`: 'del' is not supported in kernels
    # hint: a name needs no deletion in a kernel
    del p.x


@bad.kernel(FLOATS, Point(1, 2), LINE)
def reads_of_structs(a, p, line):
    # error at `p.z`: a Point has no attribute 'z'
    # hint: it has x, y, SIDES, moved, total
    a[0] = p.z
    # error at `p.totl`: a Point has no attribute 'totl'
    # hint: did you mean 'total'?
    a[0] = p.totl
    # error at `p[0]`: Point cannot be indexed
    # hint: arrays and tuples can
    a[0] = p[0]
    # error at `Point.x`: class Point has no attribute 'x'
    # hint: methods and constants are read of it, fields of its instances
    a[0] = Point.x
    # error at `Point.total`: class Point has no attribute 'total'
    # hint: methods and constants are read of it, fields of its instances
    a[0] = Point.total
    # error at `p`: Point has no len()
    # hint: arrays and tuples have
    a[0] = len(p)
    # error at `p`: Point cannot be unpacked
    # hint: tuples can; read the elements of an array by index
    x, y = p
    # error at `p`: Point cannot be iterated over
    # hint: use range() or a tuple
    for x in p:
        pass
    # error at `p`: Point cannot be stored in an array of float32
    # hint: an element takes a number
    a[0] = p
    # error at `p.moved`: method moved cannot be stored in an array of float32
    # hint: an element takes a number
    a[0] = p.moved
    # error at `p.moved()`: moved() misses the argument 'by'
    # hint: its parameters are self, by
    a[0] = p.moved()
    # error at `line.first.moved(1).z`: a Point has no attribute 'z'
    # hint: it has x, y, SIDES, moved, total
    a[0] = line.first.moved(1).z
    # error at `2`: index 2 is outside of a tuple of 2
    # hint: the last element has index -1
    a[0] = line.ends[2]
    # error at `line.note`: None cannot be stored in an array of float32
    # hint: an element takes a number
    a[0] = line.note
    # error at `p + 1`: cannot add 'Point' and 'int'
    # hint: operators work on numbers
    b = p + 1
    # error at `p < p`: '<' cannot compare 'Point' and 'Point'
    # hint: numbers can be compared, and tuples of them
    b = p < p
    # error at `p == line`: '==' cannot compare 'Point' and 'Line'
    # hint: numbers can be compared, and tuples of them
    b = p == line
    # error at `-p`: unary '-' does not work on 'Point'
    # hint: it works on numbers, '~' on integers
    b = -p
    # error at `p`: Point cannot be used as a condition
    # hint: conditions are numbers and comparisons
    if p:
        pass
    # error at `p if a[0] > 0 else LINE`: the alternatives have types Point and Line, which have no
    # ... common type
    # hint: convert one of them
    b = p if a[0] > 0 else LINE


@bad.kernel(FLOATS, 2)
def joined(a, n):
    p = Point(1, 2)
    if n > 1:
        # error at `LINE`: 'p' would be both Point and Line here
        # hint: give the two values one type, or use two names
        p = LINE
    a[0] = p.x


@D.func
def point_or_vector(n):
    if n > 1:
        return Point(n, 2)
    return D.float32x2(1, 2)


@D.kernel
def two_results(n):
    q = point_or_vector(n)


def test_two_types_of_results():
    with pytest.raises(errors.CompileError) as info:
        D.launch(two_results, 2, grid=1, block=1)
    text = """
        test_records.py:L+4:5: the result would be both Point and float32x2 here
          L+4 |     return D.float32x2(1, 2)
              |     ^^^^^^^^^^^^^^^^^^^^^^^^
        give the two values one type, or use two names
        test_records.py:L+9:9: in 'point_or_vector', called here
          L+9 |     q = point_or_vector(n)
              |         ^^^^^^^^^^^^^^^^^^
          in kernel 'two_results', specialised for (int)
        """
    check_error(info, text, at=point_or_vector)


@D.struct
class Broken:
    x: int

    def twice(self):
        return self.x + self.q


@D.kernel
def calls_a_broken_method(p):
    q = p.twice()


def test_an_error_within_a_method():
    with pytest.raises(errors.CompileError) as info:
        D.launch(calls_a_broken_method, Broken(1), grid=1, block=1)
    text = """
        test_records.py:L+5:25: a Broken has no attribute 'q'
          L+5 |         return self.x + self.q
              |                         ^^^^^^
        it has x, twice
        test_records.py:L+10:9: in 'twice', called here
          L+10 |     q = p.twice()
               |         ^^^^^^^^^
          in kernel 'calls_a_broken_method', specialised for (Broken)
        """
    check_error(info, text, at=Broken)


# --- in memory ---


@bad.kernel(POINTS, VECTORS, RECORDS, 1, clause=("DEV-STRUCT-10", "DEV-ARR-20"))
def elements(points, vectors, records, n):
    # error at `points[0].z`: a Point has no attribute 'z'
    # hint: only its fields can be assigned
    points[0].z = 1
    # error at `points[0]["z"]`: a Point has no attribute 'z'
    # hint: only its fields can be assigned
    points[0]["z"] = 1
    # error at `"a"`: field 'x' of Point is int, but the value is str
    # hint: write int(...)
    points[0].x = "a"
    # error at `None`: field 'x' of Point is int, but the value is None
    # hint: write int(...)
    points[0].x = None
    # error at `points[0].x.y`: a part of int cannot be assigned
    # hint: names and elements of arrays can
    points[0].x.y = 1
    # error at `1`: an element of 'points' is Point, but the value is int
    # hint: write Point(...)
    points[0] = 1
    # error at `points[0][0]`: Point cannot be indexed
    # hint: arrays and tuples can
    points[0][0] = 1
    # error at `points.x`: 'x' of array[Point, 1] cannot be assigned
    # hint: names and elements of arrays can
    points.x = 1
    # error at `"z"`: an element of 'points' has no attribute 'z'
    # hint: it has x, y
    points["z"] = 1
    # error at `1`: an element of 'vectors' is float32x2, but the value is int
    # hint: write device.float32x2(...)
    vectors[0] = 1
    # error at `D.float32x3(1, 2, 3)`: an element of 'vectors' is float32x2, but the value is
    # ... float32x3
    # hint: write device.float32x2(...)
    vectors[0] = D.float32x3(1, 2, 3)
    # error at `vectors[0].z`: a float32x2 has no attribute 'z'
    # hint: only its fields can be assigned
    vectors[0].z = 1
    # error at `2`: index 2 is outside of a float32x2, which has 2 elements
    # hint: the last one has index -1
    vectors[0][2] = 1
    # error at `1.5`: an index must be an integer, found float
    # hint: give one integer
    vectors[0][1.5] = 1
    # error at `1`: field 'inner' of record is record, but the value is int
    # hint: give a tuple of its 1 element
    records[0].inner = 1
    # error at `records[0].inner.v`: a record has no attribute 'v'
    # hint: only its fields can be assigned
    records[0].inner.v = 1
    # error at `(1, 2)`: field 'm' of record is sub-array, but the value is (int, int)
    # hint: give a tuple of its 6 elements
    records[0].m = (1, 2)
    # error at `None`: None cannot be stored in an array of float32
    # hint: an element takes a number
    records[0].m = None
    # error at `2, 0`: index 2 is outside of an axis of a sub-array, which has 2 elements
    # hint: the last one has index -1
    records[0].m[2, 0] = 1
    # error at `0, n, 0`: a sub-array has 2 dimensions, but 3 indices are given
    # hint: give one index for each dimension
    records[0].m[0, n, 0] = 1
    # error at `records[0].m[n].x`: 'x' of array[float32, 1] cannot be assigned: it is an array, not
    # ... one element
    # hint: write a[...]['x'] = ... for the field of each element
    records[0].m[n].x = 1
    # error at `records[1:].x`: 'x' of array[record, 1] cannot be assigned: it is an array, not one
    # ... element
    # hint: write a[...]['x'] = ... for the field of each element
    records[1:].x = 1
    # error at `records[1].m[0]`: an array of shape (3,) cannot be stored into a part of shape (2,)
    # hint: the shapes must be equal; axes of extent 1 and axes that are missing in front are
    # ... repeated
    records[0].m[:, 1] = records[1].m[0]
    # error at `0, 3`: index 3 is outside of an axis of a sub-array, which has 3 elements
    # hint: the last one has index -1
    records[0].m[0, 3] = 1


@bad.kernel(POINTS, VECTORS, RECORDS, 1)
def reads_of_elements(points, vectors, records, n):
    # error at `points[0].z`: a Point has no attribute 'z'
    # hint: it has x, y, SIDES, moved, total
    a = points[0].z
    # error at `"z"`: a Point has no attribute 'z'
    # hint: its fields are named in its dtype
    a = points[0]["z"]
    # error at `points[0][0]`: Point cannot be indexed
    # hint: arrays and tuples can
    a = points[0][0]
    # error at `points.x`: array[Point, 1] has no attribute 'x'
    # hint: arrays in kernels have shape, strides, size, ndim, dtype, T, view, reshape and astype;
    # ... sum(a), min(a) and max(a) work; other methods are called before or after the launch
    a = points.x
    # error at `"z"`: an element of 'points' has no attribute 'z'
    # hint: it has x, y
    a = points["z"]
    # error at `vectors[0].z`: a float32x2 has no attribute 'z'
    # hint: it has x, y, size, dtype
    a = vectors[0].z
    # error at `2`: index 2 is outside of a float32x2, which has 2 elements
    # hint: the last one has index -1
    a = vectors[0][2]
    # error at `records[0].u`: a record has no attribute 'u'
    # hint: it has x, inner, m
    a = records[0].u
    # error at `"x"`: a record has no attribute 'x'
    # hint: its fields are named in its dtype
    a = records[0].inner["x"]
    # error at `2, 0`: index 2 is outside of an axis of a sub-array, which has 2 elements
    # hint: the last one has index -1
    a = records[0].m[2, 0]
    # error at `0, n, 0`: a sub-array has 2 dimensions, but 3 indices are given
    # hint: give one index for each dimension
    a = records[0].m[0, n, 0]
    r = records[0]
    # error at `r.m[0, n, 0]`: a sub-array has 2 dimensions, but 3 indices are given
    # hint: give one index for each dimension
    a = r.m[0, n, 0]
    # error at `2`: index 2 is outside of an axis of a sub-array, which has 2 elements
    # hint: the last one has index -1
    a = r.m[2]
    # error at `n`: the bounds of a slice of a tuple must be constants, found an int
    # hint: how many elements a tuple has is known when compiling
    a = r.m[0, n:]
    # error at `1.5`: an index must be an integer, found float
    # hint: convert it with int()
    a = r.m[1.5]
    # error at `records[0][0]`: record cannot be indexed
    # hint: arrays and tuples can
    a = records[0][0]
    # error at `records[0] + 1`: cannot add 'record' and 'int'
    # hint: operators work on numbers
    a = records[0] + 1


LINES = D.zeros(4, dtype=Line, device="cpu")


@bad.kernel(LINES)
def fields_without_memory(lines):
    # error at `"note"`: the memory of 'lines' has no attribute 'note'
    # hint: the field is None in each element
    a = lines["note"]


@D.struct
class Grid:
    data: np.ndarray[tuple[int, int], np.dtype[np.float32]]
    other: np.ndarray
    n: int


GRID = Grid(np.zeros((2, 3), np.float32), np.zeros(4), 1)


@bad.kernel(FLOATS, POINTS, GRID, 1, clause=("DEV-STRUCT-07", "DEV-STRUCT-08"))
def structs_with_arrays(a, points, grid, n):
    # error at `a`@1: field 'data' of Grid is array[float32, 2], but the value is array[float32, 1]
    # hint: give such an array
    g = Grid(a, a, 1)
    # error at `grid.other[:, None]`: field 'data' of Grid is array[float32, 2], but the value is
    # ... array[float64, 2]
    # hint: give such an array
    g = D.replace(grid, data=grid.other[:, None])
    # error at `n`: field 'other' of Grid is array, but the value is int
    # hint: give such an array
    g = Grid(grid.data, n, 1)
    # error at `Grid`: Grid is no element type of local_array(): it has arrays, which no memory holds
    # hint: keep its other attributes in memory, and make the struct where it is used
    g = D.local_array(4, Grid)
    # error at `Grid`: Grid is no element type of Atomic(): it has arrays, which no memory holds
    # hint: keep its other attributes in memory, and make the struct where it is used
    g = D.Atomic(Grid)
    # error at `grid`: an element of 'points' is Point, but the value is Grid
    # hint: write Point(...)
    points[0] = grid
    # error at `grid.other`: 'other' of a Grid cannot be assigned: it is immutable
    # hint: make a changed one: grid = device.replace(grid, other=...)
    grid.other = a
    # error at `grid == grid` on `==`: '==' cannot compare 'array[float32, 2]' and
    # ... 'array[float32, 2]'
    # hint: numbers can be compared, and tuples of them
    # error at `grid == grid` on `==`: '==' cannot compare 'array[float64, 1]' and
    # ... 'array[float64, 1]'
    # hint: numbers can be compared, and tuples of them
    b = grid == grid


@bad.kernel(FLOATS, 2, clause="DEV-STRUCT-17")
def types_that_are_aligned(a, n):
    # error at `5`: int is no type that align() aligns
    # hint: for example device.align(device.int32, 16)
    t = D.align(5, 8)
    # error at `3`@2: the alignment of align() is a power of two from 1 to 1024, a constant
    # ... expression; found 3
    # hint: leave it out, or write for example align=16
    t = D.align(D.int32, 3)
    # error at `n`@3: the alignment of align() is a power of two from 1 to 1024, a constant
    # ... expression; found int
    # hint: leave it out, or write for example align=16
    t = D.align(D.int32, n)
    # error at `D.align(D.int32)`: align() misses the argument 'n'
    # hint: for example device.align(device.int32, 16)
    t = D.align(D.int32)


FROZEN = np.zeros(4, Point.numpy_dtype)
FROZEN.flags.writeable = False


@bad.kernel(FROZEN)
def read_only(points):
    # error at `points[0]`: the array 'points' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    points[0] = Point(1, 2)
    # error at `points[0]`: the array 'points' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    points[0].x = 1
    # error at `points[0]`: the array 'points' is read-only
    # hint: pass a writable array, or store in another one; of JAX's, device.asarray(a, copy=True) is a writable copy
    points[0]["y"] += 1


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
