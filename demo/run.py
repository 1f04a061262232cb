#!/usr/bin/env python3
"""Three programs for cuda.device on real data, each checked against NumPy.

On a machine with a GPU, --target=cuda runs the same kernels there.
"""

import argparse
import contextlib
import importlib
import sys
from pathlib import Path

import support

DEMOS = ("sobel", "mandelbrot", "black_scholes")


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("demos", nargs="*", metavar="DEMO", help=f"of {', '.join(DEMOS)}; all if none")
    p.add_argument("--target", help="avx512, avx2, sse4 or cuda; the best of this machine if none")
    p.add_argument("--small", action="store_true", help="small data, for a quick look")
    p.add_argument("--photo", type=Path, help="another photograph for the Sobel filter")
    options = p.parse_args(argv)
    for name in options.demos:
        if name not in DEMOS:
            p.error(f"no demo {name!r}; there are: {', '.join(DEMOS)}")
    return options


def on_target(name):
    """Context in which launches run on the target."""
    if name is None:
        return contextlib.nullcontext()
    from cuda.device import _testing

    return _testing.use_target(name)


def main(argv):
    arguments = parse(argv)
    options = support.Options(arguments.small, arguments.photo)
    failed = False
    with on_target(arguments.target):
        for name in arguments.demos or DEMOS:
            try:
                importlib.import_module(name).run(options)
            except support.WrongResult as error:
                print(f"  WRONG: {error}")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
