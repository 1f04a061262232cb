#!/usr/bin/env python3
"""What a launch costs the program: many of one small kernel, and one with sixteen arrays: NumPy's,
those of the Array API, objects that have DLPack or the CUDA Array Interface alone, and PyTorch's
where it is installed, here or in the environment of `make neighbours`.

Microseconds a launch, the least and the median of some rounds; contestants take turns. `queued` is
by a stream, with one synchronisation at the end of a round: the time until the last launch has
returned, and until all have run. `calls alone`: what the objects themselves take to say where
their memory is, without a launch; `of DLPack, over its calls` is what each of the sixteen costs a
launch beyond that, `of DLPack, a further one` what each after the first does.
`call of a function`: a `@func` that the host calls, and the same without the decorator. `a vector
of ...`: what the host takes to make one.
Warp launches its kernel for the CPU, with an array of its own that it made before. Bound to two
CPUs, of which the pool's worker has one.
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

import numpy as np

BLOCK = 256
WANTED = {  # us, the median
    "queued, returned": 0.5,
    "synchronous": 2.0,
    "16 arrays": 1.2,
    "16 of array_api": 1.2,
    "16 of PyTorch": 2.0,
    "16 of the interface": 10.0,
    "of DLPack, over its calls": 0.15,
    "of @func, over Python's": 0.08,
    "a vector of 4 floats": 0.3,
    "a vector of 3 ints": 0.3,
}


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--launches", type=int, default=100_000, help="a round")
    p.add_argument("--rounds", type=int, default=5)
    return p.parse_args(argv)


def repeat(launch, times):
    start = time.perf_counter()
    for _ in range(times):
        launch()
    return (time.perf_counter() - start) / times


class Interface:
    """An object that says where its memory is by the CUDA Array Interface alone."""

    def __init__(self, array):
        self.shape, self.data = array.shape, (array.ctypes.data, False)
        self.array = array

    @property
    def __cuda_array_interface__(self):
        return {
            "shape": self.shape,
            "typestr": "<f4",
            "data": self.data,
            "strides": None,
            "version": 3,
        }

    def asked(self):
        return self.__cuda_array_interface__


class Capsules:
    """An object that has DLPack alone, by NumPy's own functions."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__

    def asked(self):
        return self.__dlpack_device__(), self.__dlpack__(max_version=(1, 0))


def find_torch():
    """PyTorch, also that of `make neighbours`; None where there is none."""
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    build = Path(__file__).resolve().parents[1] / "build"
    sys.path += map(str, build.glob(f"neighbours-env-{tag}/lib/python*/site-packages"))
    try:
        import torch
    except ImportError:
        return None
    return torch


def kinds_of_arrays():
    """What launches take, by the row's name: functions of a NumPy array."""
    from cuda.device import array_api

    kinds = {
        "16 arrays": lambda a: a,
        "16 of array_api": array_api.asarray,
        "16 of the interface": Interface,
        "16 of DLPack": Capsules,
    }
    torch = find_torch()
    return kinds | {"16 of PyTorch": torch.from_numpy} if torch else kinds


def calls_alone(row, make, times, number=16):
    """What the objects take to say where they are."""
    given = [make(np.ones(1, np.float32)).asked for _ in range(number)]

    def asked():
        for ask in given:
            ask()

    return lambda: {f"{row}, calls alone": repeat(asked, times)}


def sixteen(row, make, times):
    import launch_kernels
    from cuda import device as D

    # Each by its name, as a program would have them.
    a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q = (
        make(np.ones(1, np.float32)) for _ in range(16)
    )
    launch = lambda: D.launch(  # noqa: E731
        launch_kernels.sixteen, a, b, c, d, e, f, g, h, i, j, k, m, n, o, p, q, grid=1, block=1
    )
    return lambda: {row: repeat(launch, times)}


def one(row, make, times):
    import launch_kernels
    from cuda import device as D

    a = make(np.zeros(BLOCK, np.float32))
    launch = lambda: D.launch(launch_kernels.one_store, a, grid=1, block=BLOCK)  # noqa: E731
    return lambda: {row: repeat(launch, times)}


