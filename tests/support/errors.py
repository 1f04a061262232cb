"""Expected compile errors stand on the kernel's own lines; expected messages are compared whole.

    @D.kernel
    def bad(c, a):
        c[0] = a[0] + "x"  # error at `a[0] + "x"`: cannot add 'float32' and 'str'
        # ... the rest of a long message
        # note: a is float32 (argument 2)

`# error: text` says the line and the message; ``at `source` `` also the columns, by quoting what
the marker underlines (it must occur once in the line; ``at `x`@2`` means the second one). A
comment on a line of its own speaks of the next line of code. `[code]` after `error` names the
diagnostic's code. Where whole messages are compared (support/bad_programs.py) a line `# hint: text`
says what to do, `# ...` below it goes on with it, and ``on `+` `` after the quotation names the
sign that the caret stands under.
"""

import inspect
import io
import re
import tokenize
from dataclasses import dataclass, field
from pathlib import Path

import pytest

_ERROR = re.compile(
    r"#\s*error(?:\[(?P<code>\w+)\])?"
    r"(?:\s+at\s+`(?P<quoted>[^`]+)`(?:@(?P<nth>\d+))?)?(?:\s+on\s+`(?P<sign>[^`]+)`)?"
    r":\s*(?P<message>.*)"
)
_MORE = re.compile(r"#\s*\.\.\.\s*(?P<text>.*)")
_HINT = re.compile(r"#\s*hint:\s*(?P<text>.*)")
_NOTE = re.compile(r"#\s*note:\s*(?P<text>.*)")


# The hint of functions whose text Python has not kept.
SOURCE_NOT_KEPT = (
    "Python keeps none of its prompt, of 'python -c', of standard input and of exec(): write the "
    "program into a file or a notebook cell, or register its text with linecache before decorating"
)


@dataclass
class Expected:
    """One `# error` comment; columns are 1-based, the end exclusive, None where none is quoted."""

    line: int
    message: str
    source: str
    code: str | None = None
    column: int | None = None
    end_column: int | None = None
    notes: list[str] = field(default_factory=list)
    hint: str = ""
    sign: str | None = None


def _columns(source, quoted, nth):
    """Columns of the quoted text in its line; `nth` counts from 1, None: it must be unique."""
    starts = [match.start() for match in re.finditer(re.escape(quoted), source)]
    if not starts or (nth is None and len(starts) > 1) or (nth or 1) > len(starts):
        raise ValueError(f"`{quoted}` occurs {len(starts)} times in: {source.strip()}")
    start = starts[(nth or 1) - 1]
    return start + 1, start + 1 + len(quoted)


def _code_part(line, comment_column):
    return line[:comment_column].rstrip()


class _Reader:
    """Collects the expectations of one function from its comments."""

    def __init__(self, lines, first_line):
        self.lines = lines
        self.first_line = first_line
        self.found = []
        self.waiting = []  # comments of their own line, before the code that they speak of

    def comment(self, text, index, column):
        own_line = not _code_part(self.lines[index], column).strip()
        if match := _ERROR.match(text):
            self._error(match, index, column, own_line)
        elif match := _MORE.match(text):
            if own_line and self.found:
                part = "hint" if self.found[-1].hint else "message"
                more = " " + match["text"].strip()
                setattr(self.found[-1], part, getattr(self.found[-1], part) + more)
        elif match := _HINT.match(text):
            self.found[-1].hint = match["text"].strip()
        elif match := _NOTE.match(text):
            self.found[-1].notes.append(match["text"].strip())

    def code(self, index, end):
        """A line of code begins: the comments above it speak of it."""
        for expected, quoted, nth in self.waiting:
            self._place(expected, index, self.lines[index][:end], quoted, nth)
        self.waiting.clear()

    def _error(self, match, index, column, own_line):
        expected = Expected(0, match["message"].strip(), "", match["code"], sign=match["sign"])
        nth = int(match["nth"]) if match["nth"] else None
        self.found.append(expected)
        if own_line:
            self.waiting.append((expected, match["quoted"], nth))
        else:
            self._place(
                expected, index, _code_part(self.lines[index], column), match["quoted"], nth
            )

    def _place(self, expected, index, source, quoted, nth):
        expected.line = self.first_line + index
        expected.source = self.lines[index].rstrip("\n")
        if quoted:
            expected.column, expected.end_column = _columns(source, quoted, nth)


_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def expectations(function):
    """The `# error` comments in a kernel's or function's source, in order."""
    function = getattr(function, "underlying", function)
    lines, first_line = inspect.getsourcelines(function)
    reader = _Reader(lines, first_line)
    for token in tokenize.generate_tokens(io.StringIO("".join(lines)).readline):
        row, column = token.start
        if token.type == tokenize.COMMENT:
            reader.comment(token.string, row - 1, column)
        elif token.type not in _NO_CODE and reader.waiting:
            reader.code(row - 1, len(lines[row - 1]))
    if reader.waiting:
        raise ValueError(f"an `# error` comment of {function.__name__} stands before no code")
    return reader.found


