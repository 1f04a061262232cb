"""Settings of the layer, read from the environment at each use unless a program has set them."""

import os

# None: what NUMBA_CUDA_ARRAY_INTERFACE_SYNC or CUDA_DEVICE_ARRAY_INTERFACE_SYNC says.
CUDA_ARRAY_INTERFACE_SYNC: int | None = None

_SWITCHES = ("CUDA_DEVICE_ARRAY_INTERFACE_SYNC", "NUMBA_CUDA_ARRAY_INTERFACE_SYNC")


def synchronises() -> bool:
    """Whether arrays of other libraries are waited for when they are taken."""
    if CUDA_ARRAY_INTERFACE_SYNC is not None:
        return bool(CUDA_ARRAY_INTERFACE_SYNC)
    return all(os.environ.get(name) != "0" for name in _SWITCHES)
