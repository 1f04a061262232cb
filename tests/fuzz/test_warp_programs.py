"""Random programs of warps mean what a grid in lock-step does (lockstep.py): on the interpreter, in
order and in a random one, on the host in gangs and thread by thread.

A few of them here; `make fuzz ARGS=--warps` runs many.
"""

import os
import re
from dataclasses import replace

import numpy
import pytest
from support.targets import available

from . import lockstep
from .lockstep import Grid, Misuse, lanes_of
from .warp_groups import ShuffleOfAll
from .warp_harness import arrays_of, check_warps, difference, run_in_lockstep
from .warp_programs import generate_warps
from .warp_tree import Match, converted

CHUNK = 7
TARGETS = ["interpreter", "interpreter-seed1", "avx512", "avx2", "avx2-threads", "cuda"]
if os.environ.get("CUDA_DEVICE_LONG_TESTS"):
    TARGETS.append("sse4")


@pytest.mark.parametrize("first", range(0, 4 * CHUNK, CHUNK))
def test_programs_of_warps_agree(first):
    """On the targets of this machine (test_targets_of_the_fuzzer says which it leaves out)."""
    targets = [target for target in TARGETS if available(target)]
    found = [check_warps(seed, targets) for seed in range(first, first + CHUNK)]
    wrong = "\n\n".join([one for one in found if one][:3])
    assert not wrong, wrong


def test_programs_of_warps_are_assembled():
    """Each for one architecture, where ptxas is found; what they do is the interpreter's."""
    wrong = [one for one in (check_warps(seed, ["ptx"]) for seed in range(8)) if one]
    assert not wrong, wrong[0]


CONSTRUCTS = {
    "votes": r"D\.(all|any|eq)_sync\(",
    "ballots": r"D\.ballot_sync\(",
    "shuffles by constants": r"D\.shfl_(up_|down_|xor_)?sync\(\S+, \S+, \d+\)",
    "shuffles by numbers": r"D\.shfl_(up_|down_|xor_)?sync\(\S+, \S+, by\)",
    "shuffles by each": r"D\.shfl_(up_|down_|xor_)?sync\(\S+, \S+, (v\d+|\(.*lane.*)\)",
    "shuffles by numbers of 64 bits": r"D\.shfl_(up_|down_|xor_)?sync\(.*, D\.int64\(",
    "counts of lanes by methods": r"\.bit_count\(\)",
    "broadcasts": r"D\.shfl_sync\(",
    "up": r"D\.shfl_up_sync\(",
    "down": r"D\.shfl_down_sync\(",
    "exchanges": r"D\.shfl_xor_sync\(",
    "matches of some": r"D\.match_any_sync\(",
    "matches of all": r"D\.match_all_sync\(",
    "active lanes": r"= D\.activemask\(\)",
    "syncwarp": r"D\.syncwarp\(\)",
    "syncwarp of a mask": r"D\.syncwarp\(m\d+\)",
    "barriers": r"D\.syncthreads\(\)",
    "masks that a ballot gave": r"_sync\(m\d+",
    "masks of groups": r"= \(D\.WarpMask\(\d+\) << ",
    "masks of one side": r"= \(~ m\d+\)|\(m\d+ & \(~ m\d+\)\)",
    "lanes of masks": r"m\d+\[",
    "both sides of a branch": r"^ +else:$",
    "loops that threads leave": r"^ +while ",
    "breaks": r"^ +break$",
    "returns": r"^ +return$",
    "loops of all": r"^ +for v\d+ in range\((\d+|D\.int32\(\d+\))\):$",
    "helpers": r"total_of\(",
    "atomics": r"D\.atomic_ref\(ac_\w+, .*\)\.\w+\(",
    "atomics in shared memory": r"D\.atomic_ref\(sa_i4",
    "tickets": r"D\.atomic_ref\(at_i4",
    "shared memory": r"^ +sh_\w+\[t\] = v\d+$",
    "barriers in branches": r"^ +sh_\w+\[t\] = D\.\w+\(.*\n +D\.syncthreads\(\)",
    "votes by functions": r"D\.\w+_sync\(\S+, p_m?v?\d+\)",
    "shuffles of vectors": r"D\.shfl_\w*sync\(\S+, D\.\w+x[234]\(",
    "shuffles of tuples": r"D\.shfl_\w*sync\(\S+, \(v\d+, ",
    "shuffles of named tuples": r"D\.shfl_\w*sync\(\S+, Named_",
    "shuffles of structs": r"D\.shfl_\w*sync\(\S+, Struct_",
    "matches of vectors": r"D\.match_\w*sync\(\S+, D\.\w+x[234]\(",
    "matches of tuples": r"D\.match_\w*sync\(\S+, \(v\d+, ",
    "matches of named tuples": r"D\.match_\w*sync\(\S+, Named_",
    "matches of structs": r"D\.match_\w*sync\(\S+, Struct_",
    "shuffles of small vectors": r"shfl_\w*sync\(\S+, D\.(u?int|float|bfloat)(8|16)\w*x[234]\(",
    "complex numbers": r"^ +o_c8\[",
    "bytes with a sign": r"D\.int8\(",
    "uint16": r"D\.uint16\(",
    "bfloat16": r"D\.bfloat16\(",
    "8-bit floats": r"D\.float8e\dm\d\(",
    "votes of blocks": r"D\.syncthreads_(count|and|or)\(",
    "meetings in two ifs": r"^ +if \(not v\d+\):\n +\S+ = D\.(\w+_sync|syncthreads_\w+)\(",
    "meetings in both branches": r"^ +else:\n +\S+ = D\.(\w+_sync|syncthreads_\w+)\(",
}


