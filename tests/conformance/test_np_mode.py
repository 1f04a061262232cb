"""NumbaPro's no-Python mode: what there is of Python in kernels (NP-NPM, NP-GEN)."""

import math

import numpy as np
import pytest
from cuda.device.errors import CompileError, LaunchTypeError
from cuda.device.numbapro import cuda, float32, int32, uint8
from support.clauses import clause
from support.numbapro import expect_errors, made_of


class Thing:
    value = 3


THING = Thing()

# --- values ---


@cuda.autojit
def copies(out, a):
    i = cuda.grid(1)
    if i < a.size:
        x = a[i]
        out[i] = x


EXTREMES = {
    "bool": [False, True],
    **{f"int{n}": [-(1 << n - 1), (1 << n - 1) - 1, 0, -1] for n in (8, 16, 32, 64)},
    **{f"uint{n}": [0, 1, (1 << n) - 1] for n in (8, 16, 32, 64)},
    "float32": [math.inf, -0.0, 1e-45, 3.4028235e38, math.nan],
    "float64": [math.inf, -0.0, 5e-324, 1.7976931348623157e308, math.nan],
    "complex64": [complex(1e-45, -math.inf), complex(-0.0, math.nan)],
    "complex128": [complex(5e-324, -math.inf), complex(-0.0, math.nan)],
}


@clause("NP-NPM-02")
@pytest.mark.parametrize("dtype", EXTREMES)
def test_values_of_every_type_are_copied(target, dtype):
    a = np.array(EXTREMES[dtype], dtype)
    out = np.zeros_like(a)
    copies[1, 32](out, a)
    assert out.tobytes() == a.tobytes()


@cuda.autojit
def unresolvable(out):
    x = f(unknown)  # noqa: F821
    out[0] = x


@clause("NP-NPM-01")
def test_a_variable_without_a_type_is_named():
    with pytest.raises(CompileError) as raised:
        unresolvable[1, 1](np.zeros(1))
    text = str(raised.value)
    assert "x = f(unknown)" in text
    assert "name 'f' is not defined" in text
    assert "name 'unknown' is not defined" in text


@cuda.autojit
def python_objects(out):
    # error at `"text"`: the string 'text' is a Python object, which this dialect has none of
    # hint: its kernels have numbers, arrays, and tuples of numbers; types are named by type objects
    # ... such as float32
    s = "text"
    n = None  # error at `None`: None is a Python object, which this dialect has none of
    # hint: its kernels have numbers, arrays, and tuples of numbers; types are named by type objects
    # ... such as float32
    t = THING  # error at `THING`: tests.conformance.test_np_mode.Thing is a Python object, which
    # ... this dialect has none of
    # hint: its kernels have numbers, arrays, and tuples of numbers; types are named by type objects
    # ... such as float32
    d = {}  # error at `{}`: a dict is not supported in kernels
    # hint: use an array, and compare keys with 'if' and 'elif'
    e = {1, 2}  # error at `{1, 2}`: a set is not supported in kernels
    # hint: use a tuple
    f = [1, 2]  # error at `[1, 2]`: a list is not supported in kernels
    # hint: use a tuple, or cuda.local.array(shape, dtype) for elements that change
    out[0] = 1
    print(1)  # error at `print(1)`: print() is not in this dialect
    # hint: store what is to be seen in an array; kernels of @cuda.device.kernel print


BYTES = b"text"


@cuda.jit(device=True)
def first_of(v):
    return v[0]


@cuda.autojit
def of_bytes(out):
    b = b"ab"[0]  # error at `b"ab"`: an object of class 'bytes' is a Python object, which this
    # ... dialect has none of
    # hint: its kernels have numbers, arrays, and tuples of numbers; types are named by type objects
    # ... such as float32
    b = BYTES  # error at `BYTES`: an object of class 'bytes' is a Python object, which this dialect
    # ... has none of
    # hint: its kernels have numbers, arrays, and tuples of numbers; types are named by type objects
    # ... such as float32
    out[0] = first_of(b"")  # error at `b""`: an object of class 'bytes' is a Python object, which
    # ... this dialect has none of
    # hint: its kernels have numbers, arrays, and tuples of numbers; types are named by type objects
    # ... such as float32
    out[1] = first_of((1, b"b"))  # error at `b"b"`: an object of class 'bytes' is a Python object,
    # ... which this dialect has none of
    # hint: its kernels have numbers, arrays, and tuples of numbers; types are named by type objects
    # ... such as float32


