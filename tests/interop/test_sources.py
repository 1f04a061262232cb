"""Where kernels come from: files, cells, lambdas, closures; and the constants that they read."""

import enum
import functools
import importlib.util
import linecache
import math
import pickle
import subprocess
import sys
import textwrap
import types
import warnings
import zipfile

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _testing, errors
from support.clauses import clause
from support.errors import SOURCE_NOT_KEPT, check_error
from support.programs import environment

SCALE = 3
TABLE = (1, (2.5, np.uint8(4)), None, np.float32)


class Color(enum.IntEnum):
    RED = 5


class Config:
    WIDTH = 7


SPACE = types.SimpleNamespace(height=1.5)


def names_of(function, index=0):
    return _testing.captured(function)[index]["names"]


def cell(text, name="<cell 1>", **globals):
    """Runs text as a notebook does: exec, with its lines in linecache."""
    text = textwrap.dedent(text)
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    namespace = {"D": D, "np": np, "__name__": "__main__", **globals}
    exec(compile(text, name, "exec"), namespace)
    return namespace


def value_of(kernel, dtype=np.float64):
    """What a kernel of one array stores in it."""
    out = np.zeros(1, dtype=dtype)
    D.launch(kernel, out, grid=1, block=1)
    return out[0]


# --- places ---


@D.kernel
def in_a_file(out):
    out[0] = SCALE


class InAClass:
    @staticmethod
    @D.kernel
    def method(out):
        text = """
not indented"""  # noqa: F841 a string that a dedent would change
        out[0] = 2


def test_files_and_classes():
    assert value_of(in_a_file) == 3
    assert _testing.captured(in_a_file)[0]["text"] == "def in_a_file(out):"
    assert _testing.captured(InAClass.method)[0]["text"] == "def method(out):"


def test_a_notebook_cell():
    names = cell("""
        @D.kernel
        def kernel(out):
            out[0] = 11
    """)
    assert value_of(names["kernel"]) == 11
    captured = _testing.captured(names["kernel"])[0]
    assert (captured["file"], captured["line"]) == ("<cell 1>", 3)


def test_a_cell_run_again_does_not_change_kernels_of_its_first_run():
    source = """
        @D.kernel
        def kernel(out):
            out[0] = {}
    """
    first = cell(source.format(1))["kernel"]
    second = cell(source.format(2))["kernel"]
    assert value_of(first) == 1
    assert value_of(second) == 2


def test_columns_of_indented_functions():
    def inner(x):
        return x + SCALE

    captured = _testing.captured(inner)[0]
    assert captured["names"] == {"SCALE": ("constant", 3)}
    assert captured["text"] == "def inner(x):"


def test_columns_after_characters_of_several_bytes():
    names = cell("""
        def f(ä):
            ö = "äöü"; return ä + π
        π = 3
    """)
    assert names_of(names["f"]) == {"π": ("constant", 3)}


def decorated(function):
    @functools.wraps(function)
    def wrapper(x):
        return function(x)

    return wrapper


def test_functions_under_other_decorators():
    @D.func
    @decorated
    def f(x):
        return x

    wrapper, wrapped = _testing.captured(f)
    assert wrapper["text"] == "def wrapper(x):"
    assert wrapped["text"] == "def f(x):"


def test_several_decorator_lines():
    @D.kernel(
        fmad=False,
    )
    def f(out):
        out[0] = SCALE

    assert names_of(f) == {"SCALE": ("constant", 3)}


UNINDENTED = '"""' + "\n".join(f"line {n}" for n in range(40)) + '"""'

