"""Contexts on the tests' driver: that of a thread which has none, and those that other libraries
make, destroy, and make anew at the same address."""

import pytest
from support.fake_gpu import needs_fake, on_fake

__all__ = ["on_fake"]  # a fixture

pytestmark = [needs_fake, pytest.mark.timeout(120)]


def test_a_thread_without_a_context_asks_for_events(on_fake):
    found = on_fake("""
        dev = core.Device(0)
        stream = dev.create_stream()
        begin = stream.record(options={"enable_timing": True})
        D.launch(nothing, grid=1, block=1, stream=stream)
        end = stream.record(options={"enable_timing": True})
        dev.set_current()  # of this thread
        found = []
        def work():
            found.extend([outcome(end.sync), end.is_done, outcome(lambda: end - begin), current()])
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        answer = found
    """)
    assert found == [None, True, None, 0]


# As another library: a stream in a context of its own, which is current.
THEIRS = """
def their_stream():
    handle = fake.fake_new_stream(0, 0)
    fake.fake_make_current(0x2000)
    return core.Stream.from_handle(handle)

def destroy():
    fake.fake_make_current(0)
    fake.fake_destroy_context(0x2000)

def waits_for_the_host(stream):
    host, gate = core.Device("host").create_stream(), core.Device(0).create_stream()
    gates["hold"].clear()
    D.launch(hold, on(0, np.zeros(4)), grid=1, block=4, stream=gate)
    host.wait(gate)
    stream.wait(host)
    gates["hold"].set()
    stream.sync()
"""


def test_what_a_gpu_waits_for_outlives_their_context(on_fake):
    """The words of memory that the host writes are of the primary one."""
    a = on_fake(
        THEIRS
        + """
a = np.ones(4)
waits_for_the_host(their_stream())
destroy()
stream = core.Device(0).create_stream()
waits_for_the_host(stream)
D.launch(double, on(0, a), grid=1, block=4, stream=stream)
stream.sync()
answer = a.tolist()
"""
    )
    assert a == [2] * 4


@pytest.mark.parametrize("asked", ["while it was lost", "afterwards"])
def test_a_new_context_at_the_address_of_a_lost_one(on_fake, asked):
    first, second, waiting, a = on_fake(
        THEIRS
        + f"""
@runs_on_fake(("f8", 1))
@D.kernel
def bad(a):
    a[D.tid(1)] = 1

a = np.ones(4)
fake.fake_fault(b"bad", 700)
lost = their_stream()
host = core.Device("host").create_stream()
D.launch(bad, on(0, np.zeros(4)), grid=1, block=4, stream=lost)
settle(lambda: launches)
first = outcome(lost.sync) if {asked!r} == "while it was lost" else None
destroy()
again = their_stream()
D.launch(double, on(0, a), grid=1, block=4, stream=again)
second = outcome(again.sync)
answer = [first and first[0], second, outcome(lost.sync)[0], a.tolist()]
"""
    )
    assert first == ("KernelError" if asked == "while it was lost" else None)
    assert (second, waiting) == (None, "KernelError")
    assert a == [2] * 4


def test_the_host_waits_for_a_context_that_is_replaced(on_fake):
    found = on_fake(
        THEIRS
        + """
theirs = their_stream()
host = core.Device("host").create_stream()
D.launch(hold, on(0, np.zeros(4)), grid=1, block=4, stream=theirs)
host.wait(theirs)
destroy()
their_stream()
answer = outcome(host.sync)
gates["hold"].set()
settle(lambda: launches)  # nobody waits for a context that is gone, and Python ends
time.sleep(0.05)
"""
    )
    assert found[0] == "KernelError"
    assert "(fake error 709)" in found[1]
