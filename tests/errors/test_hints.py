"""What a message says to do leads to a kernel that runs, not into the next error."""

import ast
import functools
import re
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from cuda import device
from cuda.device import core, errors
from support.bad_programs import FLOATS, BadPrograms
from support.errors import check_error

bad = BadPrograms()

ROOT = Path(__file__).resolve().parents[2]

# --- a cuda that was not imported ---


@bad.kernel(FLOATS)
def numba_without_its_import(a):
    # error at `cuda.grid`: 'cuda.grid' cannot be used in a kernel
    # hint: use device.tid(ndims)
    i = cuda.grid(1)  # noqa: F821
    # error at `cuda.shared.array`: 'cuda.shared.array' cannot be used in a kernel
    # hint: use device.shared_array(shape, dtype)
    s = cuda.shared.array(16, device.float32)  # noqa: F821
    # error at `cuda.threadIdx`: 'cuda.threadIdx' cannot be used in a kernel
    # hint: use device.thread_idx
    a[i] = s[cuda.threadIdx.x]  # noqa: F821


@bad.kernel(FLOATS)
def names_that_cuda_never_had(a):
    # error at `cuda`: name 'cuda' is not defined
    # hint: write 'from cuda import device' at the top of the file
    a[0] = cuda.nothing_known()  # noqa: F821
    # error at `cuda`: name 'cuda' is not defined
    # hint: write 'from cuda import device' at the top of the file
    a[1] = cuda.device.tid(1)  # noqa: F821


# --- arrays of a thread's own ---


@bad.kernel(FLOATS)
def lists(a):
    # error at `[0.0]`: a list is not supported in kernels
    # hint: use a tuple, or device.local_array(shape, dtype) for elements that change
    v = [0.0] * 4
    v[0] = 1
    a[0] = v[0]


@bad.kernel(FLOATS)
def arrays_of_numpy(a):
    # error at `np.zeros`: 'np.zeros' cannot be used in a kernel
    # hint: use device.local_array(shape, dtype)
    a[0] = np.zeros(4)[0]
    # error at `np.array`: 'np.array' cannot be used in a kernel
    # hint: use device.local_array(shape, dtype)
    a[1] = np.array((1.0, 2.0))[0]
    # error at `device.zeros`: 'device.zeros' cannot be used in a kernel
    # hint: use device.local_array(shape, dtype)
    a[2] = device.zeros(4)[0]


@bad.kernel(FLOATS)
def elements_of_a_tuple(a):
    v = (0.0, 1.0)
    # error at `v[0]`: an element of (float, float) cannot be assigned
    # hint: tuples do not change; elements of device.local_array(shape, dtype) do
    v[0] = 1
    # error at `v[1]`: an element of (float, float) cannot be assigned
    # hint: tuples do not change; elements of device.local_array(shape, dtype) do
    v[1] += 1
    a[0] = v[0]


@bad.kernel(FLOATS)
def local_arrays_too_large(a):
    # error at `device.local_array(10**7, device.float32)`: the local arrays of each thread take
    # ... 40000000 bytes, 40000000 of them for this one; at most 524288 are allowed
    # hint: pass an array in which each thread has a part of its own
    s = device.local_array(10**7, device.float32)
    s[0] = a[0]


@bad.kernel(FLOATS, raises=errors.CompileError)
def sizes_and_types(a):
    # error at `16 / 2`: the shape of shared_array() is an int or a tuple of ints, found float
    # hint: write ints, such as 16 or (4, 8); // divides ints into an int, / into a float
    s = device.shared_array(16 / 2, device.float32)
    # error at `device.shared_array(16)`: shared_array() misses the argument 'dtype'
    # hint: for example device.shared_array(16, device.float32)
    t = device.shared_array(16)
    # error at `device.dynamic_shared_array(device.float32)`: dynamic_shared_array() takes
    # ... 0 arguments, but 1 is given
    # hint: its size is shared= of the launch, in bytes; its type is given by .view(dtype)
    u = device.dynamic_shared_array(device.float32)
    a[0] = s[0] + t[0] + u[0]


# --- calls ---


@functools.lru_cache
def cached(x):
    return x + 1


