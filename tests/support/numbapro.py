"""Kernels of NumbaPro's dialect in tests."""

import linecache
import re
import textwrap

import pytest
from cuda.device import errors
from cuda.device.numbapro import _types, cuda

from support.errors import compare_diagnostics, expectations

_SLOT = re.compile(r'^slot \$\d+ "(\w+)": (\w+)$', re.M)
_made = 0


def made_of(source, signature=None, **names):
    """The kernel `k` of a text, whose lines Python can show."""
    global _made
    _made += 1
    file = f"<numbapro {_made}>"
    text = textwrap.dedent(source)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {name: getattr(_types, name) for name in _types.__all__} | {"cuda": cuda} | names
    exec(compile(text, file, "exec"), space)
    return cuda.jit(signature)(space["k"]) if signature else cuda.autojit(space["k"])


def types_of_variables(kernel, *argument_types):
    """Type of each variable of a kernel, by name; of complex numbers that of their parts, twice."""
    found = {}
    for name, kind in _SLOT.findall(kernel.inspect(*argument_types, what="ir_raw")):
        found.setdefault(name, []).append(kind)
    return {name: kinds[0] if len(kinds) == 1 else tuple(kinds) for name, kinds in found.items()}


def expect_errors(kernel, *args, at=None, block=1):
    """Launches and compares the CompileError, hints too, with the `# error` comments."""
    expected = expectations(at or kernel.py_func)
    assert expected, "no `# error` comment in the kernel's source"
    with pytest.raises(errors.CompileError) as raised:
        kernel[1, block](*args)
    wrong = compare_diagnostics(expected, raised.value)
    for want, have in zip(expected, raised.value.diagnostics, strict=False):
        if want.hint != have.hint:
            wrong.append(f"hint: expected {want.hint!r}, found {have.hint!r}")
    assert not wrong, "\n".join([*wrong, "the rendering was:", str(raised.value)])
    return raised.value
