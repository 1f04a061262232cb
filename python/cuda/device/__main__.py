"""python -m cuda.device info: versions, and what this machine can run.

python -m cuda.device cache info: where compiled kernels are kept, and how many.
python -m cuda.device cache clear: removes them.
"""

import platform
import sys
from collections.abc import Callable

from cuda.device import _core


def _table(lines: list[str]) -> str:
    """Lines name=value with their values in one column."""
    pairs = [line.partition("=")[::2] for line in lines if line]
    width = max(len(name) for name, _ in pairs)
    return "\n".join(f"{name:{width}}  {value}" for name, value in pairs)


def info() -> str:
    """Lines of what a bug report needs."""
    import numpy

    lines = [f"python={platform.python_version()}", f"numpy={numpy.__version__}"]
    lines += _core.info().splitlines()
    lines += [f"targets={', '.join(_core.targets().split(','))}", f"platform={platform.platform()}"]
    return _table(lines)


def cache_info() -> str:
    """Folder, state and size of the cache on disk."""
    return _table(_core.cache_info().splitlines())


def cache_clear() -> str:
    """Removes what is in the cache on disk; says what it was.

    Raises KernelError for a folder that must not be used.
    """
    removed = dict(line.split("=") for line in _core.cache_clear().splitlines())
    return f"removed {removed['entries']} kernels, {removed['bytes']} bytes"


COMMANDS: dict[tuple[str, ...], Callable[[], str]] = {
    ("info",): info,
    ("cache", "info"): cache_info,
    ("cache", "clear"): cache_clear,
}


def main(arguments: list[str]) -> int:
    if arguments in (["-h"], ["--help"], ["help"]):
        print(__doc__.strip())
        return 0
    command = COMMANDS.get(tuple(arguments))
    if command is None:
        print("usage: python -m cuda.device info | cache info | cache clear", file=sys.stderr)
        return 2
    try:
        print(command())
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
