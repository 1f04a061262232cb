"""The cache on disk when things go wrong: never a wrong result, never a lost run."""

import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest
from support.cached_programs import Programs

SAXPY = """
report(good=right(run(kernel_from(SAXPY))))
"""


@pytest.fixture
def programs(tmp_path):
    return Programs(tmp_path)


def expect_good_run(programs, disk, **variables):
    ran = programs.run(SAXPY, **variables)
    assert ran.report["good"]
    assert ran.disk() == disk


def test_damaged_entries(programs):
    """Bits flipped, cut off at many lengths, other bytes: compiled anew and kept again."""
    text = """
    import random
    run(kernel_from(SAXPY))
    folder = os.environ["CUDA_DEVICE_CACHE_DIR"]
    (name,) = os.listdir(folder)
    path = os.path.join(folder, name)
    good = open(path, "rb").read()
    rng = random.Random(1)

    def flipped(at):
        return good[:at] + bytes([good[at] ^ 1 << rng.randrange(8)]) + good[at + 1:]

    damages = [flipped(at) for at in (0, 7, 8, 39, 40, 47, len(good) - 1)]
    damages += [flipped(rng.randrange(len(good))) for _ in range(30)]
    damages += [good[:n] for n in (0, 1, 8, 40, 48, len(good) // 2, len(good) - 1)]
    damages += [good[:rng.randrange(len(good))] for _ in range(10)]
    damages += [b"text", bytes(len(good)), good + b"x", good * 2]
    odd = []
    for i, bytes_ in enumerate(damages):
        with open(path, "wb") as f:
            f.write(bytes_)
        outs = []
        first = disk(lambda: outs.append(run(kernel_from(SAXPY))))
        second = disk(lambda: outs.append(run(kernel_from(SAXPY))))
        if not (right(outs[0]) and right(outs[1])) or first != [0, 1, 1] or second != [1, 0, 0]:
            odd.append((i, first, second))
    report(odd=odd)
    """
    assert programs.run(text).report["odd"] == []


def test_an_entry_under_the_name_of_another(programs):
    """As if two keys had one digest."""
    programs.run(SAXPY)
    (base,) = programs.entries()
    programs.run('run(kernel_from(SAXPY.replace("+ 1", "+ 2")))')
    (other,) = (path for path in programs.entries() if path != base)
    shutil.copy(other, base)
    expect_good_run(programs, (0, 1, 1))
    expect_good_run(programs, (1, 0, 0))


def test_killed_writers(programs):
    """Children that compile and write without end are killed at any moment; others read on."""
    text = """
    import random, signal, time
    sources = [SAXPY.replace("+ 1", f"+ {n}") for n in range(1, 9)]
    folder = os.environ["CUDA_DEVICE_CACHE_DIR"]

    def write_for_ever():
        while True:
            for text in sources:
                run(kernel_from(text))
                for name in os.listdir(folder):
                    if random.random() < 0.5:
                        os.remove(os.path.join(folder, name))

    for text in sources:
        run(kernel_from(text))
    rng = random.Random(1)
    for _ in range(40):
        child = os.fork()
        if child == 0:
            try:
                write_for_ever()
            except OSError:
                pass
            os._exit(0)
        time.sleep(rng.uniform(0.01, 0.12))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    good = all(bool((run(kernel_from(t)) == 2 * X + n).all()) for n, t in enumerate(sources, 1))
    run(kernel_from(SAXPY.replace("+ 1", "+ 100")))
    report(good=good)
    """
    ran = programs.run(text)
    assert ran.report["good"]
    assert len(programs.entries()) == 9
    left = programs.run('run(kernel_from(SAXPY.replace("+ 1", "+ 200"))); report()')
    assert left.disk() == (0, 1, 1)
    assert len(programs.files()) == 10  # what they left unfinished is gone


def test_a_folder_open_to_others_is_not_used_and_said_once(programs):
    programs.cache.mkdir()
    programs.cache.chmod(0o777)
    text = """
    one = right(run(kernel_from(SAXPY)))
    two = (run(kernel_from(SAXPY.replace("+ 1", "+ 2"))) == 2 * X + 2).all()
    report(good=one and bool(two))
    """
    ran = programs.end(programs.start(text, options=["-W", "always::RuntimeWarning"]))
    assert (ran.status, ran.report["good"]) == (0, True)
    assert ran.err.count("RuntimeWarning") == 1
    assert f"{programs.cache} has mode 777" in ran.err
    assert programs.files() == []
    strict = programs.end(programs.start(text, options=["-W", "error::RuntimeWarning"]))
    assert strict.status == 1
    assert "RuntimeWarning: the cache of compiled kernels is not used" in strict.err


