"""Kernel functions (DEV-KERN)."""

import numpy as np
import pytest
from cuda import device as D
from cuda.device.errors import CompileError
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import run


def add(a, b, c):
    i = D.block_idx.x * D.block_dim.x + D.thread_idx.x
    if i < c.size:
        c[i] = a[i] + b[i]


SPELLINGS = {
    "bare": D.kernel,
    "called": D.kernel(),
    "with interop": D.kernel(interop=False),
}


@clause("DEV-KERN-01")
@pytest.mark.parametrize("spelling", SPELLINGS)
def test_spellings_of_the_decorator(target, spelling):
    kernel = SPELLINGS[spelling](add)
    a, b = np.arange(70.0), np.arange(70.0) ** 2
    c = np.zeros(70)
    run(kernel, a, b, c, grid=3, block=32)
    assert np.array_equal(c, a + b)


@D.kernel
def count(slots):
    i = D.block_idx.x * D.block_dim.x + D.thread_idx.x
    slots[i] += 1


@clause("DEV-KERN-02")
@pytest.mark.parametrize("block", [1, 5, 31, 32, 33, 63, 64, 100, 257, 1000, 1024])
def test_every_thread_runs_once(target, block):
    for grid in (1, 2, 7):
        slots = np.zeros(grid * block + 40, dtype=np.int32)
        run(count, slots, grid=grid, block=block)
        assert (slots[: grid * block] == 1).all()
        assert (slots[grid * block :] == 0).all()


@D.kernel
def count_2d(slots):
    x = D.block_idx.x * D.block_dim.x + D.thread_idx.x
    y = D.block_idx.y * D.block_dim.y + D.thread_idx.y
    slots[y, x] += 1


@clause("DEV-KERN-02")
@pytest.mark.parametrize("block", [(1, 1), (8, 8), (32, 3), (3, 32), (5, 7), (10, 10), (1, 33)])
def test_every_thread_of_a_plane_runs_once(target, block):
    grid = (3, 2)
    slots = np.zeros((grid[1] * block[1] + 1, grid[0] * block[0] + 1), dtype=np.int32)
    run(count_2d, slots, grid=grid, block=block)
    assert (slots[:-1, :-1] == 1).all()
    assert not slots[-1].any()
    assert not slots[:, -1].any()


vec_add = D.kernel(add)


@clause("DEV-KERN-03")
def test_a_kernel_is_not_called_on_the_host():
    a = np.zeros(4)
    with pytest.raises((TypeError, RuntimeError)) as raised:
        vec_add(a, a, a)
    assert "add" in str(raised.value)
    assert "launch" in str(raised.value)


@D.kernel
def calls_a_kernel(a):
    vec_add(a, a, a)  # refused


@D.func
def passes_on(a):
    vec_add(a, a, a)  # refused
    return 0


@D.kernel
def calls_through_a_function(a):
    a[0] = passes_on(a)


@clause("DEV-KERN-03")
def test_a_kernel_is_not_called_from_device_code():
    expect_refusal(calls_a_kernel, np.zeros(4), words=("add",))
    expect_refusal(calls_through_a_function, np.zeros(4), functions=(passes_on,), words=("add",))


@D.kernel
def returns_a_value(a):
    if a[0] > 0:
        return 1  # refused
    a[0] = 2


@D.kernel
def returns_nothing(a):
    i = D.thread_idx.x
    if i == 1:
        return
    if i == 2:
        return None
    a[i] = 7


@clause("DEV-KERN-04")
def test_a_kernel_that_returns_a_value_is_refused():
    expect_refusal(returns_a_value, np.zeros(4), words=("returns_a_value",))


@clause("DEV-KERN-04")
def test_a_kernel_annotated_with_a_result_is_refused():
    def annotated(a) -> int:
        a[0] = 1

    with pytest.raises((TypeError, CompileError)) as raised:
        run(D.kernel(annotated), np.zeros(4))
    assert "annotated" in str(raised.value)
    assert "return" in str(raised.value)


@clause("DEV-KERN-04")
def test_return_without_a_value_ends_the_thread(target):
    a = np.zeros(5)
    run(returns_nothing, a, block=5)
    assert a.tolist() == [7, 0, 0, 7, 7]


@D.kernel
def annotated_none(a) -> None:
    a[0] = 3


@clause("DEV-KERN-04")
def test_annotation_with_none_is_accepted(target):
    a = np.zeros(1)
    run(annotated_none, a)
    assert a[0] == 3


@clause("DEV-KERN-05")
def test_kernel_and_func_do_not_combine():
    with pytest.raises(TypeError, match="func"):
        D.kernel(D.func(add))
    with pytest.raises(TypeError, match="kernel"):
        D.func(D.kernel(add))


@clause("DEV-KERN-06")
def test_underlying():
    assert D.kernel(add).underlying is add
    assert D.kernel()(add).underlying is add
    assert D.kernel(fmad=False)(add).underlying is add


@clause("DEV-KERN-10")
def test_an_unknown_keyword_is_refused():
    with pytest.raises(TypeError, match="foo"):
        D.kernel(foo=1)
    with pytest.raises(TypeError, match="fmadd"):
        D.kernel(fmadd=False)


@D.kernel(fmad=True)
def fused(a, x, y, z):
    a[0] = x * y + z


@D.kernel(fmad=False)
def not_fused(a, x, y, z):
    a[0] = x * y + z


@clause("DEV-KERN-11")
def test_our_keyword_fmad(target):
    x = np.float32(1 + 2**-12)  # its square needs one bit more than there is
    z = np.float32(-1)
    a = np.zeros(1, dtype=np.float32)
    run(not_fused, a, x, x, z)
    assert a[0] == x * x + z
    run(fused, a, x, x, z)
    exact = np.float32(float(x) * float(x) - 1)
    assert a[0] == exact
    assert exact != x * x + z
