"""A ptxas that dies: of what it optimises, or whatever it is asked."""

import os
import subprocess
import sys
import textwrap

PROGRAM = """
    import numpy as np
    from cuda import device as D
    from cuda.device import _testing

    @D.kernel
    def store(out):
        out[D.tid(1)] = 7

    out = np.zeros(32, np.int32)
    with _testing.use_target("sm_120"):
        D.launch(store, out, grid=1, block=32)
    print(out.sum())
"""


def launch_with(tmp_path, script):
    program = tmp_path / "bin" / "ptxas"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n" + script)
    program.chmod(0o755)
    kernel = tmp_path / "program.py"
    kernel.write_text(textwrap.dedent(PROGRAM))
    environment = os.environ | {"CUDA_HOME": str(tmp_path), "CUDA_DEVICE_CACHE": "off"}
    return subprocess.run(
        [sys.executable, str(kernel)], env=environment, capture_output=True, text=True
    )


def test_it_dies_when_it_optimises(tmp_path):
    ran = launch_with(
        tmp_path, f'echo "$@" >> {tmp_path}/asked\ncase "$*" in *-O0*) ;; *) kill -SEGV $$;; esac\n'
    )
    assert ran.stdout == "224\n", ran.stderr
    asked = (tmp_path / "asked").read_text().splitlines()
    assert ["-O0" in line for line in asked] == [False, True]


def test_it_always_dies(tmp_path):
    ran = launch_with(tmp_path, "kill -SEGV $$")
    assert "CompilerBug: kernel 'store': ptxas refuses the PTX for sm_120:\n" in ran.stderr
    assert "ptxas was ended by signal 11 (Segmentation fault)" in ran.stderr


def test_what_it_refuses_is_asked_once(tmp_path):
    ran = launch_with(tmp_path, f"echo asked >> {tmp_path}/asked\necho no\nexit 1\n")
    assert "ptxas refuses the PTX for sm_120:\nno\n" in ran.stderr
    assert (tmp_path / "asked").read_text() == "asked\n"
