"""Launches of the host that wait for each other: one that stands still gives its worker to others,
and is a deadlock only where nothing else is at work."""

import pytest
from support.programs import HEAD, environment, run_text

PROGRAM = (
    HEAD
    + """
import signal, threading, time
from cuda.device import errors

@D.kernel
def waits(c, i, o):
    D.atomic_ref(c, i).wait(0, "acquire", "system")
    o[i] = c[i]

@D.kernel
def polls(c, i, o):
    looks = D.int64(0)
    while D.atomic_ref(c, i).load("acquire", "system") == 0:
        looks += 1
    o[i] = c[i]

@D.kernel
def passes_on(c, i):
    "Waits for one and lets the next one go on."
    D.atomic_ref(c, i + 1).wait(0, "acquire", "system")
    D.atomic_ref(c, i).store(1, "release", "system")

@D.kernel
def sets(c, i):
    D.atomic_ref(c, i).store(7, "release", "system")

@D.kernel
def sets_late(c, i, n):
    x = D.uint32(n)
    for _ in range(3):
        k = 0
        while k < n:
            x = x * 1664525 + 1013904223
            k += 1
    D.atomic_ref(c, i).store(D.int32(x | 1), "release", "system")

@D.kernel(execution="threads")
def sets_late_by_threads(c, i, n):
    x = D.uint32(n)
    for _ in range(3):
        k = 0
        while k < n:
            x = x * 1664525 + 1013904223
            k += 1
    D.atomic_ref(c, i).store(D.int32(x | 1), "release", "system")

@D.kernel
def counts(c, i, o):
    o[i] = D.atomic_ref(c, 9).add(1)

@D.kernel
def fails(c, i):
    assert c[i] == 99, "it is not"

@D.kernel
def waits_and_fails(c, i):
    D.atomic_ref(c, i).wait(0, "acquire", "system")
    assert c[i] == 99, "it is not"

device = core.Device("host")
s1, s2, s3, s4 = (device.create_stream() for _ in range(4))
c, o = np.zeros(64, np.int32), np.zeros(64, np.int32)

def on(stream, kernel, *args, **options):
    D.launch(kernel, *args, **{"grid": 1, "block": 1, "stream": stream, **options})

# No wait here is for a compilation.
for kernel in (waits, polls, counts):
    c[:] = 1
    on(s1, kernel, c, 0, o)
for kernel in (passes_on, sets):
    on(s1, kernel, c, 0)
for kernel in (sets_late, sets_late_by_threads):
    on(s1, kernel, c, 0, 1)
s1.sync()
for kernel in (fails, waits_and_fails):
    on(s1, kernel, c, 0)
    try:
        s1.sync()
    except errors.KernelError:
        pass
c[:] = o[:] = 0
begin = time.monotonic()

def seconds():
    return time.monotonic() - begin

def error_of(stream):
    try:
        stream.sync()
    except errors.KernelError as e:
        return str(e)
    return ""
"""
)


@pytest.fixture(params=[1, 2], ids=["one worker", "two workers"])
def ran(request, tmp_path):
    def run(text, timeout=60):
        env = environment(CUDA_DEVICE_NUM_THREADS=str(request.param))
        found = run_text(tmp_path, PROGRAM + text, timeout=timeout, env=env)
        assert (found.returncode, found.stderr) == (0, "")
        return found.stdout

    return run


def test_a_launch_waits_for_one_of_another_stream(ran):
    text = """
on(s1, waits, c, 0, o)
on(s2, waits, c, 0, o)
on(s3, sets, c, 0)
for stream in s1, s2, s3:
    stream.sync()
print(o[0])
"""
    assert ran(text) == "7\n"


def test_a_launch_that_counts_its_looks_lets_others_run_too(ran):
    text = """
on(s1, polls, c, 0, o)
on(s2, polls, c, 0, o)
on(s3, sets, c, 0)
for stream in s1, s2, s3:
    stream.sync()
print(o[0])
"""
    assert ran(text) == "7\n"


def test_a_launch_takes_one_after_the_other_from_another_one(ran):
    text = """
@D.kernel
def takes(c, o, n):
    i = 0
    while i < n:
        if D.atomic_ref(c, i).load("acquire", "system") == 1:
            i += 1
    o[0] = i

@D.kernel
def gives(c, n):
    for i in range(n):
        D.atomic_ref(c, i).store(1, "release", "system")

on(s1, takes, c, o, 64)
on(s2, gives, c, 64)
for stream in s1, s2:
    stream.sync()
print(o[0])
"""
    assert ran(text) == "64\n"


