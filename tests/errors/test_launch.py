"""The full text of what a launch refuses (DEV-LAUNCH-06 to 10, DEV-ARR-21, DEV-ARR-22)."""

import array
import enum
import linecache

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, core, errors
from support.clauses import clause
from support.errors import check_error
from support.launching import run

from support import dlpack


@D.kernel
def vec_add(a, b, c):
    i = D.tid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@D.kernel
def scale(a, factor=2.0):
    a[D.tid(1)] *= factor


@D.kernel
def keyword_only(a, *, n):
    a[0] = n


@D.func
def helper(x):
    return x


class Thing:
    pass


class Producer:
    """A DLPack producer on a device of our choice."""

    def __init__(self, device, capsule=None):
        self.device = device
        self.capsule = capsule

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **keywords):
        return self.capsule


class OtherStream:
    def __init__(self, value):
        self.value = value

    def __cuda_stream__(self):
        return self.value


ONE = np.ones(4)


def launch(*args, kernel=vec_add, grid=1, block=1, **options):
    D.launch(kernel, *args, grid=grid, block=block, **options)


def arguments(*first):
    """The arguments of vec_add, the first ones as given."""
    return [*first, *[ONE.copy() for _ in range(3 - len(first))]]


def refuse(expected, error, action, *args, **options):
    """The call raises exactly this class with exactly this text."""
    with pytest.raises(error) as raised:
        action(*args, **options)
    assert raised.type is error
    check_error(raised, expected)


# --- the kernel ---


def test_calling_a_kernel():
    text = """
    kernel 'vec_add' cannot be called like a function
      launch it: cuda.device.launch(vec_add, ..., grid=..., block=...)
    """
    refuse(text, errors.LaunchTypeError, vec_add, ONE, ONE, ONE)


def test_subscripting_a_kernel():
    text = """
    kernel 'vec_add' has no vec_add[grid, block](...) syntax
      launch it: cuda.device.launch(vec_add, ..., grid=..., block=...)
    """
    refuse(text, errors.LaunchTypeError, lambda: vec_add[1, 32])


@clause("DEV-LAUNCH-06")
def test_launching_nothing():
    text = """
    launch() needs a kernel as its first argument
      launch(f, *args, grid=blocks, block=threads)
    """
    refuse(text, errors.LaunchTypeError, D.launch, grid=1, block=1)


@clause("DEV-LAUNCH-06")
def test_launching_a_func():
    text = """
    launch() expects a kernel, found 'helper', which is decorated with @func
      only functions decorated with @cuda.device.kernel can be launched
    """
    refuse(text, errors.LaunchTypeError, launch, kernel=helper)


@clause("DEV-LAUNCH-06")
@pytest.mark.parametrize(
    ("what", "name"), [(vec_add.underlying, "function"), (None, "NoneType"), (int, "type")]
)
def test_launching_something_else(what, name):
    text = f"""
    launch() expects a kernel, found '{name}'
      only functions decorated with @cuda.device.kernel can be launched
    """
    refuse(text, errors.LaunchTypeError, launch, kernel=what)


@clause("DEV-LAUNCH-06")
def test_the_kernel_behind_its_arguments():
    text = """
    launch() expects a kernel as its first argument, found 'numpy.ndarray'
      the kernel comes first: launch(vec_add, ..., grid=..., block=...)
    """
    refuse(text, errors.LaunchTypeError, D.launch, np.zeros(3), vec_add, grid=1, block=1)


# --- keywords ---


@clause("DEV-LAUNCH-01")
def test_missing_keywords():
    text = """
    launch of kernel 'vec_add' lacks the keyword argument 'block'
      launch(vec_add, ..., grid=blocks, block=threads); stream= and shared= may be left out
    """
    refuse(text, errors.LaunchTypeError, D.launch, vec_add, *arguments(), grid=1)
    grid = text.replace("'block'", "'grid'")
    refuse(grid, errors.LaunchTypeError, D.launch, vec_add, *arguments(), block=1)
    both = text.replace("argument 'block'", "arguments 'grid' and 'block'")
    refuse(both, errors.LaunchTypeError, D.launch, vec_add, *arguments())


