"""Programs on GPUs that are not there: tests/fake_cuda stands in the place of CUDA's driver."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from cuda.device import _core

FAKE = Path(_core.__file__).resolve().parents[3] / "fake_cuda"
HEAD = "from support.gpu_program import *\n"

needs_fake = pytest.mark.skipif(
    not (FAKE / "libcuda.so.1").exists(), reason="the tests' driver waits for a build tree"
)


def run_on_fake(folder, text, head=HEAD, **variables):
    """Runs head and the text, which may be indented; the subprocess.CompletedProcess."""
    path = folder / "program.py"
    path.write_text(head + textwrap.dedent(text))
    paths = [str(Path(__file__).resolve().parents[1]), *sys.path]
    return subprocess.run(
        [sys.executable, path],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={
            **os.environ,
            "LD_LIBRARY_PATH": str(FAKE),
            "CUDA_DEVICE_IMAGE": "ptx",  # whose text tells the parameters of kernels
            "PYTHONPATH": os.pathsep.join(p for p in paths if p),
            **variables,
        },
    )


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
