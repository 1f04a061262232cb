"""Settings of the layer, read from the environment at each use unless a program has set them."""

from cuda.device import _core

# None: what NUMBA_CUDA_ARRAY_INTERFACE_SYNC or CUDA_DEVICE_ARRAY_INTERFACE_SYNC says.
CUDA_ARRAY_INTERFACE_SYNC: int | None = None


def synchronises() -> bool:
    """Whether arrays of other libraries are waited for when they are taken."""
    if CUDA_ARRAY_INTERFACE_SYNC is not None:
        return bool(CUDA_ARRAY_INTERFACE_SYNC)
    return _core.waits_for_producers()