ENDS = {
    "the end of the text": "",
    "another statement": "x = 1\n",
    "a comment and a statement": "\n# a comment\n\nx = 1\n",
    "another definition": "@D.func\ndef kernel(out):\n    out[0] = 0\n",
    "an else": None,
}
BODIES = {
    "plain": "out[0] = 7",
    "a comment at the margin": "out[0] = 5\n# def kernel(out):\n    out[0] += 2",
    "a string at the margin": 'text = """\ndef kernel(out):\nx = 1\n"""\n    out[0] = 7',
    "a string of many lines": f"text = {UNINDENTED}\n    out[0] = 7",
    "brackets at the margin": "out[0] = (\n3 +\n4\n)",
    "a continued line": "out[0] = \\\n7",
    "an empty line": "out[0] = 3\n\n \n\f\n    out[0] += 4",
    "what looks like its end": "out[0] = 3\n    if True:\n        pass\n    out[0] += 4",
    "a tab": "if True:\n    \tout[0] = 7",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_where_a_definition_ends(body, end):
    if end is None:
        head = "if True:\n  @D.kernel\n  def kernel(\n  out\n):\n    "
        names = cell(f"{head}{body}\nelse:\n    x = 1\n")
        kernel = names["kernel"]
    else:
        names = cell(f"@D.kernel\ndef kernel(\n    out,\n):\n    {body}\nkept = kernel\n{end}")
        kernel = names["kept"]
    assert value_of(kernel) == 7


def test_one_line():
    names = cell("@D.kernel\ndef kernel(out): out[0] = 7\nx = 1\n")
    assert value_of(names["kernel"]) == 7


# --- lambdas ---

double = lambda x: x * 2  # noqa: E731
pair = (lambda x: x + 1, lambda y: (lambda x: x + y)(SCALE))


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (double, "lambda x: x * 2"),
        (pair[0], "lambda x: x + 1"),
        (pair[1], "lambda y: (lambda x: x + y)(SCALE)"),
        (pair[1](0).__class__ and (lambda: lambda z: -z)(), "lambda z: -z"),
    ],
)
def test_lambdas(function, text):
    assert _testing.captured(function)[0]["text"] == text


def test_a_lambda_as_a_helper(target):
    @D.kernel
    def kernel(out):
        out[0] = double(21)

    assert value_of(kernel) == 42


def test_names_bound_in_a_lambda_are_its_own():
    f = lambda SCALE: (lambda TABLE: TABLE + SCALE)(1)  # noqa: E731
    assert names_of(f) == {}


# --- no source ---


@pytest.mark.parametrize(
    "text", ["def f(x): return x", "f = lambda x: x", "def f(x):\n  def g(y): return y\n  return g"]
)
def test_no_source(text):
    namespace = {}
    exec(text, namespace)
    with pytest.raises(errors.CompileError) as raised:
        _testing.captured(namespace["f"])
    name = namespace["f"].__name__
    assert str(raised.value) == f"cannot find the source of '{name}'\n{SOURCE_NOT_KEPT}"
    assert [d.code for d in raised.value.diagnostics] == ["source_not_kept"]


@pytest.mark.parametrize("way", ["-", "-c"])
def test_programs_without_a_file(way):
    program = textwrap.dedent("""
        import numpy as np
        from cuda import device
        @device.kernel
        def kernel(a):
            a[0] = 1
        try:
            device.launch(kernel, np.zeros(1), grid=1, block=1)
        except device.errors.CompileError as error:
            print(error)
    """)
    command = [sys.executable, *([way, program] if way == "-c" else [way])]
    done = subprocess.run(
        command, input=program, capture_output=True, text=True, check=True, env=environment()
    )
    kept = way == "-c" and sys.version_info >= (3, 13)
    assert done.stdout == (
        "" if kept else f"cannot find the source of 'kernel'\n{SOURCE_NOT_KEPT}\n"
    )


def test_a_name_of_no_file():
    with pytest.raises(errors.CompileError) as raised:
        _testing.captured(eval(compile("lambda x: x", "<made>", "eval")))
    assert str(raised.value) == (
        "cannot find the source of '<lambda>'\ndefine it in a file, a notebook cell, or register "
        "its text with linecache before decorating"
    )


def test_a_file_that_cannot_be_opened(tmp_path):
    """The system's reason, where it is not that there is no file."""
    program = tmp_path / "program.py"
    program.write_text(
        "import linecache, resource\n"
        "from cuda import device\n"
        "def k2(a):\n"
        "    a[0] = 1\n"
        "linecache.clearcache()\n"
        "soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))\n"
        "try:\n"
        "    device.kernel(k2)\n"
        "except OSError as error:\n"
        "    print(error)\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))\n"
        "device.kernel(k2)\n"
    )
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, check=False)
    expected = f"[Errno 24] Too many open files: '{program}'\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, expected, "")


@pytest.mark.parametrize("head", [["def h(x):\n"], ["\n", "def g(x):\n"]], ids=["name", "place"])
def test_the_file_has_another_text(head):
    """A stale file is no source: the lines must be the function's."""
    names = cell("def g(x):\n    return x\n")
    linecache.cache["<cell 1>"] = (0, None, [*head, "    return x\n"], "<cell 1>")
    with pytest.raises(errors.CompileError, match="cannot find the source of 'g'"):
        _testing.captured(names["g"])