def test_programs_of_warps_have_every_construct():
    programs = [generate_warps(seed) for seed in range(400)]
    source = "\n".join(program.source() for program in programs)
    counts = {name: len(re.findall(p, source, re.MULTILINE)) for name, p in CONSTRUCTS.items()}
    assert {name: n for name, n in counts.items() if n < 20} == {}
    blocks = {program.block for program in programs}
    assert {20, 33, 64, (10, 10), (32, 2), (4, 4, 4), (7, 5, 3)} <= blocks


def test_masks_name_lanes_that_miss_operations_and_leave():
    """A mask would name a thread that does not come, did those not count as gone."""
    missed = 0
    for seed in range(200):
        program = generate_warps(seed)
        end = program.body[-1]
        if getattr(end, "last", False):
            end.last = False
            try:
                run_in_lockstep(program, arrays_of(seed, program))
            except Misuse:
                missed += 1
    assert missed >= 20


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("source_of", lambda kind, lane, number: lane),
        ("bits_of", lambda lanes: lanes_of_first(lanes)),
        ("raw", lambda values: numpy.zeros(values.shape, numpy.uint8)),
    ],
)
def test_a_model_that_is_wrong_is_seen(monkeypatch, name, other):
    """So would be a target that is."""
    from . import warp_tree

    programs = {seed: generate_warps(seed) for seed in range(40)}
    right = {}
    for seed, program in programs.items():
        right[seed] = run_in_lockstep(program, arrays_of(seed, program))
    for module in (lockstep, warp_tree):
        if hasattr(module, name):
            monkeypatch.setattr(module, name, other)
    differ = 0
    for seed, program in programs.items():
        try:
            wrong = run_in_lockstep(program, arrays_of(seed, program))
            differ += difference(program, right[seed], wrong) is not None
        except Misuse:  # masks are wrong too
            differ += 1
    assert differ >= 15


@pytest.mark.parametrize("kind", [ShuffleOfAll, Match])
def test_a_part_that_is_left_out_is_seen(monkeypatch, kind):
    """Of a vector, a tuple or a struct: the last one stays where it is, or is not compared."""
    programs = {seed: generate_warps(seed) for seed in range(100)}
    arrays = {seed: arrays_of(seed, program) for seed, program in programs.items()}
    right = {seed: run_in_lockstep(p, arrays[seed]) for seed, p in programs.items()}
    whole = kind.run

    def without_the_last(self, g, on):
        if len(self.parts) > 1 and kind is Match:
            return whole(replace(self, parts=self.parts[:-1]), g, on)
        whole(self, g, on)
        if kind is ShuffleOfAll:
            g.assign(self.names[-1], self.parts[-1].run(g, on), on)
        return on

    monkeypatch.setattr(kind, "run", without_the_last)
    differ = 0
    for seed, program in programs.items():
        try:
            wrong = run_in_lockstep(program, arrays[seed])
            differ += difference(program, right[seed], wrong) is not None
        except Misuse:
            differ += 1
    assert differ >= 10


def lanes_of_first(lanes):
    return numpy.where(lanes.any(-1), numpy.uint32(1) << lanes.argmax(-1).astype(numpy.uint32), 0)


def test_the_rules_of_masks():
    grid = Grid(40, 1)
    full = numpy.full(grid.shape, 0xFFFFFFFF, numpy.uint32)
    everyone = grid.together(full, grid.exists)
    assert everyone[0, 0, 0].sum() == 32
    assert everyone[0, 1, 0].sum() == 8  # others are not there
    grid.left[0, 0, 3] = True
    here = grid.exists & ~grid.left
    assert grid.together(full, here)[0, 0, 0].sum() == 31
    even = here & (grid.variables["lane"] % 2 == 0)
    with pytest.raises(Misuse, match="does not come"):
        grid.together(full, even)
    odd = numpy.full(grid.shape, 0xAAAAAAAA, numpy.uint32)
    with pytest.raises(Misuse, match="not in its own mask"):
        grid.together(odd, even)
    halves = numpy.where(grid.variables["lane"] < 16, numpy.uint32(0xFFFF), full)
    with pytest.raises(Misuse, match="with another mask"):
        grid.together(halves, here)


def test_masks_are_lanes():
    masks = numpy.array([0, 1, 0x80000001, 0xFFFFFFFF], numpy.uint32)
    assert lockstep.bits_of(lanes_of(masks)).tolist() == masks.tolist()


def test_floats_saturate():
    values = numpy.array([-1e30, -1.5, 0.5, 255.9, 1e30, numpy.nan], numpy.float32)
    assert converted("u1", values).tolist() == [0, 0, 0, 255, 255, 0]
    assert converted("i8", values)[[0, 4]].tolist() == [-(2**63), 2**63 - 1]
