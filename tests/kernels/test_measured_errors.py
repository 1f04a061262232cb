"""scripts/measure_ulp.py: where it measures, what an error is, and that it finds the largest."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from cuda.device import _core

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "measure_ulp.py"


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(SCRIPT.parent))
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
    exact, out = np.array([1e60]), np.array([found], np.float32)
    unit = script.units("float32", exact)
    assert script.errors_by("float32", exact, out, unit, script.largest_of("float32")) == error


def exact_results_and_found_ones(rng, form, slack, count):
    """Results that are off by a unit or so; one of forty is close beneath a power of two."""
    eps = np.finfo(form).eps
    exact = np.exp2(rng.uniform(-40, 40, count).astype(np.longdouble))
    close = rng.uniform(0, slack / 2, count).astype(np.longdouble)[::40]
    exact[::40] = np.exp2(np.floor(np.log2(exact[::40]))) * (1 - close * eps)
    found = (exact * (1 + rng.uniform(-1, 1, count) * eps)).astype(form)
    return exact, found


def largest_by_the_filter(script, form_name, rng, exact, found, errors):
    """By estimates that are off by the slack, so that another error is the largest by them."""
    asked = []

    class Reference(script.Reference):
        def error_at(self, by_estimate, guess, given, found):
            asked.append(int(given[0]))
            return float(errors[asked[-1]])

    reference, worst = Reference("exp", form_name, None), script.Worst()
    off = reference.slack * rng.choice([-1, 1], exact.size) * script.units(form_name, exact)
    wide = np.longdouble if form_name == "float64" else np.float64
    reference.take_worst(worst, [np.arange(exact.size)], (exact + off).astype(wide), found)
    return worst.error, len(asked)


@pytest.mark.parametrize("form_name", ["float32", "float64"])
def test_the_largest_error_is_found_by_estimates_that_are_off(script, form_name):
    rng = np.random.default_rng(4)
    form, slack = script.FORMATS[form_name], script.SLACK[form_name]
    for _ in range(100):
        exact, found = exact_results_and_found_ones(rng, form, slack, 400)
        errors = np.abs(found - exact) / script.units(form_name, exact)
        error, asked = largest_by_the_filter(script, form_name, rng, exact, found, errors)
        assert error >= float(errors.max()) - script.TOLERANCE
        assert asked < exact.size / 10


def test_what_was_not_measured_stays_in_the_table(script, monkeypatch, tmp_path):
    page = tmp_path / "math.md"
    page.write_text(script.PAGE.read_text())
    before = script.read_table(page.read_text())
    monkeypatch.setattr(script, "PAGE", page)
    script.write_cells({"exp": {"float32": "0.12"}})
    after = script.read_table(page.read_text())
    assert after.pop("exp") == before.pop("exp") | {"float32": "0.12"}
    assert after == before
