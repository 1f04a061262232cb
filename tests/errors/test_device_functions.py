"""Positions and intrinsics of cuda.device on wrong arguments (DEV-POS, DEV-INTR, DEV-FUNC)."""

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.bad_programs import FLOATS, BadPrograms
from support.clauses import clause
from support.errors import check_error

bad = BadPrograms()
TYPE = errors.CompileTypeError


@bad.kernel(FLOATS, 3, clause="DEV-POS-07")
def dimensions_of_tid(a, n):
    # error at `0`: tid() has 1 to 3 dimensions, found 0
    # hint: write 1, 2 or 3
    x = D.tid(0)
    # error at `4`: tid() has 1 to 3 dimensions, found 4
    # hint: write 1, 2 or 3
    x = D.tid(4)
    # error at `-1`: tid() has 1 to 3 dimensions, found -1
    # hint: write 1, 2 or 3
    x = D.tid(-1)
    # error at `n`: tid() needs the number of dimensions as a constant, found int
    # hint: write 1, 2 or 3
    x = D.tid(n)
    # error at `2.0`: tid() needs the number of dimensions as a constant, found float
    # hint: write 1, 2 or 3
    x = D.tid(2.0)
    # error at `a.ndim + n`: tid() needs the number of dimensions as a constant, found int
    # hint: write 1, 2 or 3
    x = D.tid(a.ndim + n)


@bad.kernel(FLOATS, clause="DEV-POS-09")
def dimensions_of_grid_size(a):
    # error at `0`: grid_size() has 1 to 3 dimensions, found 0
    # hint: write 1, 2 or 3
    x = D.grid_size(0)
    # error at `4`: grid_size() has 1 to 3 dimensions, found 4
    # hint: write 1, 2 or 3
    x = D.grid_size(4)
    # error at `len(a)`: grid_size() needs the number of dimensions as a constant, found int64
    # hint: write 1, 2 or 3
    x = D.grid_size(len(a))
    # error at `"x"`: grid_size() needs the number of dimensions as a constant, found str
    # hint: write 1, 2 or 3
    x = D.grid_size("x")


@bad.kernel(FLOATS, raises=TYPE)
def counts_of_arguments(a):
    # error at `D.tid()`: tid() takes 1 argument, but 0 are given
    # hint: give the number of dimensions: tid(1), tid(2) or tid(3)
    x = D.tid()
    # error at `D.tid(1, 2)`: tid() takes 1 argument, but 2 are given
    # hint: give the number of dimensions: tid(1), tid(2) or tid(3)
    x = D.tid(1, 2)
    # error at `D.popc()`: popc() takes 1 argument, but 0 are given
    # hint: give it the others too
    x = D.popc()
    # error at `D.fma(1.0, 2.0)`: fma() takes 3 arguments, but 2 are given
    # hint: give it the others too
    x = D.fma(1.0, 2.0)


@bad.kernel(FLOATS, np.float64(1), clause="DEV-INTR-05", partial="complex numbers, vectors")
def integers_needed(a, f):
    # error at `a[0]`: popc needs an integer, found float32
    # hint: convert with a fixed format such as device.int32()
    x = D.popc(a[0])
    # error at `True`: popc needs an integer, found bool
    # hint: convert with a fixed format such as device.int32()
    x = D.popc(True)
    # error at `f`@2: clz needs an integer, found float64
    # hint: convert with a fixed format such as device.int32()
    y = f + D.clz(f)
    # error at `1.5`: brev needs an integer, found float
    # hint: convert with a fixed format such as device.int32()
    x = D.brev(1.5)
    # error at `a.shape`: ffs needs an integer, found (int64,)
    # hint: convert with a fixed format such as device.int32()
    x = D.ffs(a.shape)


@bad.kernel(FLOATS, 3, clause="DEV-INTR-07", partial="complex numbers")
def float_needed(a, n):
    # error at `8`: cbrt needs floating-point arguments, found int
    # hint: convert with float() or device.float64()
    x = D.cbrt(8)
    # error at `n`: cbrt needs floating-point arguments, found int
    # hint: convert with float() or device.float64()
    x = D.cbrt(n)
    # error at `True`: cbrt needs floating-point arguments, found bool
    # hint: convert with float() or device.float64()
    x = D.cbrt(True)


@bad.kernel(FLOATS, 3, clause="DEV-INTR-09", partial="complex numbers")
def floats_needed(a, n):
    # error at `1`: fma needs floating-point arguments, found int
    # hint: convert with float() or device.float64()
    x = D.fma(1, a[0], 2.0)
    # error at `n`: fma needs floating-point arguments, found int
    # hint: convert with float() or device.float64()
    x = D.fma(a[0], n, 2.0)
    # error at `a`@3: fma needs floating-point arguments, found array[float32, 1]
    # hint: convert with float() or device.float64()
    x = D.fma(a[0], 2.0, a)


