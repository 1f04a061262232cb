"""OpenCL on the CPU: Intel's runtime and PoCL, both through pyopencl in one process.

The arrays are shared with the runtime (USE_HOST_PTR), not copied. Kernels take arrays and values by
the names of their parameters, an int where a value is a Python integer. A kernel that serves
several types chooses by the macro HAS_FLOAT16, HAS_UINT16…: there is one for each type among the
arrays. A comment "Built with -option" in a kernel's file is obeyed.
"""

import os
import re
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np

from . import Contestant, NotAvailable

SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")
PLATFORMS = {"Intel OpenCL": "Intel", "PoCL": "Portable Computing Language"}
KERNELS = Path(__file__).with_name("opencl")

_queues = {}


def point_loader_at_vendors():
    """Tells the ICD loader inside pyopencl of Intel's runtime in this environment and of the
    system's vendors. It reads one folder, so one is made that lists them all."""
    if "OPENCL_VENDOR_PATH" in os.environ or "OCL_ICD_VENDORS" in os.environ:
        return
    folder = Path(tempfile.mkdtemp(prefix="opencl-vendors-"))
    for file in SYSTEM_VENDORS.glob("*.icd"):
        (folder / file.name).write_text(file.read_text())
    intel = Path(sys.prefix) / "lib" / "libintelocl.so"
    if intel.exists():
        (folder / "intel.icd").write_text(f"{intel}\n")
    os.environ["OPENCL_VENDOR_PATH"] = str(folder)


def limit_threads(threads):
    """Both runtimes read these once; Intel's also follows the process's affinity."""
    os.environ["CL_CONFIG_CPU_FORCE_NUM_THREADS"] = str(threads)
    os.environ["POCL_MAX_PTHREAD_COUNT"] = str(threads)
    os.environ["POCL_CPU_MAX_CU_COUNT"] = str(threads)


def queue_of(group, threads):
    if group in _queues:
        return _queues[group]
    point_loader_at_vendors()
    limit_threads(threads)
    try:
        import pyopencl as cl
    except ImportError as error:
        raise NotAvailable("pyopencl is not installed") from error
    warnings.simplefilter("ignore", cl.CompilerWarning)
    try:
        platforms = cl.get_platforms()
    except cl.LogicError:
        platforms = []
    for platform in platforms:
        if PLATFORMS[group] in platform.name:
            context = cl.Context(platform.get_devices(cl.device_type.CPU)[:1])
            # Intel's runtime wants the context itself kept, not only its queue.
            _queues[group] = context, cl.CommandQueue(context)
            return _queues[group]
    raise NotAvailable("not installed")


def source_of(problem):
    file = KERNELS / f"{problem.kernel}.cl"
    if not file.exists():
        raise NotAvailable("has no kernel for it")
    return whole(file.read_text())


def whole(source):
    """The source with the files that it includes, which lie beside it."""
    return re.sub(
        r'^#include "(.+)"$',
        lambda line: whole((KERNELS / line[1]).read_text()),
        source,
        flags=re.MULTILINE,
    )


def parameters(source):
    """The names of the kernel's parameters, in their order: those of its first form."""
    listed = re.search(r"\bkernel void \w+\(([^)]*)\)", source)[1]
    return [re.search(r"\w+$", parameter)[0] for parameter in listed.split(",")]


def built(context, source, problem):
    import pyopencl as cl

    types = {array.dtype.name.upper() for array in problem.arrays.values()}
    options = [f"-DHAS_{name}" for name in sorted(types)]
    options += re.findall(r"^// Built with (-[-\w=.]*\w)", source, re.MULTILINE)
    return cl.Kernel(cl.Program(context, source).build(options=options), problem.kernel)


def contestant(group, problem, threads):
    context, queue = queue_of(group, threads)
    import pyopencl as cl

    source = source_of(problem)
    kernel = built(context, source, problem)
    flags = cl.mem_flags.USE_HOST_PTR | cl.mem_flags.READ_WRITE
    buffers = {
        name: cl.Buffer(context, flags, hostbuf=array) for name, array in problem.arrays.items()
    }
    values = {**problem.values, **buffers}
    args = (values[name] for name in parameters(source))
    kernel.set_args(*(np.int32(v) if isinstance(v, int) else v for v in args))
    total = tuple(g * b for g, b in zip(problem.grid, problem.block, strict=True))

    def run():
        cl.enqueue_nd_range_kernel(queue, kernel, total, problem.block)
        queue.finish()

    def finish():
        for name in problem.outputs:
            array = problem.arrays[name]
            view, _ = cl.enqueue_map_buffer(
                queue, buffers[name], cl.map_flags.READ, 0, array.shape, array.dtype
            )
            view.base.release(queue)
        queue.finish()

    return Contestant(group, group, run, finish)


def intel(problem, threads):
    return [contestant("Intel OpenCL", problem, threads)]


def pocl(problem, threads):
    return [contestant("PoCL", problem, threads)]
