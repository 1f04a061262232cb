"""What processes do on a real GPU that print, fail, fork or end: each in a process of its own. See
test_on_gpu.py."""

import re

import pytest
from support.on_gpu import HEAD, ON_FAKE, child, gpu, lines_of

__all__ = ["gpu"]  # a fixture


@pytest.fixture
def run(tmp_path):
    return lambda text, **variables: child(tmp_path, text, **variables)


# --- print ---

# On the tests' driver the CPU prints: what is left to show there is the test.
PRINTS = """
@D.kernel
def prints(a, first):
    i = D.tid(1) + first
    if i < a.size:
        print("thread", i, "has", a[i])

a = D.arange(100, dtype=np.int32, device=WHERE)
b = D.zeros(1, np.int32, device=WHERE)
stream, other = our_stream(), our_stream()
D.launch(affine, b, np.int32(1), np.int32(0), grid=1, block=1, stream=other)
D.launch(prints, a, np.int32(1000), grid=1, block=128, stream=stream)  # nothing: it is loaded
core.Device(0).sync()
_core.sync_device(0)
"""
PRINTED = sorted(f"thread {i} has {i}" for i in range(100))
WAITS = {
    "stream": "stream.sync()",
    "event": "stream.record().sync()",
    "copy": "D.to_host(a)",
}


@pytest.mark.parametrize("wait", WAITS)
def test_print_is_complete_after_a_wait(run, wait):
    """For its stream alone: another one is not done meanwhile, so nobody waited for the device."""
    done = run(
        PRINTS
        + f"""
gate = Gate()
gate.close(other)
D.launch(prints, a, np.int32(0), grid=1, block=128, stream=stream)
{WAITS[wait]}
ctypes.CDLL(None).fflush(None)
say("other is done:", gate.opened)
gate.open()
other.sync()
leave()
"""
    )
    lines = lines_of(done)
    assert (sorted(lines[:-1]), lines[-1]) == (PRINTED, "other is done: False")


@pytest.mark.parametrize("wait", ["core.Device(0).sync()", ""])
def test_print_is_complete_after_the_device_and_at_the_end(run, wait):
    done = run(
        PRINTS
        + f"""
D.launch(prints, a, np.int32(0), grid=1, block=128, stream=stream)
D.launch(prints, a, np.int32(0), grid=1, block=128)
{wait}
{"leave()" if wait else ""}
"""
    )
    assert sorted(lines_of(done)) == sorted(PRINTED * 2)


# --- kernels that fail ---

BAD = """
@D.kernel
def traps(a, limit):
    i = D.tid(1)
    if i < a.size and a[i] > limit:
        raise ValueError("an element is too large")

@D.kernel
def strays(a, far):
    a[D.tid(1) * far] = 1

a = D.zeros(64, np.int32, device=WHERE)
b = D.full(64, 3, np.int32, device=WHERE)
stream, other = our_stream(), our_stream()
host = np.ones(8, np.int32)
# The CPU is spared what goes wrong: there the driver is told that it did.
limit = np.int32(99 if ON_FAKE else -1)
far = np.int64(0 if ON_FAKE else 1 << 26)  # 256 MiB between threads: most have no memory there
START = {
    "traps": lambda **more: D.launch(traps, a, limit, grid=1, block=64, **more),
    "strays": lambda **more: D.launch(strays, a, far, grid=1, block=64, **more),
}
"""
ERRORS = {"traps": r"CUDA_ERROR_\w+ ", "strays": r"CUDA_ERROR_ILLEGAL_ADDRESS "}


def place_of(kernel):
    """Kernel and place, as errors name them: the file and the line of its def."""
    lines = [text.partition("(")[0] for text in (HEAD + BAD).splitlines()]
    return rf"kernel '{kernel}' \(\S*program\.py:{lines.index(f'def {kernel}') + 1}\)"


def planted(kernel):
    return {"PLANT": f"lost:{kernel}"} if ON_FAKE else {}