def test_a_helper_without_source():
    namespace = {}
    exec("def helper(x): return x", namespace)
    helper = namespace["helper"]

    @D.kernel
    def kernel(out):
        out[0] = helper(1)

    with pytest.raises(errors.CompileError) as raised:
        value_of(kernel)
    place = "test_sources.py:L+2:18: cannot find the source of 'helper'"
    check_error(
        raised,
        f"""
        {place}
            L+2 |         out[0] = helper(1)
                |                  ^^^^^^
        {SOURCE_NOT_KEPT}
          in kernel 'kernel', specialised for (array[float64, 1])
        """,
        at=kernel,
    )


# --- a file that is written to while the program runs ---

LIBRARY = """\
from cuda import device as D

def h(x):
    return x + 1

def nested(x):
    return (lambda y: y * 2)(x) + h(x)

double = lambda x: x * 2
two = (lambda x: x + 5, lambda x: x + 6)

@D.kernel
def k(a):
    a[0] = h(1)

def body(a):
    a[0] = h(2)
"""


@pytest.fixture
def library(tmp_path):
    """A module that is imported from a file, and the file."""
    path = tmp_path / "edited_library.py"
    path.write_text(LIBRARY)
    return imported(path), path


def imported(path):
    spec = importlib.util.spec_from_file_location("edited_library", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check_changed(name, capture):
    linecache.clearcache()
    with pytest.raises(errors.CompileError) as raised:
        capture()
    assert [d.code for d in raised.value.diagnostics] == ["source_changed"]
    assert f"the source of '{name}' has changed since it was imported\n" in str(raised.value)
    (found,) = raised.value.diagnostics
    assert found.hint == "reload its module, or start the program again"


EDITS = {
    "a constant": ("x + 1", "x + 100"),
    "a constant of another type": ("x + 1", "x + 1.0"),
    "an operator": ("x + 1", "x - 1"),
    "lines in front": ("def h", "\n\ndef h"),
    "a parameter": ("def h(x):\n    return x", "def h(y):\n    return y"),
    "another name": ("def h", "def g"),
    "no Python": ("x + 1", "x +"),
}


@pytest.mark.parametrize(("old", "new"), EDITS.values(), ids=EDITS)
def test_a_helper_edited_before_the_first_launch(library, old, new):
    module, path = library
    path.write_text(LIBRARY.replace(old, new))
    check_changed("h", lambda: value_of(module.k))


def test_a_module_imported_again_has_its_new_text(library):
    _, path = library
    path.write_text("\n\n" + LIBRARY.replace("x + 1", "x + 100"))
    assert value_of(imported(path).k) == 101


def test_a_kernel_decorated_after_the_edit(library):
    module, path = library
    path.write_text(LIBRARY.replace("h(2)", "h(3)"))
    kernel = D.kernel(module.body)
    check_changed("body", lambda: value_of(kernel))


def test_lambdas_edited(library):
    module, path = library
    path.write_text(LIBRARY.replace("y * 2", "y * 9").replace("x * 2", "x * 9"))
    check_changed("nested", lambda: _testing.captured(module.nested))
    check_changed("<lambda>", lambda: _testing.captured(module.double))
    path.write_text(LIBRARY.replace("x + 5", "x + 0").replace("x + 6", "x + 5"))
    for function in module.two:
        check_changed("<lambda>", lambda function=function: _testing.captured(function))


def test_edits_that_leave_a_function_as_it_was(library):
    """So does a file that was only saved again; the kernel's own text was taken before."""
    module, path = library
    text = LIBRARY.replace("x + 1", "x  +  1  # one more")
    path.write_text(text.replace("h(1)", "h(100)").replace("h(2)", "h(3)"))
    linecache.clearcache()
    assert value_of(module.k) == 2
    assert _testing.captured(module.nested)[0]["text"] == "def nested(x):"
    assert _testing.captured(module.two[1])[0]["text"] == "lambda x: x + 6"


def test_code_that_depends_on_what_is_around_it(tmp_path):
    path = tmp_path / "around.py"
    path.write_text("""\
from __future__ import annotations
class A:
    def make(self, __n):
        def inner(x: not_evaluated):
            "Nothing: \\d"
            if x in {1, 2, 3}:
                return x * __n
            return x * -0.0
        return inner
f = A().make(3)
""")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = imported(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        filters = list(warnings.filters)
        assert _testing.captured(module.f)[0]["name"] == "inner"
        assert warnings.filters == filters


def test_functions_from_an_archive(tmp_path, monkeypatch):
    with zipfile.ZipFile(tmp_path / "library.zip", "w") as archive:
        archive.writestr("library_of_archive.py", LIBRARY)
    monkeypatch.syspath_prepend(tmp_path / "library.zip")
    module = importlib.import_module("library_of_archive")
    assert value_of(module.k) == 2


def test_tests_whose_asserts_are_rewritten(pytester, monkeypatch):
    """Their code is not what the text alone gives; of functions without asserts it is."""
    pytester.makepyfile("""
        from pathlib import Path
        import numpy as np
        import pytest
        from cuda import device as D

        def h(x):
            assert x > 0, "above"
            return x

        def g(x):
            return x + 1

        @D.kernel
        def k(a):
            a[0] = h(a[0])

        @D.kernel
        def of_g(a):
            a[0] = g(a[0])

        def test_asserts():
            a = np.ones(1)
            D.launch(k, a, grid=1, block=1)

        def test_edited():
            path = Path(__file__)
            path.write_text(path.read_text().replace("x + 1", "x + 2"))
            with pytest.raises(D.errors.CompileError, match="the source of 'g' has changed"):
                D.launch(of_g, np.ones(1), grid=1, block=1)
    """)
    monkeypatch.setenv("PYTHONPATH", environment()["PYTHONPATH"])
    pytester.runpytest_subprocess().assert_outcomes(passed=2)


# --- meanings of names ---


def test_meanings():
    local = 11

    def f(x):
        return (
            SCALE, TABLE, Color.RED, Config.WIDTH, SPACE.height, local, missing, D.tid, D.nothing,  # noqa: F821
            math.pi, math.sin, np.float32, D.int64, np.sqrt, range, double, Config, test_meanings,
        )  # fmt: skip

    expected = {
        "SCALE": ("constant", 3),
        "TABLE": ("constant", (1, (2.5, 4), None, "device.float32")),
        "Color": ("class", "Color"),
        "Color.RED": ("constant", 5),
        "Config": ("module", "class Config"),
        "Config.WIDTH": ("constant", 7),
        "SPACE": ("module", "types.SimpleNamespace"),
        "SPACE.height": ("constant", 1.5),
        "local": ("constant", 11),
        "missing": ("undefined", None),
        "D": ("module", "cuda.device"),
        "D.tid": ("entity", "device.tid"),
        "D.nothing": ("undefined", None),
        "math": ("module", "math"),
        "math.pi": ("constant", math.pi),
        "math.sin": ("entity", "math.sin"),
        "np": ("module", "numpy"),
        "np.float32": ("entity", "device.float32"),
        "np.sqrt": ("entity", "math.sqrt"),
        "D.int64": ("entity", "device.int64"),
        "range": ("entity", "builtins.range"),
    }
    found = names_of(f)
    assert found.pop("double")[0] == "function"
    assert found.pop("test_meanings")[0] == "function"
    assert found == expected


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        (True, ("constant", True)),
        (-(2**63), ("constant", -(2**63))),
        (2**100, ("constant", 2**100)),
        (2**200, ("constant", str(2**200))),
        (np.int8(-3), ("int8", -3)),
        (np.uint64(2**64 - 1), ("uint64", 2**64 - 1)),
        (np.float32(0.1), ("float32", float(np.float32(0.1)))),
        (np.float64(0.1), ("float64", 0.1)),
        (np.bool_(True), ("bool", True)),
        (1 + 2j, ("constant", 1 + 2j)),
        ("text", ("constant", "text")),
        (np.ones(2, np.int16), ("constant", b"\1\0\1\0")),
        ([1], ("object", "list")),
        (np.float16(0.1), ("float16", float(np.float16(0.1)))),
        (D.bfloat16(0.1), ("bfloat16", 0.10009765625)),
        (D.float8e4m3(-3), ("float8e4m3", -3.0)),
        (np.complex64(1), ("object", "numpy.complex64")),
    ],
    ids=repr,
)
def test_constants(value, meaning):
    def f():
        return value

    assert names_of(f) == {"value": meaning}


