"""Launching kernels and asking for types in tests."""

from cuda import device as D

from support.targets import testing


def run(kernel, *args, grid=1, block=1, **options):
    """Launches on the target in force and returns when the kernel has finished."""
    D.launch(kernel, *args, grid=grid, block=block, **options)


def result_type(function, *argument_types):
    """Type that a function returns for these argument types: "int32", ..., or the weak "int"."""
    return testing().result_type(function, *argument_types)
