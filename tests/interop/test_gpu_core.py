"""cuda.device.core on GPUs, on the tests' driver: devices, limits, the objects of cuda.core."""

import pytest
from support.clauses import clause
from support.fake_gpu import needs_fake, on_fake, run_on_fake

__all__ = ["on_fake"]  # a fixture

pytestmark = needs_fake


def test_devices(on_fake):
    answer = on_fake(
        """
        import copy, pickle
        one = core.Device(1)
        answer = [
            [core.Device(0).name, one.name, one.device_id, int(one), repr(one)],
            [core.Device(1) is one, core.Device(one) is one, core.Device() is core.Device(0),
             pickle.loads(pickle.dumps(one)) is one, copy.deepcopy(one) is one,
             core.Device("host") is not core.Device(0), one != core.Device(0)],
            [d.device_id for d in core.Device.get_all_devices()],
            [one.uuid, core.Device("host").uuid],
            [list(one.compute_capability), one.compute_capability.minor, one.arch],
            outcome(lambda: one.set_current("a context")),
        ]
        """,
        FAKE_CUDA_DEVICES="2",
        FAKE_CUDA_ARCHITECTURES="90,86",
    )
    assert answer == [
        ["Fake GPU 0", "Fake GPU 1", 1, 1, "<cuda.device.core.Device 1>"],
        [True] * 7,
        [0, 1],
        ["10111213-1415-1617-1819-1a1b1c1d1e1f", "00000000-0000-0000-0000-000000000000"],
        [[8, 6], 6, "86"],
        ["TypeError", "set_current() takes no context: contexts are those of cuda.core"],
    ]


def test_properties(on_fake):
    gpu, host, wrong = on_fake("""
        def some(device):
            p = device.properties
            return [p.multiprocessor_count, p.compute_capability_major, p.cooperative_launch,
                    p.max_shared_memory_per_block_optin]
        gpu, host = core.Device(0), core.Device("host")
        names = ("max_threads_per_block", "max_block_dim_z", "max_grid_dim_x", "max_grid_dim_y",
                 "max_shared_memory_per_block", "warp_size")
        answer = [
            some(gpu), [some(host), [getattr(host.properties, n) for n in names]],
            [outcome(lambda: gpu.properties.colour),
             "warp_size" in dir(host.properties) and "clock_rate" in dir(gpu.properties)],
        ]
    """)
    assert gpu == [132, 9, False, 227 * 1024]
    assert host[0][1:] == [9, False, 227 * 1024]
    assert host[0][0] >= 1
    assert host[1] == [1024, 64, 2**31 - 1, 65535, 48 * 1024, 32]
    assert wrong == [["AttributeError", "devices have no property 'colour'"], True]


def test_streams_of_a_gpu(on_fake):
    answer = on_fake(
        """
        dev = core.Device(0)
        plain, blocking, urgent = (
            dev.create_stream(options=o)
            for o in (None, core.StreamOptions(nonblocking=False), {"priority": -3})
        )
        answer = [
            [s.is_nonblocking for s in (plain, blocking, dev.default_stream)],
            [s.priority for s in (plain, urgent, dev.default_stream)],
            [outcome(lambda: dev.create_stream(options={"priority": p})) for p in (-6, 1)],
            outcome(lambda: dev.create_stream(plain, {"priority": 0})),
            [dev.default_stream.handle, core.Device(1).default_stream.handle],
            [dev.default_stream == dev.default_stream,
             dev.default_stream == core.Device(1).default_stream,
             plain == core.Stream.from_handle(plain.handle), plain == blocking, plain == 3,
             len({plain, core.Stream.from_handle(plain.handle), blocking})],
            [plain.device is dev, core.Device(1).default_stream.device is core.Device(1),
             core.Device("host").create_stream().device is core.Device("host")],
            [plain.__cuda_stream__() == (0, plain.handle), isinstance(plain, core.Stream),
             isinstance(plain.record(), core.Event)],
        ]
        """,
        FAKE_CUDA_DEVICES="2",
    )
    range_ = "the priority of a stream of this GPU is from -5 (urgent) to 0, found "
    assert answer == [
        [True, False, False],
        [0, -3, 0],
        [["ValueError", range_ + "-6"], ["ValueError", range_ + "1"]],
        ["TypeError", "create_stream() takes options for a new stream only"],
        [1, 1],
        [True, False, True, False, False, 2],
        [True, True, True],
        [True, True, True],
    ]


def test_a_stream_by_its_handle_is_the_same(on_fake):
    """Given by others who wrap it, and by from_handle."""
    answer = on_fake("""
        class Wrapper:
            def __init__(self, stream): self.stream = stream
            def __cuda_stream__(self): return self.stream.__cuda_stream__()
        answer = []
        a = np.zeros(4)
        for device, given in ((core.Device(0), on(0, a)), (core.Device("host"), a)):
            stream = device.create_stream()
            D.launch(set_to, given, 3.0, grid=1, block=4, stream=Wrapper(stream))
            core.Stream.from_handle(stream.handle).sync()
            answer.append([a.tolist(), stream.is_done])
            a[:] = 0
    """)
    assert answer == [[[3] * 4, True]] * 2


