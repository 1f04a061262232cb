"""Layouts as a C++ compiler finds them: vectors, tuples and structs (DEV-ABI-06, 08)."""

import re
import shutil
import subprocess

import pytest
from support.clauses import clause
from support.cuda_tools import find_nvcc

from support import cpp_layouts

SEED = 20261125


def compile_layouts(tmp_path, command, suffix, text):
    source = tmp_path / f"layouts{suffix}"
    source.write_text(text)
    return subprocess.run([*command, str(source)], capture_output=True, text=True, cwd=tmp_path)


def accepts(tmp_path, command, suffix, of_cuda):
    """The compiler finds the package's layouts, and no others: one number less is refused."""
    text = cpp_layouts.header(SEED, 200, 200, of_cuda)
    assert len(re.findall(r"^struct .*\bTuple\d+ {$", text, re.M)) == 200
    assert len(re.findall(r"^struct .*\bStruct\d+ {$", text, re.M)) == 200
    done = compile_layouts(tmp_path, command, suffix, text)
    assert done.returncode == 0, done.stderr[:3000]
    *_, last = re.finditer(r"offsetof\(\w+, \w+\) == \d+", text)
    wrong = text[: last.end()] + "1" + text[last.end() :]
    assert compile_layouts(tmp_path, command, suffix, wrong).returncode != 0


@clause("DEV-ABI-06", "DEV-ABI-08", "DEV-STRUCT-11", "DEV-STRUCT-12", partial="layout alone")
@pytest.mark.skipif(not shutil.which("g++"), reason="waits for g++")
def test_layouts_are_those_of_a_host_compiler(tmp_path):
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof"]
    accepts(tmp_path, command, ".cpp", False)


@clause("DEV-VEC-03", "DEV-ABI-06", "DEV-ABI-08", "DEV-STRUCT-11", partial="layout alone")
@pytest.mark.skipif(not find_nvcc(), reason="waits for nvcc")
def test_layouts_are_those_of_cuda_cpp(tmp_path):
    command = [find_nvcc(), "-std=c++17", "-ptx", "-Wno-deprecated-declarations", "-o", "/dev/null"]
    accepts(tmp_path, command, ".cu", True)
