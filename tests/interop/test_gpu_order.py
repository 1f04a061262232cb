"""Memory of GPUs knows where it was used last: whoever uses it elsewhere comes after that, on
whatever device, and whether or not the stream is still there. On the tests' driver.
"""

import textwrap

import pytest
from support.fake_gpu import needs_fake, on_fake

__all__ = ["on_fake"]  # a fixture

pytestmark = needs_fake

# hold() adds 1 when its gate opens, which is later than anything that does not wait for it.
HEAD = """
dev, host = core.Device(0), core.Device("host")

def open_later(seconds=0.3):
    threading.Timer(seconds, gates["hold"].set).start()

def zeros(memory="device", device="cuda:0"):
    return D.zeros(4, np.float64, device=device, memory=memory)
"""


def run_with(on_fake, text, **variables):
    return on_fake(HEAD + textwrap.dedent(text), **variables)


@pytest.mark.parametrize("how", ["close", "forget"])
def test_a_stream_may_go_before_the_array(on_fake, how):
    assert run_with(
        on_fake,
        f"""
        how = {how!r}
        s = dev.create_stream()
        a = zeros()
        D.launch(hold, a, grid=1, block=4, stream=s)
        if how == "close":
            s.close()
        del s
        other = dev.create_stream()  # which a driver may give the number of the other one
        open_later()
        D.launch(double, a, grid=1, block=4, stream=other)
        answer = [D.to_host(a).tolist()]
        other.close()
        D.launch(double, a, grid=1, block=4)
        answer.append(D.to_host(a).tolist())
        """,
    ) == [[2.0] * 4, [4.0] * 4]


def test_a_stream_of_another_library_is_kept_while_an_array_needs_it(on_fake):
    assert run_with(
        on_fake,
        """
        import gc, weakref
        class Theirs:
            def __init__(self): self.handle = fake.fake_new_stream(0, 1)
            def __cuda_stream__(self): return 0, self.handle
            def __del__(self): fake.fake_drop_stream(self.handle)
        s = Theirs()
        alive = weakref.ref(s)
        a = zeros()
        D.launch(hold, a, grid=1, block=4, stream=s)
        del s
        open_later()
        answer = [D.to_host(a).tolist(), alive() is not None]
        D.launch(double, a, grid=1, block=4)
        dev.sync()
        D.launch(double, a, grid=1, block=4)  # lets go of what the launches before have used
        gc.collect()
        answer += [alive() is None, D.to_host(a).tolist()]
        """,
    ) == [[1.0] * 4, True, True, [4.0] * 4]


def test_a_stream_of_another_library_is_kept_until_its_launches_are_done(on_fake):
    """Those on arrays of others too: another stream could get its handle, and stand for it."""
    assert run_with(
        on_fake,
        """
        import gc
        gone = []
        class Theirs:
            def __init__(self): self.handle = fake.fake_new_stream(0, 1)
            def __cuda_stream__(self): return 0, self.handle
            def __del__(self):
                gone.append(gates["hold"].is_set())
                fake.fake_drop_stream(self.handle)
        def launch_on(make):
            gates["hold"].clear()
            given = make()
            D.launch(nothing, grid=1, block=1, stream=given)
            D.launch(hold, on(0, np.zeros(4)), grid=1, block=4, stream=given)
            del given
            gc.collect()
            early = list(gone)
            gates["hold"].set()
            dev.sync()
            gc.collect()
            return early
        answer = [launch_on(Theirs), launch_on(lambda: dev.create_stream(Theirs())), gone]
        """,
    ) == [[], [True], [True, True]]


def test_ctrl_c_while_a_stream_of_another_library_is_asked_for(on_fake):
    """It may be closed; that it was interrupted says nothing of it."""
    kind, value = run_with(
        on_fake,
        """
        class Theirs:
            handle, interrupted = fake.fake_new_stream(0, 1), False
            def __cuda_stream__(self):
                if self.interrupted:
                    raise KeyboardInterrupt
                return 0, self.handle
        s = Theirs()
        a = zeros()
        D.launch(hold, a, grid=1, block=4, stream=s)
        s.interrupted = True
        try:
            D.launch(double, a, grid=1, block=4)
            answer = ["went on"]
        except KeyboardInterrupt:
            answer = ["ended"]
        s.interrupted = False
        gates["hold"].set()
        answer.append(D.to_host(a).tolist())
        del a
        """,
    )
    assert kind == "ended"
    assert value == [1.0] * 4


