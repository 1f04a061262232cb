"""Calls of functions: counts and names of arguments, what cannot be called, errors inside."""

import random
import time
from time import perf_counter

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.bad_programs import FLOATS, BadPrograms
from support.errors import check_error

bad = BadPrograms()
TYPE = errors.CompileTypeError


def two(x, y, z=1):
    return x + y + z


def only_positional(x, y, /):
    return x + y


def only_keyword(x, *, scale):
    return x * scale


@D.func
def decorated(x):
    return x


@bad.kernel(FLOATS, raises=TYPE)
def missing_arguments(a):
    # error at `two()`: two() misses the argument 'x'
    # hint: its parameters are x, y, z
    a[0] = two()
    # error at `two(1)`: two() misses the argument 'y'
    # hint: its parameters are x, y, z
    a[0] = two(1)
    # error at `only_keyword(1)`: only_keyword() misses the argument 'scale'
    # hint: its parameters are x, scale
    a[0] = only_keyword(1)
    # error at `decorated()`: decorated() misses the argument 'x'
    # hint: its parameters are x
    a[0] = decorated()


@bad.kernel(FLOATS, raises=TYPE)
def too_many_arguments(a):
    # error at `two(1, 2, 3, 4)`: two() takes 3 arguments, but 4 are given
    # hint: its parameters are x, y, z
    a[0] = two(1, 2, 3, 4)
    # error at `decorated(1, 2)`: decorated() takes 1 argument, but 2 are given
    # hint: its parameters are x
    a[0] = decorated(1, 2)


@bad.kernel(FLOATS, raises=TYPE)
def wrong_keywords(a):
    # error at `two(1, 2, w=3)`: two() has no parameter 'w'
    # hint: its parameters are x, y, z
    a[0] = two(1, 2, w=3)
    # error at `only_positional(1, y=2)`: only_positional() got some positional-only arguments
    # ... passed as keyword arguments: 'y'
    # hint: leave the names out; its parameters are x, y
    a[0] = only_positional(1, y=2)
    # error at `only_positional(y=2, x=1)`: only_positional() got some positional-only arguments
    # ... passed as keyword arguments: 'x, y'
    # hint: leave the names out; its parameters are x, y
    a[0] = only_positional(y=2, x=1)
    # error at `two(1, 2, x=3)`: two() got two values for 'x'
    # hint: give it by position or by its name, not both
    a[0] = two(1, 2, x=3)


KEYWORDS = 3


@bad.kernel(FLOATS)
def keyword_dict(a):
    # error at `KEYWORDS`: '**' in a call needs what a parameter such as **kwargs has collected,
    # ... found int
    # hint: write the keywords one by one
    a[0] = two(1, 2, **KEYWORDS)


def any_number(*values):
    return values


def any_keywords(**values):
    return values


@bad.kernel(FLOATS, raises=TYPE)
def parameters_for_any_number(a):
    # error at `any_number(1, x=2)`: any_number() has no parameter 'x'
    # hint: it has no parameters
    a[0] = any_number(1, x=2)
    # error at `any_keywords(1)`: any_keywords() takes 0 arguments, but 1 is given
    # hint: it has no parameters
    a[0] = any_keywords(1)


@D.kernel
def other(a):
    a[0] = 1


@bad.kernel(FLOATS, clause="DEV-KERN-03", partial="host code")
def kernels_called(a):
    # error at `other(a)`: the kernel 'other' is called like a function
    # hint: kernels run by launch() only; put the shared code into a plain function
    other(a)


@bad.kernel(FLOATS)
def launch_in_a_kernel(a):
    # error at `D.launch`: 'D.launch' cannot be used in a kernel
    # hint: call it outside of the kernel, and pass what it gives as an argument; kernels call Python
    # ... functions, and those of math and cuda.device
    D.launch(other, a, grid=1, block=1)


@bad.kernel(FLOATS)
def clocks_and_random_numbers_of_the_host(a):
    # error at `time.time`: 'time.time' cannot be used in a kernel
    # hint: measure outside of the kernel: start = stream.record() before the launch and
    # ... end = stream.record() after it, then end - start in milliseconds
    a[0] = time.time()
    # error at `perf_counter`: 'perf_counter' cannot be used in a kernel
    # hint: measure outside of the kernel: start = stream.record() before the launch and
    # ... end = stream.record() after it, then end - start in milliseconds
    a[0] = perf_counter()
    # error at `random.random`: 'random.random' cannot be used in a kernel
    # hint: device.random makes numbers in kernels; or make the numbers outside of the kernel, and pass them
    # ... in an array
    a[0] = random.random()
    # error at `np.random.rand`: 'np.random.rand' cannot be used in a kernel
    # hint: device.random makes numbers in kernels; or make the numbers outside of the kernel, and pass them
    # ... in an array
    a[0] = np.random.rand()


@bad.kernel(FLOATS)
def reductions_of_numpy(a):
    # error at `np.sum`: 'np.sum' cannot be used in a kernel
    # hint: use sum(), Python's own
    a[0] = np.sum(a)
    # error at `np.max`: 'np.max' cannot be used in a kernel
    # hint: use max(), Python's own
    a[0] = np.max((1, 2))


class Thing:
    __module__ = "things"

    def method(self):
        return 1


thing = Thing()


@bad.kernel(FLOATS, 3)
def values_called(a, n):
    # error at `a`: array[float32, 1] cannot be called
    # hint: functions, types and intrinsics can
    a(1)
    # error at `n`: int cannot be called
    # hint: functions, types and intrinsics can
    n()
    # error at `a[0]`: float32 cannot be called
    # hint: functions, types and intrinsics can
    a[0](1)
    # error at `a.shape`: (int64,) cannot be called
    # hint: functions, types and intrinsics can
    a.shape()
    # error at `D.thread_idx`: device.thread_idx cannot be called
    # hint: it has the components .x, .y and .z
    D.thread_idx()


