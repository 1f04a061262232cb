#!/usr/bin/env python3
"""What a block costs that does nothing, what a barrier costs, what a second worker brings, and how
long Ctrl-C takes.

Each number of workers runs in a process of its own, bound to as many CPUs.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

BLOCKS = (1, 32, 256, 1024)
GRIDS = (1, 3, 10**6)
BARRIERS = 64


def parse(argv):
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--workers", default="1,2", help="comma-separated (default: 1,2)")
    p.add_argument("--rounds", type=int, default=7, help="of which the fastest counts")
    p.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return p.parse_args(argv)


def fastest(run, rounds, at_least=0.02):
    """Seconds of one run: runs are repeated within a round that would be short."""
    run()
    start = time.perf_counter()
    run()
    times = max(1, round(at_least / max(time.perf_counter() - start, 1e-7)))
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        for _ in range(times):
            run()
        best = min(best, (time.perf_counter() - start) / times)
    return best


def empty_blocks(kernels, rounds):
    """Seconds of a launch, by (block, grid)."""
    from cuda import device as D

    a = np.zeros(1, np.float32)
    return {
        f"{block},{grid}": fastest(
            lambda block=block, grid=grid: D.launch(kernels.empty, a, 0, grid=grid, block=block),
            rounds,
        )
        for block in BLOCKS
        for grid in GRIDS
    }


def barrier(kernel, without, rounds, grid, block=256):
    """Seconds that one barrier adds to a block: many of them in a kernel against none."""
    from cuda import device as D

    a = np.zeros(grid * block, np.float32)
    seconds, base = (
        fastest(lambda kernel=kernel: D.launch(kernel, a, grid=grid, block=block), rounds)
        for kernel in (kernel, without)
    )
    return (seconds - base) / grid / BARRIERS


def barriers(kernels, rounds):
    by_plan = {
        "gangs": (kernels.barriers, 2000),
        "gangs, at different barriers": (kernels.warps_at_barriers_of_their_own, 200),
        "threads": (kernels.barriers_by_threads, 50),
    }
    return {
        plan: barrier(kernel, kernels.no_barriers, rounds, grid)
        for plan, (kernel, grid) in by_plan.items()
    }


def compute_bound(kernels, rounds):
    from cuda import device as D

    image = np.zeros((1024, 1024), np.int32)
    values = np.ones(1 << 20, np.float32)
    return {
        "Mandelbrot 1024x1024": fastest(
            lambda: D.launch(kernels.mandelbrot, image, 256, grid=(32, 128), block=(32, 8)), rounds
        ),
        "multiply-add loop": fastest(
            lambda: D.launch(kernels.arithmetic, values, 1000, grid=4096, block=256), rounds
        ),
    }


def interrupt(kernel, grid=64, block=256):
    """Seconds from a SIGINT to the KeyboardInterrupt of a launch that would never end."""
    from cuda import device as D

    a = np.zeros(grid * block, np.int32)
    sent = []

    def send():
        time.sleep(0.5)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        D.launch(kernel, a, grid=grid, block=block)
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0]
    finally:
        thread.join()
    raise AssertionError("the launch has ended by itself")


def interrupts(kernels, rounds):
    """The slowest counts."""
    plans = {"gangs": kernels.counts_in_gangs, "threads": kernels.counts_by_threads}
    return {plan: max(interrupt(kernel) for _ in range(rounds)) for plan, kernel in plans.items()}


def child(options):
    import launch_kernels as kernels

    result = {
        "empty": empty_blocks(kernels, options.rounds),
        "barriers": barriers(kernels, options.rounds),
        "compute": compute_bound(kernels, options.rounds),
        "interrupts": interrupts(kernels, options.rounds),
    }
    print(json.dumps(result))


def measure(workers, options):
    env = {**os.environ, "CUDA_DEVICE_NUM_THREADS": str(workers)}
    cpus = sorted(os.sched_getaffinity(0))[:workers]
    if len(cpus) < workers:
        sys.exit(f"launch_cost: {workers} workers, but only {len(cpus)} CPUs")
    done = subprocess.run(
        [sys.executable, str(Path(__file__)), "--child", "--rounds", str(options.rounds)],
        env=env,
        stdout=subprocess.PIPE,
        check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, cpus),
    )
    return json.loads(done.stdout)


def print_results(results):
    print("A launch of empty blocks: microseconds; beyond one block, ns a block")
    print(f"{'block':>8}{'workers':>9}" + "".join(f"{grid:>14,}" for grid in GRIDS))
    for block in BLOCKS:
        for workers, result in results.items():
            seconds = [result["empty"][f"{block},{grid}"] for grid in GRIDS]
            cells = [f"{1e6 * seconds[0]:11.2f} us"]
            cells += [
                f"{1e9 * s / g:11.2f} ns" for s, g in zip(seconds[1:], GRIDS[1:], strict=False)
            ]
            print(f"{block:>8}{workers:>9}" + "".join(cells))
    print("\nOne barrier of a block of 256, with a shared array written and read around it")
    for plan in next(iter(results.values()))["barriers"]:
        for workers, result in results.items():
            print(f"{plan:32}{workers:>4}{1e9 * result['barriers'][plan]:11.2f} ns")
    print("\nCompute-bound launches: ms, and how much faster than with the first number of workers")
    first = next(iter(results.values()))
    for name, base in first["compute"].items():
        for workers, result in results.items():
            seconds = result["compute"][name]
            print(f"{name:24}{workers:>4}{1e3 * seconds:10.2f}{base / seconds:8.2f}")
    print("\nCtrl-C of 64 blocks of 256 threads that never end: ms, the longest (100 are wanted)")
    for plan in first["interrupts"]:
        for workers, result in results.items():
            print(f"{plan:32}{workers:>4}{1e3 * result['interrupts'][plan]:11.2f} ms")


def main(argv):
    options = parse(argv)
    if options.child:
        return child(options)
    results = {n: measure(n, options) for n in map(int, options.workers.split(","))}
    print_results(results)


if __name__ == "__main__":
    main(sys.argv[1:])