@clause("NP-NPM-03")
def test_python_objects_are_no_values():
    expect_errors(python_objects, np.zeros(1))
    expect_errors(of_bytes, np.zeros(2))


@cuda.autojit
def takes_one(out, x):
    out[0] = 1


TAKEN = (
    "kernels take numbers and arrays of numbers: bool, int8, int16, int32, int64, uint8, uint16, "
    "uint32, uint64, float32, float64, complex64 and complex128"
)
POINT = np.dtype([("x", "f4"), ("y", "i2")])
NO_NUMBERS = {
    "half": (np.zeros(3, np.float16), "a 1-d array of float16 ('<f2')"),
    "long double": (np.zeros((2, 2), np.longdouble), "a 2-d array of float128 ('<f16')"),
    "structs": (np.zeros(3, POINT), "a 1-d array of structs [('x', '<f4'), ('y', '<i2')]"),
    "texts": (np.array(["ab"]), "a 1-d array of str64 ('<U2')"),
    "objects": (np.array([None]), "a 1-d array of object ('|O')"),
    "dates": (np.zeros(3, "M8[s]"), "a 1-d array of datetime64[s] ('<M8[s]')"),
    "one half": (np.float16(1), "a float16 ('<f2')"),
    "one struct": (np.zeros((), POINT)[()], "a struct [('x', '<f4'), ('y', '<i2')]"),
    "one text": (np.str_("ab"), "an object of class 'str_'"),
}


@clause("NP-NPM-02", "NP-NPM-03")
@pytest.mark.parametrize("name", NO_NUMBERS)
@pytest.mark.parametrize("signature", [None, "void(float64[:], float32[:])"])
def test_arrays_of_other_formats_are_named(name, signature):
    value, found = NO_NUMBERS[name]
    kernel = cuda.jit(signature)(takes_one.py_func) if signature else takes_one
    with pytest.raises(LaunchTypeError) as raised:
        kernel[1, 1](np.zeros(1), value)
    assert str(raised.value) == f"argument 2 ('x') of kernel 'takes_one' is {found}; {TAKEN}"


def test_device_arrays_of_other_formats_are_named():
    with pytest.raises(LaunchTypeError, match=r"is a 1-d array of float16 \('<f2'\); kernels take"):
        takes_one[1, 1](np.zeros(1), cuda.to_device(np.zeros(3, np.float16)))


@clause("NP-NPM-03")
@pytest.mark.parametrize(
    "value",
    ["text", [1, 2], {}, {1}, THING, None, (1, 2), b"text"],
    ids=lambda value: type(value).__name__,
)
def test_python_objects_are_no_arguments(value):
    name = type(value).__name__
    with pytest.raises(LaunchTypeError) as raised:
        takes_one[1, 1](np.zeros(1), value)
    assert str(raised.value) == (
        f"argument 2 ('x') of kernel 'takes_one' is an object of class {name!r}; {TAKEN}"
    )


REFUSED = {
    "try:\n        out[0] = 1\n    except ValueError:\n        pass": "the 'try' statement",
    "raise ValueError": "'raise'",
    "assert out[0] > 0": "'assert'",
    "with out:\n        pass": "the 'with' statement",
    "class A:\n        pass": "a class inside of a kernel",
    "yield 1": "'yield'",
    "async def g():\n        pass": "an 'async def' inside of a kernel",
}


@clause("NP-NPM-04")
@pytest.mark.parametrize("statement", REFUSED)
def test_there_are_no_exceptions_and_no_objects(statement):
    kernel = made_of(f"def k(out):\n    {statement}\n")
    with pytest.raises(CompileError) as raised:
        kernel[1, 1](np.zeros(1))
    found = raised.value.diagnostics[0]
    assert found.line == 2
    assert found.message.startswith(REFUSED[statement])
    assert "not supported in kernels" in found.message


