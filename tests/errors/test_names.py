"""Names and variables: undefined, assigned too late or nowhere, of two types."""

import difflib
import enum
import types

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.bad_programs import FLOATS, BadPrograms
from support.launching import run
from support.sources import executed

bad = BadPrograms()


@bad.kernel(FLOATS)
def undefined_names(a):
    # error at `undefined_name`: name 'undefined_name' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[0] = undefined_name
    # error at `undefined_function`: name 'undefined_function' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[1] = undefined_function(a[0])
    # error at `undefined_array`: name 'undefined_array' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    undefined_array[0] = 1


def halve(x):
    return x / 2


@bad.kernel(FLOATS)
def misspelt_names(a):
    length = 3
    # error at `lenght`: name 'lenght' is not defined
    # hint: did you mean 'length'?
    a[0] = lenght
    # error at `halv`@1: name 'halv' is not defined
    # hint: did you mean 'halve'?
    a[1] = halv(a[0]) + halve(length)


@bad.kernel(FLOATS)
def names_of_other_dialects(a):
    # error at `threadIdx`: 'threadIdx' is not a name of cuda.device
    # hint: use device.thread_idx
    i = threadIdx.x
    # error at `gridDim`: 'gridDim' is not a name of cuda.device
    # hint: use device.grid_dim
    j = gridDim.y
    # error at `xrange`: 'xrange' is not a name of cuda.device
    # hint: use range
    for k in xrange(3):
        # error at `sqrtf`: 'sqrtf' is not a name of cuda.device
        # hint: use math.sqrt
        a[k] = sqrtf(2.0)


@bad.kernel(FLOATS)
def used_before_assigned(a):
    # error at `x`: 'x' is used before it is assigned
    # hint: assign it on every path that leads here; where a global is meant, give what this
    # ... function assigns another name
    a[0] = x
    x = 1


@bad.kernel(FLOATS)
def incremented_before_assigned(a):
    # error at `total`: 'total' is used before it is assigned
    # hint: assign it on every path that leads here; where a global is meant, give what this
    # ... function assigns another name
    total += a[0]


LIMIT = 3


@bad.kernel(FLOATS)
def local_of_the_name_of_a_global(a):
    # error at `LIMIT`@2: 'LIMIT' is used before it is assigned
    # hint: assign it on every path that leads here; where a global is meant, give what this
    # ... function assigns another name
    LIMIT = LIMIT + 1
    a[0] = LIMIT


DEBUG = False


@bad.kernel(FLOATS)
def assigned_in_a_pruned_branch(a):
    if DEBUG:
        x = 1
    # error at `x`: 'x' is used before it is assigned
    # hint: assign it on every path that leads here; where a global is meant, give what this
    # ... function assigns another name
    a[0] = x


@D.kernel
def assigned_on_some_paths(a, n):
    if n:
        x = 7
    if a[0] == 1:
        a[0] = x


def test_a_variable_that_some_paths_assign_is_no_error():
    a = np.ones(1, np.float32)
    D.launch(assigned_on_some_paths, a, 1, grid=1, block=1)
    assert a[0] == 7


@bad.kernel(FLOATS)
def assigned_after_an_endless_loop(a):
    while True:
        if a[0] > 0:
            break
    else:
        x = 1
    # error at `x`: 'x' is used before it is assigned
    # hint: assign it on every path that leads here; where a global is meant, give what this
    # ... function assigns another name
    a[0] = x


@bad.kernel(FLOATS, 3)
def type_that_depends_on_itself(a, n):
    for i in range(n):
        # error at `y`: the type of 'y' cannot be inferred: it depends only on itself
        # hint: assign it a value before this
        x = y
        y = x


@bad.kernel(FLOATS, 3)
def two_types(a, n):
    x = 1
    if n:
        # error at `a`: 'x' would be both int and array[float32, 1] here
        # hint: give the two values one type, or use two names
        x = a
    a[0] = x
    y = (1, 2)
    if n:
        # error at `(1, 2, 3)`: 'y' would be both (int, int) and (int, int, int) here
        # hint: give the two values one type, or use two names
        y = (1, 2, 3)
    a[1] = y[0]
    z = 1.5
    if n:
        # error at `"text"`: 'z' would be both float and str here
        # hint: give the two values one type, or use two names
        z = "text"
    a[2] = z


@bad.kernel(FLOATS)
def unpacking(a):
    # error at `a`: array[float32, 1] cannot be unpacked
    # hint: tuples can; read the elements of an array by index
    x, y = a
    # error at `1, 2, 3`: 3 values cannot be unpacked into 2 names
    # hint: write one name for each value; the shape of an array has one for each dimension
    x, y = 1, 2, 3
    # error at `a.shape`: 1 value cannot be unpacked into 2 names
    # hint: write one name for each value; the shape of an array has one for each dimension
    h, w = a.shape
    # error at `None`: None cannot be unpacked
    # hint: tuples can; read the elements of an array by index
    x, y = None
    # error at `(1, 2, 3), 4`: 3 values cannot be unpacked into 2 names
    # hint: write one name for each value; the shape of an array has one for each dimension
    (x, y), z = (1, 2, 3), 4


