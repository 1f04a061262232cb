#!/usr/bin/env python3
"""How long a first launch takes, in new processes, with and without the cache on disk.

Import: that of cuda.device after NumPy's. The launch is timed from the call to its return. Three
states of the cache: off, empty, and filled by an earlier process. Files are in the system's cache:
a first process of each kind is not counted.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WANTED = {("saxpy", "off"): 30, ("saxpy", "filled"): 5, ("mandelbrot", "off"): 45}  # ms


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--rounds", type=int, default=11, help="processes of each kind")
    p.add_argument("--child", choices=sorted(LAUNCHES), help=argparse.SUPPRESS)
    return p.parse_args(argv)


def saxpy():
    import launch_kernels
    import numpy as np

    x, y = np.ones(1 << 16, np.float32), np.ones(1 << 16, np.float32)
    return launch_kernels.saxpy, (2.0, x, y), {"grid": 256, "block": 256}


def mandelbrot():
    import launch_kernels
    import numpy as np

    image = np.zeros((64, 64), np.int32)
    return launch_kernels.mandelbrot, (image, 100), {"grid": (2, 8), "block": (32, 8)}


LAUNCHES = {"saxpy": saxpy, "mandelbrot": mandelbrot}


def milliseconds(action):
    start = time.perf_counter()
    result = action()
    return 1e3 * (time.perf_counter() - start), result


def import_device():
    from cuda import device

    return device


def child(name):
    import numpy  # noqa: F401 its own import is not counted

    seconds, device = milliseconds(import_device)
    kernel, arguments, sizes = LAUNCHES[name]()
    first, _ = milliseconds(lambda: device.launch(kernel, *arguments, **sizes))
    second, _ = milliseconds(lambda: device.launch(kernel, *arguments, **sizes))
    print(json.dumps({"import": seconds, "first": first, "second": second}))


def run_child(name, **variables):
    done = subprocess.run(
        [sys.executable, str(Path(__file__)), "--child", name],
        env=os.environ | variables,
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


def measure(name, state, rounds, folder):
    """A result of each process; the first one is left out."""
    variables = {"CUDA_DEVICE_CACHE": "off" if state == "off" else "on"}
    results = []
    for i in range(rounds + 1):
        place = folder / (f"{name} {i}" if state == "empty" else name)
        results.append(run_child(name, CUDA_DEVICE_CACHE_DIR=str(place), **variables))
    return results[1:]


def line(label, values, wanted=None):
    aim = f"   wanted: {wanted}" if wanted else ""
    print(f"{label:32}{min(values):9.2f}{statistics.median(values):9.2f}{max(values):9.2f}{aim}")


def main(argv):
    options = parse(argv)
    if options.child:
        return child(options.child)
    print(f"{'milliseconds':32}{'least':>9}{'median':>9}{'most':>9}")
    imports = []
    with tempfile.TemporaryDirectory() as folder:
        for name in LAUNCHES:
            for state in ("off", "empty", "filled"):
                results = measure(name, state, options.rounds, Path(folder))
                wanted = WANTED.get((name, state))
                line(f"{name}, cache {state}", [r["first"] for r in results], wanted)
                imports += [r["import"] for r in results]
    line("import beyond NumPy's", imports, 40)


if __name__ == "__main__":
    main(sys.argv[1:])