@bad.kernel(FLOATS)
def positions_unpacked(a):
    # error at `D.thread_idx`: 3 values cannot be unpacked into 2 names
    # hint: write one name for each value; the shape of an array has one for each dimension
    x, y = D.thread_idx
    # error at `D.tid(2)`: 2 values cannot be unpacked into 3 names
    # hint: write one name for each value; the shape of an array has one for each dimension
    x, y, z = D.tid(2)
    # error at `D.tid(1)`: int32 cannot be unpacked
    # hint: write D.tid(2), which gives one value for each dimension
    x, y = D.tid(1)


TEXT_OF_A_FUNC = """
test_device_functions.py:L+2:12: 'device.{name}' exists only on devices, and a @func function also
 runs on the host
  L+2 |     return D.{code}
      |            {marks}
leave out the decorator: a plain function may be called from kernels too
test_device_functions.py:L+7:12: in '{function}', called here
  L+7 |     a[0] = {function}()
      |            {called}
  in kernel '{kernel}', specialised for (array[float32, 1])
"""


@D.func(inline="never")
def kept_apart(x):
    return D.lane_id + x


@D.func(inline="never")
def as_the_hint_says(x):
    if D.target(D.is_device):
        return D.lane_id + x


def without_a_decorator(x):
    return D.lane_id + x


@D.func
def calls_one_without(x):
    return without_a_decorator(x)


@D.func
def calls_it_on_devices(x):
    if D.target(D.is_device):
        return without_a_decorator(x)


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (kept_apart, "put it, or the whole body, under `if device.target(device.is_device):`"),
        (
            calls_one_without,
            "put it, or the call of this function, under `if device.target(device.is_device):`",
        ),
    ],
)
def test_hints_keep_the_options_of_a_func(function, hint):
    def kernel(a):
        a[0] = function(1)

    with pytest.raises(errors.CompileError) as raised:
        D.launch(D.kernel(kernel), FLOATS, grid=1, block=1)
    (found,) = raised.value.diagnostics
    assert (found.code, found.hint) == ("device_only_in_func", hint)


@D.kernel
def calls_what_hints_say(a):
    a[0] = as_the_hint_says(1) + calls_it_on_devices(2)


def test_what_the_hints_about_names_of_devices_say_works(target):
    a = np.zeros(2)
    D.launch(calls_what_hints_say, a, grid=1, block=1)
    assert a.tolist() == [3, 0]


@D.func
def position():
    return D.thread_idx.x


@D.kernel
def uses_position(a):
    a[0] = position()


@D.func
def index():
    return D.tid(1)


@D.kernel
def uses_index(a):
    a[0] = index()


@clause("DEV-FUNC-04")
@pytest.mark.parametrize(
    ("function", "kernel", "name", "code", "mark"),
    [
        (position, uses_position, "thread_idx", "thread_idx.x", "D.thread_idx"),
        (index, uses_index, "tid", "tid(1)", "D.tid"),
    ],
)
def test_device_only_names_in_a_func(function, kernel, name, code, mark):
    called = function.__name__
    text = TEXT_OF_A_FUNC.replace("also\n runs", "also runs").format(
        name=name,
        code=code,
        marks="^" * len(mark),
        function=called,
        kernel=kernel.__name__,
        called="^" * len(called + "()"),
    )
    with pytest.raises(errors.CompileError) as raised:
        D.launch(kernel, FLOATS, grid=1, block=1)
    check_error(raised, text, at=function)


@clause("DEV-DEVONLY-01", partial="names that are not there yet")
@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda: D.tid(1), "tid"),
        (lambda: D.grid_size(2), "grid_size"),
        (lambda: D.thread_idx.x, "thread_idx"),
        (lambda: D.block_idx[0], "block_idx"),
        (lambda: D.lane_id + 1, "lane_id"),
        (lambda: int(D.warp_size), "warp_size"),
        (lambda: D.local_array(4, D.int32), "local_array"),
        (lambda: D.shared_array(4, dtype=int, align=16), "shared_array"),
        (lambda: D.dynamic_shared_array(), "dynamic_shared_array"),
        (lambda: D.syncthreads(), "syncthreads"),
        (lambda: D.syncthreads_count(lambda: True), "syncthreads_count"),
        (lambda: D.syncthreads_and(lambda: True), "syncthreads_and"),
        (lambda: D.syncthreads_or(pred=lambda: True), "syncthreads_or"),
    ],
)
def test_device_only_names_on_the_host(use, text):
    with pytest.raises(errors.DeviceOnlyError) as raised:
        use()
    assert isinstance(raised.value, RuntimeError)
    text = (
        f"cuda.device.{text} exists in kernels only; it was used in host code: write what uses it "
        "into a kernel, and launch that"
    )
    check_error(raised, text)


@bad.kernel(FLOATS)
def keywords_of_device_functions(a):
    # error at `D.tid(ndims=1)`: a keyword argument of tid() is not implemented yet
    # hint: the page not-implemented of the documentation lists what is planned
    x = D.tid(ndims=1)
    # error at `D.popc(x=1)`: a keyword argument of popc() is not implemented yet
    # hint: the page not-implemented of the documentation lists what is planned
    y = D.popc(x=1)


@pytest.mark.parametrize("program", bad)
def test_bad_programs(program):
    program.check()
