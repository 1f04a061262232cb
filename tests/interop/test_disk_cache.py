"""The cache on disk: a second process runs what a first one compiled, and nothing else."""

import os
import re
import subprocess
import sys

import pytest
from cuda import device as D
from cuda.device import _core, _testing
from support.cached_programs import Programs, environment, package_without

SAXPY = """
kernel = kernel_from(SAXPY)
report(good=right(run(kernel)))
"""


@pytest.fixture
def programs(tmp_path):
    return Programs(tmp_path)


# --- two processes ---


def test_a_second_process_does_without_the_compiler(programs):
    first, second = programs.run(SAXPY), programs.run(SAXPY)
    assert first.report["good"]
    assert second.report["good"]
    assert (first.report["mapped"], second.report["mapped"]) == (True, False)
    assert (first.disk(), second.disk()) == ((0, 1, 1), (1, 0, 0))
    counters = [ran.report["counters"] for ran in (first, second)]
    assert [c["compilations"] for c in counters] == [1, 0]
    assert [c["specialisations"] for c in counters] == [1, 1]


def test_not_even_its_file_is_needed(programs, tmp_path):
    programs.run(SAXPY)
    path = package_without(tmp_path, leave_out=["libcuda_device_jit.so"])
    assert programs.run(SAXPY, PYTHONPATH=path).disk() == (1, 0, 0)
    new = programs.end(programs.start(SAXPY.replace("SAXPY", "SAXPY * 1 + '#'"), PYTHONPATH=path))
    assert new.report["good"]  # a comment is no other program
    other = SAXPY.replace("SAXPY", "SAXPY.replace('i = ', 'i = 0 + ')")
    assert (
        "cannot open the compiler library"
        in programs.end(programs.start(other, PYTHONPATH=path)).err
    )


def test_another_compiler_does_not_use_it(programs, tmp_path):
    """Another build of the package: the digest that its runtime names its compiler by differs."""
    programs.run(SAXPY)

    def other_digest(data):
        digests = re.findall(rb"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])", data)
        assert len(digests) == 1
        return data.replace(digests[0], digests[0][::-1])

    path = package_without(tmp_path, change={"libcuda_device_rt.so": other_digest})
    assert programs.run(SAXPY, PYTHONPATH=path).disk() == (0, 1, 1)
    assert programs.run(SAXPY, PYTHONPATH=path).disk() == (1, 0, 0)
    assert programs.run(SAXPY).disk() == (1, 0, 0)
    assert len(programs.entries()) == 2


RESULTS = """
import hashlib
TEXT = '''
@D.func
def polynomial(v):
    return (v * 0.25 - 1.5) * v + math.sin(v)

@D.kernel
def kernel(out, x, n):
    t = D.shared_array(64, np.float64)
    i = D.tid(1)
    t[D.thread_idx.x] = x[i] if i < x.size else 0.0
    D.syncthreads()
    s = 0.0
    for k in range(n):
        s += polynomial(t[(D.thread_idx.x * 7 + k) % 64])
    if i < x.size:
        out[i] = s
'''
import math
kernel = kernel_from(TEXT, math=math)
x = np.random.default_rng(1).normal(size=5000)
out = np.zeros(5000)
D.launch(kernel, out, x, 9, grid=79, block=64)
report(digest=hashlib.sha256(out.tobytes()).hexdigest())
"""


def test_code_with_imports_tables_and_memory_of_its_own(programs):
    """SLEEF's functions, shared memory, values across barriers: the same bits from the disk."""
    reports = [programs.run(RESULTS).report for _ in range(2)]
    assert [r["mapped"] for r in reports] == [True, False]
    assert reports[0]["digest"] == reports[1]["digest"]
    off = programs.run(RESULTS, CUDA_DEVICE_CACHE="off")
    assert off.disk() == (0, 0, 0)
    assert off.report["digest"] == reports[0]["digest"]


def test_eight_processes_at_once(programs):
    for expected in ({(0, 1, 1), (1, 0, 0)}, {(1, 0, 0)}):
        started = [programs.start(SAXPY, file=f"{i}.py") for i in range(8)]
        ran = [programs.end(process) for process in started]
        assert {r.err for r in ran} == {""}
        assert all(r.report["good"] for r in ran)
        assert {r.disk() for r in ran} <= expected
        assert len(programs.files()) == 1


def test_threads_and_forks(programs):
    text = """
    import threading
    warm = run(kernel_from(SAXPY))
    kernel = kernel_from(SAXPY)
    good = []
    threads = [threading.Thread(target=lambda: good.append(right(run(kernel)))) for _ in range(8)]
    [t.start() for t in threads], [t.join() for t in threads]
    child = os.fork()
    if child == 0:
        own = kernel_from(SAXPY)
        os._exit(0 if disk(lambda: good.append(right(run(own)))) == [1, 0, 0] and all(good) else 1)
    report(good=all(good) and len(good) == 8, child=os.waitpid(child, 0)[1])
    """
    ran = programs.run(text)
    assert ran.report["good"]
    assert ran.report["child"] == 0
    assert ran.disk() == (1, 1, 1)


