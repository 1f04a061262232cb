"""Kernels and functions in other processes: by name, or with all that they are."""

import copy
import functools
import linecache
import multiprocessing
import pickle
import subprocess
import sys
import textwrap
from concurrent.futures import ProcessPoolExecutor

import cloudpickle
import numpy as np
import pytest
from cuda import device as D
from cuda.device import numbapro
from cuda.device.errors import CompileError
from support.launching import run
from support.programs import environment

SCALE = 3
START_METHODS = ("fork", "forkserver", "spawn")


@D.kernel
def scale(a):
    i = D.tid(1)
    if i < a.size:
        a[i] *= SCALE


@D.func
def power(x, n: D.ConstExpr):
    if n == 0:
        return x * 0 + 1
    return x * power(x, n - 1)


@numbapro.cuda.jit
def scale_in_numbapro(a):
    i = numbapro.cuda.grid(1)
    if i < a.size:
        a[i] *= 3


class Holder:
    @staticmethod
    @D.func
    def twice(x):
        return x * 2


# --- by name ---


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_what_a_module_has_is_found_by_its_name(protocol):
    for made in (scale, power, Holder.twice):
        assert pickle.loads(pickle.dumps(made, protocol)) is made
        assert cloudpickle.loads(cloudpickle.dumps(made, max(protocol, 4))) is made


def test_copies_are_the_kernel_itself():
    def local():
        @D.kernel
        def inner(a):
            a[0] = 1

        return inner

    for made in (scale, power, local()):
        assert copy.copy(made) is made
        assert copy.deepcopy([made])[0] is made


def test_pickle_refuses_what_no_module_has():
    @D.kernel
    def inner(a):
        a[0] = 1

    with pytest.raises((pickle.PicklingError, AttributeError), match=r"inner\.__definition__"):
        pickle.dumps(inner)


def launch_scale(kernel, a):
    D.launch(kernel, a, grid=1, block=a.size)
    return a


@pytest.mark.parametrize("method", START_METHODS)
def test_pools_of_processes(method):
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        made = [pool.submit(launch_scale, scale, np.full(8, float(i))) for i in range(4)]
        assert [each.result().tolist() for each in made] == [[3.0 * i] * 8 for i in range(4)]


MAIN = """
    import multiprocessing
    import sys
    import numpy as np
    from cuda import device as D
    from cuda.device.numbapro import cuda

    STEP = 5

    def helper(x):
        return x + STEP

    @D.func
    def doubled(x):
        return 2 * helper(x)

    @D.kernel
    def work(a):
        i = D.tid(1)
        if i < a.size:
            a[i] = doubled(a[i])

    @cuda.jit
    def of_numbapro(a):
        i = cuda.grid(1)
        if i < a.size:
            a[i] = doubled(a[i])

    def use(kernel, n):
        a = np.arange(float(n))
        if isinstance(kernel, type(work)):
            D.launch(kernel, a, grid=1, block=n)
        else:
            kernel[1, n](a)
        return a.tolist()
"""


@pytest.mark.parametrize("method", START_METHODS)
def test_pools_take_kernels_of_the_main_program(method, tmp_path):
    path = tmp_path / "program.py"
    text = f"""
    if __name__ == "__main__":
        with multiprocessing.get_context({method!r}).Pool(2) as pool:
            jobs = [(work, 3), (work, 4), (of_numbapro, 3)]
            print(pool.starmap(use, jobs))
            print(pool.map(doubled, [1, 2]))
    """
    path.write_text(textwrap.dedent(MAIN) + textwrap.dedent(text))
    done = subprocess.run(
        [sys.executable, path], env=environment(), capture_output=True, text=True, timeout=200
    )
    assert done.stderr == ""
    first = [10.0, 12.0, 14.0]
    assert done.stdout.splitlines() == [str([first, [*first, 16.0], first]), "[12, 14]"]


# --- with all that they are ---


def there_and_back(made):
    """A kernel as another process has it: nothing of it is found by name."""
    text = cloudpickle.dumps(made)
    found = cloudpickle.loads(text)
    assert found is not made
    return found