@pytest.mark.parametrize("resource", ["Device", "Pinned"])
def test_arrays_over_one_buffer_know_of_each_other(on_fake, resource):
    assert run_with(
        on_fake,
        f"""
        @runs_on_fake(("i1", 1))
        @D.kernel
        def first(a):
            a[0] += 1
        gates["first"] = threading.Event()
        buffer = core.{resource}MemoryResource(0).allocate(32, stream=dev.default_stream)
        buffer.fill(1, stream=dev.default_stream)
        dev.sync()
        one, other = D.from_dlpack(buffer), D.from_dlpack(buffer)
        D.launch(first, one, grid=1, block=1, stream=dev.create_stream())
        threading.Timer(0.3, gates["first"].set).start()
        answer = [D.to_host(other)[:2].tolist()]
        gates["first"].clear()
        D.launch(first, one, grid=1, block=1, stream=dev.create_stream())
        threading.Timer(0.3, gates["first"].set).start()
        onto = host.allocate(32)
        onto.copy_from(buffer, stream=dev.create_stream())
        answer.append(list(memoryview(onto)[:2]))
        """,
    ) == [[2, 1], [3, 1]]


@pytest.mark.parametrize("side", ["from", "to"])
def test_memory_of_others_is_theirs_when_a_copy_has_returned(on_fake, side):
    """Their library does not know what is queued here, and may use it again."""
    early, deleted, theirs, ours = run_with(
        on_fake,
        f"""
        import gc
        memory = np.full(4, 3.0)
        given = Producer(memory, device=(2, 0))
        imported, a = D.from_dlpack(given), zeros()
        D.launch(hold, a, grid=1, block=4)
        opened = []
        def open_it():
            opened.append(given.deleted)
            gates["hold"].set()
        threading.Timer(0.3, open_it).start()
        if {side!r} == "from":
            a[...] = imported
        else:
            imported[...] = a
        early = not opened
        del imported
        gc.collect()
        answer = [early, opened + [given.deleted], memory.tolist()]
        memory[...] = 9
        answer.append(D.to_host(a).tolist())
        """,
    )
    assert not early
    assert deleted == [0, 1]
    assert theirs == ([3.0] * 4 if side == "from" else [1.0] * 4)
    assert ours == ([3.0] * 4 if side == "from" else [1.0] * 4)


@pytest.mark.parametrize("closed", ["raises", "another handle", "unknown"])
def test_a_stream_that_its_library_has_destroyed(on_fake, closed):
    """Its work may still run: all that the GPU does is waited for, and the driver is asked for no
    event on a stream that it need not know any more."""
    asked, *values = run_with(
        on_fake,
        f"""
        closed = {closed!r}
        class Theirs:
            handle = fake.fake_new_stream(0, 1)
            asked = None
            def __cuda_stream__(self):
                if self.handle is None:
                    raise RuntimeError("closed")
                return 0, self.handle
            def close(self):
                fake.fake_drop_stream(self.handle)
                if closed == "raises":
                    self.handle = None
                elif closed == "another handle":
                    self.handle = 0
        s = Theirs()
        a = zeros()
        D.launch(hold, a, grid=1, block=4, stream=s)
        s.close()
        open_later()
        fake.fake_take_calls()
        value = D.to_host(a).tolist()
        calls = fake.fake_take_calls().decode().split()
        answer = [calls.index("event_record") < calls.index("context_synchronize"), value]
        D.launch(double, a, grid=1, block=4)
        answer.append(D.to_host(a).tolist())
        """,
    )
    assert not asked
    assert values == [[1.0] * 4, [2.0] * 4]


def test_memory_is_freed_after_its_last_use(on_fake):
    notes = run_with(
        on_fake,
        """
        import ctypes, gc
        s = dev.create_stream()
        a = zeros()
        D.launch(double, a, grid=1, block=4, stream=s)
        used_on = s.handle
        s.sync()
        del s
        D.launch(nothing, grid=1, block=1)
        fake.fake_take_notes.restype = ctypes.c_char_p
        fake.fake_take_notes()
        del a
        gc.collect()
        answer = fake.fake_take_notes().decode().replace(str(used_on), "s").splitlines()
        """,
    )
    assert notes == ["event_record on s", "stream_wait_event on 1", "memory_free_async 32 on 0"]


