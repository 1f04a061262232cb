"""Which ways a litmus test can end on a CPU whose threads write through buffers, first in, first
out: x86-TSO (Sewell et al., "x86-TSO: a rigorous and usable programmer's model", 2010)."""

from .programs import REGISTERS, VARIABLES, place_of


def ends_with_buffers(program, order):
    """A store waits in its thread's buffer, but for one that is sequentially consistent: that is an
    exchange. Read-modify-writes and sequentially consistent fences wait until the buffer is empty.
    """

    def at_once(step):
        first = step.kind in ("store", "fence") and not step.plain
        return step.updates or (first and program.order_of(step, order) == "seq_cst")

    return _ends(program, at_once)


def ends_by_turns(program):
    """Of threads that take turns at one memory."""
    return _ends(program, lambda step: True)


def _ends(program, at_once):
    """at_once(step): it happens with an empty buffer, and leaves nothing there."""
    start = (0,) * (len(VARIABLES) + REGISTERS)
    states = [(start, (0,) * len(program.threads), ((),) * len(program.threads))]
    seen, ends = set(states), set()
    while states:
        memory, at, buffers = states.pop()
        following = list(_following(program, at_once, memory, at, buffers))
        if not following:
            ends.add(memory)
        new = set(following) - seen
        seen |= new
        states += new
    return ends


def _set(values, place, value):
    return (*values[:place], value, *values[place + 1 :])


def _following(program, at_once, memory, at, buffers):
    for t, steps in enumerate(program.threads):
        if buffers[t]:
            (place, value), *rest = buffers[t]
            yield _set(memory, place, value), at, _set(buffers, t, tuple(rest))
        if at[t] < len(steps):
            after = _act(steps, at[t], at_once, memory, buffers[t])
            if after:
                yield after[0], _set(at, t, after[1]), _set(buffers, t, after[2])


def _act(steps, number, at_once, memory, buffer):
    """Memory, the next step's number, and the buffer after a step; None: it has to wait."""
    step = steps[number]
    if step.kind == "if":
        goes_on = memory[len(VARIABLES) + step.result] == step.expected
        return memory, number + 1 if goes_on else len(steps), buffer
    if buffer and at_once(step):
        return None
    if step.kind == "fence":
        return memory, number + 1, buffer
    place = place_of(step.variable)
    old = next((value for where, value in reversed(buffer) if where == place), memory[place])
    if step.reads:
        memory = _set(memory, len(VARIABLES) + step.result, old)
    new = step.after(old)
    if new is not None and at_once(step):
        memory = _set(memory, place, new)
    elif new is not None:
        buffer = (*buffer, (place, new))
    return memory, number + 1, buffer