def ours(times):
    """{row: function that makes one round and gives seconds a launch, by row}."""
    import launch_kernels
    from cuda import device as D

    a = np.zeros(BLOCK, np.float32)
    stream = D.core.Device("host").create_stream()
    synchronous = one("synchronous", lambda a: a, times)

    def queued():
        start = time.perf_counter()
        for _ in range(times):
            D.launch(launch_kernels.one_store, a, grid=1, block=BLOCK, stream=stream)
        returned = time.perf_counter() - start
        stream.sync()
        return {
            "queued, returned": returned / times,
            "queued, all have run": (time.perf_counter() - start) / times,
        }

    plain, decorated = launch_kernels.scaled, D.func(launch_kernels.scaled)

    def functions():
        return {
            "call of a function, Python's": repeat(lambda: plain(2.0, 3.0), times),
            "call of a function, @func": repeat(lambda: decorated(2.0, 3.0), times),
        }

    def vectors():
        return {
            "a vector of 4 floats": repeat(lambda: D.float32x4(1.0, 2.0, 3.0, 4.0), times),
            "a vector of 3 ints": repeat(lambda: D.uint32x3(1, 2, 3), times),
        }

    kinds = kinds_of_arrays()
    of_sixteen = [sixteen(row, make, times) for row, make in kinds.items()]
    calls = [calls_alone(row, kinds[row], times) for row in ("16 of the interface", "16 of DLPack")]
    first = [
        one("1 of DLPack", Capsules, times),
        calls_alone("1 of DLPack", Capsules, times, number=1),
    ]
    return [queued, synchronous, functions, vectors, *of_sixteen, *calls, *first]


def warp(times):
    try:
        import warp as wp
    except ImportError:
        return []
    from peers.warp_kernels import one_store

    wp.config.log_level = wp.LOG_WARNING
    wp.init()
    a = wp.zeros(BLOCK, dtype=wp.float32, device="cpu")
    inputs = [a]

    def launches():
        launch = lambda: wp.launch(one_store.one_store, dim=BLOCK, inputs=inputs, device="cpu")  # noqa: E731
        return {"Warp CPU": repeat(launch, times)}

    return [launches]


def over_its_calls(samples, row):
    """What launches cost beyond the objects' own calls, round by round."""
    pairs = zip(samples[row], samples[f"{row}, calls alone"], strict=True)
    return [whole - calls for whole, calls in pairs]


def measure(options):
    rounds = ours(options.launches) + warp(options.launches)
    samples = {}
    for number in range(options.rounds + 1):
        for contestant in rounds:
            for row, seconds in contestant().items():
                if number:  # the first one compiles
                    samples.setdefault(row, []).append(1e6 * seconds)
    many, first = (over_its_calls(samples, f"{n} of DLPack") for n in (16, 1))
    samples["of DLPack, over its calls"] = [sixteen / 16 for sixteen in many]
    samples["of DLPack, a further one"] = [
        (sixteen - one) / 15 for sixteen, one in zip(many, first, strict=True)
    ]
    pairs = zip(
        samples["call of a function, @func"], samples["call of a function, Python's"], strict=True
    )
    samples["of @func, over Python's"] = [ours - pythons for ours, pythons in pairs]
    return samples


def main(argv=None):
    options = parse(argv)
    cpus = sorted(os.sched_getaffinity(0))[:2]
    os.sched_setaffinity(0, cpus)
    samples = measure(options)
    print(f"us a launch, {options.launches} launches a round, {len(cpus)} CPUs")
    missed = []
    for row, times in samples.items():
        median = statistics.median(times)
        wanted = WANTED.get(row)
        print(f"{row:32}{min(times):8.2f}{median:8.2f}" + (f"   wanted {wanted}" if wanted else ""))
        if wanted and median > wanted:
            missed.append(row)
    if missed:
        print("missed: " + ", ".join(missed))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
