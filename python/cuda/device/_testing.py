"""For the package's own tests: choose where launches run, ask for types, count compilations."""

import contextlib
from collections.abc import Iterator
from typing import Any

from cuda.device import _core

active: list[str] = []  # targets in force, the innermost last


def targets() -> tuple[str, ...]:
    """Names of the targets that this machine can run."""
    return tuple(name for name in _core.targets().split(",") if name)


def facts() -> dict[str, str]:
    """What the package says of itself and of this machine: "llvm", "host forms", "ptxas", "gpu"."""
    lines = (line.partition("=") for line in _core.info().splitlines() if line)
    return {name: value for name, _, value in lines}


def architectures() -> tuple[str, ...]:
    """GPU architectures that PTX is written for: "sm_75", ...; use_target takes them too."""
    return tuple(f"sm_{sm}" for sm in facts()["ptx architectures"].split(","))


def assembles() -> bool:
    """Whether ptxas is found: launches on "ptx" then assemble what they compile."""
    return facts()["ptxas"] != "not found"


@contextlib.contextmanager
def use_target(name: str) -> Iterator[None]:
    """Launches of this thread run on this target until the end of the block.

    "interpreter-seed7" lets threads take turns in a random order, another for each number.
    """
    before = _core.target()
    if not _core.set_target(name):
        known = ", ".join(targets())
        raise ValueError(f"this machine cannot run target {name!r}; it can run {known}")
    active.append(name)
    try:
        yield
    finally:
        active.pop()
        _core.set_target(before)


@contextlib.contextmanager
def beyond_cache(size: int) -> Iterator[None]:
    """Arrays of so many bytes count as far larger than the cache, for launches of all threads."""
    before = _core.beyond_cache_bytes()
    _core.set_beyond_cache_bytes(size)
    try:
        yield
    finally:
        _core.set_beyond_cache_bytes(before)


def result_type(function: object, *argument_types: object) -> str:
    """Type that a function returns for these argument types: "int32", or "int" where it is weak."""
    return _core.inspect(function, argument_types, "result_type", "", None, None)


def stage_times(
    function: object,
    *arguments: object,
    target: str = "",
    grid: object = None,
    block: object = None,
    ir_only: bool = False,
) -> list[tuple[str, float]]:
    """Compiles as inspect does: to machine code or, ir_only, its IR. Each stage and its seconds."""
    what = "ir_times" if ir_only else "times"
    text = _core.inspect(function, arguments, what, target, grid, block)
    lines = (line.partition(" ") for line in text.splitlines())
    return [(stage, float(seconds)) for seconds, _, stage in lines]


def captured(function: object) -> list[dict[str, Any]]:
    """What the reader made of a function and those it calls: name, kind, file, line, text, names.

    names maps the source text of each free name to (kind, meaning): ("constant", 3), ("int64", 3),
    ("entity", "device.tid"), ("function", index), ("module", name), ("object", class name).
    """
    return _core.captured(function)


def counters() -> dict[str, int]:
    """Launches, compilations, and hits of this process so far, as a dict.

    cache_hits are those of kernels compiled in this process; disk_hits, disk_misses and disk_stores
    are of the cache on disk, once for each image that a launch needs.
    """
    return _core.counters()