def test_where_warnings_are_errors_the_launch_is_made_first(programs):
    """Nothing is lost: the kernel has run, or is in its stream, and is not compiled again."""
    programs.cache.mkdir()
    programs.cache.chmod(0o755)
    text = """
    for queued in (False, True):
        stream = D.core.Device("host").create_stream()
        wanted = {"stream": stream} if queued else {}
        kernel, out = kernel_from(SAXPY.replace("+ 1", f"+ {queued + 1}")), np.zeros_like(X)
        warned = []
        for _ in range(2):
            try:
                D.launch(kernel, out, 2.0, X, grid=4, block=256, **wanted)
            except RuntimeWarning as warning:
                warned.append(str(warning))
            stream.sync()
            good = bool((out == 2.0 * X + queued + 1).all())
            out[:] = 0
        report(good=good, warned=warned)
    """
    for first in ("False, True", "True, False"):
        changed = text.replace("False, True", first)
        options = ["-W", "error::RuntimeWarning"]
        ran = programs.end(programs.start(changed, options=options))
        assert ran.status == 0, ran.err
        assert [r["good"] for r in ran.reports] == [True, True]
        assert [len(r["warned"]) for r in ran.reports] == [1, 0]
        assert ran.reports[-1]["counters"]["compilations"] == 2


def test_a_compile_error_is_not_hidden_by_the_warning(programs):
    programs.cache.mkdir()
    programs.cache.chmod(0o777)
    text = """
    for n in range(2):
        try:
            run(kernel_from(SAXPY.replace("+ 1", "+ 'text'")))
        except D.errors.CompileError as error:
            report(error=str(error).splitlines()[0])
    """
    for options in ([], ["-W", "error::RuntimeWarning"]):
        ran = programs.end(programs.start(text, options=options))
        assert ran.status == 0
        assert len(ran.reports) == 2
        assert all("cannot add" in r["error"] for r in ran.reports)
        assert ran.err.count("RuntimeWarning") == (0 if options else 1)


@pytest.mark.skipif(os.geteuid() != 0, reason="waits for root, who may give files away")
def test_a_folder_of_another_user_is_not_used(programs):
    programs.cache.mkdir(mode=0o700)
    os.chown(programs.cache, 12345, -1)
    ran = programs.end(programs.start(SAXPY))
    assert ran.report["good"]
    assert "belongs to another user" in ran.err
    assert programs.files() == []


def test_homes_that_cannot_hold_it(programs, tmp_path):
    """None at all, one that is not there, one that nobody can write to, a file."""
    file = tmp_path / "file"
    file.write_text("text")
    for home in (None, "", "/no/such/home", "/proc", file):
        variables = {"CUDA_DEVICE_CACHE_DIR": None, "HOME": home}
        ran = programs.run(SAXPY, **variables)
        assert ran.report["good"]
        assert ran.disk()[2] == 0
    assert file.read_text() == "text"


@pytest.mark.parametrize(
    ("folder", "reason"),
    [
        ("{tmp}/file/below", "{tmp}/file/below: Not a directory"),
        ("{tmp}/file", "{tmp}/file is no folder"),
        ("{tmp}/dangling", "{tmp}/dangling is a link to what is not there"),
        ("{tmp}/dangling/below", "{tmp}/dangling/below: No such file or directory"),
        ("{tmp}/" + 300 * "n", "File name too long"),
        ("/proc/self/x", "/proc/self/x: "),
    ],
)
def test_a_folder_that_was_named_and_cannot_be_had_is_told_of(programs, tmp_path, folder, reason):
    """Once, with the system's reason; kernels run."""
    (tmp_path / "file").write_text("text")
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    where = {"CUDA_DEVICE_CACHE_DIR": folder.format(tmp=tmp_path)}
    reason = reason.format(tmp=tmp_path)
    text = """
    one = right(run(kernel_from(SAXPY)))
    two = (run(kernel_from(SAXPY.replace("+ 1", "+ 2"))) == 2 * X + 2).all()
    report(good=one and bool(two))
    """
    ran = programs.end(programs.start(text, **where))
    assert (ran.status, ran.report["good"], ran.disk()) == (0, True, (0, 2, 0))
    assert ran.err.count("the cache of compiled kernels is not used: ") == 1
    assert reason in ran.err
    info = programs.command("cache", "info", **where).stdout
    assert "not used: " in info
    assert reason in info
    assert (tmp_path / "file").read_text() == "text"
    assert not (tmp_path / "nothing").exists()


def test_a_tilde_is_the_home(programs, tmp_path):
    where = {"CUDA_DEVICE_CACHE_DIR": "~/kept", "HOME": tmp_path / "home"}
    (tmp_path / "home").mkdir()
    expect_good_run(programs, (0, 1, 1), **where)
    expect_good_run(programs, (1, 0, 0), **where)
    assert (tmp_path / "home" / "kept").stat().st_mode & 0o7777 == 0o700
    assert f"{tmp_path}/home/kept" in programs.command("cache", "info", **where).stdout