@clause("DEV-LAUNCH-01")
def test_unknown_keywords():
    text = """
    launch of kernel 'vec_add' got an unexpected keyword argument 'a'
      the keywords are grid, block, stream and shared; arguments of the kernel are given by position
    """
    refuse(text, errors.LaunchTypeError, launch, a=ONE)


# --- number of arguments ---


@clause("DEV-LAUNCH-05")
@pytest.mark.parametrize(("count", "were"), [(0, "0 were"), (1, "1 was"), (4, "4 were")])
def test_wrong_number_of_arguments(count, were):
    text = f"""
    kernel 'vec_add' takes 3 arguments, but {were} given
      its signature is vec_add(a, b, c)
    """
    refuse(text, errors.LaunchTypeError, launch, *[ONE] * count)


@clause("DEV-LAUNCH-05")
def test_wrong_number_with_defaults():
    text = """
    kernel 'scale' takes 1 to 2 arguments, but 3 were given
      its signature is scale(a, factor=2.0)
    """
    refuse(text, errors.LaunchTypeError, launch, ONE, 1, 2, kernel=scale)


@clause("DEV-LAUNCH-05")
def test_keyword_only_parameter_without_default():
    text = """
    kernel 'keyword_only' cannot be launched: its keyword-only parameter 'n' has no default
      arguments are given by position; move the parameter before the * or give it a default
    """
    refuse(text, errors.LaunchTypeError, launch, ONE, kernel=keyword_only)


# --- kinds of arguments ---


@clause("DEV-LAUNCH-07", "DEV-ARR-22")
@pytest.mark.parametrize(
    ("value", "name"),
    [
        ([1.0, 2.0], "list"),
        (array.array("d", [1.0]), "array.array"),
        (b"bytes", "bytes"),
        (memoryview(b"x"), "memoryview"),
    ],
)
def test_sequences(value, name):
    text = f"""
    argument 2 ('b') of kernel 'vec_add': '{name}' cannot be passed to a kernel
      make an array of it first, for example with numpy.asarray; of bytes with numpy.frombuffer(x, numpy.uint8)
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(ONE, value))


@clause("DEV-LAUNCH-07")
@pytest.mark.parametrize(
    ("value", "name"),
    [
        ({"a": 1}, "dict"),
        ({1}, "set"),
        (Thing, "type"),
        (np.float32, "type"),
        (np.str_("text"), "numpy.str_"),
    ],
)
def test_other_objects(value, name):
    text = f"""
    argument 1 ('a') of kernel 'vec_add': '{name}' cannot be passed to a kernel
      pass numbers, None, tuples of these, or arrays: NumPy's, or any with __dlpack__, __cuda_array_interface__ or __sycl_usm_array_interface__
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(value))


class Color(str, enum.Enum):
    RED = "red"


@clause("DEV-LAUNCH-07")
def test_members_of_an_enumeration():
    text = f"""
    argument 1 ('a') of kernel 'vec_add': '{__name__}.Color' cannot be passed to a kernel
      members of enum.Enum, IntEnum and Flag can be passed, those of classes that are strings too cannot
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(Color.RED))


@D.func
def doubled(x):
    return 2 * x


@clause("DEV-LAUNCH-07")
@pytest.mark.parametrize(
    ("value", "name"),
    [
        (launch, "function"),
        (len, "builtin_function_or_method"),
        ("text".upper, "builtin_function_or_method"),
        (doubled, "cuda.device.Func"),
    ],
)
@pytest.mark.parametrize("in_a_tuple", [False, True])
def test_functions(value, name, in_a_tuple):
    place = "argument 1 ('a')" + (", element 0" if in_a_tuple else "")
    text = f"""
    {place} of kernel 'vec_add': '{name}' cannot be passed to a kernel
      a function is no argument of a launch: name it in the kernel, which may call it and pass it to helpers, or annotate the parameter, as in f: device.ConstExpr, which compiles a version of the kernel for each function
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments((value,) if in_a_tuple else value))


@D.kernel
def doubled_by_a_helper(a):
    apply(a, doubled, 0)


def apply(a, f, i):
    a[i] = f(a[i])


