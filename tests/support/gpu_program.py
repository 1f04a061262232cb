"""What programs of tests begin with that run on the tests' driver: kernels, arrays in a GPU's
memory, and what the driver is told and asked.

Launches are interpreted when their turn comes, on the parameters that the driver was given: memory
of its GPUs is the host's.
"""

import collections
import contextlib
import ctypes
import itertools
import json
import threading
import time

import numpy as np
from cuda import device as D
from cuda.device import _core, _testing, core, errors

from support.dlpack import Producer

__all__ = [
    "D",
    "Producer",
    "_core",
    "_testing",
    "add",
    "contextlib",
    "core",
    "current",
    "double",
    "errors",
    "fail",
    "fake",
    "gates",
    "hold",
    "json",
    "launches",
    "left",
    "named",
    "nothing",
    "np",
    "on",
    "outcome",
    "run_all_on_fake",
    "runs_on_fake",
    "set_to",
    "settle",
    "threading",
    "time",
]

fake = ctypes.CDLL("libcuda.so.1")
fake.fake_take_calls.restype = ctypes.c_char_p
for _name in ("fake_current_context", "fake_new_stream", "fake_new_nonblocking_stream"):
    getattr(fake, _name).restype = ctypes.c_uint64
for _name in ("fake_make_current", "fake_drop_stream", "fake_destroy_context"):
    getattr(fake, _name).argtypes = (ctypes.c_uint64,)
fake.fake_capture.argtypes = (ctypes.c_uint64, ctypes.c_int)

_launch = D.launch  # a program may replace it by a function of its own
_known = {}
launches = []  # [name, grid and block, shared] in the order in which their turns came
runs_with = ["interpreter"]  # the target of _testing.use_target that stands in for a GPU
gates = {}  # by a kernel's name: its launches wait for this threading.Event


def runs_on_fake(*formats):
    """Has launches of the kernel below interpreted. formats: (dtype, dimensions), a dtype, a
    vector type or a struct."""

    def register(kernel):
        _known[kernel.__name__] = (kernel, formats)
        return kernel

    return register


def run_all_on_fake():
    """Has every launch of D.launch interpreted, kernels of the package too: on one stream they
    come in their order, and so do kernels of one name."""
    queues = {}

    def launch(kernel, *arguments, **keywords):
        formats = [(a.dtype, a.ndim) if isinstance(a, D.Array) else a.dtype for a in arguments]
        queue = queues.setdefault(kernel.__name__, collections.deque())
        _known[kernel.__name__] = queue
        queue.append((kernel, formats))
        _launch(kernel, *arguments, **keywords)

    D.launch = launch


def _number(address, dtype):
    return np.frombuffer((ctypes.c_char * dtype.itemsize).from_address(address), dtype)[0]


def _record(params, dtype):
    """A vector or struct, whose numbers are parameters of their own."""
    if dtype.names is None:
        return _number(next(params), dtype)
    return dtype.type.__cuda_device_type__(*(_record(params, dtype[n]) for n in dtype.names))


def _argument(params, form):
    if hasattr(form, "numpy_dtype"):
        return _record(params, form.numpy_dtype)
    address = next(params)
    if not isinstance(form, tuple):
        return _number(address, np.dtype(form))
    dtype, ndim = np.dtype(form[0]), form[1]
    words = (ctypes.c_int64 * (1 + 2 * ndim)).from_address(address)
    shape, strides = words[1 : 1 + ndim], words[1 + ndim :]
    if 0 in shape:
        return np.zeros(shape, dtype)
    spans = [(n - 1) * s for n, s in zip(shape, strides, strict=True)]
    low = sum(span for span in spans if span < 0)
    size = sum(map(abs, spans)) + dtype.itemsize
    memory = (ctypes.c_char * size).from_address(words[0] + low)
    return np.ndarray(shape, dtype, memory, -low, strides)


@ctypes.CFUNCTYPE(
    None,
    ctypes.c_char_p,
    ctypes.POINTER(ctypes.c_uint),
    ctypes.c_uint,
    ctypes.POINTER(ctypes.c_void_p),
)
def _on_launch(name, shape, shared, params):
    name, dims = name.decode(), shape[:6]
    if name in gates:
        gates[name].wait(60)
    known = _known[name]
    kernel, formats = known.popleft() if isinstance(known, collections.deque) else known
    each = (params[i] for i in itertools.count())
    arguments = [_argument(each, form) for form in formats]
    stream = core.Device("host").create_stream()  # the default one may be what waits for this
    size = {"grid": tuple(dims[:3]), "block": tuple(dims[3:]), "shared": min(shared, 1024)}
    with _testing.use_target(runs_with[0]):
        _launch(kernel, *arguments, stream=stream, **size)
    stream.sync()
    launches.append([name, dims, shared])


fake.fake_on_launch(_on_launch)


@runs_on_fake(("f8", 1), ("f8", 1))
@D.kernel
def add(a, b):
    i = D.tid(1)
    if i < a.size:
        a[i] += b[i]


@runs_on_fake(("f8", 1))
@D.kernel
def double(a):
    i = D.tid(1)
    if i < a.size:
        a[i] *= 2


@runs_on_fake(("f8", 1), "f4")
@D.kernel
def set_to(a, value):
    i = D.tid(1)
    if i < a.size:
        a[i] = D.float64(value)


@runs_on_fake(("f8", 1))
@D.kernel
def hold(a):
    """Waits for gates["hold"]."""
    i = D.tid(1)
    if i < a.size:
        a[i] += 1


@runs_on_fake()
@D.kernel
def nothing():
    pass


gates["hold"] = threading.Event()


_all_on_gpus = []  # a producer's deleter goes with it: longer than any launch


def on(number, *arrays):
    """The memory of these NumPy arrays as that of a GPU."""
    made = tuple(Producer(a, device=(2, number)) for a in arrays)
    _all_on_gpus.extend(made)
    return made[0] if len(made) == 1 else made


def outcome(what):
    """The error's type and text; None where there was none."""
    try:
        what()
    except Exception as error:
        return [type(error).__name__, str(error)]


def named(calls):
    """How often each member of the driver was called since this was asked last."""
    counts = dict.fromkeys(calls, 0)
    for call in fake.fake_take_calls().decode().split():
        if call in counts:
            counts[call] += 1
    return counts


def left():
    """What the process has of the driver."""
    kinds = ("allocations", "libraries", "streams", "events", "pinned", "context_depth")
    return {kind: getattr(fake, "fake_" + kind)() for kind in kinds}


def fail(member, error, which=1):
    """The next call, or the one with this number, fails."""
    fake.fake_fail(member.encode(), which, error)


def current():
    return fake.fake_current_context()


def settle(condition, seconds=20):
    """Waits until it holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.001)
