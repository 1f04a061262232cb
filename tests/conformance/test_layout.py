"""Layouts as a C++ compiler finds them: vectors, tuples and structs (DEV-ABI-06, 08)."""

import re
import shutil
import subprocess

import pytest
from support.clauses import clause
from support.cuda_tools import find_nvcc, nvcc

from support import cpp_layouts

SEED = 20261125


def accepts(source, compiled, of_cuda):
    """The compiler finds the package's layouts, and no others: one number less is refused."""
    text = cpp_layouts.header(SEED, 200, 200, of_cuda)
    assert len(re.findall(r"^struct .*\bTuple\d+ {$", text, re.M)) == 200
    assert len(re.findall(r"^struct .*\bStruct\d+ {$", text, re.M)) == 200
    source.write_text(text)
    done = compiled(source)
    assert done.returncode == 0, done.stderr[:3000]
    *_, last = re.finditer(r"offsetof\(\w+, \w+\) == \d+", text)
    wrong = text[: last.end()] + "1" + text[last.end() :]
    source.write_text(wrong)
    assert compiled(source).returncode != 0


def by_gcc(source):
    command = ["g++", "-std=c++20", "-fsyntax-only", "-Wno-invalid-offsetof", str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def by_nvcc(source):
    return nvcc("-std=c++17", "-ptx", "-Wno-deprecated-declarations", "-o", "/dev/null", source)


@clause("DEV-ABI-06", "DEV-ABI-08", "DEV-STRUCT-11", "DEV-STRUCT-12", partial="layout alone")
@pytest.mark.skipif(not shutil.which("g++"), reason="waits for g++")
def test_layouts_are_those_of_a_host_compiler(tmp_path):
    accepts(tmp_path / "layouts.cpp", by_gcc, False)


@clause("DEV-VEC-03", "DEV-ABI-06", "DEV-ABI-08", "DEV-STRUCT-11", partial="layout alone")
@pytest.mark.skipif(not find_nvcc(), reason="waits for nvcc")
def test_layouts_are_those_of_cuda_cpp(tmp_path):
    accepts(tmp_path / "layouts.cu", by_nvcc, True)
