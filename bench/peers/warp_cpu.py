"""Warp's CPU device. It runs a launch on the calling thread, whatever the thread count."""

import importlib
from pathlib import Path

from . import Contestant, NotAvailable

try:
    import warp as wp
except ImportError:
    wp = None


def contestants(problem, threads):
    if wp is None:
        raise NotAvailable("not installed")
    if not (Path(__file__).parent / "warp_kernels" / f"{problem.kernel}.py").exists():
        raise NotAvailable("not written for kernels with barriers")
    wp.config.log_level = wp.LOG_WARNING
    wp.init()
    module = importlib.import_module(f"peers.warp_kernels.{problem.kernel}")
    kernel = getattr(module, problem.kernel)
    shared = {
        name: wp.array(array, dtype=wp.dtype_from_numpy(array.dtype), device="cpu", copy=False)
        for name, array in problem.arrays.items()
    }
    values = {**problem.values, **shared}
    inputs = [values[parameter.label] for parameter in kernel.adj.args]
    dim = problem.arrays[problem.outputs[0]].shape
    return [
        Contestant(
            "Warp CPU", "Warp CPU", lambda: wp.launch(kernel, dim=dim, inputs=inputs, device="cpu")
        )
    ]