def test_local_kernels_take_along_what_they_read(target):
    step = 7

    def helper(x):
        return x + step

    @D.func
    def doubled(x):
        return 2 * helper(x)

    @D.kernel(fmad=False)
    def work(a, by: D.int32 = 1):
        """Of three steps."""
        i = D.tid(1)
        if i < a.size:
            a[i] = doubled(a[i]) + by * SCALE

    found = there_and_back(work)
    assert (found.__name__, found.__doc__, found.__module__) == (
        "work",
        "Of three steps.",
        work.__module__,
    )
    assert found.__qualname__ == work.__qualname__
    a = np.arange(5.0)
    run(found, a, 2, block=5)
    assert a.tolist() == [20, 22, 24, 26, 28]
    again = there_and_back(found)
    run(again, a, block=5)
    assert a.tolist() == [57, 61, 65, 69, 73]


def test_options_go_with_them():
    @D.kernel(fmad=False, builtins=64)
    def work(a, b):
        a[0] = a[0] * b[0] + 1.5
        b[0] = 2**40

    arrays = "array[float32, 1]", "array[float64, 1]"
    fused = D.kernel(work.underlying).inspect("array[float32, 1]", "array[float32, 1]", what="ptx")
    assert "fma.rn" in fused
    found = there_and_back(work)
    for each in (work, found):
        assert "fma.rn" not in each.inspect(*arrays, what="ptx")
    a, b = np.ones(1, np.float32), np.ones(1)
    run(found, a, b)
    assert b[0] == 2**40


def test_functions_that_name_themselves(target):
    @D.func
    def even(n: D.ConstExpr):
        return True if n == 0 else odd(n - 1)

    @D.func
    def odd(n: D.ConstExpr):
        return False if n == 0 else even(n - 1)

    @D.kernel
    def work(a):
        a[0] = 10 if even(4) else 20
        a[1] = 10 if odd(4) else 20

    for made in (even, odd):
        found = there_and_back(made)
        assert found(5) is made(5)
        assert type(found) is type(made)
    a = np.zeros(2)
    run(there_and_back(work), a)
    assert a.tolist() == [10, 20]


def test_many_forms_of_functions(target):
    offset = lambda x: x + 100  # noqa: E731

    def scaled(x, by=4):
        return x * by

    class Ways:
        @staticmethod
        def first(x):
            return scaled(x) + 1

    both = (scaled, functools.partial(scaled, by=9))

    @D.kernel
    def work(a):
        a[0] = offset(a[0])
        a[1] = Ways.first(a[1])
        a[2] = both[1](a[2]) + both[0](a[2])

    a = np.ones(3)
    run(there_and_back(work), a)
    assert a.tolist() == [101, 5, 13]


