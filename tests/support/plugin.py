"""The pytest side of the harness: options, the `target` fixture, the clause report."""

import pytest

from support import targets
from support.clause_report import ClauseReport
from support.clauses import UnknownClause, check_ids


def pytest_addoption(parser):
    group = parser.getgroup("cuda.device")
    group.addoption(
        "--clause-report", metavar="FILE", help="write which clauses were shown, as JSON"
    )
    group.addoption(
        "--clauses-only", action="store_true", help="run only the tests that name a clause"
    )
    group.addoption(
        "--target",
        action="append",
        choices=targets.ALL,
        help="run on this target only (repeatable)",
    )
    group.addoption("--long", action="store_true", help="all targets and the full tables")
    group.addoption(
        "--every-architecture",
        action="store_true",
        help="each test assembles its PTX for every architecture, not for one by turns",
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "clause(*ids, partial=None): rows of the contract shown")
    config.addinivalue_line("markers", "targets(*names): the only ones this test is for")
    path = config.getoption("--clause-report")
    if path:
        config.pluginmanager.register(ClauseReport(path), "clause-report")


def pytest_sessionstart(session):
    targets.check_named(session.config)


def pytest_collection_modifyitems(config, items):
    """Checks marks that were written without clause() too; --clauses-only leaves out the rest."""
    for item in items:
        for mark in item.iter_markers("clause"):
            try:
                check_ids(mark.args)
            except UnknownClause as error:
                raise pytest.UsageError(f"{item.nodeid}: {error}") from None
    if config.getoption("--clauses-only"):
        rest = [item for item in items if item.get_closest_marker("clause") is None]
        config.hook.pytest_deselected(items=rest)
        items[:] = [item for item in items if item.get_closest_marker("clause") is not None]


def pytest_generate_tests(metafunc):
    if "target" in metafunc.fixturenames:
        only = metafunc.definition.get_closest_marker("targets")
        config = metafunc.config
        names = targets.chosen_of(config, only.args) if only else targets.chosen(config)
        if not names:
            other = pytest.mark.skip(reason=f"for other targets: {', '.join(only.args)}")
            names = [pytest.param(only.args[0], marks=other)]
        metafunc.parametrize("target", names, indirect=True)


@pytest.fixture
def target(request):
    """Runs the test once on every target; the value is the target's name."""
    targets.require(request.param)
    name = targets.for_test(request.config, request.param, request.node.nodeid)
    with targets.use_target(name):
        yield request.param
    if request.param == "cuda":
        targets.settle_gpu()


@pytest.fixture
def partly(request):
    """partly("reason"): the rows of this test are shown in part only, as found out by running."""

    def mark(reason):
        request.node.user_properties.append(("clause_partial", reason))

    return mark


@pytest.fixture
def on_the_host():
    """The host is the current device, on machines with GPUs too."""
    from cuda.device import core

    before = core.Device()
    core.Device("host").set_current()
    yield
    before.set_current()