def test_a_chain_of_launches_each_of_which_waits_for_the_next(ran):
    text = """
streams = [device.create_stream() for _ in range(20)]
for i, stream in enumerate(streams):
    on(stream, passes_on, c, i)
on(s2, sets, c, 20)
for stream in streams:
    stream.sync()
print(c[:22].tolist())
"""
    assert ran(text) == f"{[1] * 20 + [7, 0]}\n"


def test_launches_that_wait_for_each_other_by_turns(ran):
    """Each of two goes on and waits again, and so do all of their threads and blocks."""
    text = """
@D.kernel
def plays(c, me, rounds):
    i = D.tid(1)
    for k in range(rounds):
        while D.atomic_ref(c, i).load("acquire", "system") != 2 * k + me:
            pass
        D.atomic_ref(c, i).store(2 * k + me + 1, "release", "system")

on(s1, plays, c, 1, 10, grid=4, block=8)
on(s2, plays, c, 0, 10, grid=4, block=8)
s1.sync()
s2.sync()
print(c[:33].tolist())
"""
    assert ran(text) == f"{[20] * 32 + [0]}\n"


def test_a_launch_that_is_waited_for_by_the_main_thread(ran):
    """It stands behind others that wait, on other streams."""
    text = """
for stream in s1, s2:
    on(stream, waits, c, 1, o)
on(s3, sets, c, 0)
D.launch(waits, c, 0, o, grid=1, block=1)
D.launch(sets, c, 1, grid=1, block=1)
s1.sync()
s2.sync()
print(o[:2].tolist())
"""
    assert ran(text) == "[7, 7]\n"


def test_the_order_of_a_stream_and_what_sync_waits_for(ran):
    text = """
for stream in s1, s2:
    on(stream, waits, c, 0, o)
    on(stream, counts, c, 1, o)
event = s1.record()
on(s3, counts, c, 2, o)
on(s4, sets_late, c, 0, 100_000_000)
s3.sync()
print(o[:3].tolist(), event.is_done)
event.sync()
print(o[0] != 0, o[1] in (1, 2), o[2])
s2.sync()
print(c[9])
"""
    assert ran(text) == "[0, 0, 0] False\nTrue True 0\n3\n"


@pytest.mark.parametrize("kernel", ["sets_late", "sets_late_by_threads"])
def test_what_a_launch_at_work_will_store_is_waited_for(ran, kernel):
    text = f"""
on(s1, waits, c, 0, o)
on(s2, waits, c, 0, o)
on(s3, {kernel}, c, 0, 1_000_000_000)
for stream in s1, s2, s3:
    stream.sync()
print(o[0] != 0, seconds() > 2)
"""
    assert ran(text) == "True True\n"


def test_the_main_thread_waits_for_a_launch_at_work(ran):
    text = """
on(s1, sets_late, c, 0, 1_000_000_000)
D.launch(waits, c, 0, o, grid=1, block=1)
print(o[0] != 0, seconds() > 2)
"""
    assert ran(text) == "True True\n"


def test_what_comes_later_to_a_stream_behind_those_that_wait(ran):
    """Also where it is queued long after they have begun to stand still."""
    text = """
for stream in s1, s2:
    on(stream, waits, c, 0, o)
time.sleep(0.5)
on(s3, counts, c, 2, o)
s3.sync()
time.sleep(0.1)
on(s3, sets, c, 0)
s1.sync()
s2.sync()
print(o[0], c[9])
"""
    assert ran(text) == "7 1\n"


def test_where_nothing_else_can_run_it_is_a_deadlock(ran):
    """Told within two seconds, where the machine has time for it: in one of three attempts. What
    stands in a stream behind a launch that waits cannot run."""
    text = """
for _ in range(3):
    c[:] = o[:] = 0
    begin = time.monotonic()
    on(s1, waits, c, 0, o)
    on(s1, sets, c, 0)
    first = error_of(s1)
    in_time = seconds() < 2
    if in_time:
        break
print("deadlock" in first, "program.py:" in first, in_time, c[0], o[0])
"""
    assert ran(text) == "True True True 7 0\n"


def test_a_launch_is_waited_for_that_goes_on_now_and_then(ran):
    """It waits itself, for the host, each time it is looked at."""
    text = """
@D.kernel
def steps(c, i, n):
    for k in range(n):
        D.atomic_ref(c, i).wait(k, "acquire", "system")
    D.atomic_ref(c, 0).store(7, "release", "system")

c[1] = 1
on(s1, steps, c, 1, 1)
s1.sync()
c[:] = 0
on(s1, waits, c, 0, o)
on(s2, steps, c, 1, 7)
for k in range(7):
    time.sleep(0.4)
    c[1] = k + 1
s1.sync()
s2.sync()
print(o[0])
"""
    assert ran(text) == "7\n"


