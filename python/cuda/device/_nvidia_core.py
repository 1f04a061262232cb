"""NVIDIA's cuda.core, whose objects stand for GPUs where it is there."""

import functools
import importlib
import importlib.util
from types import ModuleType

from cuda.device import _core

__all__ = ["nvidia_core"]


def _sees_a_gpu(module: ModuleType) -> bool:
    try:
        module.Device(0).compute_capability  # noqa: B018
    except Exception:  # whatever keeps it from its GPU: we have ways of our own
        return False
    return True


@functools.cache
def nvidia_core() -> ModuleType | None:
    """The module, where it is installed, imports and sees a GPU, as this process does."""
    if _core.gpu_count() == 0:
        return None
    try:
        if importlib.util.find_spec("cuda.core") is None:
            return None
        module = importlib.import_module("cuda.core")
    except Exception:  # its own imports look for libraries
        return None
    return module if hasattr(module, "Device") and _sees_a_gpu(module) else None