part = functools.partial(cached, 2)


@bad.kernel(FLOATS)
def objects_in_place_of_functions(a):
    # error at `cached`: 'cached' cannot be used in a kernel
    # hint: use the plain function, without the cache
    a[0] = cached(1.0)
    # error at `part`: 'part' cannot be used in a kernel
    # hint: use the plain function, without the cache
    a[1] = part()


def of_two(x, y):
    return x + y


@bad.kernel(FLOATS, raises=errors.CompileTypeError)
def counts(a):
    # error at `of_two(1)`: of_two() misses the argument 'y'
    # hint: its parameters are x, y
    a[0] = of_two(1)
    # error at `of_two(1, 2, 3)`: of_two() takes 2 arguments, but 3 are given
    # hint: its parameters are x, y
    a[1] = of_two(1, 2, 3)
    # error at `of_two(1, z=2)`: of_two() has no parameter 'z'
    # hint: its parameters are x, y
    a[2] = of_two(1, z=2)


@bad.kernel(FLOATS)
def atomics(a):
    # error at `device.atomic_add`: 'atomic_add' is not a name of cuda.device
    # hint: use device.atomic_ref(array, index)
    device.atomic_add(a, 0, 1)
    # error at `device.atomic_re`: module cuda.device has no attribute 'atomic_re'
    # hint: did you mean 'atomic_ref'?
    device.atomic_re(a, 0)
    # error at `device.tid_`: module cuda.device has no attribute 'tid_'
    # hint: did you mean 'tid'?
    device.tid_(1)


# --- values ---


@bad.kernel(FLOATS)
def whole_arrays(a):
    # error at `a.shape`: 1 value cannot be unpacked into 2 names
    # hint: write one name for each value; the shape of an array has one for each dimension
    h, w = a.shape
    # error at `device.tid.x`: device.tid has no attribute 'x'
    # hint: call it: device.tid(1)
    a[1] = device.tid.x


@bad.kernel(FLOATS, np.array(1.0))
def arrays_without_dimensions(a, x):
    # error at `x + 1` on `+`: cannot add 'array[float64, 0]' and 'int'
    # hint: an array without dimensions has one element: x[()]
    a[0] = x + 1
    # error at `x`@1: array[float64, 0] cannot be stored in an array of float32
    # hint: an array without dimensions has one element: x[()]
    a[1] = x
    # error at `x`: abs() needs a number, found array[float64, 0]
    # hint: an array without dimensions has one element: x[()]
    a[2] = abs(x)
    a[3] = x[()]


@bad.kernel(FLOATS, namedtuple("Point", "x y")(1.0, 2.0))
def fields_of_named_tuples(a, p):
    a[0] = p.x
    # error at `p.z`: a Point has no attribute 'z'
    # hint: it has x, y
    a[0] = p.z


@bad.kernel(FLOATS)
def texts(a):
    # error at `"x = " % a[0]` on `%`: cannot take the remainder of 'str' divided by 'float32'
    # hint: operators work on numbers; a number is written into a text by an f-string, such as f"x = {x}"
    print("x = " % a[0])  # noqa: F507
    # error at `"x = {}".format`: str has no attribute 'format'
    # hint: a number is written into a text by an f-string, such as f"x = {x}"
    print("x = {}".format(a[0]))
    # error at `float("inf")`: float() needs a number, found str
    # hint: write math.inf
    a[0] = float("inf")
    # error at `float("-Infinity")`: float() needs a number, found str
    # hint: write -math.inf
    a[0] = float("-Infinity")
    # error at `float("nan")`: float() needs a number, found str
    # hint: write math.nan
    a[0] = float("nan")
    # error at `int("12")`: int() needs a number, found str
    # hint: write the number, without quotes
    a[0] = int("12")


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()


# --- on the host ---


class Simulation:
    @device.kernel
    def step(self, a):
        a[0] = 1

    @staticmethod
    @device.kernel
    def start(a):
        a[0] = 2


