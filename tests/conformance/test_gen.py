"""The package among others (DEV-GEN). Names: test_names.py."""

import inspect
import os
import subprocess
import sys

import cuda
import pytest
from cuda import device as D
from support.clauses import clause

PROGRAM = """
import cuda.core, cuda.bindings
from cuda import device
assert cuda.core.here == "elsewhere" and cuda.bindings.here == "elsewhere"
assert device.kernel
"""


@clause("DEV-GEN-03")
def test_cuda_is_a_namespace_that_others_share(tmp_path):
    for name in ("core", "bindings"):
        folder = tmp_path / "cuda" / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text('here = "elsewhere"\n')
    ours = os.path.dirname(os.path.dirname(os.path.dirname(D.__file__)))
    for path in ([str(tmp_path), ours], [ours, str(tmp_path)]):
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(path)}
        subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True)


@clause("DEV-GEN-03")
def test_the_package_has_no_module_cuda():
    assert getattr(cuda, "__file__", None) is None


@clause("DEV-INTEROP-01")
def test_machine_representation():
    assert D.machine_representation() == "itanium"
    with pytest.raises(TypeError):
        D.machine_representation(1)
    assert inspect.signature(D.machine_representation).return_annotation is str