@D.kernel
def by_constants(a, f: D.ConstExpr, both: D.ConstExpr):
    a[1] = f(a[0])
    if both[0] == "rows":
        a[0] = both[1](a[0])


def test_what_the_error_of_functions_says_works(target):
    a = np.full(2, 3.0)
    run(doubled_by_a_helper, a)
    assert a.tolist() == [6, 3]
    run(by_constants, a, doubled, ("rows", doubled))
    assert a.tolist() == [12, 12]
    run(by_constants, a, abs, ("columns", doubled))
    assert a.tolist() == [12, 12]


@clause("DEV-LAUNCH-07", "DEV-TUP-04")
def test_an_element_of_a_tuple():
    text = """
    argument 3 ('c'), element 1, element 0 of kernel 'vec_add': 'str' cannot be passed to a kernel
      a text is no argument of a launch: annotate the parameter, as in mode: device.ConstExpr, which compiles a version of the kernel for each text
    """
    refuse(text, errors.LaunchTypeError, launch, ONE, ONE, (1, ("text",)))


@clause("DEV-LAUNCH-07")
def test_masked_arrays():
    masked = "'numpy.ma.MaskedArray' cannot be passed to a kernel: it would lose its mask"
    text = f"""
    argument 1 ('a') of kernel 'vec_add': {masked}
      pass its .filled(value), or .data if masked elements may be used like others
    """
    masked = np.ma.masked_array(ONE, mask=[True, False, False, False])
    refuse(text, errors.LaunchTypeError, launch, *arguments(masked))


# --- formats ---

FORMATS = (
    "bool, int8 to int64, uint8 to uint64, "
    "float32, float64, float16, bfloat16, float8e4m3, float8e5m2, complex64 and complex128"
)


@clause("DEV-ARR-21")
@pytest.mark.parametrize("dtype", ["object", "<U3", "|S5", "datetime64[s]", "timedelta64[ms]"])
def test_arrays_of_unsupported_types(dtype):
    text = f"""
    argument 1 ('a') of kernel 'vec_add': arrays of '{dtype}' cannot be passed to a kernel: devices have no such format
      kernels take {FORMATS}, and vectors and structs of these; convert it to one of these
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(np.zeros(4, dtype)))


@clause("DEV-ARR-21")
def test_the_other_byte_order():
    head = "argument 1 ('a') of kernel 'vec_add': arrays of '>i4' cannot be passed to a kernel"
    text = f"""
    {head}: the byte order is not this machine's
      convert it, for example with a.astype(a.dtype.newbyteorder('='))
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(np.zeros(4, ">i4")))


@clause("DEV-ARR-20")
def test_fields_that_devices_have_no_format_for():
    head = "argument 1 ('a') of kernel 'vec_add': arrays whose field"
    swapped = np.zeros(4, [("ok", "i4"), ("inner", [("bad", ">f4")])])
    text = f"""
    {head} 'inner.bad' is '>f4' cannot be passed to a kernel: the byte order is not this machine's
      convert it, for example with a.astype(a.dtype.newbyteorder('='))
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(swapped))
    text = f"""
    {head} 'bad' is '|S5' cannot be passed to a kernel: devices have no such format
      kernels take {FORMATS}, and vectors and structs of these; convert it to one of these
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(np.zeros(4, [("bad", "S5")])))


