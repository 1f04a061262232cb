"""The wheel in an environment that was empty: a kernel runs, and it says which version it is."""

import importlib.util
import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(__file__).with_name("kernel_program.py")
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


@pytest.fixture(scope="module")
def said(installed):
    """What the program says, copied out of the checkout, without any other program to help it."""
    copy = shutil.copy(PROGRAM, installed.folder)
    return json.loads(installed.run(copy, PATH="/nonexistent").stdout)


def test_nothing_but_what_it_asks_for_is_there(installed):
    listed = json.loads(installed.run("-m", "pip", "list", "--format=json").stdout)
    names = {entry["name"].lower().replace("_", "-") for entry in listed}
    assert names - {"pip", "setuptools"} == {"cuda-device-simt", "numpy", "ml-dtypes"}


def test_nothing_that_it_asks_for_is_missing(installed):
    installed.run("-m", "pip", "check")


def test_a_kernel_runs_from_the_environment(installed, said):
    assert Path(said["file"]).is_relative_to(installed.folder)


def test_version_is_that_of_the_metadata(installed, said):
    ask = "from importlib.metadata import version; print(version('cuda-device-simt'))"
    assert said["version"] == installed.run("-c", ask).stdout.strip() == VERSION


def test_info_names_the_version(installed):
    lines = installed.run("-m", "cuda.device", "info").stdout.splitlines()
    assert re.fullmatch(rf"version +{re.escape(VERSION)}", next(x for x in lines if "version" in x))


def test_a_type_checker_finds_its_types(installed, tmp_path):
    """As test_types.py, but mypy itself finds the installed package, by its py.typed."""
    spec = importlib.util.spec_from_file_location("types", PROGRAM.parents[1] / "test_types.py")
    types = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(types)
    types.check_program(types.mypy(tmp_path, f"--python-executable={installed.python}"))


def test_uninstalling_leaves_nothing(make_environment, wheel):
    environment = make_environment(wheel)
    [package] = environment.folder.glob("lib/python*/site-packages/cuda/device")
    environment.uninstall("cuda-device-simt")
    packages = package.parents[1]
    assert [p for p in packages.glob("cuda*/**/*") if p.is_file()] == []
