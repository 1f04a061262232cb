"""For the package's own tests: choose where launches run, ask for types, count compilations."""

import contextlib

from cuda.device import _core

active = []


def targets():
    """Names of the targets that this machine can run."""
    return tuple(_core.targets().split(","))


@contextlib.contextmanager
def use_target(name):
    """Launches of this thread run on this target until the end of the block."""
    before = _core.target()
    if not _core.set_target(name):
        raise ValueError(f"this machine cannot run target {name!r}; it can run {', '.join(targets())}")
    active.append(name)
    try:
        yield
    finally:
        active.pop()
        _core.set_target(before)


def result_type(function, *argument_types):
    """Type that a function returns for these argument types: "int32", "(float32, bool)", "int" if weak."""
    return _core.inspect(function, argument_types, "result_type", "", None, None)


def captured(function):
    """What the reader made of a function and those it calls: name, kind, file, line, text, and names.

    names maps the source text of each free name to (kind, meaning): ("constant", 3), ("int64", 3),
    ("entity", "device.tid"), ("function", index), ("module", name), ("object", class name).
    """
    return _core.captured(function)


def counters():
    """Launches, compilations and cache hits of this process so far, as a dict."""
    return _core.counters()
