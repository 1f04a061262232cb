"""pip builds and installs the sources: the checkout's own folder, and the source distribution.

Each takes as long as the compiler does; ccache remembers most of it, in whatever folder it was.
"""

import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(__file__).with_name("kernel_program.py")


@pytest.fixture(scope="module")
def tools(make_environment):
    return make_environment("build")


def package_files(names):
    return {name for name in names if ".dist-info/" not in name and "__pycache__" not in name}


def checkout(tools, folder):
    """The tree that git knows, as somebody would clone it: nothing that was built here is there."""
    copy = folder / "clone"
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listing.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes((ROOT / name).read_bytes())
    return copy


def distribution(tools, folder):
    """The tarball, by the front end that people use, in an environment of the build's own."""
    tools.run("-m", "build", "--sdist", f"--outdir={folder}", ROOT)
    [path] = folder.glob("*.tar.gz")
    return path


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("source", [checkout, distribution])
def test_pip_builds_and_installs_the_source(source, tools, make_environment, wheel, tmp_path):
    environment = make_environment(source(tools, tmp_path))
    environment.run(PROGRAM)
    ask = "from importlib.metadata import files; print(*files('cuda-device-simt'), sep='\\n')"
    installed = environment.run("-c", ask).stdout.split()
    assert package_files(installed) == package_files(zipfile.ZipFile(wheel).namelist())