@pytest.mark.parametrize("failing", ["event_record", "stream_wait_event"])
def test_memory_whose_last_use_cannot_be_waited_for_in_order_is_freed_after_everything(
    on_fake, failing
):
    calls = run_with(
        on_fake,
        f"""
        import gc
        s, a = dev.create_stream(), zeros()
        D.launch(double, a, grid=1, block=4, stream=s)
        s.sync()
        D.launch(nothing, grid=1, block=1)  # lets go of what the launch has used
        fake.fake_take_calls()
        fail({failing!r}, 999)
        del a
        gc.collect()
        answer = fake.fake_take_calls().decode().split()
        """,
    )
    assert "context_synchronize" in calls[: calls.index("memory_free_async")]


def test_memory_that_no_stream_frees_waits_for_everything_where_its_stream_is_gone(on_fake):
    calls, left = run_with(
        on_fake,
        """
        import gc
        a = zeros()
        fail("stream_synchronize", 400)
        fake.fake_take_calls()
        del a
        gc.collect()
        answer = [fake.fake_take_calls().decode().split(), fake.fake_allocations()]
        """,
        FAKE_CUDA_POOLS="0",
    )
    assert left == 0
    wanted = ["stream_synchronize", "context_synchronize", "memory_free"]
    assert [call for call in calls if call in wanted] == wanted


def test_memory_that_nobody_can_wait_for_is_not_freed(on_fake):
    """Its stream is gone, and the driver refuses to wait for everything."""
    calls, left = run_with(
        on_fake,
        """
        import gc
        s = dev.create_stream()
        buffer = dev.allocate(64, stream=s)
        s.sync()
        handle = s.handle
        del s
        fake.fake_drop_stream(handle)
        fail("context_synchronize", 999)
        fake.fake_take_calls()
        buffer.close()
        answer = [fake.fake_take_calls().decode().split(), fake.fake_allocations()]
        """,
        FAKE_CUDA_POOLS="0",
    )
    assert "context_synchronize" in calls
    assert "memory_free" not in calls
    assert left == 1


def test_another_object_with_the_handle_of_a_closed_stream(on_fake):
    """It may be another stream, while the work of the closed one still runs."""
    calls = run_with(
        on_fake,
        """
        class Theirs:
            handle, closed = fake.fake_new_stream(0, 1), False
            def __cuda_stream__(self):
                if self.closed:
                    raise RuntimeError("closed")
                return 0, self.handle
        one, other = Theirs(), Theirs()
        a = zeros()
        D.launch(double, a, grid=1, block=4, stream=one)
        one.closed = True
        fake.fake_take_calls()
        D.launch(double, a, grid=1, block=4, stream=other)
        answer = fake.fake_take_calls().decode().split()
        del a
        """,
    )
    assert "context_synchronize" in calls[: calls.index("launch_kernel")]


def test_a_threads_own_stream_frees_after_that_of_another_thread(on_fake):
    """Both are called 2."""
    notes = run_with(
        on_fake,
        """
        import ctypes
        class Own:
            def __cuda_stream__(self): return 0, 2
        made = []
        def use():
            dev.set_current()
            made.append(dev.allocate(64, stream=Own()))
            D.launch(first, made[0], grid=1, block=1, stream=Own())
        @runs_on_fake(("i1", 1))
        @D.kernel
        def first(a):
            a[0] = 1
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        dev.set_current()
        dev.sync()
        fake.fake_take_notes.restype = ctypes.c_char_p
        fake.fake_take_notes()
        made.pop().close()
        answer = fake.fake_take_notes().decode().splitlines()
        """,
    )
    assert notes == ["stream_wait_event on 2", "memory_free_async 64 on 2"]


def test_a_copy_between_two_gpus_is_a_use_of_both_arrays(on_fake):
    assert (
        run_with(
            on_fake,
            """
        gates["hold"].clear()
        n0, n1, busy = D.full(4, 3.0, device="cuda:0"), zeros(device="cuda:1"), np.zeros(4)
        D.launch(hold, on(1, busy), grid=1, block=4)
        open_later()
        n1[...] = n0
        n0[...] = 7 * np.ones(4)
        del n0
        zeros()[...] = 9  # in the memory that n0 had
        answer = D.to_host(n1).tolist()
        """,
            FAKE_CUDA_DEVICES="2",
        )
        == [3.0] * 4
    )


