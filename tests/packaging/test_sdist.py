"""The source distribution holds what git knows, so that a wheel and the tests can be made of it."""

import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("scikit_build_core", reason="waits for scikit-build-core")

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MAKE = "import sys, scikit_build_core.build as b; b.build_sdist(sys.argv[1])"


def known_to_git():
    """Files that are tracked, or would be: not those that git ignores."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip("waits for a checkout with git")
    return {name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sdist")
    subprocess.run([sys.executable, "-c", MAKE, folder], cwd=ROOT, check=True, capture_output=True)
    top = f"{PROJECT['name'].replace('-', '_')}-{PROJECT['version']}"
    with tarfile.open(folder / f"{top}.tar.gz") as archive:
        members = archive.getmembers()
    assert all(m.isfile() and m.name.startswith(f"{top}/") for m in members)
    return {m.name.removeprefix(f"{top}/") for m in members}


def test_holds_what_git_knows(names):
    known = known_to_git()
    assert names - known == {"PKG-INFO"}
    assert known - names == {name for name in known if name.startswith(".ci/")}


def test_holds_what_a_build_needs(names):
    needed = {"CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE", "NOTICE"}
    needed |= {"python/cuda/device/py.typed", "python/cuda/device/_core.pyi"}
    assert needed <= names
    for folder in ("LICENSES", "bindings", "cmake", "src", "tests", "docs"):
        assert any(name.startswith(f"{folder}/") for name in names), folder


def test_holds_nothing_that_was_made(names):
    made = {"build", "dist", ".venv", ".git", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
    assert {name for name in names if name.partition("/")[0] in made} == set()
    assert {name for name in names if name.endswith((".so", ".pyc", ".o", ".whl"))} == set()
