"""What bench/loop_cost.py takes for a loop, and how it counts."""

import importlib.util
import shutil
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"

CODE = """
kernel:
	pushq	%rbp
.LBB0_1:
	vmovups	(%rsi,%rax), %zmm0
.LBB0_2:                                # inner
	vmovups	(%rdi,%rax), %zmm1
	vfmadd231ps	4(%r14){1to16}, %zmm1, %zmm0
	vpermt2ps	%zmm2, %zmm3, %zmm0
	vcmpltps	%zmm1, %zmm0, %k1
	vmovups	%zmm0, (%rdx,%rax) {%k1}
	addq	$64, %rax
	cmpq	%rcx, %rax
	jb	.LBB0_2
	decq	%rbx
	jne	.LBB0_1
	jmp	.LBB0_4
.LBB0_4:
	retq
"""


@pytest.fixture
def tool():
    spec = importlib.util.spec_from_file_location("loop_cost", BENCH / "loop_cost.py")
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


def test_only_loops_without_loops_are_taken(tool):
    (loop,) = tool.innermost_loops(CODE)
    assert (loop[0].split()[0], loop[-1]) == ("vmovups", "jb\t.LBB0_2")


def test_each_instruction_counts_once_and_memory_beside(tool):
    (loop,) = tool.innermost_loops(CODE)
    counts = tool.counts(loop)
    kinds = {"fma": 1, "shuffles": 1, "masks": 1, "moves": 2, "scalar": 3}
    assert {k: counts[k] for k in tool.KINDS if counts[k]} == kinds
    assert (counts["instructions"], counts["loads"], counts["stores"]) == (8, 2, 1)


@pytest.mark.skipif(not shutil.which("llvm-mca-22"), reason="waits for llvm-mca-22")
def test_cycles_are_at_least_those_of_the_chain(tool):
    (loop,) = tool.innermost_loops(CODE)
    assert 4 <= tool.cycles(loop, "sapphirerapids", shutil.which("llvm-mca-22")) < 20


def test_a_loop_is_shown_by_its_number(tool):
    assert tool.shown(CODE, 1).splitlines() == tool.innermost_loops(CODE)[0]
    for number in (0, 2):
        with pytest.raises(ValueError, match=f"no loop {number}, but 1"):
            tool.shown(CODE, number)
