"""Several threads and one object, on the tests' driver: what one thread closes another may wait
for, and no thread waits for the driver with the GIL.
"""

import pytest
from support.fake_gpu import needs_fake, on_fake

__all__ = ["on_fake"]  # a fixture

pytestmark = [needs_fake, pytest.mark.timeout(120)]

# A thread waits for work that goes on until gates["hold"] opens. What is made after a close() lies
# where the closed object lay, if that was freed.
WAITING = """
import faulthandler
faulthandler.dump_traceback_later(60, exit=True)
dev, host = core.Device(0), core.Device("host")

def began(what):
    found = []
    thread = threading.Thread(target=lambda: found.append(outcome(what)))
    thread.start()
    time.sleep(0.1)
    return thread, found

def still_waits(thread):
    time.sleep(0.15)
    return thread.is_alive()

def ended(thread, found):
    gates["hold"].set()
    thread.join()
    return found
"""


@pytest.mark.parametrize("of", ["dev", "host"])
@pytest.mark.parametrize("what", ["stream", "event"])
def test_what_a_thread_waits_for_may_be_closed(on_fake, of, what):
    waits, found = on_fake(
        WAITING
        + f"""
of, what = {of}, {what!r}
stream, gate = of.create_stream(), dev.create_stream()
D.launch(hold, on(0, np.zeros(4)), grid=1, block=4, stream=gate)
stream.wait(gate)
waited_for = stream if what == "stream" else stream.record()
thread, found = began(waited_for.sync)
waited_for.close()
others = [host.create_stream() if what == "stream" else host.create_event() for _ in range(100)]
answer = [still_waits(thread), ended(thread, found)]
"""
    )
    assert waits
    assert found == [None]


def test_a_stream_that_is_another_one_in_each_thread(on_fake):
    """One object of it: whoever asks does not take the stream from a thread that waits."""
    waits, found = on_fake(
        WAITING
        + """
own = core.Stream.from_handle(2)
kept = []
def wait():
    dev.set_current()
    D.launch(hold, on(0, np.zeros(4)), grid=1, block=4, stream=own)
    own.sync()
def ask():
    dev.set_current()
    own.is_done
    kept.extend(host.create_stream() for _ in range(100))
thread, found = began(wait)
began(ask)
answer = [still_waits(thread), ended(thread, found)]
"""
    )
    assert waits
    assert found == [None]


@pytest.mark.parametrize("closed", ["source", "to"])
def test_a_buffer_may_be_closed_while_it_is_copied(on_fake, closed):
    waits, found, values = on_fake(
        WAITING
        + f"""
stream = dev.create_stream()
source, to = dev.allocate(64, stream=stream), host.allocate(64)
seen = np.frombuffer(memoryview(to), np.uint8)  # keeps the memory
D.launch(hold, on(0, np.zeros(4)), grid=1, block=4, stream=stream)
source.fill(7, stream=stream)
thread, found = began(lambda: to.copy_from(source, stream=stream))
{closed}.close()
others = [host.allocate(64) for _ in range(100)]
answer = [still_waits(thread), ended(thread, found), seen.tolist()]
"""
    )
    assert waits
    assert found == [None]
    assert values == [7] * 64


@pytest.mark.parametrize("call", ["stream.record()", "other.wait(stream)", "stream.close()"])
def test_a_full_queue_is_waited_for_without_the_gil(on_fake, call):
    """A function of another library may stand in it that wants the GIL, as kernels do here. It is
    full before the call at some number of launches."""
    rounds = on_fake(
        WAITING
        + f"""
answer = 0
for launches_before in range(12):
    gates["hold"].clear()
    stream, other = dev.create_stream(), dev.create_stream()
    threading.Timer(0.1, gates["hold"].set).start()
    D.launch(hold, on(0, np.zeros(4)), grid=1, block=4, stream=stream)
    for _ in range(launches_before):
        D.launch(nothing, grid=1, block=1, stream=stream)
    {call}
    dev.sync()
    answer += 1
""",
        FAKE_CUDA_QUEUE="8",
    )
    assert rounds == 12


@pytest.mark.parametrize("memory", ["device", "pinned", "managed"])
def test_memory_that_goes_in_a_function_of_the_host_is_freed_later(on_fake, memory):
    """One that another library has queued, where the driver takes no calls."""
    kept, left = on_fake(
        f"""
        import ctypes
        dev = core.Device(0)
        stream = dev.create_stream()
        box = [D.zeros(4, np.float64, device="cuda:0", memory={memory!r})]
        dev.sync()

        @ctypes.CFUNCTYPE(None, ctypes.c_void_p)
        def drop(_):
            box.clear()

        def there():
            return fake.fake_allocations() + fake.fake_pinned()
        fake.cuLaunchHostFunc(ctypes.c_void_p(stream.handle), drop, None)
        dev.sync()
        answer = [there()]
        D.zeros(4, device="cuda:0")
        answer.append(there())
        """
    )
    assert (kept, left) == (1, 0)
