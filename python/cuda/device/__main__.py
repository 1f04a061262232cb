"""python -m cuda.device info: versions, and what this machine can run."""

import platform
import sys

import numpy
from cuda.device import _core


def info() -> str:
    """Lines of what a bug report needs."""
    lines = [f"python={platform.python_version()}", f"numpy={numpy.__version__}"]
    lines += [line for line in _core.info().splitlines() if line]
    lines += [f"targets={', '.join(_core.targets().split(','))}", f"platform={platform.platform()}"]
    pairs = [line.partition("=")[::2] for line in lines]
    width = max(len(name) for name, _ in pairs)
    return "\n".join(f"{name:{width}}  {value}" for name, value in pairs)


def main(arguments: list[str]) -> int:
    if arguments != ["info"]:
        print("usage: python -m cuda.device info", file=sys.stderr)
        return 2
    print(info())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
