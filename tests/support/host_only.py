"""A plugin of pytest (-p support.host_only) for a process that sees GPUs: only tests that choose no
target run, which are to hold there too."""

import pytest
from cuda.device import _core


def pytest_sessionstart():
    if _core.gpu_count() == 0:
        raise pytest.UsageError("no GPU is seen")


def pytest_collection_modifyitems(config, items):
    chosen = [item for item in items if "target" not in item.fixturenames]
    config.hook.pytest_deselected(items=[item for item in items if "target" in item.fixturenames])
    items[:] = chosen
