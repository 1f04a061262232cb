"""What the sources refuse as "not implemented yet", for docs/not-implemented.md."""

import re

from support.status import PAGE, TESTS, section_of

ROOT = TESTS.parent
HEADING = "Not implemented yet"
SOURCES = ("src", "bindings", "python")
GAP = "…"

_ARGUMENT = "argument_not_yet"
_LITERAL = r'"((?:[^"\\]|\\.)*)"'


def _files(*folders):
    for folder in folders or SOURCES:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".h", ".def", ".py"):
                yield path


def _texts(*folders):
    return [path.read_text() for path in _files(*folders)]


def argument_at(text, start):
    """The source of one argument of a call or of a braced list, up to its comma or bracket."""
    depth, quoted, i = 0, False, start
    while True:
        c = text[i]
        if quoted:
            i += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "([{":
            depth += 1
        elif c in ")]}" or (c == "," and depth == 0):
            if depth == 0:
                return text[start:i].strip()
            depth -= 1
        i += 1


def feature_of(expression):
    """The literals of a C++ text expression, with a gap for what is known at run time only.

    None where there is no literal: such a text comes from one of the lists below.
    """
    literals = re.findall(_LITERAL, expression)
    if not literals:
        return None
    text = GAP.join(literals)
    if not expression.startswith('"'):
        text = GAP + text
    return text if expression.endswith('"') else text + GAP


def _call_arguments(name, number, *folders):
    """Argument `number` of every call of a function, as source."""
    for text in _texts(*folders):
        for call in re.finditer(rf"\b{name}\(", text):
            at = call.end()
            for _ in range(number):
                at += len(argument_at(text, at))
                at = text.index(",", at) + 1
            yield argument_at(text, at)


def _declared(text):
    """Whether it is the parameter of a declaration, not an argument."""
    return text.startswith("const std::string&")


def kernel_features():
    """Features by the text of their message: "{feature} is not implemented yet"."""
    found = {
        feature_of(text)
        for text in _call_arguments("not_implemented", 2, "src")
        if not _declared(text)
    }
    return sorted(found - {None})


def syntax_features():
    """Statements and expressions that src/frontend/diagnosis/unsupported.cpp lists as planned."""
    text = (ROOT / "src/frontend/diagnosis/unsupported.cpp").read_text()
    planned = re.search(r"kPlanned\[\] = \{(.*?)\n\};", text, re.DOTALL)[1]
    return sorted(set(re.findall(rf'\{{"\w+",\s*{_LITERAL},', planned)))


def numeric_types():
    """[(module, name)] of the rows of promotion.def."""
    rows = (ROOT / "src/frontend/promotion.def").read_text()
    builtins = ("bool", "int", "float", "complex")
    return [
        ("builtins" if name in builtins else "device", name)
        for name in re.findall(r'^NUMERIC\(\w+, "(\w+)"', rows, re.MULTILINE)
    ]


def later_entities():
    """{module: names} of what the language knows by name and the compiler lacks."""
    text = (ROOT / "src/frontend/calls/intrinsics.def").read_text()
    later = re.findall(r'^LATER\("(\w+)\.(\w+)"\)', text, re.MULTILINE)
    found = {}
    for module, name in sorted(later):
        found.setdefault(module, []).append(name)
    return found


def messages():
    """{code: message} of diagnostics of the class NotImplemented."""
    text = (ROOT / "src/support/diagnostics.def").read_text()
    return dict(re.findall(rf"^DIAG\((\w+), NotImplemented, {_LITERAL}", text, re.MULTILINE))


def diagnostic_features():
    """What diagnostics of their own refuse, besides those of not_implemented() and of arguments."""
    others = ("not_implemented", "not_implemented_but", _ARGUMENT)
    own = set(messages().items()) - {(c, messages()[c]) for c in others}
    return sorted(re.search(r"(\w+) is not implemented yet", text)[1] for _, text in own)


def argument_formats():
    """Formats of arrays that launch() refuses as planned: of all that NumPy and ml_dtypes have."""
    import ml_dtypes
    import numpy as np
    from cuda import device

    extra = [getattr(ml_dtypes, name) for name in dir(ml_dtypes)]
    numpy_types = [np.dtype(code) for code in np.typecodes["All"]]
    formats = [*numpy_types, *(np.dtype(t) for t in extra if isinstance(t, type) and _is_number(t))]
    formats.append(np.dtype([("x", "i4"), ("y", "f8")]))
    found = {}
    for dtype in formats:
        try:
            device.launch(device.kernel(lambda a: None), np.empty(1, dtype), grid=1, block=1)
        except device.errors.NotImplementedYetError:
            found["structured" if dtype.names else str(dtype)] = None
        except (TypeError, device.errors.CompileError):
            pass
    return list(found)


def _is_number(kind):
    import numpy as np

    return issubclass(kind, np.generic)


def planned_options():
    """Keywords of @kernel and @func."""
    text = (ROOT / "python/cuda/device/_decorators.py").read_text()
    return re.findall(r'"(\w+)"', re.search(r"^_PLANNED = \((.*?)\)$", text, re.MULTILINE)[1])


def python_features():
    """Texts of the NotImplementedYetErrors that Python code raises, those of options left out."""
    found = set()
    for text in _texts("python"):
        for match in re.finditer(r"raise NotImplementedYetError\(", text):
            message = re.search(_LITERAL, argument_at(text, match.end()))[1]
            feature = message.partition(" is not implemented yet")[0]
            found.add(re.sub(r"\{[^}]*\}", GAP, feature))
    return sorted(feature for feature in found if not feature.startswith("@"))


def _names(names):
    return " ".join(f"`{name}`" for name in names)


def lines():
    """The lines that the page must have under its heading; {what each is about: line}."""
    later = later_entities()
    made = {
        "options of `@kernel` and `@func`": _names(f"{name}=" for name in planned_options()),
        "of the host": "; ".join(python_features()),
        "syntax": "; ".join(syntax_features()),
        "in kernels": "; ".join(kernel_features()),
        "of functions": "; ".join(diagnostic_features()) or "none",
        "arguments, and their formats": _names(argument_formats()) or "none",
        "of `math`, in kernels": _names(later.pop("math")),
        "builtins, in kernels": _names(later.pop("builtins", [])) or "none",
        "of `cuda.device`, in kernels": _names(later.pop("device", [])) or "none",
    }
    assert not later, f"a module without a line: {later}"
    return {title: f"- {title}: {text}" for title, text in made.items()}


def section():
    """The lines as they stand in docs/not-implemented.md."""
    return "\n".join([f"## {HEADING}", "", *lines().values()]) + "\n"


def differences(status, wanted):
    """What is wrong in the section of a Markdown text; other lines of it are prose."""
    found = section_of(HEADING, status).splitlines()
    wrong = []
    for title, line in wanted.items():
        same_title = [other for other in found if other.startswith(f"- {title}:")]
        if same_title != [line]:
            wrong.append(f"{title}: the sources say\n{line}\nand the page says {same_title}")
    return wrong


def read_page():
    return PAGE.read_text()
