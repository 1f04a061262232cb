"""What goes wrong on a GPU, on the tests' driver: errors of kernels, a lost context, calls of the
driver that fail, each in turn."""

import ast
import pathlib
import re

import pytest
from support.fake_gpu import FAULTY, needs_fake, on_fake, run_on_fake

__all__ = ["on_fake"]  # a fixture

pytestmark = needs_fake

LOST = (
    "CUDA_ERROR_ILLEGAL_ADDRESS (fake error 700)\nthe kernel read or wrote where no array is. No "
    "call of this process reaches the GPU any more: end it. Run the kernel on the host device, or "
    "under compute-sanitizer, to find the place"
)
TRAP = (
    FAULTY
    + """
dev = core.Device(0)
stream, other = dev.create_stream(), dev.create_stream()
a = np.zeros(4)
"""
)


def said(text):
    """With the place of `bad` in place of its folder."""
    return re.sub(r"\([^()]*program\.py:(\d+)\)", r"(program.py:\1)", text)


BAD = "kernel 'bad' (program.py:5) failed on GPU 0: " + LOST


def test_an_error_is_raised_by_the_next_wait_and_by_all_after_it(on_fake):
    first, later, host = on_fake(
        TRAP
        + """
D.launch(double, on(0, a), grid=1, block=4, stream=other)
other.sync()
given = on(0, a)
D.launch(bad, given, grid=1, block=4, stream=stream)
first = outcome(stream.sync)
later = [
    outcome(what)
    for what in (
        stream.sync, other.sync, dev.sync, stream.record, dev.create_stream,
        lambda: stream.wait(core.Device("host").create_stream().record()),
        lambda: stream.wait(other),
        lambda: D.launch(double, on(0, a), grid=1, block=4),
        lambda: D.launch(double, on(0, a), grid=1, block=4, stream=other),
        lambda: core.Stream.from_handle(1).sync(),
    )
]
D.launch(double, a, grid=1, block=4)
core.Device("host").sync()
answer = [first, later, [a.tolist(), given.deleted]]
"""
    )
    assert [first[0], said(first[1])] == ["KernelError", BAD]
    for kind, text in later:
        assert kind == "KernelError"
        assert said(text) in (BAD, "kernel 'double': " + BAD)
    assert [text.startswith("kernel 'double'") for _, text in later].count(True) == 2
    # The host goes on, and nothing that the launch was given is kept.
    assert host == [[2] * 4, 1]


def test_an_event_and_an_earlier_launch_tell_of_it_too(on_fake):
    messages = on_fake(
        TRAP
        + """
D.launch(bad, on(0, a), grid=1, block=4, stream=stream)
event = stream.record()
answer = [outcome(event.sync), outcome(lambda: event - event), event.is_done, stream.is_done]
"""
    )
    assert [said(messages[0][1]), said(messages[1][1])] == [BAD, BAD]
    assert messages[2:] == [True, True]


def test_several_kernels_may_have_been_it(on_fake):
    """Those that are known to be done are not named."""
    (kind, text) = on_fake(
        TRAP
        + """
D.launch(nothing, grid=1, block=1, stream=stream)
stream.sync()
D.launch(hold, on(0, a), grid=1, block=4, stream=stream)
D.launch(bad, on(0, a), grid=1, block=4, stream=stream)
D.launch(double, on(0, np.zeros(4)), grid=1, block=4, stream=other)
gates["hold"].set()
answer = outcome(dev.sync)
"""
    )
    assert kind == "KernelError"
    text = re.sub(r" \([^()]*\.py:\d+\)", "", text)
    kernels = re.match(r"one of the kernels (.*) failed on GPU 0: CUDA_ERROR_ILLEGAL_ADDRESS", text)
    assert set(kernels[1].split(", ")) == {"'hold'", "'bad'", "'double'"}
    assert "With CUDA_LAUNCH_BLOCKING=1 in the environment each launch waits" in text


def test_launches_that_wait_tell_kernels_apart(on_fake):
    found = on_fake(
        TRAP
        + """
D.launch(double, on(0, a), grid=1, block=4, stream=stream)
answer = outcome(lambda: D.launch(bad, on(0, a), grid=1, block=4, stream=stream))
""",
        CUDA_LAUNCH_BLOCKING="1",
    )
    assert [found[0], said(found[1])] == ["KernelError", "kernel 'bad': " + BAD]


