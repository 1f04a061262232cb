"""What scripts/test-gpu and others do before they run anything: in a small tree of its own, with a
wheel that holds nothing."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TAG = f"cp{sys.version_info[0]}{sys.version_info[1]}"
NAMES = "numpy ml_dtypes pytest pytest_timeout xdist PIL skimage scipy"
SCRIPTS = ("test-gpu", "test-wheel", "test-neighbours")
# Stands for bench/gpu/run.py.
SHOWS = """
from importlib.util import find_spec
print("seen:", *(name for name in ("cupy", "only_here") if find_spec(name)))
"""


def wheel(path, name):
    info = f"{name}-0.1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"{name}.py", "")
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1.0\nProvides-Extra: cuda\n",
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")


@pytest.fixture
def tree(tmp_path):
    for folder in ("scripts", "bench/gpu", "cmake", "src", "bindings", "python", "dist"):
        (tmp_path / folder).mkdir(parents=True)
    for name in (*SCRIPTS, "newest-wheel"):
        shutil.copy(ROOT / "scripts" / name, tmp_path / "scripts")
    for name in ("CMakeLists.txt", "pyproject.toml", "src/one.cpp"):
        (tmp_path / name).write_text("")
    (tmp_path / "bench/gpu/run.py").write_text(SHOWS)
    # Ordinary tags in the file's name are those of a real wheel; pip looks at the name alone.
    wheel(tmp_path / "dist" / f"only_here-0.1.0-{TAG}-{TAG}-linux_x86_64.whl", "only_here")
    return tmp_path


def run(tree, script="test-gpu", **variables):
    environment = {k: v for k, v in os.environ.items() if k not in ("VENV_ARGS", "PYTHONPATH")}
    return subprocess.run(
        [str(tree / "scripts" / script)],
        capture_output=True,
        text=True,
        timeout=200,
        env={**environment, "PYTHON": sys.executable, "PIP_NO_INDEX": "1", **variables},
    )


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_wheel_that_is_missing_or_older_than_its_sources_is_refused(tree, script):
    (wheel,) = (tree / "dist").iterdir()
    os.utime(wheel, (1e9, 1e9))
    done = run(tree, script)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{script}: dist/")
    assert f"dist/{wheel.name} is older than 3 of the sources, among them\n" in done.stderr
    assert "  src/one.cpp\n" in done.stderr
    assert f"make it anew (make wheel PYTHON={sys.executable})" in done.stderr
    wheel.unlink()
    done = run(tree, script)
    assert (done.returncode, done.stdout) == (1, "")
    remedy = f"(make wheel PYTHON={sys.executable})"
    assert done.stderr == f"{script}: no wheel for {TAG} in dist/ {remedy}\n"


def test_what_is_missing_is_named_and_what_lies_here_is_installed(tree):
    links = tree / "links"
    links.mkdir()
    wheel(links / "pytest-0.1.0-py3-none-any.whl", "pytest")
    done = run(tree, PIP_FIND_LINKS=str(links), VENV_ARGS="")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "seen: only_here\n"
    assert "not all can be installed (PIP_NO_INDEX)" in done.stderr
    missing = NAMES.replace("pytest ", "", 1)
    assert f"not here: {missing}; parts that need them say so" in done.stderr


def test_packages_of_the_machine_are_seen_where_they_are_wanted(tree):
    """Here CuPy."""
    beside = tree / "machine" / "bin"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", beside.parent], check=True)
    (site,) = (beside.parent / "lib").glob("python*/site-packages")
    (site / "cupy.py").write_text("")
    done = run(tree, PYTHON=str(beside / "python"))
    assert done.returncode == 0, done.stderr
    said = f"test-gpu: packages of {beside / 'python'} are seen, for it has cupy\n"
    assert done.stdout == f"{said}seen: cupy only_here\n"