def test_kernels_are_no_methods():
    text = """
    kernel 'step' takes 2 arguments, but 1 was given
      its signature is step(self, a); a kernel is no method: define it without self, with {}
    """
    with pytest.raises(errors.LaunchTypeError) as raised:
        device.launch(Simulation().step, FLOATS.copy(), grid=1, block=1)
    check_error(raised, text.format("@staticmethod in a class"))
    a = FLOATS.copy()
    device.launch(Simulation().start, a, grid=1, block=1)
    assert a[0] == 2


def test_streams_are_made_by_devices():
    text = (
        "streams are made by cuda.device.core.Device().create_stream(); "
        "Stream.from_handle(handle) takes one of another library"
    )
    for arguments in [(), (1,)]:
        with pytest.raises(TypeError) as raised:
            core.Stream(*arguments)
        assert str(raised.value) == text


def test_events_that_have_no_time():
    stream = core.Device("host").create_stream()
    never = core.Event()
    with pytest.raises(RuntimeError) as raised:
        stream.record() - never
    assert str(raised.value) == (
        "an event that was not recorded or is not done yet has no time: record() both, sync() the "
        "later one"
    )


PROGRAM = "use @cuda.device.kernel, which compiles at the first launch"


def test_names_that_are_elsewhere():
    with pytest.raises(ImportError) as raised:
        from cuda.device.core import Program  # noqa: F401
    assert raised.type is ImportError
    assert str(raised.value) == f"cannot import name 'Program' from 'cuda.device.core'; {PROGRAM}"
    with pytest.raises(AttributeError) as raised:
        core.Program  # noqa: B018
    assert str(raised.value) == f"module 'cuda.device.core' has no attribute 'Program'; {PROGRAM}"
    assert not hasattr(core, "Program")
    with pytest.raises(ImportError) as raised:
        from cuda.device import jit  # noqa: F401
    assert str(raised.value) == (
        "cannot import name 'jit' from 'cuda.device'; use @cuda.device.kernel"
    )
    with pytest.raises(ImportError, match="cannot import name 'nothing_known' from 'cuda.device.c"):
        from cuda.device.core import nothing_known  # noqa: F401


def test_names_that_are_misspelt():
    with pytest.raises(ImportError) as raised:
        from cuda.device import lanuch  # noqa: F401
    text = "cannot import name 'lanuch' from 'cuda.device'; did you mean 'launch'?"
    assert str(raised.value) == text
    with pytest.raises(AttributeError) as raised:
        core.Devise  # noqa: B018
    text = "module 'cuda.device.core' has no attribute 'Devise'; did you mean 'Device'?"
    assert str(raised.value) == text
    for name in ("__path__", "_core_", "nothing_near", "Context", "system"):  # atexit, sys
        with pytest.raises(AttributeError) as raised:
            getattr(core, name)
        assert str(raised.value) == f"module 'cuda.device.core' has no attribute {name!r}"


# --- all of them ---

# Messages whose own text says all that there is to say, each with the reason.
WITHOUT_HINT: dict[str, str] = {}


def test_every_message_says_what_to_do():
    table = (ROOT / "src/support/diagnostics.def").read_text(encoding="utf-8")
    rows = re.findall(r'^DIAG\((\w+), \w+, "(.*?[^\\])", "(.*)"\)$', table, re.MULTILINE)
    assert len(rows) == len(re.findall(r"^DIAG\(", table, re.MULTILINE))
    without = {code for code, _, hint in rows if not hint.strip()}
    why = "a message without a hint: say what to do, or name the reason in WITHOUT_HINT"
    assert without == set(WITHOUT_HINT), why


# Files all of whose errors are raised at users; they write "what is wrong; what to do".
OF_PYTHON = ["_decorators", "_inspect", "_stats"]


def texts_raised(path):
    """The text of each error, what it is put together from left out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            strings = [part for part in ast.walk(node.exc) if isinstance(part, ast.Constant)]
            yield node.lineno, "".join(str(part.value) for part in strings)


@pytest.mark.parametrize("name", OF_PYTHON)
def test_messages_of_python_say_what_to_do(name):
    texts = list(texts_raised(ROOT / f"python/cuda/device/{name}.py"))
    assert texts
    assert [place for place in texts if "; " not in place[1]] == []
