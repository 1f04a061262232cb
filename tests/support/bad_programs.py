"""Bad programs, each with all that its author is told, compared to the last character.

    bad = BadPrograms()

    @bad.kernel(FLOATS, 3, clause="DEV-POS-07")
    def no_dimension(a, n):
        # error at `0`: tid() has 1 to 3 dimensions, found 0
        a[D.tid(0)] = n

    @pytest.mark.parametrize("program", bad)
    def test_bad_programs(program):
        program.check()

The comments are those of support/errors.py; several of them make one text of several errors. What
the comments cannot say (a helper's error names the lines that call it) is a text for check_error.
"""

import inspect

import numpy as np
import pytest
from cuda import device as D
from cuda.device import errors

from support.clauses import clause as clause_mark
from support.errors import expectations

FLOATS = np.ones(4, np.float32)
BYTES = np.ones((2, 3), np.int8)
READ_ONLY = np.ones(4, np.float32)
READ_ONLY.flags.writeable = False

MOST_SHOWN = 10  # errors of one kernel whose text is shown; the exception holds all


def _element_text(dtype):
    """Of vectors and structs the name of their class."""
    cls = getattr(dtype.type, "__cuda_device_type__", None)
    if cls is not None:
        return cls.__name__
    return "record" if dtype.names else str(dtype)


def type_of(argument):
    """Name of an argument's type as messages give it."""
    if argument is None:
        return "None"
    if isinstance(argument, np.ndarray):
        return f"array[{_element_text(argument.dtype)}, {argument.ndim}]"
    if hasattr(argument, "_fields"):
        return type(argument).__name__
    if isinstance(argument, tuple):
        return f"({', '.join(map(type_of, argument))}{',' * (len(argument) == 1)})"
    return type(argument).__name__


def _marks(expected):
    """Spaces (tabs kept) up to the quoted columns, then ^ below the sign and ~ below the rest."""
    start, end = expected.column - 1, expected.end_column - 1
    before = "".join("\t" if c == "\t" else " " for c in expected.source[:start])
    if expected.sign is None:
        return before + "^" * (end - start)
    quoted = expected.source[start:end]
    assert quoted.count(expected.sign) == 1, f"the sign {expected.sign!r} in {quoted!r}"
    at = quoted.index(expected.sign)
    width = len(expected.sign)
    return before + "~" * at + "^" * width + "~" * (len(quoted) - at - width)


def text_of(expected, file, context):
    """The whole text of one error."""
    lines = [
        f"{file}:{expected.line}:{expected.column}: {expected.message}",
        f"{expected.line:>5} | {expected.source}",
        f"{'':>{max(5, len(str(expected.line)))}} | {_marks(expected)}",
    ]
    return "\n".join([*lines, *filter(None, [expected.hint]), context])


def context_of(name, arguments):
    """The last line of each error of a kernel."""
    types = ", ".join(map(type_of, arguments))
    return f"  in kernel '{name}', specialised for ({types})"


class BadProgram:
    """A kernel that cannot be compiled for these arguments, and the class of the error."""

    def __init__(self, kernel, arguments, raises):
        self.kernel = kernel
        self.arguments = arguments
        self.raises = raises

    def text(self):
        function = self.kernel.underlying
        context = context_of(function.__name__, self.arguments)
        file = inspect.getsourcefile(function)
        found = expectations(function)
        assert found, f"no `# error` comment in {function.__name__}"
        messages = [text_of(expected, file, context) for expected in found[:MOST_SHOWN]]
        if more := len(found) - len(messages):
            messages.append(f"... and {more} more error{'s' * (more > 1)}")
        return "\n\n".join(messages)

    def error_class(self):
        """The class of the first error, unless the program names one."""
        first = expectations(self.kernel.underlying)[0].message
        planned = "not implemented yet" in first
        return self.raises or (errors.NotImplementedYetError if planned else errors.CompileError)

    def check(self):
        with pytest.raises(errors.CompileError) as raised:
            D.launch(self.kernel, *self.arguments, grid=1, block=1)
        text = str(raised.value)
        assert text == self.text(), f"expected:\n{self.text()}\nfound:\n{text}"
        assert raised.type is self.error_class()
        # The same as data, for tools.
        data = [(d.line, d.column, d.message, d.hint) for d in raised.value.diagnostics]
        expected = expectations(self.kernel.underlying)
        assert data == [(e.line, e.column, e.message, e.hint) for e in expected]


class BadPrograms(list):
    """The bad programs of one file, as parameters of one test."""

    def kernel(self, *arguments, clause=(), partial=None, raises=None):
        """Decorator: a kernel, what it is launched with, and the rows of the contract it shows."""
        rows = (clause,) if isinstance(clause, str) else clause
        marks = [clause_mark(*rows, partial=partial)] if rows else []

        def add(function):
            program = BadProgram(D.kernel(function), arguments, raises)
            self.append(pytest.param(program, id=function.__name__, marks=marks))
            return program.kernel

        return add
