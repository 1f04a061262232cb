"""Options of streams, events and launches, under the names of cuda.core."""

import dataclasses
from typing import Any, NoReturn, Protocol, TypeVar

from cuda.device.errors import NotImplementedYetError

__all__ = [
    "EventOptions",
    "LaunchConfig",
    "StreamOptions",
    "check_event",
    "check_launch",
    "check_stream",
]


@dataclasses.dataclass
class StreamOptions:
    """Options of Device.create_stream().

    nonblocking: the stream and the default stream do not wait for each other; False: each waits for
    what was queued on the other one before. priority: the lower, the more urgent; on the host
    device None or 0, others are not implemented yet there.
    """

    nonblocking: bool = True
    priority: int | None = None


@dataclasses.dataclass
class EventOptions:
    """Options of Device.create_event().

    enable_timing: whether events can be subtracted.

    busy_waited_sync and support_ipc are not implemented yet.
    """

    enable_timing: bool = True
    busy_waited_sync: bool = False
    support_ipc: bool = False


@dataclasses.dataclass
class LaunchConfig:
    """How many threads core.launch() starts, as launch(..., grid=, block=, shared=) does.

    grid, block: an int or a tuple of one to three ints, x first.
    shmem_size: bytes of dynamic shared memory.

    cluster and is_cooperative are not implemented yet.
    """

    grid: int | tuple[int, ...] = 1
    cluster: None = None
    block: int | tuple[int, ...] = 1
    shmem_size: int = 0
    is_cooperative: bool = False

    def __post_init__(self) -> None:
        for name in ("cluster", "is_cooperative"):
            if value := getattr(self, name):
                _refuse_launch_option(name, value)


def _refuse_launch_option(name: str, value: object) -> NoReturn:
    raise NotImplementedYetError(
        f"LaunchConfig(): the option {name}={value!r} is not implemented yet"
    )


def _launch_options(config: object) -> dict[str, Any]:
    """What a config of cuda.core says; options that later versions may add are not passed over."""
    names = [name for name in dir(config) if not name.startswith("_")]
    found = {name: getattr(config, name) for name in names}
    found = {name: value for name, value in found.items() if not callable(value)}
    if "cooperative_launch" in found:  # its name in early versions
        found["is_cooperative"] = found.pop("cooperative_launch")
    known = {f.name for f in dataclasses.fields(LaunchConfig)}
    for name, value in found.items():
        if name not in known and value:
            _refuse_launch_option(name, value)
    return {name: found[name] for name in known & set(found)}


def check_launch(config: object) -> LaunchConfig:
    """The config of a launch: ours, one of cuda.core, or a dict."""
    if isinstance(config, LaunchConfig):
        return config
    if isinstance(config, dict):
        return LaunchConfig(**config)
    if not all(hasattr(config, name) for name in ("grid", "block", "shmem_size")):
        found = type(config).__name__
        raise TypeError(
            f"core.launch() expects a stream, a LaunchConfig, a kernel and its arguments, "
            f"found {found!r} as the config"
        )
    read = _launch_options(config)
    for name in ("grid", "block"):
        if read[name] is None:
            raise TypeError(
                f"core.launch(): the config has no {name}; an int or a tuple is expected"
            )
    return LaunchConfig(**{name: value for name, value in read.items() if value is not None})


class CudaStream(Protocol):
    """What other libraries' streams have."""

    def __cuda_stream__(self) -> tuple[int, int]:
        """(0, handle)"""


# Names that other versions of cuda.core give to the same option.
_ALIASES = {"ipc_enabled": "support_ipc", "timing_enabled": "enable_timing"}

_O = TypeVar("_O", StreamOptions, EventOptions)


def _given(options: object, caller: str, kind: type) -> dict[str, Any]:
    """The options by name, whatever they came in."""
    if options is None:
        return {}
    if isinstance(options, dict):
        return options
    if dataclasses.is_dataclass(options) and not isinstance(options, type):
        return {f.name: getattr(options, f.name) for f in dataclasses.fields(options)}
    found = f"{type(options).__module__}.{type(options).__qualname__}".removeprefix("builtins.")
    raise TypeError(f"{caller}() expects options as a {kind.__name__} or a dict, found {found!r}")


def _read(options: object, caller: str, kind: type[_O]) -> _O:
    known = {f.name: f.default for f in dataclasses.fields(kind)}
    values: dict[str, Any] = {}
    for name, value in _given(options, caller, kind).items():
        if name == "blocking_sync" and kind is EventOptions:
            continue  # of cuda.core; here waiting threads sleep in any case
        own = _ALIASES.get(name, name)
        if own not in known:
            names = ", ".join(known)
            raise TypeError(f"{caller}() has no option {name!r}; its options are {names}")
        values[own] = known[own] if value is None else value
    return kind(**values)


def _refuse(caller: str, name: str, value: object, why: str) -> None:
    raise NotImplementedYetError(
        f"{caller}(): the option {name}={value!r} is not implemented yet on the host device: {why}"
    )


def _check_bools(options: object, caller: str, *names: str) -> None:
    for name in names:
        value = getattr(options, name)
        if not isinstance(value, bool):
            found = type(value).__name__
            raise TypeError(f"{caller}(): the option {name} is a bool, found {found!r}")


def check_stream(options: object, host: bool = True) -> StreamOptions:
    """The options of a stream, all of which the device honours."""
    caller = "create_stream"
    read = _read(options, caller, StreamOptions)
    _check_bools(read, caller, "nonblocking")
    if isinstance(read.priority, bool) or not isinstance(read.priority, int | None):
        found = type(read.priority).__name__
        raise TypeError(f"{caller}(): the option priority is an int, found {found!r}")
    if not host:
        return read
    if read.priority:
        _refuse(caller, "priority", read.priority, "all streams have priority 0")
    return read


def check_event(options: object) -> EventOptions:
    """The options of an event, all of which are honoured."""
    caller = "create_event"
    read = _read(options, caller, EventOptions)
    _check_bools(read, caller, "enable_timing", "busy_waited_sync", "support_ipc")
    if read.busy_waited_sync:
        _refuse(caller, "busy_waited_sync", True, "waiting threads sleep")
    if read.support_ipc:
        _refuse(caller, "support_ipc", True, "events live in one process")
    return read
