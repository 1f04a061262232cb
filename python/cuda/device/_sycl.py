"""Whose memory a pointer of SYCL is.

The CUDA driver and our own allocator are asked first, then the SYCL runtime, where the process has
one (_sycl_runtime.py). Without one a filter string is looked up among the devices that there are
here: GPUs of CUDA, and the CPU, which OpenCL names; other contexts cannot be asked.
"""

import re
from typing import Any, NamedTuple, NoReturn

import numpy as np
from cuda.device import _core, _sycl_runtime

_CAPSULES = ("SyclContextRef", "SyclQueueRef")
_BACKENDS = ("cuda", "opencl", "level_zero", "hip")
_KINDS = ("accelerator", "cpu", "gpu")
_TYPES = ("host", "device", "shared")
_WANTED = "[backend:][type:][number], several joined by ','"


class Context(NamedTuple):
    """device: of a filter string; None: known to SYCL alone. real: the runtime's, where it is."""

    device: tuple[str, str, int] | None
    real: _sycl_runtime.Context | None


def _malformed(value: Any, why: str) -> NoReturn:
    raise ValueError(f"'syclobj' is {value!r}: {why}")


def _devices() -> list[tuple[str, str, int]]:
    """Backend, type and number, the preferred ones first."""
    return [*(("cuda", "gpu", i) for i in range(_core.gpu_count())), ("opencl", "cpu", 0)]


def _parts(text: str, whole: str) -> tuple[str | None, str | None, int]:
    """Of one filter: each part may be left out, not all of them."""
    words = text.strip().split(":")
    backend = words.pop(0) if words and words[0] in _BACKENDS else None
    kind = words.pop(0) if words and words[0] in _KINDS else None
    number = words.pop(0) if words and re.fullmatch(r"[0-9]{1,6}", words[0], re.ASCII) else None
    if words or (backend, kind, number) == (None, None, None):
        _malformed(whole, f"a filter of devices is {_WANTED}")
    return backend, kind, int(number or 0)


def _selected(text: str) -> Context:
    filters = [_parts(part, text) for part in text.split(",")]
    real = _sycl_runtime.of_filter(text)
    for backend, kind, number in filters:
        there = [
            device
            for device in _devices()
            if backend in (None, device[0]) and kind in (None, device[1])
        ]
        if number < len(there):
            return Context(there[number], real)
    if real is not None:
        return Context(None, real)
    names = ", ".join(":".join(map(str, device)) for device in _devices())
    _malformed(text, f"no device matches it; there are {names}")


def context_of(syclobj: Any) -> Context:
    """The context of any form of 'syclobj'; ValueError for what is none."""
    if isinstance(syclobj, str):
        return _selected(syclobj)
    found = syclobj
    if _core.capsule_name(syclobj) is None:
        method = getattr(syclobj, "_get_capsule", None)
        if isinstance(syclobj, type) or not callable(method):
            _malformed(
                syclobj,
                "a filter string, a SyclContext, a SyclQueue, a capsule of one or an object "
                "with _get_capsule() was expected",
            )
        found = method()
    name = _core.capsule_name(found)
    if name not in _CAPSULES:
        what = f"a capsule named {name!r}" if name is not None else repr(found)
        wanted = " or ".join(map(repr, _CAPSULES))
        _malformed(syclobj, f"{what} was found; a capsule named {wanted} was expected")
    return Context(None, _sycl_runtime.of_capsule(found, is_queue=name == "SyclQueueRef"))


def check_type(usm_type: str | None) -> None:
    if usm_type is not None and usm_type not in _TYPES:
        raise ValueError(f"usm_type={usm_type!r} is none of 'host', 'device' and 'shared'")


def _check_within(base: int, size: int, low: int, high: int) -> None:
    if size and not base <= low <= high <= base + size:
        raise ValueError(
            f"the elements take the bytes {low - base} to {high - base} of their allocation, "
            f"which has {size}"
        )