@bad.kernel(FLOATS)
def unpacking_one_position(a):
    # error at `D.tid(1)`: int32 cannot be unpacked
    # hint: write D.tid(2), which gives one value for each dimension
    i, j = D.tid(1)
    # error at `D.grid_size(1)`: int32 cannot be unpacked
    # hint: write D.grid_size(3), which gives one value for each dimension
    w, h, d = D.grid_size(1)


@bad.kernel(FLOATS)
def unpacking_in_a_loop(a):
    # error at `i, j`: int cannot be unpacked
    # hint: tuples can; read the elements of an array by index
    for i, j in range(3):
        a[0] = i
    # error at `((1, 2), (3,))`: 1 value cannot be unpacked into 2 names
    # hint: write one name for each value; the shape of an array has one for each dimension
    for i, j in ((1, 2), (3,)):
        a[0] = i


@bad.kernel(FLOATS, 3)
def values_that_cannot_be_kept(a, n):
    # error at `map(abs, (n, 1))`: keeping a map in a variable is not implemented yet
    # hint: the page not-implemented of the documentation lists what is planned
    r = map(abs, (n, 1))


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Point:
    __module__ = "__main__"  # messages leave this one out


ONE, OTHER = Point(), Point()


@bad.kernel(FLOATS)
def objects_are_not_compared(a):
    # error at `ONE`: objects of class 'Point' cannot be used in kernels
    # hint: kernels have numbers, tuples, structs and arrays; pass what you need as an argument
    if ONE == OTHER:
        a[0] = 1
    # error at `ONE`: objects of class 'Point' cannot be used in kernels
    # hint: kernels have numbers, tuples, structs and arrays; pass what you need as an argument
    if ONE is OTHER:
        a[1] = 1


@bad.kernel(FLOATS)
def members_of_an_enumeration(a):
    # error at `Color.RED`: Color cannot be stored in an array of float32
    # hint: an element takes a number
    a[0] = Color.RED
    # error at `a[0] < Color.RED` on `<`: '<' cannot compare 'float32' and 'Color'
    # hint: numbers can be compared, and tuples of them
    if a[0] < Color.RED:
        a[2] = 1
    # error at `Color.RED + 1` on `+`: cannot add 'Color' and 'int'
    # hint: operators work on numbers
    a[1] = Color.RED + 1
    # error at `Color.RED.size`: Color has no attribute 'size'
    # hint: members of enumerations have value and name; other attributes are read of members that the
    # ... kernel names, as in Color.RED.weight: pass the attribute itself as an argument, or index a
    # ... constant tuple by the member's value
    a[1] = Color.RED.size


class Planet(enum.Enum):
    EARTH = 0, 1.5
    MARS = 1, 2.5

    def __init__(self, number, radius):
        self.radius = radius


@bad.kernel(FLOATS, Planet.MARS)
def attributes_of_an_enumeration(a, p):
    a[0] = Planet.MARS.radius
    # error at `p.radius`: Planet has no attribute 'radius'
    # hint: members of enumerations have value and name; other attributes are read of members that the
    # ... kernel names, as in Color.RED.weight: pass the attribute itself as an argument, or index a
    # ... constant tuple by the member's value
    a[1] = p.radius


@bad.kernel(FLOATS, 3)
def none_and_a_number(a, n):
    best = None
    for i in range(n):
        if best is None or a[i] > best:
            # error at `a[i]`: 'best' would be both None and float32 here
            # hint: None is of a type of its own: begin with a value of type float32, and ask a flag,
            # ... such as found = False, whether it is set
            best = a[i]
    a[0] = best


constants = np.ones(3)


@bad.kernel(FLOATS)
def constant_arrays(a):
    # error at `constants[0]`@1: the array 'constants' is a constant of the kernel
    # hint: pass an array that is stored to as an argument
    constants[0] = 1
    # error at `3`: index 3 is outside of 'constants', whose extent is 3 here
    # hint: it can be from -3 to 2
    a[0] = constants[3]


class Thing:
    value = 1


thing = Thing()
table = [1, 2, 3]
settings = {"n": 3}
weights = np.array([1, None])
namespace = types.SimpleNamespace(table=table)
COUNT = 3


@bad.kernel(FLOATS)
def a_global_that_is_assigned(a):
    # error at `COUNT`@2: 'COUNT' is used before it is assigned
    # hint: assign it on every path that leads here; where a global is meant, give what this
    # ... function assigns another name
    COUNT = COUNT + 1
    a[0] = COUNT


class Settings:
    __module__ = "__main__"  # messages leave this one out
    gain = 2


settings_of_a_class = Settings()


