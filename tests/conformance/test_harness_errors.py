"""The harness itself: errors expected on the kernel's own lines, messages compared whole."""

import inspect
from types import SimpleNamespace

import pytest
from support.errors import check_error, compare_diagnostics, expectations


def first_line(function):
    return inspect.getsourcelines(function)[1]


def on_one_line(c, a):
    c[0] = a[0] + "x"  # error at `a[0] + "x"`: cannot add 'float32' and 'str'


def several(c, a):
    c[0] = a[0] + a[0]  # error[mixed] at `a[0]`@2: second one
    # ... with a long
    # ... message
    # note: a is float32
    # note: and so on
    c[1] = "# error: not a comment"
    # error at `frobnicate`: speaks of the next line
    # error: so does this

    c[2] = frobnicate(a)  # noqa: F821


def twice(a):
    return a + a  # error at `a`: which one


def before_nothing(a):
    return a
    # error: no code follows


def test_reads_line_and_columns():
    (expected,) = expectations(on_one_line)
    assert expected.line == first_line(on_one_line) + 1
    assert expected.message == "cannot add 'float32' and 'str'"
    assert (expected.column, expected.end_column) == (12, 22)
    assert expected.code is None


def test_reads_several():
    second, quoted, bare = expectations(several)
    assert (second.line, second.column, second.end_column) == (first_line(several) + 1, 19, 23)
    assert second.message == "second one with a long message"
    assert second.code == "mixed"
    assert second.notes == ["a is float32", "and so on"]
    assert quoted.line == bare.line == first_line(several) + 10
    assert (quoted.column, quoted.end_column) == (12, 22)
    assert bare.column is None


def test_a_decorated_object_is_read_through_underlying():
    assert expectations(SimpleNamespace(underlying=on_one_line)) == expectations(on_one_line)


def test_an_ambiguous_quote_is_refused():
    with pytest.raises(ValueError, match="occurs 2 times"):
        expectations(twice)


def test_an_error_before_no_code_is_refused():
    with pytest.raises(ValueError, match="before no code"):
        expectations(before_nothing)


SOURCE = """    c[0] = a[0] + "x"  # error at `a[0] + "x"`: cannot add 'float32' and 'str'"""


class FakeError(Exception):
    """Stands for the package's CompileError."""


def fake_error(rendering=None, **changes):
    """A CompileError for on_one_line as it should be, except for the changes."""
    line = first_line(on_one_line) + 1
    values = dict(code="add", message="cannot add 'float32' and 'str'", file=__file__, notes=[],
                  line=line, column=12, end_column=22)  # fmt: skip
    diagnostic = SimpleNamespace(**(values | changes))
    marks = " " * 11 + "~~~~~^~~~~"
    text = rendering or (
        f"{__file__}:{line}:12: {diagnostic.message}\n  {line} | {SOURCE}\n     | {marks}\nhelp\n"
    )
    error = FakeError(text)
    error.diagnostics = [diagnostic]
    return error


def test_agreement():
    assert compare_diagnostics(expectations(on_one_line), fake_error()) == []


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"line": 1}, "line"),
        ({"column": 5}, "column"),
        ({"end_column": 21}, "end column"),
        ({"message": "cannot add"}, "message"),
        ({"rendering": "no place\n"}, "rendering lacks"),
    ],
)
def test_each_difference_is_found(changes, what):
    (wrong,) = compare_diagnostics(expectations(on_one_line), fake_error(**changes))[:1]
    assert what in wrong


def test_marks_at_the_wrong_column_are_found():
    good = str(fake_error())
    shifted = good.replace(" ~~~~~^~~~~", "~~~~~^~~~~ ")
    assert shifted != good
    (wrong,) = compare_diagnostics(expectations(on_one_line), fake_error(rendering=shifted))
    assert "mark the columns" in wrong
    without = good.replace("~", "").replace("^", "")
    assert compare_diagnostics(expectations(on_one_line), fake_error(rendering=without))


def test_the_number_of_errors_counts():
    error = fake_error()
    error.diagnostics.append(error.diagnostics[0])
    (wrong,) = compare_diagnostics(expectations(on_one_line), error)
    assert wrong == "expected 1 errors, found 2"


FULL = """
    test_harness_errors.py:L+1:12: cannot add 'float32' and 'str'
      L+1 |     c[0] = a[0] + "x"  # error at `a[0] + "x"`: cannot add 'float32' and 'str'
          |            ~~~~~^~~~~
    help
"""


def raised():
    with pytest.raises(FakeError) as exc_info:
        raise fake_error()
    return exc_info


def test_full_text():
    check_error(raised(), FULL, at=on_one_line)


@pytest.mark.parametrize(
    ("old", "new"), [("L+1:12", "L+2:12"), ("help", ""), ("~^~", "^~~"), ("add", "ad")]
)
def test_full_text_differs(old, new):
    with pytest.raises(AssertionError):
        check_error(raised(), FULL.replace(old, new), at=on_one_line)