# --- loops ---


@cuda.autojit
def loops(out, n):
    s = 0
    for i in range(n):
        s += i
    out[0] = s
    s = 0
    for i in range(3, n):
        s += i * i
    out[1] = s
    s = 0
    for i in range(n, -n, -3):
        s = s * 3 + i
    out[2] = s
    s = 0
    for i in xrange(2, n, 4):  # noqa: F821
        s += i
    out[3] = s
    for i in xrange(3):  # noqa: F821
        out[4] = i


@cuda.autojit
def keeps_range(out):
    once = range(3)  # error at `range(3)`: range is a Python object, which this dialect has none of
    # hint: its kernels have numbers, arrays, and tuples of numbers; types are named by type objects
    # ... such as float32
    out[0] = 1


@clause("NP-NPM-07")
def test_a_range_is_a_form_of_loops():
    expect_errors(keeps_range, np.zeros(1))


@clause("NP-NPM-05")
def test_loops_over_ranges(target):
    out = np.zeros(5, np.int64)
    loops[1, 1](out, 10)
    third = 0
    for i in range(10, -10, -3):
        third = third * 3 + i
    assert out.tolist() == [45, sum(i * i for i in range(3, 10)), third, 8, 2]


@cuda.autojit
def other_loops(out, a):
    for v in a:  # error at `a`: a 'for' loop goes over range() or xrange() only, found
        # ... array[float64, 1]
        # hint: go through the indices: for i in range(n)
        out[0] = v
    for v in (1, 2):  # error at `(1, 2)`: a 'for' loop goes over range() or xrange() only, found
        # ... (int32, int32)
        # hint: go through the indices: for i in range(n)
        out[0] = v
    for v in zip(a, a):  # error at `zip`: 'zip' cannot be used in a kernel
        # hint: a 'for' loop goes over range() or xrange() only: go through the indices
        out[0] = v[0]


@clause("NP-NPM-06")
def test_loops_over_anything_else():
    expect_errors(other_loops, np.zeros(1), np.zeros(3))


# --- tuples and functions ---


@cuda.autojit
def unpacks(out, a):
    h, w = a.shape
    s0, s1 = a.strides
    x, y = cuda.grid(2)
    if x < h and y < w:
        out[x, y] = h * 1000 + w * 100 + s0 + s1 + a.shape[0]


@clause("NP-NPM-08")
def test_tuples_are_unpacked(target):
    out, a = np.zeros((3, 2), np.int64), np.zeros((3, 2), np.float32)
    unpacks[(1, 1), (4, 2)](out, a)
    assert (out == 3000 + 200 + 8 + 4 + 3).all()


@cuda.jit(device=True, inline=True)
def both(x, y):
    return x + y, x * y


@cuda.jit("float32(float64, int32)", device=True)
def declared(x, n):
    return x / n


@cuda.jit(restype=uint8, argtypes=[int32], device=True)
def older(n):
    return n + 1


def plain(x):
    return x * 2


@cuda.autojit
def calls(out, a):
    s, p = both(a[0], a[1])
    out[0], out[1] = s, p
    out[2] = declared(1, 3.9)
    out[3] = older(255.5)
    out[4] = plain(a[0])


@clause("NP-NPM-09")
def test_device_functions(target):
    out = np.zeros(5)
    calls[1, 1](out, np.array([3.0, 4.0]))
    assert out.tolist() == [7, 12, float(np.float32(1 / 3)), 0, 6]
    with pytest.raises(LaunchTypeError, match="the device function 'both' cannot be called on the"):
        both(1, 2)


@cuda.autojit
def wrong_call(out, a):
    out[0] = declared(a, 1)  # error at `a`@2: parameter 'x' is declared float64 by the decorator,
    # ... but the value is array[float64, 1]
    # hint: only integers and floats are converted; change the signature or the value


@clause("NP-NPM-09", "NP-TYPE-01")
def test_arguments_that_a_signature_does_not_take():
    expect_errors(wrong_call, np.zeros(1), np.zeros(1))


@cuda.jit(argtypes=[float32], device=True)
def of_no_result(x):
    return x * 2