def test_each_threads_own_default_stream_is_another_one(on_fake):
    assert (
        run_with(
            on_fake,
            """
        class Own:
            def __cuda_stream__(self): return 0, 2
        a = zeros()
        def launch(kernel):
            dev.set_current()
            D.launch(kernel, a, grid=1, block=4, stream=Own())
        thread = threading.Thread(target=launch, args=(hold,))
        thread.start()
        thread.join()
        open_later()
        launch(double)
        answer = D.to_host(a).tolist()
        """,
        )
        == [2.0] * 4
    )


@pytest.mark.parametrize("memory", ["pinned", "managed"])
@pytest.mark.parametrize("order", ["a, plain", "plain, a"])
def test_a_launch_on_the_host_waits_for_the_gpu(on_fake, memory, order):
    """Whichever array says where it runs: without a stream, and on one of the host."""
    text = f"""
        answer = []
        for stream in (None, host.create_stream()):
            gates["hold"].clear()
            a, plain = zeros({memory!r}), np.full(4, 10.0)
            D.launch(hold, a, grid=1, block=4, stream=dev.create_stream())
            open_later()
            D.launch(add, {order}, grid=1, block=4, **({{"stream": stream}} if stream else {{}}))
            D.launch(double, a, grid=1, block=4, stream=dev.create_stream())
            answer.append([np.asarray(a).tolist(), plain.tolist()])
    """
    if order == "plain, a":
        expected = [[2.0] * 4, [11.0] * 4]
    elif memory == "pinned":
        expected = [[22.0] * 4, [10.0] * 4]
    else:  # managed memory is at home on its GPU, which does not reach the other array
        return
    assert run_with(on_fake, text) == [expected] * 2


def test_a_launch_on_the_host_waits_while_a_gpu_works_for_another_one(on_fake):
    """It is no deadlock: a stream of the host goes on when the GPU is done, and lets it go on."""
    assert run_with(
        on_fake,
        """
        @D.kernel
        def waits(c):
            D.atomic_ref(c, 0).wait(0, "acquire", "system")
            c[1] = c[0]

        @D.kernel
        def sets(c):
            D.atomic_ref(c, 0).store(7, "release", "system")

        one, other, gpu = host.create_stream(), host.create_stream(), dev.create_stream()
        c = np.ones(2, np.int32)
        for kernel in (waits, sets):  # compiled before the time runs
            D.launch(kernel, c, grid=1, block=1, stream=one)
        one.sync()
        c[:] = 0
        D.launch(hold, zeros(), grid=1, block=4, stream=gpu)
        other.wait(gpu.record())
        D.launch(waits, c, grid=1, block=1, stream=one)
        D.launch(sets, c, grid=1, block=1, stream=other)
        open_later(2.5)
        one.sync()
        answer = c.tolist()
        """,
    ) == [7, 7]


def test_gpus_wait_for_the_host_that_has_used_the_memory(on_fake):
    """A stream of the host is a use as any other: the next one on a GPU, or a copy, is after."""
    assert run_with(
        on_fake,
        """
        from support.kernels import spin
        stream, slow = host.create_stream(), np.zeros(1, np.uint32)
        a = zeros("pinned")
        D.launch(spin, slow, 200_000_000, grid=1, block=1, stream=stream)
        D.launch(set_to, a, np.float32(5), grid=1, block=4, stream=stream)
        D.launch(double, a, grid=1, block=4, stream=dev.create_stream())
        answer = [np.asarray(a).tolist()]
        D.launch(spin, slow, 200_000_000, grid=1, block=1, stream=stream)
        D.launch(set_to, a, np.float32(7), grid=1, block=4, stream=stream)
        answer.append(D.to_host(a).tolist())
        """,
    ) == [[10.0] * 4, [7.0] * 4]


def test_managed_memory_of_others_is_handed_over_to_the_host(on_fake):
    """They order their work before the default stream, for which the host waits."""
    asked, waits = run_with(
        on_fake,
        """
        asked = []
        class Managed(Producer):
            def __dlpack__(self, **keywords):
                asked.append(keywords.get("stream"))
                return super().__dlpack__(**keywords)
        a, q = np.zeros(4), Managed(np.ones(4), device=(13, 0))
        stream, waits = host.create_stream(), []
        for options in ({"stream": stream}, {}):
            fake.fake_take_calls()
            D.launch(add, a, q, grid=1, block=4, **options)
            stream.sync()
            waits.append("event_record" in fake.fake_take_calls().decode().split())
        answer = [asked, waits]
        """,
    )
    assert asked == [1, 1]
    assert waits == [True, True]