# --- the key ---

VARIANTS = """
import warnings
warnings.simplefilter("ignore", D.errors.PrecisionWarning)  # of the array of float64
base = SAXPY
read_only = X.copy()
read_only.flags.writeable = False
helper = '''
def helper(v):
    return v OP 1

@D.kernel
def kernel(out, a, x):
    i = D.tid(1)
    if i < out.size:
        out[i] = helper(a * x[i])
'''
scaled = SAXPY.replace("+ 1", "+ c")
default = SAXPY.replace("x):", "x, c=VALUE):").replace("+ 1", "+ c")
cell = '''
def make(c):
    @D.kernel
    def kernel(out, a, x):
        i = D.tid(1)
        if i < out.size:
            out[i] = a * x[i] + c
    return kernel
'''

def made(text, *arguments, **names):
    return lambda: run(kernel_from(text, **names), *arguments)

def on(target, text):
    def action():
        with _testing.use_target(target):
            run(kernel_from(text))
    return action

def large():
    memory = np.zeros(X.nbytes + 64, np.uint8)  # whether an output begins with a line is a fact
    out = memory[-memory.ctypes.data % 64:][:X.nbytes].view(X.dtype)
    with _testing.beyond_cache(1000):
        D.launch(kernel_from(base), out, 2.0, X, grid=4, block=256)

forms = _testing.targets()[:_testing.targets().index("interpreter")]
variants = {
    "base": made(base),
    "operator": made(base.replace("a * x", "a + x")),
    "literal": made(base.replace("+ 1", "+ 2")),
    "float literal": made(base.replace("+ 1", "+ 1.0")),
    "name of the kernel": lambda: run(kernel_from(base.replace("kernel(", "k("), name="k")),
    "without contraction": made(base.replace("D.kernel", "D.kernel(fmad=False)")),
    "helper": made(helper.replace("OP", "+")),
    "other helper": made(helper.replace("OP", "-")),
    "decorated helper": made("@D.func" + helper.replace("OP", "+")),
    "helper's contraction": made("@D.func(fmad=False)" + helper.replace("OP", "+")),
    "constant 1": made(scaled, c=1),
    "constant 2": made(scaled, c=2),
    "constant True": made(scaled, c=True),
    "constant 1.0": made(scaled, c=1.0),
    "constant -0.0": made(scaled, c=-0.0),
    "constant int64": made(scaled, c=np.int64(1)),
    "closure 7": lambda: run(kernel_from(cell, name="make")(7)),
    "closure 8": lambda: run(kernel_from(cell, name="make")(8)),
    "default's type": made(default.replace("VALUE", "np.float32(1)")),
    "other default's type": made(default.replace("VALUE", "np.float64(1)")),
    "int": made(base, 2),
    "float64": made(base, np.float64(2)),
    "array of float64": made(base, 2.0, X.astype(np.float64)),
    "two axes": made(base.replace("x[i]", "x[0, i]").replace("out[i]", "out[0, i]"), 2.0,
                     X[None].copy()),
    "strides": made(base, 2.0, np.repeat(X, 2)[::2]),
    "read-only": made(base, 2.0, read_only),
    "unaligned": made(base, 2.0, np.frombuffer(bytes(1) + X.tobytes(), np.uint8)[1:].view("f4")),
    "beyond the cache": large,
    "block": made(base, 2.0, X, 128),
} | {f"target {form}": on(form, base) for form in forms} | {
    f"target {forms[0]}x32": on(forms[0] + "x32", base),
    f"target {forms[0]}x64": on(forms[0] + "x64", base),
}
same = {
    "moved": made(base, file="<elsewhere>"),
    "below other text": made("# one\\n\\nOTHER = 1\\n" + base),
    "comments and spaces": made(base.replace("a * x[i]", "(a  *  x[ i ])")),
    "a comment": made(base.replace("+ 1", "+ 1  # text")),
    "a closure's variable for a global": lambda: run(kernel_from(cell, name="make")(1)),
    "another value": made(base, 3.0),
    "other arrays": made(base, 2.0, np.ones(777, np.float32)),
}
report(variants={name: disk(action) for name, action in variants.items()},
       same={name: disk(action) for name, action in same.items()})
"""