@pytest.mark.parametrize("kernel", ERRORS)
def test_a_kernel_that_fails_is_named_and_everything_after_it_says_so(run, kernel):
    done = run(
        BAD
        + f"""
D.launch(affine, b, np.int32(2), np.int32(0), grid=1, block=64, stream=other)
other.sync()
START[{kernel!r}](stream=stream)
for what in (
    stream.sync, stream.sync, other.sync, lambda: D.to_host(b), stream.record,
    lambda: _core.sync_device(0), lambda: _core.create_stream(0),
    lambda: D.launch(affine, b, np.int32(2), np.int32(0), grid=1, block=64, stream=other),
    lambda: D.zeros(4, device=WHERE),
    lambda: core.DeviceMemoryResource(0).allocate(64),
):
    outcome(what)
D.launch(affine, host, np.int32(2), np.int32(1), grid=1, block=32)
say(host.tolist())
""",
        **planted(kernel),
    )
    *errors, last = lines_of(done)
    text = (
        rf"{place_of(kernel)} failed on GPU 0: {ERRORS[kernel]}.* No call of this process reaches"
    )
    assert len(errors) == 10
    for line in errors:
        assert re.match(rf"KernelError \| (?:kernel 'affine': )?{text}", line), line
    assert last == str([3] * 8)


def test_an_element_that_is_not_there_is_told_as_one(run):
    done = run(BAD + "START['strays'](stream=stream)\noutcome(stream.sync)", **planted("strays"))
    assert "the kernel read or wrote where no array is" in lines_of(done)[0]


def test_kernels_of_several_streams_are_told_apart_by_launches_that_wait(run):
    several = """
D.launch(affine, b, np.int32(2), np.int32(0), grid=1, block=64, stream=other)
outcome(lambda: START["traps"](stream=stream))
outcome(lambda: core.Device(0).sync())
"""
    done = run(BAD + several, CUDA_LAUNCH_BLOCKING="1", **planted("traps"))
    text = rf"KernelError \| kernel 'traps': {place_of('traps')} failed on GPU 0: "
    assert re.match(text, lines_of(done)[0]), done.stdout


def test_an_error_that_nobody_asked_for_is_told_when_the_process_ends(run):
    done = run(BAD + "START['traps'](stream=stream)\nsay('queued')", **planted("traps"))
    assert lines_of(done) == ["queued"]
    assert re.search(rf"KernelError: {place_of('traps')} failed on GPU 0: ", done.stderr)
    assert done.stderr.count("KernelError") == 1


def test_the_host_does_not_wait_for_ever_for_a_lost_gpu(run):
    done = run(
        BAD
        + """
queued = core.Device("host").create_stream()
START["traps"](stream=stream)
queued.wait(stream)
D.launch(affine, host, np.int32(2), np.int32(1), grid=1, block=32, stream=queued)
outcome(queued.sync)
outcome(queued.sync)
""",
        **planted("traps"),
    )
    first, second = lines_of(done)
    assert re.match(rf"KernelError \| .*{place_of('traps')} failed on GPU 0", first)
    assert second == "nothing"


# --- processes that end, and fork ---


def test_a_process_may_end_with_work_queued(run):
    done = run("""
        import threading
        from support.on_gpu import shared
        a, seen = shared(1000)
        stream = our_stream()
        gate = Gate()
        D.launch(affine, a, np.int32(1), np.int32(1), grid=4, block=256, stream=stream)
        stream.sync()
        gate.close(stream)
        for _ in range(10):
            D.launch(affine, a, np.int32(2), np.int32(1), grid=4, block=256, stream=stream)
        threading.Timer(0.2, gate.open).start()
        _core.shutdown()  # what Python calls at its end
        say(set(seen.tolist()))
    """)
    assert lines_of(done) == [str({2**11 - 1})]
    assert done.stderr == ""


def test_a_forked_child_says_what_to_do(run):
    done = run("""
        a = D.full(8, 1, np.int32, device=WHERE)
        stream = our_stream()
        child = os.fork()
        if child == 0:
            outcome(stream.sync)
            outcome(lambda: D.to_host(a))
            host = np.ones(8, np.int32)
            D.launch(affine, host, np.int32(2), np.int32(1), grid=1, block=32)
            say(host.tolist())
            sys.exit(0)
        say("status", os.waitpid(child, 0)[1])
        D.launch(affine, a, np.int32(2), np.int32(1), grid=1, block=32, stream=stream)
        stream.sync()
        say(D.to_host(a).tolist())
    """)
    first, second, *rest = lines_of(done)
    for line in (first, second):
        assert "was forked from one that had initialised CUDA" in line
    assert rest == [str([3] * 8), "status 0", str([3] * 8)]


def test_a_child_that_was_forked_before_has_its_gpu(run):
    """Both use it."""
    done = run("""
        child = os.fork()
        a = D.full(8, 1, np.int32, device=WHERE)
        D.launch(affine, a, np.int32(2), np.int32(1), grid=1, block=32)
        total = int(D.to_host(a).sum())
        if child == 0:
            sys.exit(total)
        say(total, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """)
    assert lines_of(done) == ["24 24"]