def test_a_wait_is_for_what_was_queued_when_it_began(on_fake):
    """Though another thread goes on launching on that stream."""
    meanwhile, ended = run_with(
        on_fake,
        """
        s, going, done = dev.create_stream(), True, 0
        def launch():
            global done
            while going:
                D.launch(nothing, grid=1, block=1, stream=s)
                done += 1
                if done - len(launches) > 30:
                    time.sleep(0.001)
        thread = threading.Thread(target=launch, daemon=True)
        thread.start()
        settle(lambda: done > 50)
        ended = threading.Event()
        def wait():
            s.sync()
            dev.create_stream().sync()
            ended.set()
        threading.Thread(target=wait, daemon=True).start()
        answer = [None, ended.wait(20)]
        answer[0] = thread.is_alive()
        going = False
        thread.join()
        """,
    )
    assert meanwhile
    assert ended


def test_ctrl_c_ends_a_copy_that_waits_for_the_gpu(on_fake):
    assert run_with(
        on_fake,
        """
        import signal
        a = zeros()
        D.launch(hold, a, grid=1, block=4)
        def interrupt(*_): raise KeyboardInterrupt
        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            D.to_host(a)
            answer = ["went on"]
        except KeyboardInterrupt:
            answer = ["ended"]
        gates["hold"].set()
        answer.append(D.to_host(a).tolist())
        """,
    ) == ["ended", [1.0] * 4]


# --- what a launch of many arrays remembers of each, and gives back ---

# More than a launch, or what it keeps, has room for by itself.
MANY = """
names = [f"x{i}" for i in range(40)]
body = "".join(f"    {name}[0] += 1\\n" for name in names)
scope = {"D": D}
import linecache
text = f"def many({', '.join(names)}):\\n" + body
linecache.cache["<many>"] = (len(text), None, text.splitlines(True), "<many>")
exec(compile(text, "<many>", "exec"), scope)
many = runs_on_fake(*[("f8", 1)] * 40)(D.kernel(scope["many"]))
gates["many"] = threading.Event()
def launch_many(arrays, stream):
    D.launch(many, *arrays, grid=1, block=1, stream=stream)
def many_later(seconds=0.3):
    threading.Timer(seconds, gates["many"].set).start()
"""


def run_many(on_fake, text):
    return on_fake(HEAD + MANY + textwrap.dedent(text))


def test_each_array_of_a_launch_knows_where_it_was_used(on_fake):
    assert (
        run_many(
            on_fake,
            """
        s, other = dev.create_stream(), dev.create_stream()
        arrays = [zeros() for _ in range(40)]
        launch_many(arrays, s)
        many_later()
        for a in arrays:
            D.launch(double, a, grid=1, block=4, stream=other)
        other.sync()
        answer = [D.to_host(a)[0] for a in arrays]
        """,
        )
        == [2.0] * 40
    )


def test_arrays_are_kept_while_a_launch_of_many_runs(on_fake):
    during, afterwards, counts = run_many(
        on_fake,
        """
        import gc, sys
        s = dev.create_stream()
        arrays = [zeros() for _ in range(40)]
        before = [sys.getrefcount(a) for a in arrays]
        at_first = left()["allocations"]
        launch_many(arrays, s)
        held = [sys.getrefcount(a) for a in arrays]
        counts = [h - b for h, b in zip(held, before)]
        del arrays
        gc.collect()
        during = left()["allocations"] - at_first
        gates["many"].set()
        s.sync()
        D.launch(nothing, grid=1, block=1, stream=s)
        dev.sync()
        answer = [during, left()["allocations"] - at_first, counts]
        """,
    )
    assert (during, afterwards) == (0, -40)
    assert counts == [1] * 40


@pytest.mark.parametrize("failing", ["an argument", "the driver"])
def test_a_launch_that_fails_gives_everything_back(on_fake, failing):
    answer = run_many(
        on_fake,
        f"""
        failing = {failing!r}
        import sys
        s, other = dev.create_stream(), dev.create_stream()
        arrays = [zeros() for _ in range(40)]
        gates["many"].set()
        launch_many(arrays, s)
        s.sync()
        D.launch(nothing, grid=1, block=1, stream=s)
        before = [sys.getrefcount(a) for a in arrays]
        if failing == "the driver":
            fail("launch_kernel", 1)
            error = outcome(lambda: launch_many(arrays, s))
        else:
            error = outcome(lambda: launch_many([*arrays[:39], "no array"], s))
        after = [sys.getrefcount(a) for a in arrays]
        launch_many(arrays, other)
        answer = [error is not None, after == before, [D.to_host(a)[0] for a in arrays]]
        """,
    )
    assert answer == [True, True, [2.0] * 40]