@pytest.mark.parametrize(("folder", "home"), [("~/kept", None), ("~/kept", ""), ("~nobody/x", "/")])
def test_a_tilde_of_no_known_home_is_ignored(programs, tmp_path, folder, home):
    where = {"CUDA_DEVICE_CACHE_DIR": folder, "HOME": home, "XDG_CACHE_HOME": tmp_path / "caches"}
    ran = programs.end(programs.start(SAXPY, **where))
    assert (ran.report["good"], ran.disk()) == (True, (0, 1, 1))
    expected = "a folder, or one below ~ where HOME is set was expected"
    assert f"CUDA_DEVICE_CACHE_DIR={folder!r} is ignored: {expected}" in ran.err
    assert (tmp_path / "caches" / "cuda-device").exists()
    assert not list(Path.cwd().glob("~*"))


def test_the_home_of_the_user(programs, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    expect_good_run(programs, (0, 1, 1), CUDA_DEVICE_CACHE_DIR=None, HOME=home)
    expect_good_run(programs, (1, 0, 0), CUDA_DEVICE_CACHE_DIR=None, HOME=home)
    folder = home / ".cache" / "cuda-device"
    assert folder.stat().st_mode & 0o7777 == 0o700
    (entry,) = folder.iterdir()
    assert entry.stat().st_mode & 0o7777 == 0o600


def without_roots_rights(folder):
    """What in front of a command takes root's right to write anywhere from it."""
    if os.geteuid() != 0:
        return []
    command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    try:
        done = subprocess.run(
            [*command, "touch", folder / "file"], capture_output=True, check=False
        )
    except FileNotFoundError:
        pytest.skip("waits for a user who is not root, or for setpriv")
    if b"Permission denied" not in done.stderr:
        pytest.skip("waits for a user who is not root, or may give that up")
    return command


def test_a_home_without_the_right_to_write(programs, tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    command = without_roots_rights(home)
    expect_good_run(programs, (0, 1, 0), command=command, CUDA_DEVICE_CACHE_DIR=None, HOME=home)


def test_off_writes_nothing(programs):
    expect_good_run(programs, (0, 0, 0), CUDA_DEVICE_CACHE="off")
    assert not programs.cache.exists()


def mounts_allowed(folder):
    command = ["unshare", "-m", "mount", "-t", "tmpfs", "none", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("options", "unmade"),
    [
        ("size=4k", None),
        ("nr_inodes=1", "cache: No space left on device"),
        ("ro", "cache: Read-only file system"),
    ],
)
def test_full_and_read_only_disks(programs, tmp_path, options, unmade):
    """Where not even the folder can be made, and the user named it, they are told."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if not mounts_allowed(disk):
        pytest.skip("waits for a machine where mounts are allowed")
    mount = f'mount -t tmpfs -o mode=700,{options} none {disk} && exec "$0" "$@"'
    command = ["unshare", "-m", "sh", "-c", mount]
    folder = disk / "cache"
    ran = programs.end(programs.start(SAXPY, command=command, CUDA_DEVICE_CACHE_DIR=folder))
    assert (ran.status, ran.report["good"], ran.disk()) == (0, True, (0, 1, 0))
    assert ran.err.count("RuntimeWarning") == (1 if unmade else 0)
    assert (unmade or "") in ran.err


def test_a_limit_of_the_process_on_files(programs):
    text = """
    import resource, signal
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it; a host program may not
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
    report(good=right(run(kernel_from(SAXPY))))
    """
    ran = programs.run(text)
    assert ran.report["good"]
    assert ran.disk() == (0, 1, 0)
    assert programs.files() == []
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 1000


def test_a_limit_on_the_size_of_the_cache(programs):
    text = """
    for n in range(40):
        run(kernel_from(SAXPY.replace("+ 1", f"+ {n}")))
    report(good=right(run(kernel_from(SAXPY))))
    """
    ran = programs.run(text, CUDA_DEVICE_CACHE_SIZE="40K")
    assert ran.report["good"]
    assert ran.disk()[2] >= 40
    sizes = [path.stat().st_size for path in programs.entries()]
    assert 20 << 10 < sum(sizes) <= 40 << 10
    assert max(sizes) < 20 << 10


def test_ten_thousand_hits_take_no_memory(programs):
    """Of kernels compiled here, and of kernels that come from the disk each time."""
    text = """
    import gc, resource
    def memory():
        gc.collect()
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4096

    kernel = kernel_from(SAXPY)
    out, text = np.zeros_like(X), SAXPY
    def here():
        D.launch(kernel, out, 2.0, X, grid=4, block=256)
    def from_disk():
        fresh = D.kernel(kernel.underlying)
        D.launch(fresh, out, 2.0, X, grid=4, block=256)

    grown = {}
    for name, action in (("here", here), ("disk", from_disk)):
        for _ in range(2000):
            action()
        before = memory()
        for _ in range(10000):
            action()
        grown[name] = memory() - before
    report(grown=grown)
    """
    # An address sanitizer keeps what is given back, so much of it.
    kept = ":quarantine_size_mb=1:thread_local_quarantine_size_kb=64"
    ran = programs.run(text, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + kept)
    assert ran.disk() == (12000, 1, 1)
    assert all(grown < 1 << 20 for grown in ran.report["grown"].values()), ran.report["grown"]
