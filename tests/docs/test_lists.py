"""Tables and lists of the guide say what the compiler does."""

import re

import pytest
from cuda import device
from cuda.device import _testing, errors
from cuda.device._in_kernels import IN_KERNELS
from support.pages import GUIDE, ROOT
from support.planned import numeric_types

TUNING = (ROOT / "src" / "support" / "tuning.def").read_text()
INTRINSICS = (ROOT / "src" / "frontend" / "calls" / "intrinsics.def").read_text()
LANGUAGE = (GUIDE / "language.md").read_text()


def section(title):
    """What stands below a heading of the page about the language."""
    return re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", LANGUAGE, re.DOTALL | re.MULTILINE)[1]


def promotions():
    """(operands, operator, result) of each expression in the table of numbers."""
    for row in re.findall(r"^\| (`.*?) \| (\w+)[^|]* \|$", section("Numbers"), re.MULTILINE):
        for expression in re.findall(r"`(.*?)`", row[0]):
            left, operator, right = expression.split()
            yield left, operator, right, row[1]


@pytest.mark.parametrize(("left", "operator", "right", "result"), list(promotions()))
def test_promotions(left, operator, right, result):
    def add(x, y):
        return x + y

    def multiply(x, y):
        return x * y

    def divide(x, y):
        return x / y

    function = {"+": add, "*": multiply, "/": divide}[operator]
    types = [{"1": "int", "0.5": "float", "0.1": "float"}.get(t, t) for t in (left, right)]
    found = _testing.result_type(function, *types)
    assert found == {"bool + bool": "int"}.get(f"{left} {operator} {right}", result)


def entities(module, later):
    """The names of a module that the compiler knows, or knows to be planned."""
    names = re.findall(rf'^(\w+)\("{module}\.(\w+)"', INTRINSICS, re.MULTILINE)
    types = set() if later else {name for home, name in numeric_types() if home == module}
    if module == "math" and not later:  # sumprod came with Python 3.12
        of_others = {"blocks", "assert_never"}
        types |= {f.__name__ for f in IN_KERNELS.values()} - of_others | {"sumprod"}
    return types | {n for kind, n in names if (kind == "LATER") == later and kind != "DEVICE_ONLY"}


@pytest.mark.parametrize(
    ("module", "bullet"), [("math", r"Of `math`:"), ("builtins", r"Builtins:")]
)
def test_the_names_of_functions_are_complete(module, bullet):
    text = re.search(rf"^\* {bullet}(.*?)(?=^\*|\n\n)", section("Mathematics"), re.DOTALL | re.M)[1]
    named = {name for code in re.findall(r"`([^`]*)`", text) for name in code.split()}
    assert named == entities(module, later=False)


def test_what_is_said_to_be_missing_is():
    """Names that the compiler or Python knows are compared; others are words of the language."""
    named = set(re.findall(r"`(\w+)`", section("Not implemented yet")))
    later = set().union(*(entities(m, later=True) for m in ("device", "builtins", "math")))
    there = entities("device", later=False) | entities("builtins", later=False)
    assert named & later, "the list names nothing that the compiler knows"
    assert not named & there
    assert {n for n in named if hasattr(device, n)} <= later


def test_every_class_of_errors_is_named():
    text = (GUIDE / "errors.md").read_text()
    missing = [n for n in errors.__all__ if f"`{n}`" not in text and n != "Diagnostic"]
    assert missing == []


def test_every_heuristic_has_a_line_and_its_decision():
    page = (ROOT / "docs" / "inspecting.md").read_text()
    rows = re.findall(r"^\| `(\w+)` \| .+ \| \[(\d+)\]\(decisions/\2-.+\.md\) \|$", page, re.M)
    lines = re.findall(r"^HEURISTIC\((\w+), (\d+),", TUNING, re.MULTILINE)
    assert rows == [(name, f"{int(number):04}") for name, number in lines]
    assert len(lines) == TUNING.count("\nHEURISTIC(")


def test_every_folder_of_tests_has_a_row():
    page = (ROOT / "tests" / "README.md").read_text()
    rows = re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)
    folders = {path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests").glob("*/*.*")}
    assert sorted(rows) == sorted(str(folder) for folder in folders if folder.name != "__pycache__")
