#!/usr/bin/env python3
"""Programs for cuda.device on real data, each checked against an independent reference.

Exits with 0 if all results are right, 1 if one is wrong, 2 where the device is not there.
"""

import argparse
import contextlib
import importlib
import sys
from pathlib import Path

from cuda import device as D
from cuda.device import _testing

import support

DEMOS = (
    "photo",
    "mandelbrot",
    "nbody",
    "matmul",
    "gray_scott",
    "black_scholes",
    "fourier",
    "path_tracer",
    "laplace_2014",
)
FORMS = ("avx512", "avx2", "sse4")
GPU = "cuda:0"


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("demos", nargs="*", metavar="DEMO", help=f"of {', '.join(DEMOS)}; all if none")
    p.add_argument(
        "--device",
        choices=("cpu", "gpu", *FORMS),
        default="cpu",
        help="where kernels run: the CPU as well as it can, the GPU, or the CPU in one form",
    )
    p.add_argument("--small", action="store_true", help="small data, for a quick look")
    p.add_argument("--photo", type=Path, help="another photograph, for the demos that take one")
    p.add_argument("--out", type=Path, default=support.OUT, help="the folder for pictures")
    options = p.parse_args(argv)
    for name in options.demos:
        if name not in DEMOS:
            p.error(f"no demo {name!r}; there are: {', '.join(DEMOS)}")
    if options.photo and not options.photo.is_file():
        p.error(f"--photo={options.photo}: no such file")
    refusal = why_not(options.device)
    if refusal:
        p.error(f"--device={options.device}: {refusal}")
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        p.error(f"--out={options.out}: {error.strerror}")
    return options


def why_not(device):
    """Why this machine cannot run kernels there; None where it can."""
    if device == "gpu":
        try:
            D.empty(1, device=GPU)
        except (RuntimeError, ValueError) as error:
            return str(error)
    if device in FORMS and device not in _testing.targets():
        return f"this CPU has {_testing.facts()['host forms']}"
    return None


def on_device(device):
    """Context in which launches run there; on a GPU they do because their arrays are there."""
    if device in FORMS:
        return _testing.use_target(device)
    if device == "gpu":
        D.core.Device(0).set_current()
    return contextlib.nullcontext()


def main(argv):
    arguments = parse(argv)
    where = GPU if arguments.device == "gpu" else "cpu"
    options = support.Options(arguments.small, arguments.photo, arguments.out, where)
    if arguments.device == "gpu":
        print("On the GPU. Arrays are copied there first, and back at the end: not in the times.")
    wrong = []
    with on_device(arguments.device):
        for name in arguments.demos or DEMOS:
            try:
                importlib.import_module(name).run(options)
            except support.WrongResult as error:
                print(f"  WRONG: {error}", flush=True)
                wrong.append(name)
    if wrong:
        print(f"Wrong results: {', '.join(wrong)}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
