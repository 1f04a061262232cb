"""The harness that compares whole error messages: what it takes for right and for wrong."""

import numpy as np
import pytest
from support.bad_programs import FLOATS, BadPrograms, text_of, type_of
from support.errors import expectations


def on_two_lines(c, a):
    # error at `a[0] + "x"` on `+`: cannot add 'float32' and 'str'
    # hint: operators work on numbers
    c[0] = a[0] + "x"
    # error at `c[1]`: no
    # ... sign
    c[1] = 2


TEXT = """\
file.py:{0}:12: cannot add 'float32' and 'str'
{0:>5} |     c[0] = a[0] + "x"
      |            ~~~~~^~~~~
operators work on numbers
  context"""

WITHOUT_HINT = """\
file.py:{0}:5: no sign
{0:>5} |     c[1] = 2
      |     ^^^^
  context"""


def test_text_of_an_error():
    first, second = expectations(on_two_lines)
    assert text_of(first, "file.py", "  context") == TEXT.format(first.line)
    assert text_of(second, "file.py", "  context") == WITHOUT_HINT.format(second.line)


@pytest.mark.parametrize(
    ("argument", "name"),
    [
        (3, "int"),
        (True, "bool"),
        (None, "None"),
        (np.float64(1), "float64"),
        (np.zeros((2, 3), np.uint8), "array[uint8, 2]"),
        ((1, 2.0), "(int, float)"),
        ((np.int8(1),), "(int8,)"),
    ],
)
def test_types_of_arguments(argument, name):
    assert type_of(argument) == name


def found_wrong(program):
    """The one program of a collection does not say what it should."""
    with pytest.raises(AssertionError):
        program.values[0].check()


def test_every_part_of_a_text_counts():
    wrong = BadPrograms()

    @wrong.kernel(FLOATS)
    def message(a):
        # error at `a[0] + "x"` on `+`: cannot add 'float64' and 'str'
        # hint: operators work on numbers
        a[1] = a[0] + "x"

    @wrong.kernel(FLOATS)
    def hint(a):
        # error at `a[0] + "x"` on `+`: cannot add 'float32' and 'str'
        a[1] = a[0] + "x"

    @wrong.kernel(FLOATS)
    def caret(a):
        # error at `a[0] + "x"`: cannot add 'float32' and 'str'
        # hint: operators work on numbers
        a[1] = a[0] + "x"

    @wrong.kernel(FLOATS)
    def columns(a):
        # error at `a[0] +` on `+`: cannot add 'float32' and 'str'
        # hint: operators work on numbers
        a[1] = a[0] + "x"

    @wrong.kernel(FLOATS, raises=TypeError)
    def error_class(a):
        # error at `a[0] + "x"` on `+`: cannot add 'float32' and 'str'
        # hint: operators work on numbers
        a[1] = a[0] + "x"

    for program in wrong:
        found_wrong(program)


def test_a_good_program_is_no_bad_one():
    wrong = BadPrograms()

    @wrong.kernel(FLOATS)
    def good(a):
        # error at `a[0]`: nothing
        a[0] = 1

    with pytest.raises(pytest.fail.Exception):
        wrong[0].values[0].check()
