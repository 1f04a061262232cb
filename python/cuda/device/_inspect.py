"""kernel.inspect: a compilation, stage by stage, as text."""

from cuda.device import _core


def inspect(
    function: object,
    *arguments: object,
    what: str = "ir",
    target: str | None = None,
    grid: object = None,
    block: object = None,
) -> str:
    """What the compiler makes of a kernel or function for these arguments.

    arguments: values, as a launch would get them, or types: int, float, bool, NumPy's scalar
    types, or text such as "array[float32, 2]". what: "syntax", "ir", "facts", "llvm", "asm" or
    "ptx"; "ir_raw" and "llvm_raw" before the passes. target: "avx512", "avx2", "sse4", with "x32"
    or "x64" behind for gangs of so many lanes, or "sm_75" and up; by default the best form of this
    machine, and "sm_90" for "ptx". grid, block: specialise for this launch.

    Raises CompileError as a launch would, and ValueError for an unknown stage or target.
    """
    if target is None:
        target = "sm_90" if what == "ptx" else ""
    return _core.inspect(function, arguments, what, target, grid, block)
