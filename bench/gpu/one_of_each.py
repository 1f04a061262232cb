"""Runs each kernel once, small, and compares what it gives: what compute-sanitizer watches."""

import numpy as np
import nvcc
from cuda import device
from problems import PROBLEMS

from gpu import on_gpu, small_kernels
from gpu.contestants import ours


def distinct():
    """The problems, but for those that have the kernel of one before."""
    made, seen = [], set()
    for make in PROBLEMS.values():
        problem = make(True)
        if problem.kernel not in seen and nvcc.source(problem).exists():
            made.append(problem)
            seen.add(problem.kernel)
    return made


def run_problem(problem):
    arguments = on_gpu.GpuArguments(on_gpu.copied(problem), on_gpu.stream())
    on_gpu.poison(problem, arguments)
    for contestant in ours.contestants(problem, arguments):
        contestant.run()
    on_gpu.check(problem, arguments)


def run_small(a, kernel, shared, wanted):
    given = device.asarray(a, device=on_gpu.DEVICE)
    out = device.full(a.size, np.nan, np.float32, device=on_gpu.DEVICE)
    blocks = a.size // small_kernels.BLOCK
    device.launch(kernel, out, given, grid=blocks, block=small_kernels.BLOCK, shared=shared)
    if not np.array_equal(device.to_host(out), wanted):
        raise ValueError("wrong result")


def attempts(names):
    """(name, function) of what is to run."""
    for problem in distinct():
        yield problem.name, lambda problem=problem: run_problem(problem)
    a, kernels = small_kernels.expected()
    for kernel, shared, wanted in kernels:
        name = kernel.underlying.__name__
        yield name, lambda k=kernel, s=shared, w=wanted: run_small(a, k, s, w)


def main(argv):
    """argv: beginnings of names; all where there is none."""
    wrong = 0
    for name, attempt in attempts(argv):
        if argv and not any(name.startswith(begin) for begin in argv):
            continue
        print(f"one_of_each: {name}", flush=True)
        try:
            attempt()
        except Exception as error:  # the others are to run too
            wrong += 1
            print(f"one_of_each: WRONG: {name}: {type(error).__name__}: {error}", flush=True)
    print(f"one_of_each: done, {wrong} wrong", flush=True)
    return 1 if wrong else 0