def test_everything_that_the_code_depends_on_is_in_the_key(programs):
    """All different to one another in one process, all known to the next."""
    report = programs.run(VARIANTS).report
    assert {name for name, delta in report["variants"].items() if delta != [0, 1, 1]} == set()
    assert len(programs.entries()) == len(report["variants"])
    again = programs.run(VARIANTS).report
    assert {name for name, delta in again["variants"].items() if delta != [1, 0, 0]} == set()


def test_nothing_else_is_in_the_key(programs):
    same = programs.run(VARIANTS).report["same"]
    assert {name for name, delta in same.items() if delta != [1, 0, 0]} == set()


FILE = """
@D.kernel
def kernel(out, a, x):
    i = D.tid(1)
    if i < out.size:
        out[i] = a * x[i] + 1

report(good=right(run(kernel)))
"""


def test_a_moved_file_is_known(programs):
    assert programs.run(FILE).disk() == (0, 1, 1)
    assert programs.run("\n# further down\n" + FILE, file="else/where.py").disk() == (1, 0, 0)
    assert programs.run(FILE.replace("+ 1", "+ 2 - 1")).disk() == (0, 1, 1)


# --- what is not kept ---


def test_errors_are_not_kept(programs):
    text = """
    bad = SAXPY.replace("+ 1", "+ 'text'")
    def message(file):
        try:
            run(kernel_from(bad, file=file))
        except D.errors.CompileError as error:
            return str(error)
    report(first=message("<one>"), second=message("<two>"))
    """
    for _ in range(2):
        ran = programs.run(text)
        assert ran.disk() == (0, 2, 0)
        assert ran.report["first"].startswith("<one>:6")
        assert ran.report["second"] == ran.report["first"].replace("<one>", "<two>")
    assert programs.entries() == []


def test_inspect_asks_the_compiler(programs):
    text = """
    kernel = kernel_from(SAXPY)
    run(kernel)
    text = kernel.inspect(X, 2.0, X, what="asm", block=256)
    report(text=len(text))
    """
    for expected in ((0, 1, 1), (1, 0, 0)):
        ran = programs.run(text)
        assert ran.report["text"] > 100
        assert ran.report["mapped"]
        assert ran.disk() == expected


def test_the_interpreter_is_not_kept(programs):
    text = """
    with _testing.use_target("interpreter"):
        report(good=right(run(kernel_from(SAXPY))))
    """
    assert programs.run(text).disk() == (0, 0, 0)


def test_ptx_is_kept_and_assembled_each_time(programs):
    text = """
    with _testing.use_target("ptx"):
        report(good=right(run(kernel_from(SAXPY))))
    """
    count = len(_testing.architectures())
    assert programs.run(text).disk() == (0, count, count)
    assert programs.run(text).disk() == (count, 0, 0)
    if not _testing.assembles():
        return
    # Text that ptxas refuses, in an entry that is whole.
    broken = """
    with _testing.use_target("ptx"):
        try:
            run(kernel_from(SAXPY))
        except D.errors.CompilerBug as error:
            report(error=str(error))
    """
    for path in programs.entries():
        path.write_bytes(
            with_value(path.read_bytes(), lambda v: v.replace(b".visible", b".wisible"))
        )
    assert "ptxas refuses" in programs.run(broken).report["error"]


def with_value(entry, change):
    """An entry of the same key with another value, and the checksum that it needs."""
    import hashlib

    key_end = 48 + int.from_bytes(entry[40:48], "little")
    value = change(entry[key_end + 8 :])
    body = entry[40:key_end] + len(value).to_bytes(8, "little") + value
    return entry[:8] + hashlib.sha256(body).digest() + body


# --- the command ---


def command(*arguments, **variables):
    return subprocess.run(
        [sys.executable, "-m", "cuda.device", *arguments],
        env=environment(**variables),
        capture_output=True,
        text=True,
        check=False,
    )


def table(text):
    lines = text.partition("\n\n")[0].splitlines()
    return {line.split(None, 1)[0]: line.split(None, 1)[1] for line in lines}


@pytest.mark.parametrize("flag", ["-h", "--help", "help"])
def test_help(flag):
    done = command(flag)
    assert done.returncode == 0
    assert done.stdout.startswith("python -m cuda.device info: ")
    assert "cache clear" in done.stdout


def test_what_is_no_command():
    done = command("cahce", "info")
    assert done.returncode == 2
    usage = "usage: python -m cuda.device info | cache info | cache clear | --version\n"
    assert done.stderr == usage


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_version(flag):
    done = command(flag)
    assert (done.returncode, done.stdout) == (0, f"cuda.device {D.__version__}\n")


