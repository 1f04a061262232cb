"""scripts/measure_ulp.py: where it measures, and what it takes for an error."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from cuda.device import _core

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "measure_ulp.py"


@pytest.fixture
def script():
    spec = importlib.util.spec_from_file_location("measure_ulp", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_measures_the_target_that_is_named(script, monkeypatch):
    seen = []

    def computed(name, arguments, own=script.computed):
        seen.append(_core.target())
        return own(name, arguments)

    monkeypatch.setattr(script, "computed", computed)
    options = ["--target=interpreter", "--functions=exp", "--formats=float16"]
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *options])
    before = _core.target()
    assert script.main() == 0
    assert (seen, _core.target()) == (["interpreter"], before)


@pytest.mark.parametrize(("found", "error"), [(np.inf, 0), (-np.inf, math.inf)])
def test_numbers_beyond_the_format_have_a_sign(script, found, error):
    exact, out = np.array([1e60], np.longdouble), np.array([found], np.float32)
    assert script.error_by_reference("float32", exact, out, [out])[0] == error