def test_a_kernel_that_has_not_run_is_not_blamed(on_fake):
    """The first launch of one loads its code, and the driver tells of what was before."""
    found = on_fake(
        TRAP
        + """
D.launch(bad, on(0, a), grid=1, block=4, stream=stream)
settle(lambda: launches)
time.sleep(0.1)  # its error comes after it
answer = outcome(lambda: D.launch(add, *on(0, a, a), grid=1, block=4, stream=other))
"""
    )
    assert [found[0], said(found[1])] == ["KernelError", "kernel 'add': " + BAD]


def test_what_a_lost_gpu_waited_for_is_not_what_another_one_waits_for(on_fake):
    """Both wait for events of the host, which come one after the other."""
    early, late = on_fake(
        """
        gates["double"] = threading.Event()
        b = np.zeros(4)
        first, second = core.Device(0), core.Device(1)

        def host_event_after(kernel):
            stream, of_host = second.create_stream(), core.Device("host").create_stream()
            D.launch(kernel, on(1, np.zeros(4)), grid=1, block=4, stream=stream)
            of_host.wait(stream.record())
            return of_host.record()

        opened, closed = host_event_after(hold), host_event_after(double)
        lost = first.create_stream()
        lost.wait(opened)
        fail("event_query", 700)
        outcome(lost.sync)
        goes_on = second.create_stream()
        goes_on.wait(closed)
        D.launch(set_to, on(1, b), 3.0, grid=1, block=4, stream=goes_on)
        gates["hold"].set()
        opened.sync()
        time.sleep(0.2)
        early = b.tolist()
        gates["double"].set()
        goes_on.sync()
        answer = [early, b.tolist()]
        """,
        FAKE_CUDA_DEVICES="2",
    )
    assert (early, late) == ([0] * 4, [3] * 4)


def test_the_host_does_not_wait_for_ever_for_a_lost_gpu(on_fake):
    """Functions of the host are not called any more by the driver of a lost context."""
    messages = on_fake(
        TRAP
        + """
host, plain = (core.Device("host").create_stream() for _ in range(2))
D.launch(hold, on(0, a), grid=1, block=4, stream=stream)
D.launch(bad, on(0, a), grid=1, block=4, stream=stream)
host.wait(stream)
D.launch(double, np.zeros(4), grid=1, block=4, stream=host)
event = host.record()
gates["hold"].set()
answer = [outcome(event.sync), outcome(host.sync), outcome(host.sync), outcome(plain.sync)]
"""
    )
    assert messages[0] is None  # events of the host tell nothing of errors
    assert messages[1][0] == "KernelError"
    assert LOST in messages[1][1]
    assert messages[2:] == [None, None]


def test_what_nobody_asked_for_is_told_when_the_process_ends(tmp_path):
    done = run_on_fake(
        tmp_path, TRAP + "D.launch(bad, on(0, a), grid=1, block=4, stream=stream)\nprint(1)"
    )
    assert (done.returncode, done.stdout) == (0, "1\n")
    assert "KernelError: " + BAD.splitlines()[0] in said(done.stderr)
    assert "work that was queued when the process ended" in done.stderr
    assert done.stderr.count("KernelError") == 1


# --- calls that fail ---

UNKNOWN = ": CUDA_ERROR_UNKNOWN (fake error 999)"
DOING = """
dev = core.Device(0)
stream, other, host = dev.create_stream(), dev.create_stream(), core.Device("host").create_stream()
foreign = core.Stream.from_handle(fake.fake_new_stream(0, 0))
given = []
def array():
    given.append(on(0, np.zeros(4)))
    return given[-1]
def launch(stream=stream, **options):
    D.launch(double, array(), grid=1, block=4, stream=stream, **options)
def launch_plain():
    D.launch(double, array(), grid=1, block=4)
def pending(device):
    '''An event to come, and how to let it.'''
    gate = dev.create_stream()
    gates["hold"].clear()
    D.launch(hold, array(), grid=1, block=4, stream=gate)
    if device is dev:
        return gate.record()
    of_host = core.Device("host").create_stream()
    of_host.wait(gate)
    return of_host.record()
gates["hold"].set()
launch(), launch(foreign), launch_plain(), launch(shared=1024)
dev.sync()
begin, end = stream.record(), stream.record()
end.sync()
"""

