"""Environments with the wheel in them, and nothing that a test did not ask for."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def pytest_addoption(parser):
    parser.addoption("--wheel", metavar="FILE", help="the wheel to install (make test-wheel)")


def pytest_ignore_collect(config):
    """Without a wheel there are no tests here: `make test` would list each of them as skipped."""
    return None if config.getoption("--wheel", default=None) else True


@pytest.fixture(scope="session")
def wheel(pytestconfig):
    """Path of the wheel."""
    return Path(pytestconfig.getoption("--wheel")).resolve()


class Environment:
    """A virtual environment of the Python that runs the tests."""

    def __init__(self, folder):
        self.folder = folder
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        self.python = folder / "bin/python"

    def run(self, *arguments, check=True, **variables):
        """Runs its Python, in an empty folder, without variables that speak of other folders."""
        empty = self.folder / "empty"
        empty.mkdir(exist_ok=True)
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "CUDA_DEVICE"))}
        environment = {**kept, "CUDA_DEVICE_CACHE": "off", **variables}
        done = subprocess.run(
            [self.python, *arguments], cwd=empty, env=environment, capture_output=True, text=True
        )
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    def install(self, *what):
        self.run("-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what)

    def uninstall(self, *what):
        self.run("-m", "pip", "uninstall", "--quiet", "--yes", *what)


@pytest.fixture(scope="module")
def make_environment(tmp_path_factory):
    """make_environment(*what) makes one and installs this; it is removed after the module."""
    made = []

    def make(*what):
        environment = Environment(tmp_path_factory.mktemp("environment") / "env")
        made.append(environment)
        if what:
            environment.install(*what)
        return environment

    yield make
    for environment in made:
        shutil.rmtree(environment.folder)


@pytest.fixture(scope="module")
def installed(make_environment, wheel):
    """An environment that was empty, with the wheel and what it asks for."""
    return make_environment(wheel)
