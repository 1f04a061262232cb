"""kernel.inspect: a compilation, stage by stage, as text."""

from cuda.device import _core

# Stages without lines of their own.
_WITHOUT_LINES = ("syntax", "facts")


def refuse_unknown(function: str, unknown: dict[str, object], known: str) -> None:
    """Raises TypeError where a keyword is unknown; `known`: the keywords that there are."""
    for name in unknown:
        raise TypeError(
            f"{function}() got an unexpected keyword argument {name!r}; it takes {known}"
        )


def check_target(function: str, target: object) -> None:
    """Raises TypeError for a target that is no string."""
    if target is not None and not isinstance(target, str):
        raise TypeError(
            f"{function}(target={target!r}) is not possible; target is a text such as 'avx2' or "
            "'sm_90', or left out"
        )


def _check_text(name: str, value: object) -> None:
    if not isinstance(value, str):
        raise TypeError(
            f"inspect({name}={value!r}) is not possible; {name} is a text such as 'ir' or 'asm'"
        )


def inspect(
    function: object,
    *arguments: object,
    what: str = "ir",
    target: str | None = None,
    grid: object = None,
    block: object = None,
    lines: bool = False,
    **unknown: object,
) -> str:
    """What the compiler makes of a kernel or function for these arguments.

    arguments: values, as a launch would get them, or types: int, float, bool, NumPy's scalar
    types, or text such as "array[float32, 2]": an array of any strides and alignment. Those of
    "array[float32, 2, C]" and "array[float32, 2, F]" are contiguous, by rows or by columns, and
    their elements are aligned.
    what: the stage. Each takes these targets:

    "syntax", "ir_raw"    none: they are the same for every target
    "ir", "facts"         host forms, "sm_75" and up, "interpreter"
    "llvm_raw", "llvm"    host forms, "sm_75" and up
    "asm"                 host forms
    "ptx"                 "sm_75" and up; "sm_90" where none is given

    Host forms are "avx512", "avx2" and "sse4", with "x8", "x16", "x32" or "x64" appended for gangs
    of so many lanes, which have to fill a vector of float32; without a target, the best one of this
    machine. A form that this CPU cannot run is shown as for the least CPU that can. The _raw stages
    are before the passes.

    grid, block: specialise for this launch.
    lines: with the lines of Python as comments, each in front of what was made of it; of "ir_raw",
    "ir", "llvm_raw", "llvm", "asm" and "ptx".

    Raises CompileError as a launch would, ValueError for an unknown stage or target, for a target
    that the stage does not take, and for lines of another stage, and TypeError for options of
    another type and unknown ones.
    """
    refuse_unknown("inspect", unknown, "what, target, grid, block and lines")
    _check_text("what", what)
    check_target("inspect", target)
    if not isinstance(lines, bool):
        raise TypeError(f"inspect(lines={lines!r}) is not possible; lines is True or False")
    if lines and what in _WITHOUT_LINES:
        raise ValueError(
            f"inspect(lines=True) does not go with what={what!r}; leave out lines, or ask for "
            "another stage"
        )
    if target is None:
        target = "sm_90" if what == "ptx" else ""
    return _core.inspect(function, arguments, what, target, grid, block, lines)