@bad.kernel(FLOATS)
def attributes_of_objects(a):
    # error at `settings_of_a_class`: objects of class 'Settings' cannot be used in kernels
    # hint: attributes are read from modules, classes and types.SimpleNamespace; put 'gain' into
    # ... one of these, or pass it as an argument
    a[0] = settings_of_a_class.gain
    a[1] = Settings.gain


@bad.kernel(FLOATS)
def objects_of_the_host(a):
    # error at `table[0]`: objects of class 'list' cannot be used in kernels
    # hint: make it a tuple, such as L = (1, 2), or pass a NumPy array as an argument
    a[0] = table[0]
    # error at `settings["n"]`: objects of class 'dict' cannot be used in kernels
    # hint: kernels have numbers, tuples, structs and arrays; pass what you need as an argument
    a[0] = settings["n"]
    # error at `weights[0]`: an array from outside of the kernel is a constant if it holds numbers, vectors or records, none of them atomic, in 65536 bytes at most
    # hint: pass it as an argument
    a[0] = weights[0]
    # error at `namespace.table`: objects of class 'list' cannot be used in kernels
    # hint: make it a tuple, such as L = (1, 2), or pass a NumPy array as an argument
    a[0] = namespace.table
    # error at `weights`: an array from outside of the kernel is a constant if it holds numbers, vectors or records, none of them atomic, in 65536 bytes at most
    # hint: pass it as an argument
    a[0] = 2 * weights


def square(x):
    return x * x


def cube(x):
    return x * x * x


OPERATIONS = (square, [1])
CUBES = (square, cube)
BASES = b"ACGT"


@bad.kernel(FLOATS)
def tuples_of_objects(a):
    # error at `OPERATIONS[0]`: a tuple from outside the kernel cannot hold objects such as lists,
    # ... or tuples more than 32 deep
    # hint: it may hold numbers, strings, None, types, functions and tuples of these
    a[0] = OPERATIONS[0](a[1])
    # error at `OPERATIONS`: a tuple from outside the kernel cannot hold objects such as lists,
    # ... or tuples more than 32 deep
    # hint: it may hold numbers, strings, None, types, functions and tuples of these
    for f in OPERATIONS:
        a[0] = f(a[1])


CODES = tuple(b"ACGT")


@D.kernel
def what_these_errors_say(a, codes):
    a[0] = CUBES[1](2.0)
    a[1] = CODES[1]
    a[2] = codes[2]
    a[3] = BASES[0]


def test_what_the_errors_of_tuples_and_bytes_say_works(target):
    a = np.zeros(4)
    run(what_these_errors_say, a, np.frombuffer(BASES, np.uint8))
    assert a.tolist() == [8, ord("C"), ord("G"), ord("A")]


@bad.kernel(FLOATS)
def functions_of_numpy(a):
    # error at `np.dot`: 'np.dot' cannot be used in a kernel
    # hint: use sum(x * y for x, y in zip(a, b))
    a[0] = np.dot(a[0], 1)


@bad.kernel(FLOATS)
def short_names_are_not_guessed(a):
    b = 1
    # error at `x`: name 'x' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    a[b] = x


@bad.kernel(FLOATS)
def attributes_of_classes(a):
    a[0] = Thing.value
    # error at `Thing.other`: class Thing has no attribute 'other'
    # hint: dir() of it, outside of the kernel, lists what it has
    a[1] = Thing.other


@bad.kernel(FLOATS)
def modules_that_were_not_imported(a):
    # error at `math`: name 'math' is not defined
    # hint: write 'import math' at the top of the file
    a[0] = math.pi  # noqa: F821
    # error at `cuda`: name 'cuda' is not defined
    # hint: write 'from cuda import device' at the top of the file
    a[1] = cuda.foo  # noqa: F821


@bad.kernel(FLOATS)
def names_of_math_in_the_wrong_module(a):
    # error at `D.sqrt`: module cuda.device has no attribute 'sqrt'
    # hint: write math.sqrt
    a[0] = D.sqrt(2.0)


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()


def loops(count, step):
    """A kernel of so many loops."""
    body = "".join(
        f"    x{i} = {i}\n    while x{i} < n:\n        x{i} += {step}\n    a[0] += x{i}\n"
        for i in range(count)
    )
    return executed(f"@D.kernel\ndef many(a, n):\n{body}")["many"]


def test_what_was_meant_is_looked_for_once_for_each_name(monkeypatch):
    """Comparing names takes longer than all else that a kernel of a thousand loops needs."""
    sought = []
    close = difflib.get_close_matches
    monkeypatch.setattr(
        difflib,
        "get_close_matches",
        lambda name, *a, **k: sought.append(name) or close(name, *a, **k),
    )
    loops(20, "D.int32(1)").inspect(np.zeros(1), 3, what="ir")
    assert sought == []
    with pytest.raises(errors.CompileError, match="no attribute 'int_of_32_bits'"):
        loops(20, "D.int_of_32_bits(1)").inspect(np.zeros(1), 3, what="ir")
    assert len(sought) <= 1
