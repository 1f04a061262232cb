"""Launching kernels and asking for types in tests."""

import copy

import numpy as np
from cuda import device as D

from support.targets import testing


def run(kernel, *args, grid=1, block=1, **options):
    """Launches on the target in force and returns when the kernel has finished."""
    D.launch(kernel, *args, grid=grid, block=block, **options)


def run_as_python(kernel, *args):
    """Launches one thread, and asks that it does to the arguments what Python does."""
    expected = [a.copy() if isinstance(a, np.ndarray) else a for a in args]
    kernel.underlying(*expected)
    run(kernel, *args)
    for k, (found, wanted) in enumerate(zip(args, expected, strict=True)):
        assert np.array_equal(found, wanted), f"argument {k}"


def result_type(function, *argument_types):
    """Type that a function returns for these argument types: "int32", ..., or the weak "int"."""
    return testing().result_type(function, *argument_types)


def run_as_host(kernel, *args):
    """Launches one thread, and asks that its source does the same in Python to other copies of the
    arguments, where vectors and structs are the host's objects. NaN equals NaN."""
    expected = copy.deepcopy(args)
    found = copy.deepcopy(args)
    run(kernel, *found)
    with np.errstate(all="ignore"):
        kernel.underlying(*expected)
    for k, (here, wanted) in enumerate(zip(found, expected, strict=True)):
        if isinstance(here, np.ndarray):
            assert np.array_equal(here, wanted, equal_nan=True), f"argument {k}: {here}, {wanted}"