def said_type(owner: Any) -> str | None:
    """What an array or memory object of dpctl calls the kind of its memory; None: nothing."""
    said = getattr(owner, "usm_type", None)
    if said is None and callable(method := getattr(owner, "get_usm_type", None)):
        said = method()
    return said if isinstance(said, str) and said in _TYPES else None


def place_of(syclobj: Any, context: Context) -> str:
    """The device for messages: the one found, or what a queue says of its own."""
    if context.device is not None:
        return ":".join(map(str, context.device))
    said = getattr(getattr(syclobj, "sycl_device", None), "filter_string", None)
    return said if isinstance(said, str) else "a context of SYCL"


def check_reach(
    address: int,
    elements: tuple[int, int],
    context: Context,
    said: tuple[str | None, str | None],
    where: str,
    is_launch: bool,
) -> str | None:
    """Raises ValueError for memory that is not of the context, or that nobody here reaches.

    address: as the producer says it, of its allocation. elements: first byte and end. said: the
    kind of memory by the caller and by the producer. where: the device, for messages. is_launch:
    kernels on a CPU reach what SYCL calls memory of that device, the host's code does not. Gives
    the kind of memory where SYCL allocated it.
    """
    # Without a base, neither CUDA nor our allocator knows it.
    device, _, base, size, _ = _core.memory_find(address)
    _check_within(base, size, *elements)
    if device >= 0:
        if context.device is not None and context.device[::2] != ("cuda", device):
            raise ValueError(
                f"'data' is memory of GPU {device}, and 'syclobj' names {where}: "
                "the allocation's type is 'unknown' there"
            )
        return None
    if not base and context.real is not None:
        return _asked(context.real.pointer(address), said[0], where, is_launch)
    usm_type = said[0] or said[1]
    if usm_type == "device":
        _out_of_reach(where)
    if usm_type is not None or base or (context.device and context.device[1] == "cpu"):
        return None
    _unknown(where)


def _asked(
    found: _sycl_runtime.Pointer, usm_type: str | None, where: str, is_launch: bool
) -> str | None:
    """What SYCL's runtime says of the memory, where kernels or the host's code reach that.

    None: it knows nothing of memory that the caller says the host reaches.
    """
    if found.kind == "unknown":
        return None if usm_type in ("host", "shared") else _unknown(where)
    if usm_type not in (None, found.kind):
        raise ValueError(f"usm_type={usm_type!r}: 'data' is {found.kind} memory of {where}")
    if found.kind == "device" and not found.on_cpu:
        _out_of_reach(where)
    if found.kind == "device" and not is_launch:
        raise ValueError(
            f"'data' is device memory of {where}, which code of the host may not access; launch "
            "kernels with the object itself, or copy it to host or shared memory"
        )
    return found.kind


def _out_of_reach(where: str) -> NoReturn:
    raise ValueError(
        f"'data' is device memory of {where}, which neither the host nor a CUDA GPU reaches; "
        "copy it to host or shared memory"
    )


def _unknown(where: str) -> NoReturn:
    raise ValueError(
        f"'data' is no memory that is known of {where}: the allocation's type is 'unknown' there; "
        'where the host reaches it, from_sycl_usm(obj, usm_type="shared") says so'
    )


class Imported(NamedTuple):
    """What an array of SYCL's memory was made of, which its base holds, and where that is."""

    kept: Any
    address: int
    kind: str
    context: _sycl_runtime.Context


def imported(array: Any) -> Imported | None:
    """What is known of the memory of an array, or of what it is a view of, that came from SYCL."""
    base = array
    while isinstance(base, np.ndarray):
        base = base.base
    found = base[0] if type(base) is tuple and base else None
    return found if isinstance(found, Imported) else None


def flag_is_wrong(owner: Any) -> bool:
    """Memory objects of dpctl say read-only of memory that is not."""
    return type(owner).__module__.startswith("dpctl.memory")
