"""Random programs whose threads wait for each other by memory: every order of the interpreter's
threads, and the host by its own plan and thread by thread, give what the model does.

A few of them here; `make fuzz ARGS=--waits` runs many.
"""

import re

import pytest
from cuda import device as D
from support.targets import available, require

from .wait_harness import TARGETS, arrays_of, check_waits, difference, run_model, run_target
from .wait_locks import Locked
from .wait_programs import generate_waits
from .wait_threads import Stuck, Wait
from .wait_tree import Chain, Turns
from .warp_harness import compiled

CHUNK = 15


@pytest.mark.parametrize("first", range(0, 4 * CHUNK, CHUNK))
def test_programs_of_waits_agree(first):
    targets = [target for target in TARGETS if available(target)]
    found = [check_waits(seed, targets) for seed in range(first, first + CHUNK)]
    wrong = "\n\n".join([one for one in found if one][:3])
    assert not wrong, wrong


CONSTRUCTS = {
    "locks by cas": r"while .*\.cas\(0, 1, .* != 0:",
    "locks by exch": r"while .*\.exch\(1, .* == 1:",
    "locks by or": r"while .*\.or_\(1, .* & 1 != 0:",
    "locks that are tried": r"^ +if .*\.exch\(1, .* == 0:",
    "locks that are read first": r"\.exch\(1, .* == 1:\n +(while|w\d+ = ).*\.load",
    "tickets": r"w\d+ = D\.atomic_ref\(locks, \d\)\.add\(1, \"relaxed\"",
    "locks of blocks": r"atomic_ref\(locks_of_block",
    "critical sections in loops": r"^ +for w\d+ in range\(\(.* % \d\)\):\n +while .*\(locks",
    "critical sections in branches": r"^ +if .*:\n +while .*\(locks",
    "chains": r"w\d+o = (i|t|lane) \+ ",
    "chains of lanes": r"w\d+o = lane \+ ",
    "chains of blocks": r"w\d+o = i \+ ",
    "chains from the end": r"w\d+o = (i|t|lane) \+ \d",
    "turns": r"w\d+r = \(",
    "rings": r"w\d+h = (n|nt|nl) // 2",
    "rings between blocks": r"w\d+h = n // 2",
    "counters": r"\.add\(1, \"acq_rel\"",
    "leaders": r"^    if t == 0:\n +D\.atomic_ref",
    "flags of all": r"for w\d+k in range\((n|nt|nl)\)",
    "waits": r"\.wait\(w\d+",
    "notifications": r"\.notify_all\(",
    "fences": r"D\.threadfence\(",
    "pauses": r"for w\d+s in range\(3\)",
    "barriers": r"sh\[t\] = v\d\n +D\.syncthreads\(\)",
    "votes": r"syncthreads_count",
    "shuffles": r"shfl_xor_sync",
    "shuffles of both branches": r"if lane & \d+ == 0:\n.*shfl_xor_sync.*\n +else:\n.*shfl_xor",
}


def test_programs_of_waits_have_every_construct():
    source = "\n".join(generate_waits(seed).source() for seed in range(300))
    counts = {name: len(re.findall(p, source, re.MULTILINE)) for name, p in CONSTRUCTS.items()}
    assert {name: n for name, n in counts.items() if n < 20} == {}
    blocks = {generate_waits(seed).block for seed in range(300)}
    assert {1, 31, 64, 96, (8, 4), (4, 4, 4)} <= blocks


def test_the_order_makes_no_difference():
    """Of the model: what a program means does not depend on who goes first."""
    for seed in range(20):
        program = generate_waits(seed)
        arrays = arrays_of(seed, program)
        one, other = (run_model(program, arrays, order) for order in (1, 2))
        assert difference(program, one, other) is None


@pytest.mark.parametrize("kind", [Chain, Turns, Locked])
def test_a_model_that_is_wrong_is_seen(monkeypatch, kind):
    """So would be a target that is."""
    programs = {seed: generate_waits(seed) for seed in range(60)}
    arrays = {seed: arrays_of(seed, program) for seed, program in programs.items()}
    right = {seed: run_model(p, arrays[seed], 1) for seed, p in programs.items()}
    monkeypatch.setattr(kind, "run", lambda self, t: None)
    found = {seed: run_model(p, arrays[seed], 1) for seed, p in programs.items()}
    assert sum(difference(p, right[s], found[s]) is not None for s, p in programs.items()) >= 15


class Never:
    """Waits for a flag of its own that nobody sets."""

    def lines(self, pad):
        yield f"{pad}while D.atomic_ref(flags, (0, i)).load() == 0:"
        yield f"{pad}    pass"

    def run(self, t):
        yield Wait(lambda: False)


@pytest.mark.parametrize("order", TARGETS)
def test_a_program_that_cannot_go_on_is_seen(order):
    """By the model and by the target."""
    require(order)
    seed = next(k for k in range(99) if generate_waits(k).blocks > 1)
    program = generate_waits(seed)
    program.body.statements.insert(1, Never())
    arrays = arrays_of(seed, program)
    with pytest.raises(Stuck):
        run_model(program, arrays, 1)
    kernel = compiled(seed, program.source())
    with pytest.raises(D.errors.KernelError, match=r"none can go on \(deadlock\): \d+ threads"):
        run_target(seed, program, kernel, arrays, order)
