"""Launches on a GPU that is not there: a driver of the tests' own records every call and fails
where it is told to. What kernels compute is the business of tests on a GPU."""

import json
import textwrap

import pytest
from support.fake_gpu import needs_fake, run_on_fake

HEAD = """
import ctypes, json
import numpy as np
from cuda import device as D
from cuda.device import _core, _testing

fake = ctypes.CDLL("libcuda.so.1")
fake.fake_take_calls.restype = ctypes.c_char_p
LAUNCH = ctypes.CFUNCTYPE(
    None, ctypes.c_char_p, ctypes.POINTER(ctypes.c_uint), ctypes.c_uint,
    ctypes.POINTER(ctypes.c_void_p))
launches = []

@D.kernel
def add(a, b, v):
    i = D.tid(1)
    a[i] += b[i] * v

@LAUNCH
def on_launch(name, shape, shared, params):
    '''What `add` does, on the memory that the launch was given.'''
    launches.append([name.decode(), shape[:6], shared])
    def floats(i):
        data = ctypes.cast(params[i], ctypes.POINTER(ctypes.c_int64))[0]
        return np.ctypeslib.as_array(ctypes.cast(data, ctypes.POINTER(ctypes.c_float)), (8,))
    v = ctypes.cast(params[2], ctypes.POINTER(ctypes.c_float))[0]
    floats(0)[:] += floats(1) * v

fake.fake_on_launch(on_launch)
# In this order in memory, which is the order of their copies.
room = np.zeros(1024, np.float32)
a, b = room[:8], room[512:520]
a[:], b[:] = np.arange(8), 2

def launch(**options):
    with _testing.use_target("cuda"):
        D.launch(add, a, b, 0.5, **{"grid": 2, "block": 4, **options})

def outcome(what=launch):
    '''The error's type and text; None where there was none.'''
    try:
        what()
    except Exception as e:
        return [type(e).__name__, str(e)]

def calls():
    '''But for those that leave captures of graphs alone.'''
    said = fake.fake_take_calls().decode().split()
    return [name for name in said if name != "thread_capture_mode"]

def left():
    return [fake.fake_allocations(), fake.fake_libraries(), fake.fake_context_depth()]

def fail(member, error, which=1):
    fake.fake_fail(member.encode(), which, error)
"""

pytestmark = needs_fake

START = ["init", "driver_version", "device_count"]
OPEN = ["device_get", "device_name", *3 * ["device_attribute"]]
LOAD = [
    "context_get",
    "primary_context_retain",
    "context_get",
    "context_push",
    "library_load",
    "library_kernel",
    "kernel_function",
    "context_pop",
]
LAUNCH = [
    "context_get",
    "context_push",
    *2 * ["memory_alloc", "copy_to_device"],
    "launch_kernel",
    "context_synchronize",
    "copy_to_host",
    "copy_to_host",
    *2 * ["memory_free"],
    "context_pop",
]


@pytest.fixture
def on_fake(tmp_path):
    """Runs HEAD and the text with the tests' driver; what it left in `answer`, by way of JSON."""

    def run(text, **variables):
        text = textwrap.dedent(text) + "\nprint(json.dumps(answer))\n"
        done = run_on_fake(tmp_path, text, head=HEAD, **variables)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_a_launch_takes_the_arrays_there_and_back(on_fake):
    answer = on_fake("""
        launch()
        first = calls()
        launch(grid=(1, 2), block=(4, 1))
        answer = [first, calls(), launches, a.tolist(), left()]
    """)
    first, second, launches, a, left = answer
    assert first == START + OPEN + LOAD + LAUNCH
    assert second == LAUNCH
    assert launches == [["add", [2, 1, 1, 4, 1, 1], 0], ["add", [1, 2, 1, 4, 1, 1], 0]]
    assert a == [i + 2.0 for i in range(8)]
    assert left == [0, 1, 0]


CANNOT = "kernel 'add': {}: CUDA_ERROR_UNKNOWN (fake error 999)"
FAULTS = {
    "context_get": "asking for the current context",
    "context_push": "making the GPU's context current",
    "memory_alloc": "allocating device memory for a launch",
    "copy_to_device": "copying an array to the GPU",
    "launch_kernel": "launching kernel 'add'",
    "context_synchronize": "running kernel 'add'",
    "copy_to_host": "copying an array back from the GPU",
}


@pytest.mark.parametrize("which", [1, 2])
@pytest.mark.parametrize("member", FAULTS)
def test_a_call_that_fails_fails_the_launch_and_leaves_nothing(on_fake, member, which):
    """Each call of a launch in turn; then the next launch is as if nothing had been."""
    if LAUNCH.count(member) < which:
        return
    found, left, after, a = on_fake(f"""
        launch()
        fail({member!r}, 999, {which})
        found = outcome()
        answer = [found, left(), outcome(), a.tolist()]
    """)
    assert found == ["KernelError", CANNOT.format(FAULTS[member])]
    assert left == [0, 1, 0]
    assert after is None
    ran = LAUNCH.index(member) > LAUNCH.index("copy_to_host") or (member, which) == (
        "copy_to_host",
        2,
    )
    assert a == [i + (3.0 if ran else 2.0) for i in range(8)]


