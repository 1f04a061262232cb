"""python -m cuda.device.numbapro program.py: runs a program that says `import numbapro`."""

import os
import runpy
import sys
import tokenize
import traceback

from cuda.device.numbapro import install


def main() -> None:
    """Runs the program with the arguments that follow it."""
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python -m cuda.device.numbapro program.py [arguments]")
    install()
    del sys.argv[0]
    _check_syntax(sys.argv[0])
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")


def _check_syntax(program: str) -> None:
    """Ends the process with a message where the program is none of Python 3."""
    with tokenize.open(program) as file:
        text = file.read()
    try:
        compile(text, program, "exec")
    except SyntaxError as error:
        said = "".join(traceback.format_exception_only(error))
        sys.exit(
            f"{said}\nA program of Python 2 is brought to Python 3 first: 'print x' is print(x), "
            "'except E, e' is 'except E as e'."
        )


if __name__ == "__main__":
    main()
