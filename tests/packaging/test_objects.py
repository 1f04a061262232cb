"""What shipped objects show and need: only our interface out, only C and C++ libraries in."""

import importlib.util
import re
import subprocess
from pathlib import Path

import pytest

SYSTEM = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "ld-linux-x86-64.so.2"}
SANITIZERS = re.compile(r"lib(a|l|t|ub)san\.so\.\d+")
OURS = {"libcuda_device_rt.so", "libcuda_device_jit.so", "libcuda_device_sleef.so"}


def package_folder():
    spec = importlib.util.find_spec("cuda.device")
    if spec is None:
        pytest.skip("waits for a build of the package")
    return Path(spec.submodule_search_locations[0])


FOLDER = package_folder()
OBJECTS = sorted(FOLDER.glob("*.so"))


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(path):
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", "-W", path)))


def shown(path):
    lines = run("nm", "-D", "--defined-only", path).splitlines()
    return {line.split()[-1].split("@")[0] for line in lines}


def interface_of(path):
    if path.name.startswith("_core"):
        return r"PyInit__core"
    if "sleef" in path.name:
        return r"Sleef_\w+"
    gdbs = r"|__jit_debug_(descriptor|register_code)" if "_rt" in path.name else ""
    return r"cd_\w+" + gdbs


def test_all_objects_are_there():
    names = {path.name.split(".")[0] for path in OBJECTS}
    assert names == {name.split(".")[0] for name in OURS} | {"_core"}


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.name)
def test_shows_only_its_interface(path):
    symbols = shown(path)
    assert symbols
    assert {s for s in symbols if not re.fullmatch(interface_of(path), s)} == set()


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.name)
def test_needs_only_system_libraries_and_ours(path):
    others = {name for name in needed(path) - SYSTEM - OURS if not SANITIZERS.fullmatch(name)}
    assert others == set()


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.name)
def test_finds_its_neighbours_by_origin(path):
    paths = re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", run("readelf", "-d", "-W", path))
    assert set(paths) <= {"$ORIGIN"}
    if needed(path) & OURS:
        assert paths


@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.name)
def test_stack_and_text_are_safe(path):
    text = run("readelf", "-d", "-l", "-W", path)
    assert "TEXTREL" not in text
    assert re.search(r"GNU_STACK.* RWE ", text) is None


def test_runtime_object_knows_neither_llvm_nor_python():
    undefined = run("nm", "-D", "--undefined-only", FOLDER / "libcuda_device_rt.so")
    assert not re.search(r"\bPy[A-Z_]|LLVM|4llvm", undefined)


def test_cuda_is_an_implicit_namespace():
    assert not (FOLDER.parent / "__init__.py").exists()