@bad.kernel(FLOATS)
def objects_called(a):
    # error at `print_`: name 'print_' is not defined
    # hint: assign it before this, or outside of the kernel before the launch
    print_(1)


TEXT_IN_A_HELPER = """
test_calls.py:L+1:12: '&' needs integers, found 'float32' and 'int'
  L+1 |     return x & 1
      |            ~~^~~
convert with int() or a fixed format such as device.int32()
test_calls.py:L+5:12: in 'low_bit', called here
  L+5 |     return low_bit(x) + 1
      |            ^^^^^^^^^^
test_calls.py:L+10:12: in 'next_bit', called here
 L+10 |     a[0] = next_bit(a[1])
      |            ^^^^^^^^^^^^^^
  in kernel 'error_in_a_helper', specialised for (array[float32, 1])
"""


def low_bit(x):
    return x & 1


def next_bit(x):
    return low_bit(x) + 1


@D.kernel
def error_in_a_helper(a):
    a[0] = next_bit(a[1])


def test_error_in_a_helper():
    with pytest.raises(errors.CompileError) as raised:
        D.launch(error_in_a_helper, FLOATS, grid=1, block=1)
    check_error(raised, TEXT_IN_A_HELPER, at=low_bit)


TEXT_OF_RECURSION = """
test_calls.py:L+4:1: 'odd' calls itself, and every value that it returns comes from such a call: it has no type
  L+4 | def odd(n):
      | ^^^^^^^^^^^
return a value that does not hang on a call of it, where the recursion ends; where it ends by 'raise', write 'assert' and a return after it
  in kernel 'recursive', specialised for (array[float32, 1], int)
"""


def even(n):
    return odd(n - 1)


def odd(n):
    return even(n - 1)


@D.kernel
def recursive(a, n):
    a[0] = even(n)


def test_recursion_without_a_type():
    with pytest.raises(errors.CompileTypeError) as raised:
        D.launch(recursive, FLOATS, 3, grid=1, block=1)
    check_error(raised, TEXT_OF_RECURSION, at=even)


TEXT_OF_PATHS_WITHOUT_RETURN = """
test_calls.py:L+0:1: 'sometimes' returns float on some paths, but can also end without return
  L+0 | def sometimes(x):
      | ^^^^^^^^^^^^^^^^^
return a value on every path
test_calls.py:L+7:12: in 'sometimes', called here
  L+7 |     a[0] = sometimes(a[0])
      |            ^^^^^^^^^^^^^^^
  in kernel 'without_return', specialised for (array[float32, 1])
"""


def sometimes(x):
    if x > 0:
        return 1.5


@D.kernel
def without_return(a):
    a[0] = sometimes(a[0])


def test_paths_without_return():
    with pytest.raises(errors.CompileError) as raised:
        D.launch(without_return, FLOATS, grid=1, block=1)
    check_error(raised, TEXT_OF_PATHS_WITHOUT_RETURN, at=sometimes)


def test_the_same_function_for_other_types():
    a = np.zeros(2, np.int32)
    with pytest.raises(errors.CompileError):
        D.launch(error_in_a_helper, FLOATS, grid=1, block=1)
    D.launch(error_in_a_helper, a, grid=1, block=1)
    assert a[0] == 1


TEXT_OF_A_GENERATOR = """
test_calls.py:L+1:5: 'yield' is not supported in kernels
  L+1 |     yield x
      |     ^^^^^^^
kernels are plain functions
test_calls.py:L+6:14: in 'generator', called here
  L+6 |     for x in generator(3):
      |              ^^^^^^^^^^^^
  in kernel 'uses_a_generator', specialised for (array[float32, 1])
"""


def generator(x):
    yield x


@D.kernel
def uses_a_generator(a):
    for x in generator(3):
        a[0] = x


def test_generator_functions():
    with pytest.raises(errors.CompileError) as raised:
        D.launch(uses_a_generator, FLOATS, grid=1, block=1)
    check_error(raised, TEXT_OF_A_GENERATOR, at=generator)


TEXT_OF_DIFFERENT_RESULTS = """
test_calls.py:L+3:5: the result would be both float32 and (float32, float32) here
  L+3 |     return (x, x)
      |     ^^^^^^^^^^^^^
give the two values one type, or use two names
test_calls.py:L+8:9: in 'either', called here
  L+8 |     x = either(a[0])
      |         ^^^^^^^^^^^^
  in kernel 'different_results', specialised for (array[float32, 1])
"""


def either(x):
    if x > 0:
        return x
    return (x, x)


@D.kernel
def different_results(a):
    x = either(a[0])


def test_results_of_different_types():
    with pytest.raises(errors.CompileError) as raised:
        D.launch(different_results, FLOATS, grid=1, block=1)
    check_error(raised, TEXT_OF_DIFFERENT_RESULTS, at=either)


async def coroutine(x):
    return x


@bad.kernel(FLOATS)
def classes_and_coroutines_called(a):
    # error at `Thing`: class Thing cannot be called
    # hint: functions, types and intrinsics can
    Thing()
    # error at `thing`: 'thing' is an object of class 'things.Thing', which cannot be
    # ... called in a kernel
    # hint: write a plain function that does what it does, and call that
    thing(1)
    # error at `coroutine`: 'coroutine' cannot be used in a kernel
    # hint: call it outside of the kernel, and pass what it gives as an argument; kernels call Python
    # ... functions, and those of math and cuda.device
    coroutine(1)
    # error at `np.zeros`: 'np.zeros' cannot be used in a kernel
    # hint: use device.local_array(shape, dtype)
    b = np.zeros(3)


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
