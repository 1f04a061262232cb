"""cuda.device beside cuda-core, cuda-bindings and numba-cuda: each is what it is alone.

They share the namespace `cuda`. What they say without us, errors for want of a GPU included, they
say with us too, whoever was installed or imported first; and whoever goes leaves the others whole.
"""

import json
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("cuda_program.py")
THEIRS = ("cuda-core", "cuda-bindings", "numba-cuda")
OURS = "cuda-device-simt"
VARIABLES = [{}, {"NUMBA_ENABLE_CUDASIM": "1"}]

OPTIONS = """
from cuda.core import EventOptions, StreamOptions
from cuda.device import core
host = core.Device("host")
stream = host.create_stream(options=StreamOptions(nonblocking=True))
event = stream.record(host.create_event(options=EventOptions()))
event.sync()
assert event.is_done
"""


def report_of(environment, when, variables):
    return json.loads(environment.run(PROGRAM, when, **variables).stdout)


@pytest.fixture(params=VARIABLES, ids=["driver", "simulator"])
def variables(request):
    return request.param


@pytest.fixture(scope="module")
def reports(make_environment):
    """What they say without us, under each of VARIABLES."""
    environment = make_environment(*THEIRS)
    return [report_of(environment, "without", variables) for variables in VARIABLES]


@pytest.fixture
def alone(reports, variables):
    return reports[VARIABLES.index(variables)]


@pytest.fixture(scope="module")
def pairs():
    return {}


@pytest.fixture(params=["ours first", "theirs first"])
def both(request, make_environment, wheel, pairs):
    """An environment with both, made once for each order of installation."""
    if request.param not in pairs:
        environment = pairs[request.param] = make_environment()
        steps = [(wheel,), THEIRS]
        for step in steps if request.param == "ours first" else reversed(steps):
            environment.install(*step)
    return pairs[request.param]


def test_alone_they_import(alone, variables):
    """Else the comparisons below would compare errors."""
    modules = {name: said for name, said in alone.items() if "." in name}
    assert {"cuda.core", "cuda.bindings.driver", "cuda.bindings.nvrtc"} <= set(modules)
    assert {name for name, said in modules.items() if " names, version " not in said} == set()
    if variables:
        assert alone["simulate_numba"] == str([i * i for i in range(10)])


@pytest.mark.parametrize("when", ["first", "last"])
def test_they_are_what_they_are_alone(both, alone, variables, when):
    assert report_of(both, when, variables) == alone


def test_options_of_cuda_core_are_taken(both):
    both.run("-c", OPTIONS)


def test_nobody_asks_for_what_another_forbids(both):
    both.run("-m", "pip", "check")


def test_ours_goes_and_leaves_theirs(make_environment, wheel, reports):
    environment = make_environment(*THEIRS, wheel)
    environment.uninstall(OURS)
    assert [report_of(environment, "without", variables) for variables in VARIABLES] == reports
    assert environment.run("-c", "import cuda.device", check=False).returncode != 0


def test_theirs_go_and_leave_ours(make_environment, wheel):
    environment = make_environment(wheel, *THEIRS)
    environment.uninstall(*THEIRS, "cuda-pathfinder", "numba")
    environment.run("-c", "from cuda import device; import sys; assert 'numba' not in sys.modules")
    environment.run(PROGRAM.with_name("kernel_program.py"))
    assert environment.run("-c", "import cuda.core", check=False).returncode != 0
