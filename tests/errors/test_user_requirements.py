"""Every requirement to the user has a program that breaks it and is refused (DEV-GEN-07)."""

import ast
from pathlib import Path

import pytest
from cuda import device as D
from support.clauses import clause, load

TESTS = Path(__file__).resolve().parent.parent

# Families of rows about names that do not exist yet: the name that they wait for.
WAITING_FAMILIES: dict[str, str] = {}
WAITING_ROWS = {
    "DEV-INTEROP-06": "interop=True",
    "DEV-ARR-08": "checked kernels",
    "DEV-WARP-15": "checked kernels",
    "DEV-WARP-19": "checked kernels",
    "DEV-WARP-21": "checked kernels",
}
# What the names of functions have that a test calls which expects an error.
REFUSALS = ("raises", "refuse", "expect_error", "expect_refusal")


def user_rows():
    return [c.id for c in load().values() if c.document == "device" and c.kind == "U"]


def strings_in(node):
    return [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and n.value is not None]


def rows_of(decorator):
    """The rows that a decorator names: clause("..."), or a bad program's clause="..."."""
    if not isinstance(decorator, ast.Call):
        return []
    if isinstance(decorator.func, ast.Name) and decorator.func.id == "clause":
        return [row for argument in decorator.args for row in strings_in(argument)]
    named = [k.value for k in decorator.keywords if k.arg == "clause"]
    return [row for value in named for row in strings_in(value)]


def called_in(function):
    """Names of what the body of a function calls, each without its module."""
    calls = [n.func for stmt in function.body for n in ast.walk(stmt) if isinstance(n, ast.Call)]
    return [getattr(call, "attr", None) or getattr(call, "id", "") for call in calls]


def is_bad_program(function):
    """Whether it is a kernel whose error tests/support/bad_programs.py looks for."""
    made_by = [d.func for d in function.decorator_list if isinstance(d, ast.Call)]
    return any(ast.unparse(maker) == "bad.kernel" for maker in made_by)


def rows_refused_in(text):
    """The rows of the tests in this source that expect an error."""
    rows = set()
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef):
            continue
        refuses = any(word in name for name in called_in(node) for word in REFUSALS)
        if refuses or is_bad_program(node):
            rows.update(row for d in node.decorator_list for row in rows_of(d))
    return rows


def refused_rows():
    files = [*TESTS.glob("conformance/test_*.py"), *TESTS.glob("errors/test_*.py")]
    return set().union(*[rows_refused_in(file.read_text()) for file in files])


def is_waiting(row):
    return row in WAITING_ROWS or row.rpartition("-")[0] in WAITING_FAMILIES


@clause("DEV-GEN-07", partial="the rows that wait for missing names")
def test_every_row_has_a_program_that_breaks_it():
    refused = refused_rows()
    without = [row for row in user_rows() if not is_waiting(row) and row not in refused]
    assert without == []


def test_no_row_waits_in_vain():
    assert sorted(refused_rows() & set(WAITING_ROWS)) == []
    assert set(WAITING_ROWS) <= set(user_rows())


@pytest.mark.parametrize(("family", "name"), WAITING_FAMILIES.items())
def test_families_wait_for_names_that_are_missing(family, name):
    assert not hasattr(D, name), f"{name} exists: test the user's requirements of {family}"


SAMPLE = """
@clause("DEV-A-01", "DEV-A-02", partial="DEV-A-03")
def test_refused():
    with pytest.raises(TypeError):
        f()

@clause("DEV-B-01", partial="raises nothing")
def test_accepted():
    "That refuse() and raises() are named here does not count."
    f("raises")

@bad.kernel(1, clause=("DEV-C-01", "DEV-C-02"))
def program(a):
    pass
"""


def test_rows_are_found_in_sources():
    assert rows_refused_in(SAMPLE) == {"DEV-A-01", "DEV-A-02", "DEV-C-01", "DEV-C-02"}
