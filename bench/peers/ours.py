"""cuda.device on the host device, once per mask form that this CPU runs."""

import importlib
import inspect

from . import Contestant, NotAvailable
from .cpu import forms

# Group of the table → the target that is forced; None leaves the default (the best mask form).
TARGETS = {"cuda.device": None, **{f"cuda.device {form}": form for form in forms()[1:]}}


def runner(device, kernel, problem, args, target):
    def launch():
        device.launch(kernel, *args, grid=problem.grid, block=problem.block)

    if target is None:
        return launch

    def forced():
        with importlib.import_module("cuda.device._testing").use_target(target):
            launch()

    return forced


def module_of(problem):
    return importlib.import_module(f"kernels.{problem.kernel}")


def kernel_of(problem):
    return getattr(module_of(problem), problem.kernel)


def call_of(problem):
    """The kernel and the arguments of its launch. The module of a kernel on vectors, structs or
    small floats has a function `viewed` that gives arrays of plain numbers these types."""
    kernel = kernel_of(problem)
    values = getattr(module_of(problem), "viewed", dict)({**problem.arrays, **problem.values})
    return kernel, [values[name] for name in inspect.signature(kernel).parameters]


def contestants(problem, threads):
    try:
        device = importlib.import_module("cuda.device")
    except ImportError as error:
        raise NotAvailable(f"not installed ({error})") from error
    kernel, args = call_of(problem)
    return [
        Contestant(
            group,
            group if target is None else f"{group} (forced)",
            runner(device, kernel, problem, args, target),
        )
        for group, target in TARGETS.items()
    ]
