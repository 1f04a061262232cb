"""kernel.inspect: a compilation, stage by stage, as text."""

from cuda.device import _core


def inspect(
    function: object,
    *arguments: object,
    what: str = "ir",
    target: str | None = None,
    grid: object = None,
    block: object = None,
    lines: bool = False,
) -> str:
    """What the compiler makes of a kernel or function for these arguments.

    arguments: values, as a launch would get them, or types: int, float, bool, NumPy's scalar
    types, or text such as "array[float32, 2]". what, and the targets that it takes:

    "syntax", "ir_raw"    none: they are the same for every target
    "ir", "facts"         host forms, "sm_75" and up, "interpreter"
    "llvm_raw", "llvm"    host forms, "sm_75" and up
    "asm"                 host forms
    "ptx"                 "sm_75" and up; "sm_90" where none is given

    Host forms are "avx512", "avx2" and "sse4", with "x32" or "x64" behind for gangs of so many
    lanes; without a target, the best one of this machine. A form that this CPU cannot run is shown
    as for the least CPU that can. The _raw stages are before the passes.
    grid, block: specialise for this launch. lines: with the lines of Python as comments, each in
    front of what was made of it; of "ir_raw", "ir", "llvm_raw", "llvm", "asm" and "ptx".

    Raises CompileError as a launch would, and ValueError for an unknown stage or target, for a
    target that the stage does not take, and for lines of another stage.
    """
    if lines and what in ("syntax", "facts"):
        raise ValueError(f"inspect(lines=True) does not go with what={what!r}")
    if target is None:
        target = "sm_90" if what == "ptx" else ""
    return _core.inspect(function, arguments, what, target, grid, block, lines)
