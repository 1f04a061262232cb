"""Target specialisation: sets of targets, and the question whether this one is among them.

In a kernel or @func all of it is known when compiling: of a branch on `target(...)` only what is
taken is compiled, and a @func may use what only devices have where host code never comes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from cuda.device import _core

if TYPE_CHECKING:
    from cuda.device._formats import ConstExpr

__all__ = [
    "SMSelector",
    "TargetDescription",
    "any_target",
    "is_device",
    "is_exactly",
    "is_host",
    "no_target",
    "provides",
    "target",
]
__all__ += [
    "sm50",
    "sm52",
    "sm53",
    "sm60",
    "sm61",
    "sm62",
    "sm70",
    "sm72",
    "sm75",
    "sm80",
    "sm86",
    "sm87",
    "sm88",
    "sm89",
    "sm90",
    "sm100",
    "sm101",
    "sm103",
    "sm110",
    "sm120",
    "sm121",
]

_VERSIONS = _core.sm_versions
_HOST = 1
_ALL = 2 ** (len(_VERSIONS) + 1) - 1


class SMSelector:
    """An architecture of NVIDIA GPUs: `sm50` to `sm121`, one object each."""

    __slots__ = ("_version",)
    _version: int
    _known: ClassVar[dict[int, SMSelector]] = {}

    def __new__(cls, version: int) -> SMSelector:
        """The selector of a version such as 80; ValueError where there is none."""
        if version not in cls._known:
            raise ValueError(
                f"there is no architecture {version!r}; those that there are: "
                + ", ".join(f"sm{known}" for known in _VERSIONS)
            )
        return cls._known[version]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r} is constant")

    def __reduce__(self) -> tuple[Any, ...]:
        return SMSelector, (self._version,)

    def __repr__(self) -> str:
        return f"sm{self._version}"


def _make_selector(version: int) -> SMSelector:
    selector = object.__new__(SMSelector)
    object.__setattr__(selector, "_version", version)
    SMSelector._known[version] = selector
    return selector


class TargetDescription:
    """A set of targets.

    `a | b` is the union, `a & b` the intersection, `~a` the complement. It has no truth value:
    bool(), `not`, `and` and `or` raise TypeError. `target` asks whether it holds.
    """

    __slots__ = ("_targets",)
    _targets: int

    def __init__(self) -> None:
        raise TypeError(
            "a TargetDescription is not made directly; write is_exactly(sm80), provides(sm80), "
            "is_host, is_device, any_target or no_target, or combine them by ~, | and &"
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a TargetDescription is constant; ~, | and & make others")

    def __or__(self, other: TargetDescription) -> TargetDescription:
        if not isinstance(other, TargetDescription):
            return NotImplemented
        return _describe(self._targets | other._targets)

    def __and__(self, other: TargetDescription) -> TargetDescription:
        if not isinstance(other, TargetDescription):
            return NotImplemented
        return _describe(self._targets & other._targets)

    def __invert__(self) -> TargetDescription:
        return _describe(_ALL & ~self._targets)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TargetDescription) and self._targets == other._targets

    def __hash__(self) -> int:
        return hash((TargetDescription, self._targets))

    def __bool__(self) -> bool:
        raise TypeError(
            "a target description has no truth value: ask target(...) whether it holds; combine "
            "descriptions by ~, | and &, not by 'not', 'or' and 'and'"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _describe, (self._targets,)

    def __repr__(self) -> str:
        names = ["host"] * (self._targets & _HOST)
        names += [f"sm{v}" for i, v in enumerate(_VERSIONS) if self._targets & _bit(i)]
        return f"TargetDescription({', '.join(names)})"


def _bit(index: int) -> int:
    return 2 << index


def _describe(targets: int) -> TargetDescription:
    description = object.__new__(TargetDescription)
    object.__setattr__(description, "_targets", targets)
    return description


def _bit_of(function: str, sm: object) -> int:
    if not isinstance(sm, SMSelector):
        raise TypeError(
            f"{function}() takes an architecture, found {sm!r}; write one of its selectors, for "
            "example sm80"
        )
    return _bit(_VERSIONS.index(sm._version))


def is_exactly(sm: ConstExpr[SMSelector]) -> TargetDescription:
    """The one architecture. TypeError for what is no selector."""
    return _describe(_bit_of("is_exactly", sm))


def provides(sm: ConstExpr[SMSelector]) -> TargetDescription:
    """The architecture and all newer ones, which can do what it can.

    TypeError for what is no selector.
    """
    return _describe(_ALL & ~(_bit_of("provides", sm) - 1))


def target(desc: ConstExpr[TargetDescription]) -> bool:
    """Whether the code is compiled for one of the targets.

    On a GPU that is its architecture. A kernel on the host device finds itself on sm90, or on the
    one that CUDA_DEVICE_EMULATE names in the environment ("sm_75"). What the host itself runs, such
    as a @func called from Python, is on the host. TypeError for what is no description.
    """
    if not isinstance(desc, TargetDescription):
        raise TypeError(
            f"target() takes a target description, found {desc!r}; for example is_device or "
            "provides(sm80), or several of them combined by ~, | and &"
        )
    return bool(desc._targets & _HOST)


is_host = _describe(_HOST)
is_device = ~is_host
any_target = _describe(_ALL)
no_target = _describe(0)
sm50 = _make_selector(50)
sm52 = _make_selector(52)
sm53 = _make_selector(53)
sm60 = _make_selector(60)
sm61 = _make_selector(61)
sm62 = _make_selector(62)
sm70 = _make_selector(70)
sm72 = _make_selector(72)
sm75 = _make_selector(75)
sm80 = _make_selector(80)
sm86 = _make_selector(86)
sm87 = _make_selector(87)
sm88 = _make_selector(88)
sm89 = _make_selector(89)
sm90 = _make_selector(90)
sm100 = _make_selector(100)
sm101 = _make_selector(101)
sm103 = _make_selector(103)
sm110 = _make_selector(110)
sm120 = _make_selector(120)
sm121 = _make_selector(121)
