"""Names that programs of 2014 use on the host: devices, copies back, mapped arrays; Python 2."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from cuda.device import core, numbapro
from cuda.device.numbapro import cuda, float32, int16, void
from support.programs import environment


@cuda.autojit
def doubles(a):
    i = cuda.grid(1)
    if i < a.size:
        a[i] = a[i] * 2


def test_the_version_is_that_of_the_language():
    assert numbapro.__version__ == "0.12.0"


def test_arrays_go_back_to_where_they_came_from(target):
    a = np.arange(4.0)
    d = cuda.to_device(a)
    doubles[1, 4](d)
    assert a.tolist() == [0, 1, 2, 3]
    assert d.to_host() is a
    assert a.tolist() == [0, 2, 4, 6]
    with pytest.raises(ValueError, match=r"to_host\(\) copies into the array that to_device\(\)"):
        cuda.device_array(4).to_host()


def test_memory_without_a_copy():
    a = np.arange(4.0)
    other = cuda.to_device(np.full(4, 7.0))
    d = cuda.to_device(a, copy=False, to=other)
    assert d is other
    assert d.copy_to_host().tolist() == [7] * 4
    assert (cuda.to_device(a, copy=False).shape, d.dtype) == ((4,), a.dtype)
    assert cuda.to_device(a, 0, True).copy_to_host().tolist() == a.tolist()


def test_mapped_arrays(target):
    a, b = np.arange(4.0), np.ones(3, np.float32)
    with cuda.mapped(a) as d:
        doubles[1, 4](d)
    assert a.tolist() == [0, 2, 4, 6]
    stream = cuda.stream()
    with cuda.mapped(a, b, stream=stream) as (d, e):
        doubles[1, 4, stream](d)
        doubles[1, 4, stream](e)
    assert (a.tolist(), b.tolist()) == ([0, 4, 8, 12], [2, 2, 2])
    with (
        pytest.raises(TypeError, match=r"mapped\(\) expects arrays of the host, found 'int'"),
        cuda.mapped(3),
    ):
        pass


def test_devices(on_the_host, capsys):
    device = cuda.get_current_device()
    assert device == numbapro._devices.Device(core.Device("host"))
    assert (device.id, device.compute_capability) == (0, (9, 0))
    assert (device.WARP_SIZE, device.MAX_THREADS_PER_BLOCK) == (32, 1024)
    with pytest.raises(AttributeError, match="no attribute 'warp_size'"):
        _ = device.warp_size
    with pytest.raises(AttributeError, match="'something'"):
        _ = device.SOMETHING
    with pytest.raises(ValueError, match="no device 99"):
        cuda.select_device(99)
    there = cuda.is_available()
    assert cuda.detect() is there
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("Found ")
    assert there is (printed[0] != "Found 0 CUDA devices")
    assert printed[1].startswith("id 0 ")
    assert "compute capability: " in printed[1]


def test_a_device_is_selected_and_closed(on_the_host):
    if cuda.is_available():
        pytest.skip("waits for a machine without a GPU")
    assert cuda.select_device(0) == cuda.get_current_device()
    out = np.zeros(1)
    stream = cuda.stream()
    doubles[1, 1, stream](out)
    cuda.close()
    doubles[1, 1](out)


@pytest.mark.parametrize("kind", [int16, int16[:], float32[:, ::1], void, void(int16[:], float32)])
@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_type_objects_are_copied(kind, copied):
    assert copied(kind) == kind


def test_copies_of_type_objects_are_known_in_kernels(target):
    copied, read = copy.deepcopy(int16), pickle.loads(pickle.dumps(float32))

    @cuda.autojit
    def converts(out, x):
        out[0] = copied(x)
        out[1] = read(x)

    out = np.zeros(2)
    converts[1, 1](out, 300000.1)
    assert out.tolist() == [32767, float(np.float32(300000.1))]


BESIDE = """\
import sys

import numbapro.cuda
from beside import NUMBER
from numbapro import cuda

assert numbapro.cuda is cuda
print(__name__, sys.argv, NUMBER)
"""


def test_programs_have_their_arguments_and_their_folder(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(BESIDE)
    (tmp_path / "beside.py").write_text("NUMBER = 17")
    done = subprocess.run(
        [sys.executable, "-m", "cuda.device.numbapro", str(program), "a", "-b"],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"__main__ {[str(program), 'a', '-b']} 17\n"


OLD = """\
from numbapro import cuda

x = 3
print x
"""


def test_programs_of_python_2_are_told_so(tmp_path):
    program = tmp_path / "old.py"
    program.write_text(OLD)
    done = subprocess.run(
        [sys.executable, "-m", "cuda.device.numbapro", str(program)],
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.splitlines()[:3] == [
        f'  File "{program}", line 4',
        "    print x",
        "    ^^^^^^^",
    ]
    assert "Traceback" not in done.stderr
    assert done.stderr.endswith(
        "A program of Python 2 is brought to Python 3 first: 'print x' is print(x), 'except E, e' "
        "is 'except E as e'.\n"
    )
