"""python -m cuda.device info: versions, and what this machine can run.

python -m cuda.device cache info: where compiled kernels are kept, and how many.
python -m cuda.device cache clear: removes them.
python -m cuda.device --version: the version of the package.
"""

import os
import platform
import sys
from collections.abc import Callable

from cuda.device import _core

_TUNING = "tuning "  # before the name of a heuristic


def _table(lines: list[str]) -> str:
    """Lines name=value with their values in one column."""
    pairs = [line.partition("=")[::2] for line in lines if line]
    width = max(len(name) for name, _ in pairs)
    return "\n".join(f"{name:{width}}  {value}" for name, value in pairs)


def info() -> str:
    """Lines of what a bug report needs."""
    import numpy

    lines = [f"python={platform.python_version()}", f"numpy={numpy.__version__}"]
    of_core = _core.info().splitlines()
    heuristics = [line.removeprefix(_TUNING) for line in of_core if line.startswith(_TUNING)]
    lines += [line for line in of_core if not line.startswith(_TUNING)]
    lines += [f"targets={', '.join(_core.targets().split(','))}", f"platform={platform.platform()}"]
    tables = [_table(lines)]
    if heuristics:
        tables += [
            f"heuristics; CUDA_DEVICE_TUNING=-name,-name switches off:\n{_table(heuristics)}"
        ]
    return "\n\n".join(tables)


def cache_info() -> str:
    """Folder, state and size of the cache on disk."""
    return _table(_core.cache_info().splitlines())


def cache_clear() -> str:
    """Removes what is in the cache on disk; says what it was.

    Raises KernelError for a folder that must not be used.
    """
    removed = dict(line.split("=") for line in _core.cache_clear().splitlines())
    return f"removed {removed['entries']} kernels, {removed['bytes']} bytes"


def version() -> str:
    """Version of the package."""
    return f"cuda.device {_core.__version__}"


def show_help() -> str:
    """What there is to ask for."""
    return (__doc__ or "").strip()


COMMANDS: dict[tuple[str, ...], Callable[[], str]] = {
    ("info",): info,
    ("cache", "info"): cache_info,
    ("cache", "clear"): cache_clear,
    ("--version",): version,
    ("-V",): version,
    ("--help",): show_help,
    ("-h",): show_help,
    ("help",): show_help,
}


def main(arguments: list[str]) -> int:
    command = COMMANDS.get(tuple(arguments))
    if command is None:
        print(
            "usage: python -m cuda.device info | cache info | cache clear | --version",
            file=sys.stderr,
        )
        return 2
    try:
        print(command(), flush=True)
    except BrokenPipeError:  # who reads it has seen enough; Python would flush the rest at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