# (what is done, the member that fails, which call of it; the error's text, or None)
CASES = {
    "launch, context": ("launch()", "context_get", 1, "asking for the current context"),
    "launch, push": ("launch()", "context_push", 1, "making the GPU's context current"),
    "launch": ("launch()", "launch_kernel", 1, "launching kernel 'double'"),
    "launch, opt in": (
        "launch(shared=90000)",
        "kernel_set_attribute",
        1,
        "opting in to large shared memory",
    ),
    "launch, foreign": ("launch(foreign)", "stream_capturing", 1, None),
    "launch, event": ("time.sleep(0.001); launch()", "event_record", 1, None),
    "launch, query": ("time.sleep(0.001); launch()", "event_query", 1, None),
    "launch, pop": ("launch()", "context_pop", 1, None),
    "default stream": ("launch_plain()", "launch_kernel", 1, "launching kernel 'double'"),
    "record": ("stream.record()", "event_record", 1, "recording an event"),
    "sync": ("stream.sync()", "event_query", 1, "asking for an event"),
    "is done": ("stream.is_done", "stream_query", 1, None),
    "event": ("stream.record().sync()", "event_query", 1, "asking for an event"),
    "sync, last": ("stream.sync()", "event_synchronize", 1, "waiting for an event"),
    "event, last": ("stream.record().sync()", "event_synchronize", 1, "waiting for an event"),
    "allowed": ("launch(), stream.sync()", "thread_capture_mode", 1, None),
    "device": ("dev.sync()", "context_synchronize", 1, "waiting for the GPU"),
    "time": ("end - begin", "event_elapsed", 1, "asking for the time between two events"),
    "new stream": ("dev.create_stream()", "stream_create", 1, "making a stream"),
    "priority": (
        "dev.create_stream(options={'priority': -1})",
        "stream_priorities",
        1,
        "asking for the priorities of streams",
    ),
    "flags": ("stream.priority", "stream_flags", 1, "asking for the flags of a stream"),
    "its priority": (
        "stream.priority",
        "stream_priority",
        1,
        "asking for the priority of a stream",
    ),
    "current": ("dev.set_current()", "context_set", 1, "making a GPU the current one"),
    "uuid": ("dev.uuid", "device_uuid", 1, "asking for the UUID"),
    "attribute": (
        "dev.properties.warp_size",
        "device_attribute",
        1,
        "asking for the attribute warp_size",
    ),
    "foreign": (
        "core.Stream.from_handle(foreign.handle)",
        "stream_context",
        1,
        "asking for the context of a stream",
    ),
    "foreign, new context": (
        "core.Stream.from_handle(fake.fake_new_stream(1, 0))",
        "context_device",
        1,
        "asking for the GPU of a stream",
    ),
    "foreign, number": (
        "core.Stream.from_handle(foreign.handle)",
        "context_id",
        1,
        "asking for the number of a context",
    ),
    "foreign, state": (
        "core.Stream.from_handle(fake.fake_new_stream(1, 0))",
        "primary_context_state",
        1,
        "asking for the state of a GPU's context",
    ),
    "wait, GPU": ("stream.wait(pending(dev))", "stream_wait_event", 1, "waiting for an event"),
    "wait, value": (
        "stream.wait(pending(None))",
        "stream_wait_value",
        1,
        "waiting for an event of the host",
    ),
    "wait, pinned": (
        "stream.wait(pending(None))",
        "pinned_alloc",
        1,
        "allocating memory that the host and GPUs share",
    ),
    "wait, pointer": (
        "stream.wait(pending(None))",
        "pinned_pointer",
        1,
        "asking where a GPU sees memory of the host",
    ),
    "host, helper": (
        "e = pending(dev); fail({!r}, 999); host.wait(e)",
        "stream_create",
        0,
        "making a stream",
    ),
    "host, event": ("host.wait(pending(dev))", "stream_wait_event", 1, "waiting for an event"),
    "host, function": (
        "host.wait(pending(dev))",
        "host_function",
        1,
        "queueing a function of the host",
    ),
    "close": ("dev.create_stream().close()", "stream_destroy", 1, None),
    "close, push": ("dev.create_stream().close()", "context_push", 2, None),
}