def test_an_array_may_be_two_arguments_of_a_launch(on_fake):
    calls, values = run_with(
        on_fake,
        """
        s, other = dev.create_stream(), dev.create_stream()
        a = zeros()
        D.launch(hold, a, grid=1, block=4, stream=s)
        named([])
        D.launch(add, a, a, grid=1, block=4, stream=other)
        calls = named(["stream_wait_event"])
        open_later()
        D.launch(add, a, a, grid=1, block=4, stream=other)
        answer = [calls, D.to_host(a).tolist()]
        """,
    )
    assert calls == {"stream_wait_event": 1}
    assert values == [4.0] * 4


def test_another_launch_may_come_between_an_arrays_move_and_its_launch(on_fake):
    """As another thread's may. Here a warning of the launch makes it, after the wait for earlier
    uses and before the driver is called."""
    text = """
        import warnings
        @runs_on_fake(("f8", 1))
        @D.kernel
        def late(a):
            s = D.dynamic_shared_array().view(D.float64)
            a[0] += s.size + 1
        gates["late"] = threading.Event()
        s, other = dev.create_stream(), dev.create_stream()
        a = zeros()
        def between(*args, **kwargs):
            warnings.simplefilter("ignore")
            D.launch(double, a, grid=1, block=4, stream=other)
        warnings.showwarning = between
        warnings.simplefilter("always")
        D.launch(late, a, grid=1, block=1, stream=s)
        other.sync()
        launched = len(launches)
        threading.Timer(0.3, gates["late"].set).start()
        answer = [launched, D.to_host(a)[0]]
        """
    assert run_with(on_fake, text) == [1, 1.0]


def test_threads_that_take_turns_with_an_array(on_fake):
    """Each with a stream of its own; kernels of two streams would lose additions."""
    assert (
        run_with(
            on_fake,
            """
        gates["hold"].set()
        a = zeros()
        turn = threading.Lock()
        def work():
            s = dev.create_stream()
            for _ in range(25):
                with turn:
                    D.launch(hold, a, grid=1, block=4, stream=s)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads: t.start()
        for t in threads: t.join()
        answer = D.to_host(a).tolist()
        """,
        )
        == [100.0] * 4
    )


def test_threads_that_use_arrays_at_once(on_fake):
    """Kernels of two threads may run at once; whoever comes after both threads waits for all."""
    assert (
        run_with(
            on_fake,
            """
        gates["hold"].set()
        arrays = [zeros() for _ in range(3)]
        def work(number):
            s = dev.create_stream()
            for i in range(30):
                D.launch(add, arrays[i % 3], arrays[number], grid=1, block=1, stream=s)
        answer = []
        for _ in range(4):
            begin = len(launches)
            threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
            for t in threads: t.start()
            for t in threads: t.join()
            for a in arrays: D.to_host(a)
            answer.append(len(launches) - begin)
        """,
        )
        == [90] * 4
    )


def test_an_array_keeps_the_object_that_was_given_last(on_fake):
    """Two objects for one stream: either may be what the other library keeps it by."""
    assert run_with(
        on_fake,
        """
        import gc, weakref
        class Theirs:
            def __init__(self, handle): self.handle = handle
            def __cuda_stream__(self): return 0, self.handle
        handle = fake.fake_new_stream(0, 1)
        one, two = Theirs(handle), Theirs(handle)
        alive = weakref.ref(one), weakref.ref(two)
        a = zeros()
        gates["hold"].set()
        D.launch(hold, a, grid=1, block=4, stream=one)
        D.launch(hold, a, grid=1, block=4, stream=two)
        D.launch(hold, a, grid=1, block=4, stream=two)
        del one, two
        dev.sync()
        D.launch(nothing, grid=1, block=1)
        gc.collect()
        answer = [alive[0]() is None, alive[1]() is None, D.to_host(a).tolist()]
        del a
        """,
    ) == [True, False, [3.0] * 4]