def test_recursion_is_captured_once():
    functions = _testing.captured(even)
    assert [f["name"] for f in functions] == ["even", "odd"]
    assert functions[1]["names"] == {"even": ("function", 0)}


def even(n):
    return n == 0 or odd(n - 1)


def odd(n):
    return n != 0 and even(n - 1)


def test_annotations_and_defaults():
    N = 4

    def f(a: D.float32, b: "D.int32", n=N, *, m: D.ConstExpr[int] = 2) -> None:
        pass

    names = names_of(f)
    assert names["D.float32"] == ("entity", "device.float32")
    assert names["None"] == ("constant", None)
    assert names["D.ConstExpr[int]"] == ("ConstExpr", ("entity", "builtins.int"))
    # The name at the root; the attribute has the same text.
    assert names['"D.int32"'] == ("module", "cuda.device")


# --- constants are read at launch ---


@clause("DEV-CONST-03", partial="as a shape")
def test_a_global_rebound_between_launches(target):
    names = cell("""
        N = 16
        @D.kernel
        def kernel(out):
            out[0] = N
    """)
    kernel = names["kernel"]
    assert value_of(kernel) == 16
    names["N"] = 32
    assert value_of(kernel) == 32
    names["N"] = 2.5
    assert value_of(kernel) == 2.5
    del names["N"]
    with pytest.raises(errors.CompileError):
        value_of(kernel)
    names["N"] = 16
    assert value_of(kernel) == 16


