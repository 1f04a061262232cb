"""Tests that choose no target hold on a machine with GPUs too, where arrays are made on GPU 0 and
core.Device(0) is it: they run once more in processes that see GPUs, those of the tests' driver.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.fake_gpu import fake_environment, needs_fake

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
GPUS = 8  # more than most machines have, so that "no device 7" is not true

# What takes long is left out, and what runs on the tests' driver by itself. The driver runs no
# kernels, so tests that ask a GPU for results wait for one: some of demo/ and fuzz/. Generated
# programs take memory of their own and name their targets, so a GPU is nothing to them.
HOST = ("arrays", "dlpack_host", "environment", "facts", "inspect", "log", "stats", "streams")
PARTS = {
    "conformance": ["conformance", "--ignore-glob=*/test_harness_*"],
    "errors": ["errors", "--ignore-glob=*/test_nesting.py"],
    "kernels": [
        *("kernels", "-k", "not generated_programs"),
        *(f"--ignore-glob=*/test_{x}_*" for x in ("ptx", "long", "past")),
    ],
    # The page three-ways launches on arrays that cuda.to_device makes.
    "docs": ["docs/test_examples.py", "docs/test_lists.py", "-k", "not three-ways"],
    "interop": [f"interop/test_{name}.py" for name in HOST],
    # A program in a process of its own asks the GPU for results.
    "numbapro": ["numbapro", "-k", "not command_line"],
}

pytestmark = [needs_fake, pytest.mark.timeout(900)]


def run(*arguments):
    """pytest with these arguments in a process that sees GPUs: its status and its text."""
    more = ["-p", "support.host_only", "-p", "no:cacheprovider", "--target=interpreter"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--tb=short", "-rfE", *more, *arguments],
        cwd=TESTS,
        capture_output=True,
        text=True,
        timeout=850,
        check=False,
        env=fake_environment(FAKE_CUDA_DEVICES=str(GPUS)),
    )
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("part", PARTS)
def test_they_hold_where_there_are_gpus(part):
    status, text = run(*PARTS[part])
    assert status == 0, text
    assert int(re.search(r"(\d+) passed", text)[1]) > 30, text


def test_one_that_takes_it_that_there_is_no_gpu_is_found(tmp_path):
    path = tmp_path / "test_planted.py"
    path.write_text(
        "import numpy as np\n"
        "from cuda import device as D\n"
        "def test_current(): assert type(D.zeros(1)) is np.ndarray\n"
        "def test_named(): assert type(D.zeros(1, device='cpu')) is np.ndarray\n"
        "def test_everywhere(target): assert False\n"
    )
    config = ("-c", ROOT / "pyproject.toml", "-p", "support.plugin")
    status, text = run(*config, path)
    assert status == 1, text
    assert re.search(r"^FAILED .*::test_current - ", text, re.MULTILINE), text
    assert "1 failed, 1 passed, 1 deselected" in text