@clause("DEV-ARR-20")
@pytest.mark.parametrize(
    ("dtype", "size"),
    [
        ({"names": ["y"], "formats": ["i4"], "offsets": [70000], "itemsize": 80000}, "80000"),
        ([("x", "u1", (0,))], "no"),
    ],
)
def test_records_of_a_size_that_kernels_do_not_take(dtype, size):
    dtype = np.dtype(dtype)
    text = f"""
    argument 1 ('a') of kernel 'vec_add': arrays of '{dtype}' cannot be passed to a kernel: an element has {size} bytes
      elements have 1 to 65536 bytes; put the fields into several arrays
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(np.zeros(2, dtype)))


def test_too_many_dimensions():
    place = "argument 1 ('a') of kernel 'vec_add'"
    text = f"""
    {place}: the array has 65 dimensions; at most 64 are allowed
      join axes with reshape, or pass parts of it
    """
    many = dlpack.Producer(np.zeros(1), shape=[1] * 65, strides=None)
    refuse(text, errors.LaunchValueError, launch, *arguments(many))


class Big(enum.IntEnum):
    VALUE = 2**40


@clause("DEV-NUM-06", partial="literals and overflow in kernels")
@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (2**31, "2147483648"),
        (-(2**31) - 1, "-2147483649"),
        (2**64, "18446744073709551616"),
        (10**60, "1" + "0" * 36 + "..."),
        (Big.VALUE, "<Big.VALUE: 1099511627776>"),
    ],
)
def test_ints_out_of_range(value, shown):
    text = f"""
    argument 2 ('factor') of kernel 'scale': {shown} does not fit int, which has 32 bits in kernels
      pass a fixed-format number such as numpy.int64
    """
    refuse(text, errors.LaunchOverflowError, launch, ONE, value, kernel=scale)


@clause("DEV-NUM-06", partial="literals and overflow in kernels")
@pytest.mark.parametrize("value", [1e300, -1e39, 3.4028235677973366e38])
def test_floats_out_of_range(value):
    place = "argument 2 ('factor') of kernel 'scale'"
    text = f"""
    {place}: {value!r} does not fit float, which is float32 in kernels
      pass a fixed-format number such as numpy.float64
    """
    refuse(text, errors.LaunchOverflowError, launch, ONE, value, kernel=scale)


# --- numbers for parameters that declare a format ---

RANGES = {
    "int8": "-128 to 127",
    "int16": "-32768 to 32767",
    "int32": "-2147483648 to 2147483647",
    "int64": "-9223372036854775808 to 9223372036854775807",
    "uint8": "0 to 255",
    "uint16": "0 to 65535",
    "uint32": "0 to 4294967295",
    "uint64": "0 to 18446744073709551615",
    "float32": "-3.4028235e+38 to 3.4028235e+38",
    "float64": "-1.7976931348623157e+308 to 1.7976931348623157e+308",
}


def declaring(name, default=None):
    """A kernel whose second parameter is annotated with a format."""

    def keep(a, n: getattr(D, name) = default):
        a[0] = n

    return D.kernel(keep)


def beyond(name):
    if name == "float32":
        return [1e39, -1e300, 2**128]
    if name == "float64":
        return [10**400, -(10**309)]
    low, high = np.iinfo(name).min, np.iinfo(name).max
    return [int(low) - 1, int(high) + 1, 10**60]


@clause("DEV-NUM-06", partial="literals and overflow in kernels")
@pytest.mark.parametrize("given", ["argument", "default"])
@pytest.mark.parametrize(("name", "value"), [(name, v) for name in RANGES for v in beyond(name)])
def test_numbers_beyond_a_declared_format(name, value, given):
    shown = repr(value) if len(repr(value)) <= 40 else repr(value)[:37] + "..."
    declared = "which the parameter's annotation declares"
    text = f"""
    argument 2 ('n') of kernel 'keep': {shown} does not fit {name}, {declared}; it holds {RANGES[name]}
      pass a number in this range, or declare the parameter with a wider format
    """
    out = np.zeros(1)
    if given == "argument":
        refuse(text, errors.LaunchOverflowError, launch, out, value, kernel=declaring(name))
        refuse(text, errors.LaunchOverflowError, declaring(name).inspect, out, value)
    else:
        refuse(text, errors.LaunchOverflowError, launch, out, kernel=declaring(name, value))
    assert out[0] == 0


@pytest.mark.parametrize("name", RANGES)
def test_numbers_within_a_declared_format(target, name):
    """The limits themselves, as exact as the format is; float64 does not pass through float32."""
    numbers = [0.1, 2**24 + 1, -3] if "float" in name else [np.iinfo(name).min, np.iinfo(name).max]
    for number in numbers:
        value = number if isinstance(number, float) else int(number)
        out = np.zeros(1, name)
        launch(out, value, kernel=declaring(name))
        assert out[0] == np.dtype(name).type(value)


@D.kernel
def keeps_parts(a, t: tuple[int, D.float64], n: tuple[D.int64, ...], z: D.complex128, c: complex):
    a[0] = t[1]
    a[1] = n[1]
    a[2] = z.imag
    a[3] = c.imag


def test_numbers_within_declared_parts(target):
    """Those of tuples and of complex numbers do not pass through 32 bits either."""
    out = np.zeros(4)
    launch(out, (1, 0.1), (1, 2**40), 0.1 + 0.3j, 0.3j, kernel=keeps_parts)
    assert out.tolist() == [0.1, 2**40, 0.3, np.float32(0.3)]
    launch(out, (1, 2**53 - 1), (1, -(2**63)), 0.1, 0, kernel=keeps_parts)
    assert out.tolist() == [2**53 - 1, -(2**63), 0, 0]
    declared = "which the parameter's annotation declares; it holds"
    text = f"""
    argument 3 ('n'), element 1 of kernel 'keeps_parts': 9223372036854775808 does not fit int64, {declared} -9223372036854775808 to 9223372036854775807
      pass a number in this range, or declare the parameter with a wider format
    """
    kind = errors.LaunchOverflowError
    refuse(text, kind, launch, out, (1, 1), (1, 2**63), 0, 0, kernel=keeps_parts)
    text = """
    argument 5 ('c') of kernel 'keeps_parts': (1e+300+0j) does not fit complex, which is complex64 in kernels
      pass a fixed-format number such as numpy.complex128
    """
    refuse(text, kind, launch, out, (1, 1), (1, 1), 0, 1e300 + 0j, kernel=keeps_parts)


def text_annotation():
    names = {"D": D}
    source = """
