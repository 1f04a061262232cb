"""python -m cuda.device.numbapro program.py: runs a program that says `import numbapro`."""

import os
import runpy
import sys

from cuda.device.numbapro import install


def main() -> None:
    """Runs the program with the arguments that follow it."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python -m cuda.device.numbapro program.py [arguments]")
    install()
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