def compilations():
    return _testing.counters()["compilations"]


def test_flipping_a_constant_back_compiles_nothing():
    names = cell("""
        N = 1000
        @D.kernel
        def kernel(out):
            out[0] = N
    """)
    kernel = names["kernel"]
    assert value_of(kernel) == 1000
    names["N"] = 2000
    assert value_of(kernel) == 2000
    before = compilations()
    for value in (1000, 2000, int("1000"), int("2000")):  # equal, not the same objects
        names["N"] = value
        assert value_of(kernel) == value
    assert compilations() == before


def test_an_equal_constant_of_another_type_is_another_constant():
    names = cell("""
        N = 1
        @D.kernel
        def kernel(out):
            out[0] = N / 2
    """)
    kernel = names["kernel"]
    assert value_of(kernel) == 0.5
    before = compilations()
    names["N"] = True
    value_of(kernel)
    names["N"] = 1.0
    value_of(kernel)
    assert compilations() == before + 2


def test_closures_attributes_and_helpers_are_read_at_launch(target):
    bound = 1

    def helper():
        return bound + Config.WIDTH

    @D.kernel
    def kernel(out):
        out[0] = helper() + SPACE.height

    assert value_of(kernel) == 1 + 7 + 1.5
    bound = 2
    assert value_of(kernel) == 2 + 7 + 1.5
    Config.WIDTH = 8
    try:
        assert value_of(kernel) == 2 + 8 + 1.5
    finally:
        Config.WIDTH = 7
    SPACE.height = 0.5
    try:
        assert value_of(kernel) == 2 + 7 + 0.5
    finally:
        SPACE.height = 1.5


def test_a_module_attribute(target):
    module = types.ModuleType("settings")
    module.level = 3

    @D.kernel
    def kernel(out):
        out[0] = module.level

    assert value_of(kernel) == 3
    module.level = 4
    assert value_of(kernel) == 4


def test_a_helper_replaced(target):
    names = cell("""
        def helper():
            return 1
        @D.kernel
        def kernel(out):
            out[0] = helper()
    """)
    assert value_of(names["kernel"]) == 1
    names["helper"] = cell("def helper():\n    return 2\n", "<cell 2>")["helper"]
    assert value_of(names["kernel"]) == 2


def test_code_replaced_in_place(target):
    """As reloading tools of notebooks do."""
    names = cell("""
        def helper():
            return 1
        @D.kernel
        def kernel(out):
            out[0] = helper()
    """)
    assert value_of(names["kernel"]) == 1
    other = cell("def helper():\n    return 2\n", "<cell 3>")["helper"]
    names["helper"].__code__ = other.__code__
    assert value_of(names["kernel"]) == 2


def test_a_global_that_hides_a_builtin_later(target):
    names = cell("""
        @D.kernel
        def kernel(out):
            out[0] = abs(-3)
    """)
    assert value_of(names["kernel"]) == 3
    names["abs"] = cell("def twice(x):\n    return x * 2\n", "<cell 4>")["twice"]
    assert value_of(names["kernel"]) == -6


# --- the objects ---


def test_kernels_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(in_a_file)) is in_a_file
    assert pickle.loads(pickle.dumps(D.thread_idx)) is D.thread_idx


def test_a_kernel_keeps_the_names_of_its_function():
    assert in_a_file.__name__ == "in_a_file"
    assert in_a_file.__module__ == __name__
    assert in_a_file.__wrapped__ is in_a_file.underlying