@cuda.jit("(float32[:], float32)", device=True)
def stores(a, x):
    a[0] = x


@cuda.autojit
def takes_no_result(out):
    # error at `of_no_result(1)`: the result of 'of_no_result' is declared None by the decorator,
    # ... but the value is float32
    # hint: only integers and floats are converted; change the signature or the value
    out[0] = of_no_result(1)


@cuda.autojit
def calls_for_effect(out):
    stores(out, 3)


@clause("NP-NPM-09")
def test_arguments_alone_declare_no_result(target):
    out = np.zeros(1, np.float32)
    calls_for_effect[1, 1](out)
    assert out[0] == 3
    expect_errors(takes_no_result, out)


@cuda.autojit
def returns(out):
    return 1  # error at `return 1`: the kernel 'returns' returns int32
    # hint: a kernel returns nothing; store the result in an array


@clause("NP-NPM-01")
def test_kernels_return_nothing():
    expect_errors(returns, np.zeros(1))


# --- launches ---


@cuda.autojit
def counts(out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] += 1


@clause("NP-GEN-02")
def test_ptx():
    with pytest.raises(TypeError, match="has no PTX before its first launch"):
        _ = made_of("def k(a):\n    a[0] = 1\n").ptx
    kernel = cuda.jit("void(float32[:])")(counts.py_func)
    assert ".visible .entry" in kernel.ptx
    assert ".target sm_" in kernel.ptx
    assert list(kernel.inspect_ptx()) == [(float32[:],)]


@clause("NP-GEN-01")
def test_launches(target):
    out = np.zeros(40, np.int32)
    counts[2, 32](out)
    counts[(2,), (32, 1, 1)](out)
    counts[2, 32, 0](out)
    counts[2, 32, 0, 64](out)
    configured = counts.configure(2, 32)
    configured(out)
    assert (out == 5).all()
    with pytest.raises(LaunchTypeError, match=r"needs a grid and a block: counts\[grid, block\]"):
        counts(out)
    with pytest.raises(LaunchTypeError, match=r"is launched as counts\[grid, block\]\(\.\.\.\)"):
        counts[2]


@cuda.autojit
def another_kernel(out):
    out[0] = 1


@cuda.autojit
def names_of_the_host(out):
    # error at `cuda.stream`: 'cuda.stream' cannot be used in a kernel
    # hint: call it outside of the kernel, and pass what it gives as an argument; kernels call
    # ... Python functions, and those of math and cuda
    s = cuda.stream()
    # error at `cuda.to_device`: 'cuda.to_device' cannot be used in a kernel
    # hint: call it outside of the kernel, and pass what it gives as an argument; kernels call
    # ... Python functions, and those of math and cuda
    out[0] = cuda.to_device(out)[0]
    # error at `cuda.synchronize`: 'cuda.synchronize' cannot be used in a kernel
    # hint: call it outside of the kernel, and pass what it gives as an argument; kernels call
    # ... Python functions, and those of math and cuda
    cuda.synchronize()
    # error at `another_kernel`: the kernel 'another_kernel' is called like a function
    # hint: kernels run by a launch alone, kernel[grid, block](...); put the shared code into a
    # ... device function, with @cuda.jit(device=True)
    another_kernel(out)
    # error at `another_kernel[1, 1]`: the kernel 'another_kernel' is called like a function
    # hint: kernels run by a launch alone, kernel[grid, block](...); put the shared code into a
    # ... device function, with @cuda.jit(device=True)
    another_kernel[1, 1](out)
    out[1] = s


def test_what_belongs_to_the_host_is_refused_at_its_name():
    found = expect_errors(names_of_the_host, np.zeros(2))
    assert "_memory.py" not in str(found)


@cuda.autojit
def takes_a_number(out, n, z):
    # error at `n.size`: int64 has no attribute 'size'
    # hint: numbers have real and imag, and complex ones conjugate()
    out[0] = n.size


def test_messages_call_types_as_the_dialect_does():
    found = expect_errors(takes_a_number, np.zeros(1), 3, 2.5)
    assert "specialised for (array[float64, 1], int64, float64)" in str(found)