@pytest.mark.parametrize("case", CASES)
def test_a_call_that_fails_fails_what_is_done_and_nothing_else(on_fake, case):
    """Then everything works as before, and all that was given is let go of."""
    what, member, which, doing = CASES[case]
    before = f"fail({member!r}, 999, {which})" if which else ""
    found, after, deleted, counts = on_fake(
        DOING
        + f"""
def attempt():
    {what.replace("{!r}", repr(member))}
{before}
found = outcome(attempt)
fail("none", 0)
gates["hold"].set()
for s in (stream, host, foreign):
    s.sync()
a = np.ones(4)
D.launch(double, on(0, a), grid=1, block=4, stream=stream)
host.wait(stream), stream.wait(host), other.wait(stream)
D.launch(double, on(0, a), grid=1, block=4, stream=other)
other.sync(), dev.sync(), host.sync()
import gc
gc.collect()
answer = [found, a.tolist(), [g.deleted for g in given], left()]
""",
        FAKE_CUDA_DEVICES="2",
    )
    if doing is None:
        assert found is None
    else:
        kernel = "kernel 'double': " if "launch" in what else ""
        assert found[0] == "KernelError" or (case == "time" and found[0] == "RuntimeError")
        assert found[1] == kernel + doing + UNKNOWN
    assert after == [4] * 4
    assert deleted == [1] * len(deleted)
    depth = 1 if case == "launch, pop" else 0  # that of the call that failed
    assert counts["context_depth"] == depth
    assert counts["pinned"] <= 1


@pytest.mark.parametrize("member", ["library_unload", "stream_destroy"])
def test_a_process_ends_where_the_driver_refuses_to_clean_up(tmp_path, member):
    """What goes goes before the end; then the driver is not called any more."""
    done = run_on_fake(
        tmp_path,
        DOING
        + f"""
launch()
stream.sync()
fail({member!r}, 999)
core.Device(0).create_stream().close()
import atexit
named([])
atexit.register(lambda: print(left()["streams"] > 0))
""",
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "True\n", "")


