"""The table of bench/ptx_table.py: what it counts, and that kernels of ours spill no register."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cuda.device import _core

BENCH = Path(__file__).resolve().parents[2] / "bench"
TOOL_MISSING = 2

PTX = """
.visible .entry k(
	.param .u64 k_param_0
)
.reqntid 256, 1, 1
{
	.reg .b32 	%r<4>;
	ld.param.u64 	%rd1, [k_param_0];
	setp.ge.s32 	%p1, %r1, %r2;
	@!%p1 bra 	$L__BB0_2;
	ld.global.nc.v2.f32 	{%f1, %f2}, [%rd1];
	ld.global.f32 	%f3, [%rd1+8];
	fma.rn.f32 	%f4, %f1, %f2, %f3;
	setp.lt.f32 	%p2, %f4, %f3;
	bar.sync 	0;
$L__BB0_2:
	ret;
}
"""


def module(name):
    spec = importlib.util.spec_from_file_location(name, BENCH / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    # Its data classes look for themselves there.
    sys.modules[name] = found
    spec.loader.exec_module(found)
    return found


def test_what_is_counted():
    counts = module("ptx_count").counts(PTX)
    assert {name: n for name, n in counts.items() if n} == {
        "ld.global": 2,
        "of them .nc": 1,
        "vector ld, st": 1,
        "fma": 1,
        "other float": 1,
        "integer": 1,
        "branches": 1,
        "barriers": 1,
        "PTX": 9,
    }


def table(*options):
    package = Path(_core.__file__).resolve().parents[2]
    command = [sys.executable, BENCH / "ptx_table.py", f"--python-path={package}", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("sm", [80, 90])
def test_nothing_is_spilled(sm):
    pytest.importorskip("scipy", reason="waits for SciPy, which the benchmark's references need")
    done = table(f"--sm={sm}", "--kernel=triad", "--kernel=transpose")
    if done.returncode == TOOL_MISSING and "no table without" in done.stderr:
        pytest.skip(f"waits for a tool: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    header, *rows = (re.split(r" {2,}", line) for line in done.stdout.splitlines())
    assert [row[0] for row in rows] == ["triad", "transpose"]
    for row in rows:
        figures = dict(zip(header, row, strict=True))
        assert figures["spilled bytes"] == "0"
        # Each of the loads is one past the coherent cache.
        assert figures["of them .nc"] == figures["ld.global"] != "0"
