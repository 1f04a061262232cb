#!/usr/bin/env python3
"""Whether memory grows: a million launches, a million blocks whose threads have stacks, a million
exchanges by each protocol, ten thousand compilations, ten thousand cache hits.

Each kind runs in a process of its own, in ten parts; what is printed is the resident memory after
each, in KiB. The first part grows to what the kind needs. Exits with 1 where the last five parts
together grow by more than a part in a hundred, and more than 1 MiB (the heap grows in steps).
"""

import argparse
import gc
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PARTS = 10
PAGE = os.sysconf("SC_PAGE_SIZE")


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--kind", choices=sorted(KINDS), action="append")
    p.add_argument("--scale", type=float, default=1.0, help="of the numbers of repetitions")
    p.add_argument("--child", choices=sorted(KINDS), help=argparse.SUPPRESS)
    return p.parse_args(argv)


def launches():
    import numpy as np
    from cuda import device as D

    @D.kernel
    def add(a, value):
        a[D.tid(1)] += value

    a = np.zeros(256, np.float32)
    stream = D.core.Device("host").create_stream()

    def part(count):
        for number in range(count):
            if number % 2:
                D.launch(add, a, 1.0, grid=1, block=256)
            else:
                D.launch(add, a, 1.0, grid=1, block=256, stream=stream)
            if number % 1000 == 0:
                stream.sync()  # what waits in the queue is memory too, as much as workers are late
        stream.sync()

    return part


def blocks_of_threads():
    """Blocks whose threads run one by one, each on a stack of its own."""
    import numpy as np
    from cuda import device as D

    @D.kernel(execution="threads")
    def turn(a):
        s = D.shared_array(32, D.int32)
        t = D.int32(D.thread_idx.x)
        s[t] = a[t]
        D.syncthreads()
        D.atomic_ref(a, t).add(s[31 - t], "relaxed", "device")

    a = np.zeros(32, np.int32)
    return lambda count: D.launch(turn, a, grid=count, block=32)


class Says:
    """An object with one attribute of a protocol's: what another library says of an array."""

    def __init__(self, array, attribute, **changes):
        fields = getattr(array, attribute)
        setattr(self, attribute, {**fields, **changes})
        self.array = array


class Capsules:
    """An object that has DLPack alone: that of an array."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


def exchanges(protocol):
    """An array of ours given to others and taken back, as an array and by a launch."""
    os.environ["CUDA_DEVICE_HOST_CAI"] = "1"
    import numpy as np
    from cuda import device as D
    from cuda.device import array_api

    @D.kernel
    def add(a, value):
        a[D.tid(1)] += value

    of = {
        "DLPack": (Capsules, D.from_dlpack),
        "dictionaries of CUDA": (
            lambda a: Says(a, "__cuda_array_interface__", stream=None),
            D.as_cuda_array,
        ),
        "dictionaries of SYCL": (
            lambda a: Says(a, "__sycl_usm_array_interface__"),
            D.from_sycl_usm,
        ),
    }
    said, take = of[protocol]

    def part(count):
        for number in range(count):
            given = said(array_api.zeros(64, dtype=np.float32))
            take(given)
            if number % 16 == 0:
                D.launch(add, given, 1.0, grid=1, block=64)

    return part


def exchanges_with_torch():
    """Tensors of PyTorch by its functions in C, as an array and by a launch; none without it."""
    from cuda import device as D
    from many_launches import find_torch

    torch = find_torch()
    if torch is None:
        sys.exit("growth: PyTorch is not installed; make neighbours installs it")

    @D.kernel
    def add(a, value):
        a[D.tid(1)] += value

    stream = D.core.Device("host").create_stream()

    def part(count):
        for number in range(count):
            given = torch.zeros(64)
            D.from_dlpack(given)
            if number % 16 == 0:  # by turns the two functions: a view, and a tensor that is kept
                D.launch(add, given, 1.0, grid=1, block=64)
                D.launch(add, given, 1.0, grid=1, block=64, stream=stream)
                stream.sync()

    return part


def new_kernels():
    """A kernel of its own each time, which is dropped: by `exec`, with a constant of its own."""
    import linecache

    import numpy as np
    from cuda import device as D

    a = np.zeros(64, np.int32)
    made = 0

    def part(count):
        nonlocal made
        for _ in range(count):
            made += 1
            text = f"def k(a):\n    i = D.tid(1)\n    a[i] = a[i] * {made % 1000 + 3} + i\n"
            name = f"<kernel {made}>"
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)
            space = {"D": D}
            exec(compile(text, name, "exec"), space)
            D.launch(D.kernel(space["k"]), a, grid=1, block=64)
            del linecache.cache[name]

    return part


KINDS = {
    "launches": (1_000_000, "off", launches),
    "blocks of threads": (1_000_000, "off", blocks_of_threads),
    "DLPack": (1_000_000, "off", lambda: exchanges("DLPack")),
    "tensors of PyTorch": (1_000_000, "off", exchanges_with_torch),
    "dictionaries of CUDA": (1_000_000, "off", lambda: exchanges("dictionaries of CUDA")),
    "dictionaries of SYCL": (1_000_000, "off", lambda: exchanges("dictionaries of SYCL")),
    "compilations": (10_000, "off", new_kernels),
    "cache hits": (10_000, "on", new_kernels),
}


def resident():
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE // 1024


def child(kind, scale):
    count, _, make = KINDS[kind]
    part = make()
    for _ in range(PARTS):
        part(round(count * scale / PARTS))
        print(resident(), flush=True)


def measure(kind, options, folder):
    setting = folder if KINDS[kind][1] == "on" else None
    environment = dict(os.environ)
    if setting:
        environment["CUDA_DEVICE_CACHE_DIR"] = setting
    else:
        environment["CUDA_DEVICE_CACHE"] = "off"
    command = [sys.executable, __file__, "--child", kind, "--scale", str(options.scale)]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    return [int(line) for line in run.stdout.split()]


def main(argv=None):
    options = parse(argv)
    if options.child:
        return child(options.child, options.scale)
    grows = []
    for kind in options.kind or KINDS:
        with tempfile.TemporaryDirectory() as folder:
            sizes = measure(kind, options, folder)
        growth = sizes[-1] - sizes[len(sizes) // 2 - 1]
        count = round(KINDS[kind][0] * options.scale)
        print(f"{count} {kind}: {' '.join(map(str, sizes))} KiB; the last half {growth:+} KiB")
        if growth > max(1024, sizes[-1] // 100):
            grows.append(kind)
    if grows:
        print("grows: " + ", ".join(grows))
    return 1 if grows else 0


if __name__ == "__main__":
    sys.exit(main())
