"""Decorating what is no function, options that are not there, functions without source."""

import functools
import math

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors
from support.clauses import clause
from support.errors import SOURCE_NOT_KEPT, check_error

DECORATORS = [(D.kernel, "kernel"), (D.func, "func")]
both = pytest.mark.parametrize(("decorator", "name"), DECORATORS, ids=["kernel", "func"])


A_DEF = "write a def that does what it does, and decorate that"
STATIC = "put @staticmethod above @{}, which stands next to the def"


def plain(a):
    a[0] = 1


async def coroutine(a):
    pass


async def async_generator(a):
    yield a


class Thing:
    def method(self):
        pass

    def __call__(self):
        pass


def refuse(error, text, action):
    with pytest.raises(error) as raised:
        action()
    assert raised.type is error
    check_error(raised, text)


@both
@pytest.mark.parametrize(
    ("what", "found", "hint"),
    [
        (Thing, "type", "decorate a function, such as a static method of the class"),
        (Thing(), "Thing", A_DEF),
        (Thing().method, "method", "define it outside of the class, without self, or under "),
        (math.sqrt, "builtin_function_or_method", A_DEF),
        (functools.partial(plain), "partial", A_DEF),
        (staticmethod(plain), "staticmethod", STATIC),
        (classmethod(plain), "classmethod", STATIC),
        (3, "int", A_DEF),
        (b"text", "bytes", A_DEF),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_what_is_no_function(decorator, name, what, found, hint):
    if found == "method":
        hint += "@staticmethod"
    text = f"@{name} expects a Python function, found {found!r}; {hint.format(name)}"
    refuse(TypeError, text, lambda: decorator(what))


@both
def test_a_signature(decorator, name):
    """As Numba's decorators may have."""
    refuse(
        TypeError,
        f"@{name} expects a Python function, found 'str'; a signature is not needed, types follow "
        "from the arguments of each launch",
        lambda: decorator("void(float32[:])"),
    )


@both
@pytest.mark.parametrize("function", [coroutine, async_generator])
def test_async_functions(decorator, name, function):
    text = f"@{name} expects a plain function; {function.__name__!r} is async: leave out 'async'"
    refuse(TypeError, text, lambda: decorator(function))


@clause("DEV-KERN-05")
def test_kernel_and_func_together():
    hint = "; put what both need into a plain function, and call that"
    text = "@kernel and @func cannot be combined: 'plain' is decorated with @func already" + hint
    refuse(TypeError, text, lambda: D.kernel(D.func(plain)))
    text = "@kernel and @func cannot be combined: 'plain' is decorated with @kernel already" + hint
    refuse(TypeError, text, lambda: D.func(D.kernel(plain)))


@both
def test_decorated_twice(decorator, name):
    text = f"'plain' is decorated with @{name} twice; once is enough"
    refuse(TypeError, text, lambda: decorator(decorator(plain)))


@clause("DEV-KERN-10", "DEV-FUNC-08")
@both
@pytest.mark.parametrize("keyword", ["foo", "fmadd", "Interop", "target"])
def test_unknown_keywords(decorator, name, keyword):
    of_kernel = "fmad, fastmath, builtins, execution, max_registers and min_blocks"
    taken = of_kernel if name == "kernel" else "fmad, fastmath, builtins and inline"
    text = (
        f"@{name} got an unexpected keyword argument {keyword!r}; it takes {taken}, and "
        "interop, link, check are planned"
    )
    refuse(TypeError, text, lambda: decorator(**{keyword: 1}))
    refuse(TypeError, text, lambda: decorator(plain, **{keyword: None}))


@both
@pytest.mark.parametrize(
    ("option", "value"),
    [("interop", True), ("check", True), ("link", "code.ptx")],
)
def test_options_that_are_planned(decorator, name, option, value):
    text = f"@{name}({option}={value!r}) is not implemented yet; leave it out"
    refuse(errors.NotImplementedYetError, text, lambda: decorator(**{option: value}))
    refuse(errors.NotImplementedYetError, text, lambda: decorator(plain, **{option: value}))


@both
@pytest.mark.parametrize("value", [1, None, "no"])
def test_fmad_is_a_bool(decorator, name, value):
    text = f"@{name}: fmad must be True or False, found {value!r}; leave it out for True"
    refuse(TypeError, text, lambda: decorator(fmad=value))


PARTS = "flush_subnormals, approximate_divide, approximate_sqrt, approximate_functions, reassociate"


@clause("DEV-KERN-10", "DEV-FUNC-08")
@both
@pytest.mark.parametrize(
    ("value", "end"),
    [
        ({"aproximate_sqrt"}, "'aproximate_sqrt'; did you mean 'approximate_sqrt'? Its"),
        (("reassociate", "ftz"), "'ftz'; its"),
        ([3], "3; its"),
    ],
)
def test_unknown_parts_of_fastmath(decorator, name, value, end):
    text = f"@{name}: fastmath has no part {end} parts are {PARTS}"
    refuse(TypeError, text, lambda: decorator(fastmath=value))


@both
@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (1, "True"),
        (0, "False"),
        (None, "False"),
        ("", "False"),
        ("reassociate", "{'reassociate'}"),
        ({"reassociate": False}, "False"),
        ({"reassociate": True, "approximate_sqrt": False}, "{'reassociate'}"),
    ],
)
def test_fastmath_is_a_set_of_names(decorator, name, value, hint):
    text = (
        f"@{name}: fastmath must be True, False or a set of names, found {value!r}; "
        f"write fastmath={hint}"
    )
    refuse(TypeError, text, lambda: decorator(fastmath=value))