from __future__ import annotations
@D.kernel
def keep(a, n: D.int8):
    a[0] = n
"""
    linecache.cache["<annotated>"] = (len(source), None, source.splitlines(True), "<annotated>")
    exec(compile(source, "<annotated>", "exec"), names)
    return names["keep"]


def test_annotations_kept_as_text_declare_too():
    with pytest.raises(errors.LaunchOverflowError, match="300 does not fit int8"):
        launch(np.zeros(1), 300, kernel=text_annotation())


@D.kernel
def declared_in_part(a, n, m: D.int8, t: D.int16 = 1):
    a[0] = n
    a[1] = m


def test_other_parameters_are_as_before():
    a = np.zeros(2, np.int32)
    launch(a, 300, 5, kernel=declared_in_part)
    assert a.tolist() == [300, 5]
    with pytest.raises(errors.LaunchOverflowError, match="2147483648 does not fit int, which has"):
        launch(a, 2**31, 5, kernel=declared_in_part)
    with pytest.raises(errors.LaunchOverflowError, match=r"argument 3 \('m'\).* -129 does not fit"):
        launch(a, 300, -129, kernel=declared_in_part)


# --- formats that devices do not have ---


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (np.timedelta64(3, "s"), "numbers of 'timedelta64[s]'"),
        (np.datetime64("2020-01-01"), "numbers of 'datetime64[D]'"),
        (np.longdouble(1), f"numbers of '{np.dtype(np.longdouble)}'"),
        (np.clongdouble(1), f"numbers of '{np.dtype(np.clongdouble)}'"),
        (np.zeros(3, "m8[ns]"), "arrays of 'timedelta64[ns]'"),
        (np.zeros(3, "M8[s]"), "arrays of 'datetime64[s]'"),
        (np.zeros(3, np.longdouble), f"arrays of '{np.dtype(np.longdouble)}'"),
        (np.zeros(3, np.clongdouble), f"arrays of '{np.dtype(np.clongdouble)}'"),
    ],
    ids=str,
)
def test_formats_that_devices_do_not_have(value, what):
    text = f"""
    argument 1 ('a') of kernel 'vec_add': {what} cannot be passed to a kernel: devices have no such format
      kernels take {FORMATS}, and vectors and structs of these; convert it to one of these
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(value))


# --- devices and DLPack ---