@pytest.mark.parametrize("member", ["memory_free", "context_pop"])
def test_a_failure_to_clean_up_is_no_failure_of_the_launch(on_fake, member):
    found, a = on_fake(f"""
        launch()
        fail({member!r}, 999)
        answer = [outcome(), a.tolist()]
    """)
    assert found is None
    assert a == [i + 2.0 for i in range(8)]


@pytest.mark.parametrize(
    ("member", "error", "reason"),
    [
        ("init", 100, "initialising the CUDA driver: CUDA_ERROR_NO_DEVICE (fake error 100)"),
        ("init", 999, "initialising the CUDA driver: CUDA_ERROR_UNKNOWN (fake error 999)"),
        ("driver_version", 999, "asking for the driver's version: CUDA_ERROR_UNKNOWN"),
        ("device_count", 999, "counting GPUs: CUDA_ERROR_UNKNOWN"),
    ],
)
def test_without_a_usable_driver_the_rest_works(on_fake, member, error, reason):
    targets, gpu, a = on_fake(
        """
        D.launch(add, a, b, 0.5, grid=1, block=8)
        answer = [_testing.targets(), _core.info(), a.tolist()]
        """,
        FAKE_CUDA_FAIL=f"{member}:{error}",
    )
    assert "cuda" not in targets
    assert "gpu=" + reason in gpu
    assert a == [i + 1.0 for i in range(8)]


def test_no_gpu_is_a_reason(on_fake):
    assert "nvidia-smi" in on_fake("answer = _core.info()", FAKE_CUDA_DEVICES="0")


@pytest.mark.parametrize(
    ("member", "doing"),
    [
        ("device_get", "opening GPU 0"),
        ("device_name", "asking for the name of GPU 0"),
        ("device_attribute", "asking for the compute capability"),
        ("context_get", "asking for the current context"),
        ("primary_context_retain", "opening the context of GPU 0"),
    ],
)
def test_a_gpu_that_cannot_be_opened_fails_each_launch(on_fake, member, doing):
    found, again, left = on_fake(
        "answer = [outcome(), outcome(), left()]", FAKE_CUDA_FAIL=f"{member}:999"
    )
    assert found == again == ["KernelError", CANNOT.format(doing)]
    assert left == [0, 0, 0]


@pytest.mark.parametrize(
    ("member", "doing"),
    [
        ("context_push", "making the GPU's context current"),
        ("library_load", "loading kernel 'add' on the GPU"),
        ("library_kernel", "loading kernel 'add' on the GPU"),
        ("kernel_function", "loading kernel 'add' on the GPU"),
    ],
)
def test_a_kernel_that_cannot_be_loaded_is_tried_again(on_fake, member, doing):
    found, left, after, at_last = on_fake(f"""
        fail({member!r}, 999)
        answer = [outcome(), left(), outcome(), left()]
    """)
    assert found[0] == "KernelError"
    assert found[1].startswith(CANNOT.format(doing))
    assert ("ptxas of the fake driver: line 1: refused" in found[1]) == (
        member in ("library_load", "kernel_function")
    )
    assert left == [0, 0, 0]
    assert after is None
    assert at_last == [0, 1, 0]


def test_out_of_memory_leaves_everything_usable(on_fake):
    found, left, after = on_fake(
        """
        a = np.zeros(10000, np.float32)
        found = outcome()
        left_then = left()
        a = np.zeros(8, np.float32)
        answer = [found, left_then, outcome()]
        """,
        FAKE_CUDA_MEMORY="20000",
    )
    assert found[0] == "KernelError"
    assert "CUDA_ERROR_OUT_OF_MEMORY" in found[1]
    assert "free arrays that are not needed any more" in found[1]
    assert left == [0, 1, 0]
    assert after is None


def test_a_lost_context_is_explained(on_fake):
    first, second = on_fake("""
        fail("context_synchronize", 700)
        first = outcome()
        fake.fake_lose_context(700)
        answer = [first, outcome()]
    """)
    for _, text in (first, second):
        assert "CUDA_ERROR_ILLEGAL_ADDRESS" in text
        assert "No call of this process reaches the GPU any more: end it." in text


def test_large_shared_memory_is_opted_in(on_fake):
    refused, members, launches = on_fake("""
        launch()
        calls()
        launch(shared=100 * 1024)
        answer = [outcome(lambda: launch(shared=300 * 1024)), calls(), launches]
    """)
    assert "kernel_set_attribute" in members
    assert launches[-1][2] == 100 * 1024
    assert refused[0] == "LaunchValueError"