def test_a_launch_is_waited_for_that_computes_after_a_wait(ran):
    """Nothing tells when its wait is over but that it does not look any more."""
    text = """
@D.kernel
def waits_and_computes(c, i, n):
    D.atomic_ref(c, i).wait(0, "acquire", "system")
    x = D.uint32(n)
    for _ in range(3):
        k = 0
        while k < n:
            x = x * 1664525 + 1013904223
            k += 1
    D.atomic_ref(c, 0).store(D.int32(x | 1), "release", "system")

c[1] = 1
on(s1, waits_and_computes, c, 1, 1)
s1.sync()
c[:] = 0
on(s1, waits, c, 0, o)
on(s2, waits_and_computes, c, 1, 1_000_000_000)
time.sleep(0.3)
c[1] = 1
s1.sync()
s2.sync()
print(o[0] != 0, seconds() > 2)
"""
    assert ran(text) == "True True\n"


def test_launches_that_wait_for_each_other_for_ever_are_a_deadlock(ran):
    text = """
on(s1, passes_on, c, 0)
on(s2, waits, c, 0, o)
on(s3, waits, c, 3, o)
found = [error_of(stream) for stream in (s1, s2, s3)]
print(["deadlock" in one for one in found], seconds() < 6)
"""
    assert ran(text) == "[True, True, True] True\n"


def test_errors_stay_with_their_streams(ran):
    text = """
for stream in s1, s2:
    on(stream, waits_and_fails, c, 0)
on(s3, fails, c, 1)
print("it is not" in error_of(s3), c[0])
on(s3, sets, c, 0)
print("it is not" in error_of(s1), "it is not" in error_of(s2), error_of(s3) == "")
"""
    assert ran(text) == "True 0\nTrue True True\n"


def test_a_launch_that_has_given_way_is_interrupted(ran):
    text = """
def interrupt():
    time.sleep(0.5)
    signal.pthread_kill(main, signal.SIGINT)

main = threading.main_thread().ident
on(s1, waits, c, 0, o)
on(s2, sets_late, c, 1, 1_000_000_000)
threading.Thread(target=interrupt).start()
try:
    D.launch(waits, c, 0, o, grid=1, block=1)
except KeyboardInterrupt:
    print("interrupted", c[1])
threading.Thread(target=interrupt).start()
try:
    s1.sync()
except KeyboardInterrupt:
    print("interrupted", o[0])
on(s3, sets, c, 0)
for stream in s1, s2, s3:
    stream.sync()
print(o[0], c[1] != 0)
"""
    assert ran(text) == "interrupted 0\ninterrupted 0\n7 True\n"


def test_a_handler_runs_while_the_launch_has_given_way(ran):
    """It may launch what the launch waits for."""
    text = """
def handler(*_):
    D.launch(sets, c, 0, grid=1, block=1)

signal.signal(signal.SIGALRM, handler)
on(s1, waits, c, 0, o)
signal.setitimer(signal.ITIMER_REAL, 0.5)
D.launch(waits, c, 0, o, grid=1, block=1)
s1.sync()
print(o[0])
"""
    assert ran(text) == "7\n"


def test_more_launches_than_there_may_be_threads_wait(ran):
    """Those beyond stay in their queues; the deadlock of the others is found."""
    text = """
streams = [device.create_stream() for _ in range(300)]
for stream in streams:
    on(stream, waits, c, 0, o)
time.sleep(0.5)
c[0] = 7
for stream in streams:
    stream.sync()
print(o[0])
"""
    assert ran(text) == "7\n"


def test_what_the_host_writes_is_waited_for(ran):
    """For longer than the second after which a launch that waits for others is a deadlock. A busy
    machine may oversleep: one of three attempts."""
    text = """
for _ in range(3):
    on(s1, waits, c, 0, o)
    time.sleep(1.5)
    c[0] = 7
    error = error_of(s1)
    if not error:
        break
    c[0] = 0
print(o[0], error)
"""
    assert ran(text) == "7 \n"


def test_launches_that_stand_still_wake_rarely(ran):
    """One of them looks for all, two thousand times a second."""
    text = """
import resource

streams = [device.create_stream() for _ in range(100)]
for stream in streams:
    on(stream, waits, c, 0, o)
time.sleep(0.4)
before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
time.sleep(0.5)
wakes = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - before
c[0] = 7
for stream in streams:
    stream.sync()
print(o[0], wakes if wakes > 5000 else "few")
"""
    assert ran(text) == "7 few\n"
