"""GPUs that are lost, on the tests' driver, while the host or another GPU waits for them: whoever
waits goes on, and is told."""

import pytest
from support.fake_gpu import FAULTY, needs_fake, on_fake

__all__ = ["on_fake"]  # a fixture

pytestmark = [needs_fake, pytest.mark.timeout(120)]

# A kernel that fails on GPU 0 when gates["hold"] opens; the stream of the host waits for it.
FAILING = (
    FAULTY
    + """
a = np.ones(4)
host = core.Device("host")
stream = core.Device(0).create_stream()
D.launch(hold, on(0, np.zeros(4)), grid=1, block=4, stream=stream)
D.launch(bad, on(0, np.zeros(4)), grid=1, block=4, stream=stream)

def said(what):
    found = outcome(what)
    return found and [found[0], "failed on GPU 0" in found[1]]
"""
)
TOLD = ["KernelError", True]


@pytest.mark.parametrize("thread", ["main", "another"])
def test_a_launch_without_a_stream_goes_on(on_fake, thread):
    """It waits for its turn on the default stream, in threads that hear of no signals too."""
    a, found, again = on_fake(
        FAILING
        + f"""
def launch():
    D.launch(double, a, grid=1, block=4)

host.default_stream.wait(stream)
threading.Timer(0.1, gates["hold"].set).start()
if {thread!r} == "main":
    launch()
else:
    t = threading.Thread(target=launch)
    t.start()
    t.join()
answer = [a.tolist(), said(host.default_stream.sync), said(host.default_stream.sync)]
"""
    )
    assert a == [2] * 4
    assert (found, again) == (TOLD, None)


@pytest.mark.parametrize(
    "wait", ["goes_on.sync()", "goes_on.record().sync()", "core.Device(1).sync()"]
)
def test_a_gpu_that_waits_for_the_host_that_waits_for_a_lost_one_goes_on(on_fake, wait):
    a, found = on_fake(
        FAILING
        + f"""
of_host, goes_on = host.create_stream(), core.Device(1).create_stream()
of_host.wait(stream)
goes_on.wait(of_host)
D.launch(double, on(1, a), grid=1, block=4, stream=goes_on)
gates["hold"].set()
{wait}
answer = [a.tolist(), said(of_host.sync)]
""",
        FAKE_CUDA_DEVICES="2",
    )
    assert a == [2] * 4
    assert found == TOLD


@pytest.mark.parametrize("of", ["of_host", "of_host.record()"])
def test_a_question_finds_it_too(on_fake, of):
    found = on_fake(
        FAILING
        + f"""
of_host = host.create_stream()
of_host.wait(stream)
asked = {of}
gates["hold"].set()
settle(lambda: asked.is_done)
answer = said(of_host.sync)
"""
    )
    assert found == TOLD


@pytest.mark.parametrize("code", [4, 201, 400, 700, 709, 999])
def test_whatever_the_driver_says_of_it(on_fake, code):
    """Errors that are no kernel's: after those too no function of the host is called."""
    a, found = on_fake(
        FAILING
        + f"""
fake.fake_fault(b"bad", {code})
of_host = host.create_stream()
of_host.wait(stream)
D.launch(double, a, grid=1, block=4, stream=of_host)
gates["hold"].set()
found = said(of_host.sync)
answer = [a.tolist(), found]
"""
    )
    assert a == [2] * 4
    assert found == TOLD


def test_somebody_resets_the_gpu(on_fake):
    """As cudaDeviceReset does: the context cannot be made current any more."""
    a, found, later = on_fake(
        FAILING
        + """
of_host = host.create_stream()
of_host.wait(stream)
D.launch(double, a, grid=1, block=4, stream=of_host)
fake.fake_destroy_context(0x1000)
found = said(of_host.sync)
gates["hold"].set()
answer = [a.tolist(), found, said(lambda: core.Device(0).create_stream())]
"""
    )
    assert a == [2] * 4
    assert (found, later) == (TOLD, TOLD)


def test_a_gpu_that_cannot_wait_for_a_word_of_memory(on_fake):
    """On some virtual machines: the call waits, for a host that waits for a lost GPU."""
    a, found = on_fake(
        FAILING
        + """
of_host, goes_on = host.create_stream(), core.Device(1).create_stream()
of_host.wait(stream)
threading.Timer(0.1, gates["hold"].set).start()
fail("stream_wait_value", 801)
goes_on.wait(of_host)
D.launch(double, on(1, a), grid=1, block=4, stream=goes_on)
goes_on.sync()
answer = [a.tolist(), said(of_host.sync)]
""",
        FAKE_CUDA_DEVICES="2",
    )
    assert a == [2] * 4
    assert found == TOLD