@clause("DEV-ARR-29")
@pytest.mark.parametrize(
    ("device", "name"),
    [
        (14, "a oneAPI device"),
        (10, "a ROCm GPU"),
        (99, "a device of an unknown kind"),
    ],
)
def test_memory_out_of_reach(device, name):
    lives = f"the array lives on {name} (DLPack device type {device})"
    text = f"""
    argument 1 ('a') of kernel 'vec_add': {lives}, which cannot be reached from here
      copy it to the host first; this launch runs on the host device
    """
    refuse(text, errors.LaunchValueError, launch, *arguments(Producer((device, 0))))


@clause("DEV-ARR-29")
def test_memory_of_a_gpu_on_the_host():
    """Without a stream such a launch runs where the memory is, if there is a GPU."""
    on_host = {"stream": core.Device("host").default_stream}
    if _core.gpu_count() == 0:
        text = """
        argument 1 ('a') of kernel 'vec_add': the array lives on a CUDA GPU (DLPack device type 2), which cannot be reached from here
          copy it to the host first; this launch runs on the host device
        """
        launches = [{}, on_host]
    else:
        text = """
        argument 1 ('a') of kernel 'vec_add': the array lives on GPU 0, but the launch's stream is one of the host device
          copy it to the host, for example with cupy.asnumpy(a) or PyTorch's a.cpu()
        """
        launches = [on_host]
    for options in launches:
        refuse(text, errors.LaunchValueError, launch, *arguments(Producer((2, 0))), **options)


def test_no_capsule():
    text = """
    argument 1 ('a') of kernel 'vec_add': __dlpack__() returned no unused DLPack capsule
      make an array of NumPy of it and pass that, for example numpy.array(...)
    """
    refuse(text, errors.LaunchBufferError, launch, *arguments(Producer((1, 0), "capsule")))


@pytest.mark.parametrize("device", [None, (), "cpu", ("1", 0), (-1, 0), (2**70, 0)])
def test_no_device(device):
    text = """
    argument 1 ('a') of kernel 'vec_add': __dlpack_device__() returned no (device type, device id)
      make an array of NumPy of it and pass that, for example numpy.array(...)
    """
    refuse(text, errors.LaunchBufferError, launch, *arguments(Producer(device)))


# --- grid and block ---


