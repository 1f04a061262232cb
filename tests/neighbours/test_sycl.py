"""SYCL's USM interface with its real runtime: dpctl and dpnp on a CPU."""

import gc

import numpy as np
import pytest
from cuda import device as D
from cuda.device.errors import CompileError
from support.clauses import clause
from support.kernels import add_one

from neighbours.packages import needs

dpctl, memory, dpnp = needs("dpctl", "dpctl.memory", "dpnp")

try:
    QUEUE = dpctl.SyclQueue("opencl:cpu")
except dpctl.SyclQueueCreationError:
    pytest.skip("waits for a SYCL device (make neighbours installs one)", allow_module_level=True)

HOST_KINDS = {"shared": memory.MemoryUSMShared, "host": memory.MemoryUSMHost}


@pytest.fixture
def exports(monkeypatch):
    monkeypatch.setenv("CUDA_DEVICE_HOST_CAI", "1")


def as_bytes(made):
    return np.asarray(memoryview(made))


@clause("USM-02", "USM-26", "USM-28")
@pytest.mark.parametrize("kind", HOST_KINDS)
def test_memory_objects(kind):
    made = HOST_KINDS[kind](16, queue=QUEUE)
    as_bytes(made)[:] = np.arange(16)
    ours = D.from_sycl_usm(made)
    assert ours.tolist() == list(range(16))
    ours[3] = 77
    assert as_bytes(made)[3] == 77
    D.launch(add_one, made, grid=1, block=16)
    assert as_bytes(made)[3] == 78
    kept = ours[1:]
    del ours, made
    gc.collect()
    assert kept[2] == 78


class Says:
    """What another library says of memory of SYCL."""

    def __init__(self, made, **changes):
        self.made = made
        self.fields = {**made.__sycl_usm_array_interface__, **changes}

    @property
    def __sycl_usm_array_interface__(self):
        return self.fields


class Gives:
    def __init__(self, what):
        self._get_capsule = what._get_capsule


@clause("USM-23", "USM-26", "USM-27", "USM-28", "USM-29", "USM-30")
def test_every_form_of_context():
    device = QUEUE.sycl_device
    queue = dpctl.SyclQueue(device.sycl_platform.default_context, device)
    made, context = memory.MemoryUSMShared(8, queue=queue), queue.sycl_context
    forms = [
        *(queue, context, queue._get_capsule(), context._get_capsule()),
        *(Gives(queue), Gives(context), "opencl:cpu"),
    ]
    for form in forms:
        assert D.from_sycl_usm(Says(made, syclobj=form)).shape == (8,)


@clause("USM-01", "USM-04")
def test_memory_of_another_context_is_unknown():
    device = QUEUE.sycl_device
    made = memory.MemoryUSMShared(8, queue=QUEUE)
    other = dpctl.SyclContext([device])
    for fake in (
        Says(made, syclobj=other),
        Says(made, syclobj=dpctl.SyclQueue(other, device)),
        Says(made, syclobj=QUEUE, data=(np.zeros(8).ctypes.data, False)),
    ):
        for use in (D.from_sycl_usm, lambda fake: D.launch(add_one, fake, grid=1, block=8)):
            with pytest.raises(ValueError, match="the allocation's type is 'unknown' there"):
                use(fake)


@clause("USM-01", "USM-04")
def test_a_context_of_another_platform_is_not_asked():
    """Of one without USM the runtime ends the process."""
    others = [d for d in dpctl.get_devices() if not d.has_aspect_usm_shared_allocations]
    if not others:
        pytest.skip("waits for a device of SYCL without USM (such as PoCL's)")
    fake = Says(memory.MemoryUSMShared(8, queue=QUEUE), syclobj=dpctl.SyclContext(others[:1]))
    for use in (D.from_sycl_usm, lambda fake: D.launch(add_one, fake, grid=1, block=8)):
        with pytest.raises(ValueError, match="the allocation's type is 'unknown' there"):
            use(fake)


@clause("USM-03", "USM-41")
def test_device_memory_is_for_kernels():
    made = dpnp.arange(6, dtype="f4", usm_type="device", sycl_queue=QUEUE)
    D.launch(add_one, made, grid=1, block=6)
    assert made.asnumpy().tolist() == [1, 2, 3, 4, 5, 6]
    with pytest.raises(ValueError, match="which code of the host may not access") as raised:
        D.from_sycl_usm(made)
    assert "device memory of opencl:cpu" in str(raised.value)
    with pytest.raises(ValueError, match="usm_type='shared': 'data' is device memory of"):
        D.from_sycl_usm(made, usm_type="shared")


@clause("USM-14", "USM-16", "USM-18", "USM-39")
@pytest.mark.parametrize("kind", ["device", "shared", "host"])
def test_arrays_of_dpnp(kind):
    made = dpnp.arange(24, dtype="i4", usm_type=kind, sycl_queue=QUEUE)
    D.launch(add_one, made[20:4:-3], grid=1, block=8)
    wanted = np.arange(24)
    wanted[20:4:-3] += 1
    assert made.asnumpy().tolist() == wanted.tolist()
    D.launch(add_one, made[:0], grid=1, block=8)
    made.flags.writable = False
    with pytest.raises(CompileError, match="read-only"):
        D.launch(add_one, made, grid=1, block=8)


@clause("USM-37")
def test_what_a_queue_still_does_is_done_first():
    for _ in range(20):
        a = dpnp.ones((300, 300), usm_type="shared", sycl_queue=QUEUE)
        b = dpnp.matmul(a, a)  # still running
        assert (D.from_sycl_usm(b) == 300).all()


@clause("USM-40", "USM-27")
@pytest.mark.usefixtures("exports")
@pytest.mark.parametrize("kind", HOST_KINDS)
def test_what_came_from_sycl_goes_back(kind):
    """dpctl takes the context out of the capsule, which it renames."""
    made = HOST_KINDS[kind](32, queue=QUEUE)
    as_bytes(made)[:] = np.arange(32)
    ours = D.from_sycl_usm(made)[8:]
    assert ours.usm_type == kind
    first, second = (ours.__sycl_usm_array_interface__["syclobj"] for _ in range(2))
    assert first is not second
    context = dpctl.SyclContext(first)
    assert "used_SyclContextRef" in repr(first)
    assert "used_" not in repr(second)
    assert context == QUEUE.sycl_context
    del first, second
    gc.collect()
    back = memory.as_usm_memory(Bytes(ours))
    assert back.get_usm_type() == kind
    assert back._pointer == made._pointer + 8
    assert as_bytes(back).tolist() == list(range(8, 32))
    del made, ours
    gc.collect()
    as_bytes(back)[0] = 99
    assert D.from_sycl_usm(back)[0] == 99


class Bytes:
    def __init__(self, array):
        self.array = array

    @property
    def __sycl_usm_array_interface__(self):
        return self.array.__sycl_usm_array_interface__


@pytest.mark.usefixtures("exports")
def test_capsules_are_freed_under_either_name():
    made = memory.MemoryUSMShared(8, queue=QUEUE)
    ours = D.from_sycl_usm(made)

    def bytes_in_use():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * 4096

    def many(count):
        for i in range(count):
            capsule = ours.__sycl_usm_array_interface__["syclobj"]
            if i % 2:
                dpctl.SyclContext(capsule)

    many(2000)
    before = bytes_in_use()
    many(20000)
    assert bytes_in_use() - before < 2_000_000
