"""What a compilation is asked for: requests that differ in target or dialect alone are two kernels,
in memory and on disk. Checks cannot be asked for yet: unit tests show that they are in both keys.
"""

import re

import numpy as np
import pytest
from cuda import device as D
from cuda.device import _core, _testing
from support.launching import run
from support.programs import environment, run_text
from support.targets import available, use_target

FIRST = np.float32(1)


def a_tenth(out, first):
    out[0] = first * 0.1


def in_dialect(function, dialect):
    return _core.make_kernel(function, fmad=True, dialect=dialect)


def launched(kernel):
    out = np.zeros(1)
    run(kernel, out, FIRST)
    return out[0]


def compiled_by(launch):
    """How many compilations a launch takes."""
    before = _testing.counters()["compilations"]
    launch()
    return _testing.counters()["compilations"] - before


def test_each_target_is_a_kernel_of_its_own():
    kernel = D.kernel(a_tenth)
    names = [name for name in ("interpreter", "avx512", "avx2", "sse4") if available(name)]
    assert len(names) > 1
    for name in names:
        with use_target(name):
            assert compiled_by(lambda: launched(kernel)) == 1, name
            assert compiled_by(lambda: launched(kernel)) == 0, name


def test_host_and_device_are_told_apart():
    out = np.zeros(1)
    kernel = D.kernel(a_tenth)
    assert ".target sm_90" in kernel.inspect(out, FIRST, what="ptx", target="sm_90")
    assert ".target sm_80" in kernel.inspect(out, FIRST, what="ptx", target="sm_80")
    assert ".target" not in kernel.inspect(out, FIRST, what="asm", target="avx2")


@pytest.mark.usefixtures("target")
def test_a_dialect_can_be_asked_for():
    """A literal takes the format of what it meets in the guide's; in the other it is a float64."""
    assert launched(D.kernel(a_tenth)) == np.float32(0.1)
    assert launched(in_dialect(a_tenth, "guide")) == np.float32(0.1)
    assert launched(in_dialect(a_tenth, "numbapro")) == 0.1


def test_inspect_shows_the_dialect_of_its_kernel():
    types = []
    for name in ("guide", "numbapro"):
        text = in_dialect(a_tenth, name).inspect("array[float64, 1]", FIRST, what="ir_raw")
        types.append(re.search(r"= mul .* : (\w+)", text)[1])
    assert types == ["float32", "float64"]


@pytest.mark.parametrize("name", ["", "Guide", "numba"])
def test_an_unknown_dialect_is_an_error(name):
    with pytest.raises(ValueError, match=r"unknown dialect .*; known are 'guide', 'numbapro'"):
        in_dialect(a_tenth, name)


TWO_DIALECTS = """
import numpy as np
from cuda import device as D
from cuda.device import _core, _testing

def a_tenth(out, first):
    out[0] = first * 0.1

for dialect in ("guide", "numbapro"):
    kernel = _core.make_kernel(a_tenth, fmad=True, dialect=dialect)
    out = np.zeros(1)
    D.launch(kernel, out, np.float32(1), grid=1, block=1)
    print(out[0])
counts = _testing.counters()
print(counts["disk_hits"], counts["disk_stores"])
"""


def test_dialects_lie_apart_on_disk(tmp_path):
    env = environment(CUDA_DEVICE_CACHE="on", CUDA_DEVICE_CACHE_DIR=str(tmp_path / "cache"))
    env["CUDA_DEVICE_VERIFY"] = ""
    first = run_text(tmp_path, TWO_DIALECTS, env=env)
    assert first.stdout.split() == ["0.10000000149011612", "0.1", "0", "2"], first.stderr
    again = run_text(tmp_path, TWO_DIALECTS, env=env)
    assert again.stdout.split() == ["0.10000000149011612", "0.1", "2", "0"], again.stderr
