"""_core.pyi, written by hand for better types, says what the compiled module is.

nanobind makes a stub of the module; ours has the same names, parameters and defaults, and the same
types wherever nanobind knows more than that something is an object.
"""

import ast
import inspect
import types
from pathlib import Path

import pytest

_core = pytest.importorskip("cuda.device._core", reason="waits for a build of the package")
stubgen = pytest.importorskip("nanobind.stubgen", reason="waits for nanobind")

STUB = Path(inspect.getfile(_core)).with_name("_core.pyi")
# What nanobind says where a binding takes or gives Python objects.
VAGUE = {"object", "object | None", "tuple", "list", "dict"}
# Members that every Python class has, or that stand for others.
ORDINARY = {"__init__", "__new__", "__doc__", "__module__", "__name__", "__qualname__"}
# The buffer protocol has no name in Python before 3.12.
ORDINARY |= {"__buffer__"}


def generated_text():
    """Without what the package has put on Array in Python: nanobind knows nothing of it."""
    array = _core.Array
    written = {
        name: member
        for name, member in vars(array).items()
        if isinstance(member, types.FunctionType)
        or isinstance(getattr(member, "fget", None), types.FunctionType)
    }
    for name in written:
        delattr(array, name)
    try:
        generator = stubgen.StubGen(_core, include_docstrings=False, quiet=True)
        generator.put(_core)
        return generator.get()
    finally:
        for name, member in written.items():
            setattr(array, name, member)


def functions_of(text):
    """Functions and methods by name; a property is a function too."""
    found = {}

    def read(body, prefix):
        for node in body:
            if isinstance(node, ast.ClassDef):
                read(node.body, f"{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                found[prefix + node.name] = node

    read(ast.parse(text).body, "")
    return found


OURS = functions_of(STUB.read_text())
BOUND = functions_of(generated_text())


def parameters_of(function):
    """(kind, name, has a default, default) of each; names that no caller can use do not count."""
    given = function.args
    positional = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(positional) - len(given.defaults)) + given.defaults
    parameters = []
    for i, (parameter, default) in enumerate(zip(positional, defaults, strict=True)):
        only = i < len(given.posonlyargs)
        name = "" if only else parameter.arg
        parameters.append(("positional" if only else "either", name, text_of(default)))
    for parameter, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        parameters.append(("keyword", parameter.arg, text_of(default)))
    return parameters


def types_of(function):
    given = function.args
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return [text_of(p.annotation) for p in parameters] + [text_of(function.returns)]


def text_of(node):
    return None if node is None else ast.unparse(node)


def names_in_stub():
    names = set()
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
    # What only helps to write types begins with an underscore.
    return {name for name in names if name.startswith("__") or not name.startswith("_")}


def test_stub_names_what_the_module_has():
    special = {name for name in vars(_core) if name.startswith("__")} - {"__version__"}
    assert names_in_stub() == set(vars(_core)) - special


def test_nanobind_still_makes_functions():
    """The comparisons below are about something."""
    assert {"inspect", "Stream.record", "Stream.handle", "Event.__init__"} <= set(BOUND)


@pytest.mark.parametrize("name", sorted(BOUND))
def test_parameters_are_those_of_the_binding(name):
    assert name in OURS, "missing in _core.pyi"
    assert parameters_of(OURS[name]) == parameters_of(BOUND[name])


@pytest.mark.parametrize("name", sorted(BOUND))
def test_types_are_those_of_the_binding(name):
    ours, bound = types_of(OURS[name]), types_of(BOUND[name])
    known = [(o, b) for o, b in zip(ours, bound, strict=True) if b is not None and b not in VAGUE]
    assert [o for o, _ in known] == [b for _, b in known]


@pytest.mark.parametrize("kind", ["Kernel", "Func", "Stream", "Event", "Buffer", "Array"])
def test_types_have_the_members_of_the_stub(kind):
    in_stub = {name.partition(".")[2] for name in OURS if name.startswith(f"{kind}.")} - ORDINARY
    made = set(vars(getattr(_core, kind))) - ORDINARY
    assert in_stub <= made
    assert {name for name in made if not name.startswith("_")} <= in_stub


@pytest.mark.parametrize("name", ["inspect", "stats"])
def test_methods_of_kernels_take_what_the_functions_behind_them_take(name):
    from cuda.device import _inspect, _stats

    behind = inspect.signature({"inspect": _inspect.inspect, "stats": _stats.stats}[name])
    stub = OURS[f"Kernel.{name}"].args
    assert stub.vararg.arg == "arguments"
    given = {a.arg: text_of(d) for a, d in zip(stub.kwonlyargs, stub.kw_defaults, strict=True)}
    keywords = [p for p in behind.parameters.values() if p.kind is p.KEYWORD_ONLY]
    assert given == {p.name: repr(p.default) for p in keywords}


def test_launch_takes_the_keywords_of_the_stub():
    stub = OURS["launch"].args
    names = [a.arg for a in [*stub.args, stub.vararg, *stub.kwonlyargs]]
    assert list(inspect.signature(_core.launch).parameters) == names