def _compare(expected, diagnostic):
    """Differences between one expectation and one diagnostic, as text."""
    pairs = [("line", expected.line, diagnostic.line)]
    pairs.append(("message", expected.message, diagnostic.message))
    if expected.code:
        pairs.append(("code", expected.code, str(diagnostic.code)))
    if expected.column is not None:
        pairs.append(("column", expected.column, diagnostic.column))
        pairs.append(("end column", expected.end_column, diagnostic.end_column))
    if expected.notes:
        pairs.append(("notes", expected.notes, list(diagnostic.notes)))
    return [f"{what}: expected {a!r}, found {b!r}" for what, a, b in pairs if a != b]


def _marker(column, end_column):
    """Pattern of the line under the source line: marks under the columns, one caret in them."""
    width = max(end_column - column, 1)
    return re.compile(rf"^\s*\|\s{{{column}}}(?=[~^]{{{width}}}\s*$)~*\^[~^]*\s*$", re.MULTILINE)


def _check_rendering(text, expected, diagnostic):
    """The rendering must point: file:line:column: message, the source line, marks under it."""
    place = f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}: {diagnostic.message}"
    wrong = []
    if place not in text:
        wrong.append(f"the rendering lacks {place!r}")
    source = re.compile(rf"^\s*{diagnostic.line} \| {re.escape(expected.source)}$", re.MULTILINE)
    if not source.search(text):
        wrong.append(f"the rendering lacks the source line {diagnostic.line}")
    marks = _marker(diagnostic.column, diagnostic.end_column)
    one_line = getattr(diagnostic, "end_line", diagnostic.line) == diagnostic.line
    if one_line and not marks.search(text):
        wrong.append("the rendering does not mark the columns of the error")
    return wrong


def compare_diagnostics(expected, error):
    """All differences between `# error` comments and a CompileError; empty where they agree."""
    found = list(error.diagnostics)
    if len(found) != len(expected):
        return [f"expected {len(expected)} errors, found {len(found)}"]
    wrong = []
    for number, (want, have) in enumerate(zip(expected, found, strict=True), 1):
        differences = _compare(want, have)
        if not differences:
            differences = _check_rendering(str(error), want, have)
        wrong += [f"error {number}: {text}" for text in differences]
    return wrong


def expect_error(kernel, *args, grid=1, block=1, functions=(), **options):
    """Launches and compares the CompileError with the `# error` comments; returns the exception.

    `functions`: others that the kernel calls and in whose source errors are expected as well.
    """
    from cuda import device
    from cuda.device import errors

    expected = [e for function in (kernel, *functions) for e in expectations(function)]
    assert expected, "no `# error` comment in the kernel's source"
    with pytest.raises(errors.CompileError) as raised:
        device.launch(kernel, *args, grid=grid, block=block, **options)
    wrong = compare_diagnostics(expected, raised.value)
    assert not wrong, "\n".join([*wrong, "the rendering was:", str(raised.value)])
    return raised.value


def _refused_line(functions):
    """(file, line) of the one line with a `# refused` comment in these functions."""
    places = []
    for function in functions:
        function = getattr(function, "underlying", function)
        lines, first_line = inspect.getsourcelines(function)
        file = Path(inspect.getsourcefile(function)).name
        places += [(file, first_line + i) for i, text in enumerate(lines) if "# refused" in text]
    assert len(places) == 1, f"{len(places)} lines with `# refused` in the source"
    return places[0]


def expect_refusal(kernel, *args, words=(), functions=(), grid=1, block=1, **options):
    """Launches and expects a CompileError at the line with the comment `# refused`.

    Where the exact text is not the point: it must name `words` and give file and line. `functions`:
    others that the kernel calls, if the line stands in one of them. Returns the exception.
    """
    from cuda import device
    from cuda.device import errors

    file, line = _refused_line((kernel, *functions))
    with pytest.raises(errors.CompileError) as raised:
        device.launch(kernel, *args, grid=grid, block=block, **options)
    text = str(raised.value)
    assert f"{file}:{line}:" in text, f"expected the place {file}:{line} in:\n{text}"
    for word in words:
        assert word in text, f"expected {word!r} in:\n{text}"
    return raised.value


def _with_lines(text, at):
    """L+2 in an expected text is the number of the second line after the kernel's first one."""
    if at is None:
        return text
    _, first_line = inspect.getsourcelines(getattr(at, "underlying", at))
    return re.sub(r"\bL\+(\d+)\b", lambda match: str(first_line + int(match[1])), text)


def _without_gutter(text):
    """Line-number gutters are as wide as the number; the width is not compared."""
    text = re.sub(r"^ *(\d+) \|", r"\1 |", text, flags=re.MULTILINE)
    return re.sub(r"^ *\|", "|", text, flags=re.MULTILINE)


def check_error(exc_info, expected, at=None):
    """Compares the full rendering of an error with an expected text.

    The text names the test's file without its folder. With `at` (a kernel), L+n in it stands for a
    line counted from the kernel's first one, decorators included.
    """
    found = str(exc_info.value)
    if at is not None:
        path = inspect.getsourcefile(getattr(at, "underlying", at))
        found = found.replace(path, Path(path).name)
    want = _with_lines(inspect.cleandoc(expected), at)
    found, want = _without_gutter(found).strip(), _without_gutter(want).strip()
    assert found == want, f"expected:\n{want}\nfound:\n{found}"