@clause("DEV-LAUNCH-08")
@pytest.mark.parametrize("what", ["grid", "block"])
@pytest.mark.parametrize(
    ("value", "name"),
    [("4", "str"), (None, "NoneType"), ([1], "list"), (np.ones(2, int), "numpy.ndarray")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_sizes_of_another_type(what, value, name):
    text = f"""
    {what} in the launch of kernel 'vec_add': '{name}' is neither an int nor a tuple of ints
      {what} is an int or a tuple of one to three ints, x first
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(), **{what: value})


@clause("DEV-LAUNCH-08")
@pytest.mark.parametrize(
    ("what", "hint"),
    [
        ("grid", "/ gives a float, // an int; rounded up it is grid=(n + 255) // 256"),
        ("block", "block is an int or a tuple of one to three ints, x first"),
    ],
)
@pytest.mark.parametrize("value", [1000 / 256, (1, 1.0)])
def test_sizes_that_are_floats(what, hint, value):
    text = f"""
    {what} in the launch of kernel 'vec_add': 'float' is neither an int nor a tuple of ints
      {hint}
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(), **{what: value})


@pytest.mark.parametrize("what", ["grid", "block", "shared"])
def test_what_an_index_of_the_users_raises_comes_through(what):
    class Broken:
        def __index__(self):
            raise ZeroDivisionError("of the user")

    with pytest.raises(ZeroDivisionError, match="of the user"):
        launch(*arguments(), **{what: Broken()})


@clause("DEV-LAUNCH-08")
@pytest.mark.parametrize("what", ["grid", "block"])
@pytest.mark.parametrize(("value", "count"), [((), 0), ((1, 1, 1, 1), 4)])
def test_number_of_dimensions(what, value, count):
    text = f"""
    {what} in the launch of kernel 'vec_add' has {count} dimensions
      {what} is an int or a tuple of one to three ints, x first
    """
    refuse(text, errors.LaunchValueError, launch, *arguments(), **{what: value})


@clause("DEV-LAUNCH-08")
@pytest.mark.parametrize("what", ["grid", "block"])
@pytest.mark.parametrize(
    ("value", "axis", "number"),
    [(0, "x", 0), (-3, "x", -3), ((1, 0), "y", 0), ((1, 1, -1), "z", -1)],
)
def test_sizes_below_one(what, value, axis, number):
    text = f"""
    {what} in the launch of kernel 'vec_add': {axis} is {number}; it must be at least 1
      a launch has at least one; where there is nothing to do, leave it out: if n > 0: launch(...)
    """
    refuse(text, errors.LaunchValueError, launch, *arguments(), **{what: value})


LIMIT_HINTS = {
    2147483647: "let each thread work on several elements: "
    "range(device.tid(1), n, device.grid_size(1))",
    65535: "let x be the longest axis of a grid, which may have 2147483647 blocks",
    1024: "use smaller blocks and more of them: block=256, grid=(n + 255) // 256",
    64: "let x be the longest axis of a block, which may have 1024 threads",
}


@clause("DEV-LAUNCH-08")
@pytest.mark.parametrize(
    ("what", "value", "axis", "limit"),
    [
        ("grid", 2**31, "x", 2147483647),
        ("grid", (1, 65536), "y", 65535),
        ("grid", (1, 1, 65536), "z", 65535),
        ("grid", 2**80, "x", 2147483647),
        ("block", 1025, "x", 1024),
        ("block", (1, 1025), "y", 1024),
        ("block", (1, 1, 65), "z", 64),
        ("grid", 10**50, "x", 2147483647),
        pytest.param("grid", 10**5000, "x", 2147483647, id="more digits than Python prints"),
    ],
)
def test_sizes_over_the_limit(what, value, axis, limit):
    number = max(value) if isinstance(value, tuple) else value
    if number >= 10**40:
        number = "1" + "0" * 36 + "..." if number == 10**50 else "a very large int"
    place = f"{what} in the launch of kernel 'vec_add'"
    text = f"""
    {place}: {axis} is {number}; it must be at most {limit}
      {LIMIT_HINTS[limit]}
    """
    refuse(text, errors.LaunchValueError, launch, *arguments(), **{what: value})


@clause("DEV-LAUNCH-08")
def test_too_many_threads():
    place = "block in the launch of kernel 'vec_add'"
    text = f"""
    {place}: (32, 33) has 1056 threads; at most 1024 are allowed
      use smaller blocks, such as (32, 32) or (8, 8, 8), and more of them
    """
    refuse(text, errors.LaunchValueError, launch, *arguments(), block=(32, 33))


@D.kernel
def counts(out):
    i = D.tid(1)
    if i == 0:
        out[0] = D.grid_size(1)


def test_positions_count_up_to_int32(target):
    """A launch that would wrap is refused before any thread runs."""
    out = np.zeros(1)
    place = "this launch of kernel 'counts' has 2147483648 threads along x"
    text = f"""
    {place}; tid() and grid_size(), which the kernel uses, count up to 2147483647
      count in 64 bits: device.int64(device.block_idx.x) * device.block_dim.x + device.thread_idx.x
    """
    refuse(text, errors.LaunchValueError, launch, out, kernel=counts, grid=2**21, block=1024)
    assert out[0] == 0
    launch(out, kernel=counts, grid=2, block=1024)
    assert out[0] == 2048


def test_dim3_is_a_size():
    a, b, c = arguments()
    launch(a, b, c, grid=D.Dim3(2, 1, 1), block=D.uint32x3(2, 1, 1))
    assert c.tolist() == (a + b).tolist()
    text = """
    block in the launch of kernel 'vec_add': y is 0; it must be at least 1
      a launch has at least one; where there is nothing to do, leave it out: if n > 0: launch(...)
    """
    refuse(text, errors.LaunchValueError, launch, a, b, c, block=D.Dim3(1, 0, 1))


# --- shared memory ---


@clause("DEV-LAUNCH-09")
@pytest.mark.parametrize(("value", "name"), [(1.5, "float"), (None, "NoneType"), ("4", "str")])
def test_shared_of_another_type(value, name):
    text = f"""
    shared in the launch of kernel 'vec_add': '{name}' is no int
      shared is the number of bytes of dynamic shared memory
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(), shared=value)


@clause("DEV-LAUNCH-09")
@pytest.mark.parametrize("value", [-1, 227 * 1024 + 1, 2**70])
def test_shared_out_of_range(value):
    place = "shared in the launch of kernel 'vec_add'"
    text = f"""
    {place} is {value}; it must be from 0 to 232448 bytes
      it counts bytes: the elements times the size of one; give each block a smaller part of the work
    """
    refuse(text, errors.LaunchValueError, launch, *arguments(), shared=value)


# --- streams ---

STREAM_HINT = "give a stream of cuda.device.core, or leave the keyword out"


@clause("DEV-LAUNCH-10")
@pytest.mark.parametrize(
    ("value", "name"), [(None, "NoneType"), (0, "int"), ("stream", "str"), (OtherStream, "type")]
)
def test_no_stream(value, name):
    text = f"""
    stream in the launch of kernel 'vec_add': '{name}' is no stream
      give a stream of cuda.device.core or an object with __cuda_stream__, or leave the keyword out
    """
    refuse(text, errors.LaunchTypeError, launch, *arguments(), stream=value)


@clause("DEV-STRM-03", "DEV-LAUNCH-10")
@pytest.mark.parametrize("value", [(0,), (0, "x"), 5, None, (0, -1), (0, 2**70)], ids=repr)
def test_broken_stream_protocol(value):
    place = "stream in the launch of kernel 'vec_add'"
    gave = f"__cuda_stream__ of 'test_launch.OtherStream' gave {value!r}, not (0, handle)"
    text = f"{place}: {gave}\n  {STREAM_HINT}"
    with pytest.raises(errors.LaunchTypeError) as raised:
        launch(*arguments(), stream=OtherStream(value))
    assert str(raised.value).replace(f"{__name__}.", "test_launch.") == text


@clause("DEV-STRM-03", "DEV-LAUNCH-10")
def test_another_version_of_the_stream_protocol():
    place = "stream in the launch of kernel 'vec_add'"
    gave = "__cuda_stream__ of 'test_launch.OtherStream' gave (1, 0)"
    text = f"{place}: {gave}; only version 0 of the protocol is known\n  {STREAM_HINT}"
    with pytest.raises(errors.LaunchValueError) as raised:
        launch(*arguments(), stream=OtherStream((1, 0)))
    assert str(raised.value).replace(f"{__name__}.", "test_launch.") == text


@clause("DEV-LAUNCH-10")
@pytest.mark.skipif(_core.gpu_count() > 0, reason="waits for a machine without a GPU")
@pytest.mark.parametrize("handle", [0, 2, 140737488355328])
def test_a_stream_of_another_device(handle):
    why = _core.info().partition("gpu=")[2].splitlines()[0]
    place = "stream in the launch of kernel 'vec_add'"
    head = f"{place}: 'test_launch.OtherStream' is a CUDA stream (handle {handle})"
    ours = "a stream of cuda.device.core.Device('host')"
    text = f"""{head} that cannot be used: {why}
  to run on the host, leave the keyword out or give {ours}"""
    with pytest.raises(errors.LaunchRuntimeError) as raised:
        launch(*arguments(), stream=OtherStream((0, handle)))
    assert str(raised.value).replace(f"{__name__}.", "test_launch.") == text


# --- what an error leaves behind ---


def test_nothing_is_written_when_a_launch_is_refused():
    a = np.zeros(4)
    with pytest.raises(errors.LaunchError):
        D.launch(vec_add, a, "b", a, grid=1, block=4)
    assert (a == 0).all()


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (errors.LaunchTypeError, TypeError),
        (errors.LaunchValueError, ValueError),
        (errors.LaunchOverflowError, OverflowError),
        (errors.LaunchBufferError, BufferError),
        (errors.LaunchRuntimeError, RuntimeError),
        (errors.NotImplementedYetError, NotImplementedError),
    ],
)
def test_errors_are_builtin_errors_too(error, builtin):
    assert issubclass(error, builtin)
