"""Programs on GPUs that are not there: tests/fake_cuda stands in the place of CUDA's driver."""

import json
import textwrap
from pathlib import Path

import pytest
from cuda.device import _core

from support.programs import environment, run_text

FAKE = Path(_core.__file__).resolve().parents[3] / "fake_cuda"
HEAD = "from support.gpu_program import *\n"
# A kernel that loses its GPU.
FAULTY = """
@runs_on_fake(("f8", 1))
@D.kernel
def bad(a):
    a[D.tid(1)] = 1

fake.fake_fault(b"bad", 700)
"""

needs_fake = pytest.mark.skipif(
    not (FAKE / "libcuda.so.1").exists(), reason="the tests' driver waits for a build tree"
)


def fake_environment(**variables):
    """Variables of a child that sees the tests' driver, which reads what kernels take in PTX."""
    settings = {"LD_LIBRARY_PATH": str(FAKE), "CUDA_DEVICE_IMAGE": "ptx"}
    return environment(**{**settings, **variables})


def run_on_fake(folder, text, head=HEAD, **variables):
    """Runs head and the text, which may be indented; the subprocess.CompletedProcess."""
    return run_text(folder, head + textwrap.dedent(text), env=fake_environment(**variables))


def answer_on_fake(folder, text, **variables):
    """What the program left in `answer`, by way of JSON; it must end well, and say nothing else."""
    done = run_on_fake(folder, text + "\nprint(json.dumps(answer))\n", **variables)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def on_fake(tmp_path):
    """answer_on_fake in a folder of the test's own."""

    def run(text, **variables):
        return answer_on_fake(tmp_path, textwrap.dedent(text), **variables)

    return run
