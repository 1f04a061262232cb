"""cuda.device.array_api with new arrays on the tests' GPU, for the suite of the standard.

scripts/array-api-tests --gpu FOLDER runs it: kernels are interpreted when their turn comes.
"""

import functools

from cuda.device import array_api

from support import gpu_program
from support.gpu_program import core

gpu_program.run_all_on_fake()
core.Device(0).set_current()

_MAKE = ("arange", "asarray", "empty", "eye", "full", "linspace", "ones", "zeros")


def _on_gpu(function):
    @functools.wraps(function)
    def call(*args, device=None, **keywords):
        return function(*args, device="cuda" if device is None else device, **keywords)

    return call


globals().update({name: getattr(array_api, name) for name in array_api.__all__})
globals().update({name: _on_gpu(getattr(array_api, name)) for name in _MAKE})
__array_api_version__ = array_api.__array_api_version__
__all__ = array_api.__all__