def test_launch_config():
    from cuda.device import core

    config = core.LaunchConfig(grid=(4, 2), block=256, shmem_size=1024)
    assert (config.grid, config.block, config.shmem_size) == ((4, 2), 256, 1024)
    with pytest.raises(NotImplementedError, match=r"the option cluster=\(2, 1\) is not"):
        core.LaunchConfig(grid=1, block=32, cluster=(2, 1))


# --- NVIDIA's cuda.core ---

# What it is for our purposes: it finds GPUs as the driver does, and its streams are its own.
STAND_IN = """
import ctypes
_driver = ctypes.CDLL("libcuda.so.1")
_driver.fake_new_stream.restype = ctypes.c_uint64
class Stream:
    def __init__(self, handle): self.handle = handle
    def __cuda_stream__(self): return (0, self.handle)
    def sync(self):
        while _driver.cuStreamQuery(ctypes.c_void_p(self.handle)) == 600: pass
class Device:
    def __init__(self, number=None):
        BROKEN
        self.device_id = number
    compute_capability = (9, 0)
    def set_current(self): _driver.fake_make_current(ctypes.c_uint64(0x1000 + self.device_id))
    def create_stream(self, obj=None, options=None):
        return Stream(_driver.fake_new_stream(self.device_id, 1))
"""
WITH_STAND_IN = """
dev = core.Device(0)
dev.set_current()
stm = dev.create_stream()
a = np.zeros(4)
D.launch(set_to, on(0, a), 3.0, grid=1, block=4, stream=stm)
stm.sync()
core.Device(0).set_current()
D.launch(nothing, grid=1, block=1)  # on the current device
answer = [type(dev).__module__, type(stm).__module__, a.tolist(), core.Device("host").name,
          type(core.Device()).__module__, _core.current_device(), len(launches) >= 1]
"""


@pytest.fixture
def stand_in(tmp_path):
    """Puts a module where cuda.core is looked for; the folder."""

    def write(text):
        folder = tmp_path / "cuda" / "core"
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(text)

    return write


@clause("DEV-STRM-06", "DEV-STRM-07")
def test_cuda_core_hands_out_its_own_objects(on_fake, stand_in):
    """Where it is installed and sees a GPU; the example of the guide runs with them."""
    stand_in(STAND_IN.replace("BROKEN", ""))
    answer = on_fake(WITH_STAND_IN)
    theirs = "cuda.core"
    assert answer == [theirs, theirs, [3] * 4, "host", theirs, 0, True]


def test_the_host_is_current_until_cuda_core_chooses_a_gpu(on_fake, stand_in):
    """Which it does without a word to us."""
    stand_in(STAND_IN.replace("BROKEN", ""))
    answer = on_fake(
        """
        answer = [_core.current_device()]
        core.Device("host").set_current()
        answer.append(_core.current_device())
        core.Device(1).set_current()
        answer.append(_core.current_device())
        core.Device("host").set_current()
        answer.append(_core.current_device())
        core.Device(0).set_current()
        answer.append(_core.current_device())
        """,
        FAKE_CUDA_DEVICES="2",
    )
    assert answer == [0, -1, 1, -1, 0]


@pytest.mark.parametrize(
    "text",
    [
        STAND_IN.replace("BROKEN", "raise RuntimeError('no driver')"),
        "raise ImportError('no cuda-bindings')",
        "",
    ],
)
def test_a_cuda_core_that_does_not_work_is_left_alone(on_fake, stand_in, text):
    stand_in(text)
    answer = on_fake(WITH_STAND_IN)
    ours = "cuda.device.core"
    assert answer[0] == answer[4] == ours
    assert answer[2] == [3] * 4


def test_without_a_gpu_cuda_core_is_not_looked_for(on_fake, stand_in):
    stand_in("raise SystemExit('imported')")
    answer = on_fake("answer = core.Device(0).name", FAKE_CUDA_DEVICES="0")
    assert answer == "host"


def test_launches_are_logged(tmp_path):
    done = run_on_fake(
        tmp_path,
        """
        stream = core.Device(0).create_stream()
        D.launch(double, on(0, np.zeros(4)), grid=2, block=4, stream=stream, shared=64)
        stream.sync()
        print(stream.handle)
        """,
        CUDA_DEVICE_LOG="launch",
    )
    line = next(text for text in done.stderr.splitlines() if " gpu=" in text)
    facts = "target=sm_90 grid=2,1,1 block=4,1,1 shared=64 gpu=0 stream="
    assert line.startswith(f"cuda.device launch double {facts}{done.stdout.strip()} time=")
