"""What is in the wheel, for which systems it says it is, and what must not be in it."""

import os
import re
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
OBJECTS = {"libcuda_device_rt.so", "libcuda_device_jit.so", "libcuda_device_sleef.so"}


@pytest.fixture(scope="module")
def files(wheel):
    """Contents of each file of the wheel, by name."""
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def unpacked(wheel, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def described(files, name):
    [path] = [path for path in files if path.endswith(f".dist-info/{name}")]
    return Parser().parsestr(files[path].decode())


def test_holds_the_package_and_nothing_else(files):
    sources = ROOT / "python"
    wanted = {str(p.relative_to(sources)) for p in sources.rglob("*.py*") if p.is_file()}
    wanted = {name for name in wanted if "__pycache__" not in name} | {"cuda/device/py.typed"}
    wanted |= {f"cuda/device/{name}" for name in OBJECTS}
    found = {name for name in files if ".dist-info/" not in name}
    [module] = found - wanted
    assert re.fullmatch(r"cuda/device/_core\.cpython-\d+-[\w-]+\.so", module)
    assert wanted <= found
    assert "cuda/device/_core.pyi" in wanted


def test_cuda_is_nobodys(files):
    """`cuda` belongs to all packages that have a part in it: none may bring its __init__."""
    assert [name for name in files if re.fullmatch(r"(cuda/)?[^/]+\.pyi?", name)] == []


def test_holds_the_licences(files):
    names = {name.partition("/licenses/")[2] for name in files}
    wanted = {"LICENSE", "NOTICE"} | {f"LICENSES/{p.name}" for p in (ROOT / "LICENSES").iterdir()}
    assert wanted <= names


def test_is_small_enough(wheel):
    assert wheel.stat().st_size <= 40_000_000


def test_name_and_metadata_agree(wheel, files):
    name, version, python, abi, platform = wheel.stem.split("-")
    metadata = described(files, "METADATA")
    assert (name, version) == (metadata["Name"].replace("-", "_"), metadata["Version"])
    assert described(files, "WHEEL").get_all("Tag") == [f"{python}-{abi}-{platform}"]


def test_speaks_of_no_folder_of_the_machine_that_built_it(files):
    folders = {ROOT, Path.home(), Path(sys.base_prefix)}
    found = [
        (name, folder)
        for name, contents in files.items()
        for folder in folders
        if f"{folder}/".encode() in contents
    ]
    assert found == []


def test_runs_on_systems_as_old_as_it_says(wheel, unpacked):
    """glibc 2.35 is that of Ubuntu 22.04."""
    promised = re.search(r"-manylinux_2_(\d+)_\w+$", wheel.stem)
    assert promised, wheel.name
    asked = 0
    for path in unpacked.glob("cuda/device/*.so"):
        text = subprocess.run(["readelf", "-V", path], check=True, capture_output=True, text=True)
        asked = max([asked, *(int(n) for n in re.findall(r"Name: GLIBC_2\.(\d+)", text.stdout))])
    assert 17 <= asked <= int(promised[1]) <= 35


def test_objects_of_the_wheel(unpacked):
    """test_objects.py, asked about these objects: what they show, need, and where they look."""
    test = Path(__file__).parents[1] / "test_objects.py"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test]
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    assert re.search(r"\d\d passed in", done.stdout), done.stdout