def made_to_fail(text):
    """The members that a file of tests makes fail: those of its tables of faults (FAULTS, CASES),
    of parameters named member, and of fail("member", ...) in its programs."""
    found = re.findall(r"""\bfail\(["'](\w+)["'], \d""", text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in TABLES:
            found += TABLES[node.targets[0].id](ast.literal_eval(node.value))
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "parametrize":
            found += parameters_named_member(*node.args)
    return found


TABLES = {"FAULTS": list, "CASES": lambda cases: [member for _, member, *_ in cases.values()]}


def parameters_named_member(names, values):
    names = ast.literal_eval(names)
    if "member" not in names or isinstance(values, ast.Name):
        return []
    values = ast.literal_eval(values)
    return values if names == "member" else [value[names.index("member")] for value in values]


def test_every_call_of_the_driver_is_made_to_fail():
    """But those that tell what an error is: they are asked when another one has failed."""
    root = pathlib.Path(__file__).resolve().parents[2]
    declared = (root / "src/runtime/cuda/driver_api.def").read_text()
    members = re.findall(r"^DRIVER\((\w+)", declared, re.MULTILINE)
    assert len(members) > 50
    fail = {"error_name", "error_text"}
    for file in pathlib.Path(__file__).parent.glob("test_gpu_*.py"):
        fail.update(made_to_fail(file.read_text()))
    assert [m for m in members if m not in fail] == []
    assert made_to_fail('named(["event_record"]); note = "event_query"; fail("none", 0)') == [
        "none"
    ]


def test_a_gpu_that_cannot_wait_for_a_word_of_memory(on_fake):
    """On some virtual machines: the call waits, and nothing runs before it should."""
    early, a = on_fake("""
        host, gpu = core.Device("host").create_stream(), core.Device(0).create_stream()
        a, z = np.zeros(4), np.zeros(4)
        D.launch(hold, on(0, z), grid=1, block=4, stream=core.Device(0).default_stream)
        host.wait(core.Device(0).default_stream)
        D.launch(set_to, a, 3.0, grid=1, block=4, stream=host)
        early = a.tolist()
        threading.Timer(0.1, gates["hold"].set).start()
        fail("stream_wait_value", 801)
        gpu.wait(host)
        D.launch(double, on(0, a), grid=1, block=4, stream=gpu)
        gpu.sync()
        answer = [early, a.tolist()]
    """)
    assert early == [0] * 4
    assert a == [6] * 4


def test_no_gpu(on_fake):
    answer = on_fake(
        """
        here = core.Device(0)
        answer = [
            here is core.Device("host") is core.Device(), core.Device.get_all_devices() == (here,),
            outcome(lambda: core.Device(1)), outcome(lambda: core.Stream.from_handle(1)),
            _core.gpu_count(),
        ]
        """,
        FAKE_CUDA_DEVICES="0",
    )
    assert answer[:2] == [True, True]
    assert answer[2][0] == "ValueError"
    assert answer[2][1].startswith("no device 1: ")
    assert answer[2][1].endswith("; the host device is 'cpu' or 'host'")
    assert answer[3][0] == "KernelError"
    assert "counting GPUs" in answer[3][1] or "initialising the CUDA driver" in answer[3][1]
    assert answer[4] == 0


def test_a_device_that_does_not_exist(on_fake):
    messages = on_fake(
        """
        names = (2, -1, "cuda:2", "gpu", True, 1.0)
        answer = [outcome(lambda: core.Device(n)) for n in names]
        assert core.Device("cpu") is core.Device("host")
        assert core.Device("cuda:1") is core.Device(1)
        assert core.Device("cuda") is core.Device(0)
        """,
        FAKE_CUDA_DEVICES="2",
    )
    known = "this process sees GPUs 0 to 1; the host device is 'cpu' or 'host'"
    kinds = "a device is a Device, a number, 'cpu' or 'cuda:0'; found "
    assert messages == [
        *[["ValueError", f"no device {name}: {known}"] for name in ("2", "-1", "'cuda:2'")],
        [
            "ValueError",
            "no device 'gpu': a GPU is 'cuda', 'cuda:1' or its number, "
            "the host device is 'cpu' or 'host'",
        ],
        *[["TypeError", kinds + name] for name in ("'bool'", "'float'")],
    ]


# --- forks ---

FORKED = (
    "this process was forked from one that had initialised CUDA, and CUDA does not work in such a "
    "child; start it anew instead (multiprocessing's 'spawn' or 'forkserver'), or fork before the "
    "first use of a GPU"
)


def test_a_forked_child_has_no_gpu(on_fake):
    """It says so, calls nothing of the driver, and the host device works there."""
    answer = on_fake("""
        import os
        dev = core.Device(0)
        stream, event = dev.create_stream(), dev.create_event()
        a = np.zeros(4)
        D.launch(double, on(0, a), grid=1, block=4, stream=stream)
        stream.sync()
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            named([])
            found = [
                outcome(what) for what in (
                    stream.sync, dev.sync, stream.record, dev.create_stream, lambda: dev.name,
                    lambda: D.launch(double, on(0, a), grid=1, block=4, stream=stream),
                    lambda: core.Stream.from_handle(1),
                )
            ]
            a = np.ones(4)
            D.launch(double, a, grid=1, block=4)
            stream.close()
            found += [a.tolist(), fake.fake_take_calls().decode(), core.Device().name]
            os.write(write, json.dumps(found).encode())
            os.close(write)
            import sys
            sys.exit(0)  # with all that Python does at an end
        os.close(write)
        text = b"".join(iter(lambda: os.read(read, 65536), b"")).decode()
        status = os.waitpid(child, 0)[1]
        D.launch(set_to, on(0, a), 3.0, grid=1, block=4, stream=stream)
        stream.sync()
        answer = [json.loads(text), status, a.tolist()]
    """)
    found, status, a = answer
    assert status == 0
    assert found[7:] == [[2] * 4, "", "host"]
    assert found[1] is None  # nothing of the device is this process's
    for index in (0, 2, 3, 5, 6):
        assert found[index][1].endswith(FORKED), found[index]
    assert a == [3] * 4


def test_a_child_forked_before_the_first_use_has_its_gpu(on_fake):
    answer = on_fake("""
        import os, sys
        a = np.ones(4)
        child = os.fork()
        if child == 0:
            D.launch(double, on(0, a), grid=1, block=4)
            core.Device(0).sync()
            sys.stdout.flush()
            os._exit(int(a.sum()))
        status = os.waitpid(child, 0)[1]
        D.launch(double, on(0, a), grid=1, block=4)
        core.Device(0).sync()
        answer = [os.waitstatus_to_exitcode(status), a.tolist()]
    """)
    assert answer == [8, [2] * 4]