@pytest.mark.parametrize(
    ("option", "least", "most"), [("max_registers", 16, 255), ("min_blocks", 1, 32)]
)
@pytest.mark.parametrize("value", [0, 256, True, 1.5, "64"])
def test_launch_bounds(option, least, most, value):
    text = (
        f"@kernel: {option} must be an int from {least} to {most}, found {value!r}; leave it out "
        "and the compiler chooses"
    )
    refuse(TypeError, text, lambda: D.kernel(**{option: value}))


WITHOUT_SOURCE = """
cannot find the source of '{name}'
{hint}
"""
PROGRAM = """
def made(a):
    a[0] = 1
"""


def function_without_source(file="<string>"):
    scope = {}
    exec(compile(PROGRAM, file, "exec"), scope)
    return scope["made"]


def launch(kernel):
    D.launch(kernel, np.zeros(1, np.float32), grid=1, block=1)


A_FILE = (
    "define it in a file, a notebook cell, or register its text with linecache before decorating"
)


@pytest.mark.parametrize(
    ("file", "hint"), [("<string>", SOURCE_NOT_KEPT), ("no_such_file.py", A_FILE)]
)
def test_functions_without_source(file, hint):
    def decorate_and_launch():
        launch(D.kernel(function_without_source(file)))

    refuse(errors.CompileError, WITHOUT_SOURCE.format(name="made", hint=hint), decorate_and_launch)


TEXT_OF_A_HELPER = """
test_decorators.py:L+2:5: cannot find the source of 'made'
  L+2 |     helper(a)
      |     ^^^^^^
{hint}
  in kernel 'calls_a_helper', specialised for (array[float32, 1])
"""

helper = function_without_source()


@D.kernel
def calls_a_helper(a):
    helper(a)


def test_helpers_without_source():
    with pytest.raises(errors.CompileError) as raised:
        launch(calls_a_helper)
    check_error(raised, TEXT_OF_A_HELPER.format(hint=SOURCE_NOT_KEPT), at=calls_a_helper)


@both
@pytest.mark.parametrize("value", [True, 16, "64", None])
def test_bits_of_builtins(decorator, name, value):
    text = (
        f"@{name}: builtins must be 32 or 64, the bits of Python's own numbers in kernels, found "
        f"{value!r}; leave it out for 32"
    )
    refuse(TypeError, text, lambda: decorator(builtins=value))
