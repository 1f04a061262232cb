"""kernel.stats: what a launch takes of the machine, in figures and in words."""

import dataclasses

from cuda.device import _core
from cuda.device._inspect import check_target, refuse_unknown

__all__ = ["Stats", "stats"]


@dataclasses.dataclass(frozen=True)
class Stats:
    """Figures of one kernel, compiled for one target and one kind of launch.

    None: not known, or there is no such thing on this target. Without block= the shape of a block
    is not known, and what follows from it. Registers and what is spilled come from ptxas.
    """

    target: str
    threads: int | None = None  # of a block
    gang: int | None = None  # lanes that run together
    lanes: int | None = None  # of all gangs of a block; those beyond `threads` are idle
    arena_bytes: int | None = None  # memory of a worker for what a block keeps across barriers
    shared_bytes: int | None = None  # of a block: the kernel's own arrays and shared=
    code_bytes: int | None = None  # machine code with its constants, or the characters of PTX
    registers: int | None = None  # of a thread
    spill_store_bytes: int | None = None  # of a thread
    spill_load_bytes: int | None = None
    stack_bytes: int | None = None  # of a thread; on the host of a gang: what registers do not hold
    call_stack_bytes: int | None = None  # of a thread whose functions call themselves, at most
    blocks_per_multiprocessor: int | None = None  # at once
    compile_ms: dict[str, float] = dataclasses.field(default_factory=dict)  # CPU time by stage
    hints: tuple[str, ...] = ()  # what might be better

    @property
    def total_compile_ms(self) -> float:
        """CPU time of the compilation, in ms."""
        return sum(self.compile_ms.values())

    def __str__(self) -> str:
        fields = dataclasses.asdict(self)
        figures = {k: v for k, v in fields.items() if isinstance(v, int | str)}
        long = {name: ms for name, ms in self.compile_ms.items() if ms >= 0.05}
        stages = ", ".join(f"{name} {ms:.1f}" for name, ms in long.items())
        figures["compile_ms"] = f"{self.total_compile_ms:.1f} ({stages})"
        width = max(map(len, figures))
        lines = [f"{name:{width}}  {value}" for name, value in figures.items()]
        return "\n".join([*lines, *self.hints])


def stats(
    kernel: object,
    *arguments: object,
    target: str | None = None,
    grid: object = None,
    block: object = None,
    shared: int = 0,
    **unknown: object,
) -> Stats:
    """Compiles a kernel as a launch with these arguments would, and says what it takes.

    arguments, grid, block: as for `inspect`.
    shared: bytes of dynamic shared memory.
    target: a host form or "sm_75" and up; without one, the best host form of this machine.

    Nothing is launched. Raises as `inspect` does.
    """
    refuse_unknown("stats", unknown, "target, grid, block and shared")
    check_target("stats", target)
    if target == "interpreter":
        raise ValueError(
            "stats() needs a target with machine code, which the interpreter has not; leave out "
            "target, or name another one"
        )
    text = _core.stats(kernel, arguments, target or "", grid, block, shared)
    figures: dict[str, int | str] = {}
    stages: dict[str, float] = {}
    hints = []
    for line in text.splitlines():
        name, _, value = line.partition("=")
        if name == "hint":
            hints.append(value)
        elif name == "stage":
            seconds, _, stage = value.partition(" ")
            stages[stage] = stages.get(stage, 0.0) + 1000 * float(seconds)
        else:
            figures[name] = value if name == "target" else int(value)
    return Stats(**figures, compile_ms=stages, hints=tuple(hints))  # type: ignore[arg-type]