def program_of(folder, text):
    path = folder / "program.py"
    path.write_text(textwrap.dedent(text))
    done = subprocess.run(
        [sys.executable, path], env=environment(), capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


SENDER = """
    import cloudpickle, sys
    if __name__ == "__main__":
        with open("{file}", "wb") as file:
            cloudpickle.dump((work, use), file)
"""

RECEIVER = """
    import pickle
    with open("{file}", "rb") as file:
        work, use = pickle.load(file)
    print(use(work, 3))
"""


STRUCTS = """
    import numpy as np
    from cuda import device as D

    @D.struct
    class Pair:
        x: D.float32
        y: D.float32x2 = D.float32x2(1, 2)

        @D.func
        def total(self):
            return self.x + self.y.x + self.y.y

    @D.kernel
    def work(a, p, many):
        a[0] = p.total() + many[1].total()
        many[0] = Pair(9, many[1].y)

    def use(kernel, n):
        one = Pair(1)
        one.y[0] = 5  # of a copy
        assert one == Pair(1)
        many = np.zeros(2, Pair.numpy_dtype)
        many["x"][1] = n
        many["y"]["x"][1] = 3
        a = np.zeros(1)
        D.launch(kernel, a, one, many, grid=1, block=1)
        assert type(many[0]).__cuda_device_type__ is Pair
        return [float(a[0]), float(many[0].x)]

    Pair.numpy_dtype  # made before it is pickled
"""


def test_structs_go_with_them(tmp_path):
    file = tmp_path / "kernel.pickle"
    text = textwrap.dedent(STRUCTS) + textwrap.dedent(SENDER.format(file=file))
    program_of(tmp_path, text)
    (tmp_path / "program.py").unlink()
    assert program_of(tmp_path, RECEIVER.format(file=file)) == "[10.0, 9.0]\n"


def test_arrays_of_vectors_and_structs_go_too():
    @D.struct
    class Point:
        x: D.float32
        y: int

    for kind in (D.float32x2, Point):
        a = np.zeros(2, kind.numpy_dtype)
        a[1]["x"] = 3
        found = cloudpickle.loads(cloudpickle.dumps(a))
        assert found.dtype == a.dtype
        assert found[1].x == 3
        assert found.dtype.type.__cuda_device_type__ is kind


def test_errors_show_the_source_that_came(target):
    @D.kernel
    def bad(a):
        a[0] = a[0] + "x"

    messages = []
    for kernel in (bad, there_and_back(bad)):
        with pytest.raises(CompileError) as raised:
            run(kernel, np.zeros(1))
        messages.append(str(raised.value))
    assert messages[0] == messages[1]
    assert 'a[0] = a[0] + "x"\n' in messages[1]


@pytest.mark.parametrize("there", ["nothing", "another program"])
def test_the_main_programs_file_need_not_be_there(tmp_path, there):
    file = tmp_path / "kernel.pickle"
    program = textwrap.dedent(MAIN) + textwrap.dedent(SENDER.format(file=file))
    program_of(tmp_path, program)
    path = tmp_path / "program.py"
    path.unlink()
    if there == "another program":
        # The same lines, and other meanings.
        path.write_text(program.replace("2 *", "7 *").replace("x + STEP", "x - STEP"))
    other = tmp_path / "other"
    other.mkdir()
    assert program_of(other, RECEIVER.format(file=file)) == "[10.0, 12.0, 14.0]\n"


def test_modules_that_are_taken_whole(tmp_path, monkeypatch):
    (tmp_path / "only_here.py").write_text(
        textwrap.dedent("""
        from cuda import device as D

        def helper(x):
            return x + 1

        @D.kernel
        def work(a):
            a[D.thread_idx.x] = helper(a[D.thread_idx.x])
        """)
    )
    monkeypatch.syspath_prepend(tmp_path)
    import only_here

    named = cloudpickle.dumps(only_here.work)
    assert cloudpickle.loads(named) is only_here.work
    cloudpickle.register_pickle_by_value(only_here)
    try:
        whole = cloudpickle.dumps(only_here.work)
    finally:
        cloudpickle.unregister_pickle_by_value(only_here)
    file = tmp_path / "kernel.pickle"
    file.write_bytes(whole)
    (tmp_path / "only_here.py").unlink()
    other = tmp_path / "other"
    other.mkdir()
    found = program_of(
        other,
        f"""
        import pickle
        import numpy as np
        from cuda import device as D
        with open({str(file)!r}, "rb") as file:
            work = pickle.load(file)
        a = np.zeros(2)
        D.launch(work, a, grid=1, block=2)
        print(a.tolist())
        """,
    )
    assert found == "[1.0, 1.0]\n"


def test_kernels_of_numbapro():
    assert cloudpickle.loads(cloudpickle.dumps(scale_in_numbapro))._kernel is (
        scale_in_numbapro._kernel
    )
    step = 3

    @numbapro.cuda.jit("float64(float64)", device=True)
    def helper(x):
        return x + step

    @numbapro.cuda.jit("void(float64[:], int32)")
    def work(a, by):
        i = numbapro.cuda.grid(1)
        if i < a.size:
            a[i] = helper(a[i]) * by

    found = there_and_back(work)
    assert found.signature == work.signature
    assert found.__name__ == "work"
    a = np.zeros(4)
    found[1, 4](a, 2)
    assert a.tolist() == [6.0] * 4


def test_unpickled_kernels_are_freed():
    import gc
    import weakref

    @D.func
    def itself(n: D.ConstExpr):
        return 0 if n == 0 else itself(n - 1)

    @D.kernel
    def work(a):
        a[0] = itself(2)

    found = there_and_back(work)
    run(found, np.zeros(1))
    alive = weakref.ref(found)
    del found
    gc.collect()
    assert alive() is None
    alive = weakref.ref(work)
    cloudpickle.dumps(work)
    del work
    gc.collect()
    assert alive() is None


def test_a_text_is_pickled_once():
    def first(x):
        return x + 1

    def second(x):
        return first(x) + 1

    @D.kernel
    def work(a):
        a[0] = second(a[0])

    text = "".join(linecache.getlines(__file__))
    assert len(cloudpickle.dumps(work)) < len(text) + 8000


def test_a_damaged_text_is_refused():
    """What a definition says is checked as a file's text is."""
    from cuda.device import _core

    options, lines = _core.parts_of(scale)
    made = _core.make_of_parts(None, scale.underlying, lines[:5], is_kernel=True, options=options)
    with pytest.raises(CompileError) as raised:
        run(made, np.zeros(1))
    assert "scale" in str(raised.value)
    with pytest.raises(TypeError, match="a kernel or a function made by @func was expected"):
        _core.parts_of(3)