def test_who_reads_may_stop_before_the_end():
    reading, writing = os.pipe()
    os.close(reading)
    program = [sys.executable, "-m", "cuda.device", "cache", "info"]
    done = subprocess.run(program, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_cache_info_and_clear(programs):
    where = {"CUDA_DEVICE_CACHE_DIR": programs.cache, "CUDA_DEVICE_CACHE_SIZE": "3M"}
    info = table(command("cache", "info", **where).stdout)
    assert (info["folder"], info["entries"]) == (str(programs.cache), "0")
    programs.run(SAXPY)
    info = table(command("cache", "info", **where).stdout)
    assert (info["state"], info["entries"], info["limit"]) == ("in use", "1", str(3 << 20))
    size = programs.entries()[0].stat().st_size
    assert info["bytes"] == str(size)
    cleared = command("cache", "clear", **where)
    assert (cleared.returncode, cleared.stdout) == (0, f"removed 1 kernels, {size} bytes\n")
    assert programs.files() == []
    assert programs.run(SAXPY).disk() == (0, 1, 1)


def test_states_of_the_cache(programs, tmp_path):
    where = {"CUDA_DEVICE_CACHE_DIR": programs.cache}
    off = table(command("cache", "info", CUDA_DEVICE_CACHE="off", **where).stdout)
    assert off["state"] == "off: CUDA_DEVICE_CACHE=off"
    programs.cache.mkdir()
    programs.cache.chmod(0o755)
    state = table(command("cache", "info", **where).stdout)["state"]
    assert state.startswith("not used: ")
    cleared = command("cache", "clear", **where)
    assert (cleared.returncode, cleared.stdout) == (1, "")
    assert "chmod 700" in cleared.stderr
    info = table(command("info", **where).stdout)
    assert info["cache"].startswith(f"{programs.cache} (not used")
    assert command("cache").returncode == command("cache", "info", "more").returncode == 2


def test_the_suite_itself_does_without():
    assert "state=off" in _core.cache_info()
    assert _testing.counters()["disk_misses"] == 0


REPORTS = """
import contextlib, io
TEXT = '''{above}
def helper(x):
    assert x != 3, "three"
    return x
{between}
@D.kernel
def kernel(a, n):
    i = D.tid(1)
    print("thread", i, f"{{a[i]:.1f}}")
    if helper(a[i]) == n:
{inside}        raise ValueError(f"found {{n}} at {{i}}", a[i] / 2)
'''
kernel = kernel_from(TEXT, file="reports.py")

def says(n, value):
    out = io.StringIO()
    a = np.full(2, value)
    try:
        with contextlib.redirect_stdout(out):
            D.launch(kernel, a, n, grid=1, block=2)
    except Exception as e:
        return type(e).__name__, str(e), out.getvalue()
    return "", "", out.getvalue()

report(says=[says(7, 1.0), says(7, 7.0), says(7, 3.0)])
"""


def says(above="", between="", inside=""):
    return REPORTS.format(above=above, between=between, inside=inside)


def test_what_threads_say_is_on_the_disk(programs):
    """Failures and formats are part of an image; where it stands in the source is as it is now."""
    first = programs.run(says())
    quiet, raised, asserted = first.report["says"]
    assert quiet == ["", "", "thread 0 1.0\nthread 1 1.0\n"]
    place = "block (0, 0, 0), thread (0, 0, 0))"
    found = f"kernel 'kernel': ('found 7 at 0', 3.5) (reports.py:11, {place}"
    assert raised == ["KernelValueError", found, "thread 0 7.0\nthread 1 7.0\n"]
    three = f"kernel 'kernel': assertion failed: three (reports.py:3, {place}"
    assert asserted == ["KernelAssertionError", three, "thread 0 3.0\nthread 1 3.0\n"]
    second = programs.run(says())
    assert second.disk() == (1, 0, 0)
    assert not second.report["mapped"]
    assert second.report["says"] == first.report["says"]
    moved = programs.run(says(above="#\n#", between="#\n#"))
    assert moved.disk() == (1, 0, 0)
    messages = [text for _, text, _ in moved.report["says"]]
    assert messages == ["", found.replace(":11", ":13"), three.replace(":3", ":4")]
    # The function's own lines are part of what it says.
    longer = programs.run(says(inside="        #\n"))
    assert longer.disk() == (0, 1, 1)
    assert longer.report["says"][1][1] == found.replace(":11", ":12")


CONDITION = """
import sys
TEXT = '''
@D.kernel
def kernel(a):
    assert {condition}
'''
try:
    D.launch(kernel_from(TEXT), np.zeros(1), grid=1, block=1)
except AssertionError as e:
    report(text=str(e))
"""


def test_the_text_of_a_condition_is_that_of_the_source(programs):
    for condition in ("a[0]>0", "a[0] > 0"):
        ran = programs.run(CONDITION.format(condition=condition))
        assert ran.disk() == (0, 1, 1)
        assert f": {condition} (" in ran.report["text"]
