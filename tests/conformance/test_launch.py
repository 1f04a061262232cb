"""launch(f, *args, grid, block, stream, shared=0) (DEV-LAUNCH, DEV-DIM3L)."""

import inspect

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.kernels import spin
from support.launching import run

REFUSED = (TypeError, ValueError, OverflowError)


@D.kernel
def vec_add(a, b, c):
    c[D.tid(1)] = a[D.tid(1)] + b[D.tid(1)]


@D.kernel
def fill(a, value):
    i = D.tid(1)
    if i < a.size:
        a[i] = value


@D.kernel
def nothing():
    pass


# --- the signature ---


@clause("DEV-LAUNCH-01")
def test_signature():
    parameters = inspect.signature(D.launch).parameters
    kinds = {name: parameter.kind for name, parameter in parameters.items()}
    assert list(kinds) == ["f", "args", "grid", "block", "stream", "shared"]
    assert kinds["args"] is inspect.Parameter.VAR_POSITIONAL
    for name in ("grid", "block", "stream", "shared"):
        assert kinds[name] is inspect.Parameter.KEYWORD_ONLY
    assert parameters["grid"].default is inspect.Parameter.empty
    assert parameters["block"].default is inspect.Parameter.empty
    assert parameters["shared"].default == 0


@clause("DEV-LAUNCH-01")
@pytest.mark.parametrize("given", ["grid", "block"])
def test_grid_and_block_are_required(given):
    missing = {"grid": "block", "block": "grid"}[given]
    with pytest.raises(TypeError, match=missing):
        D.launch(nothing, **{given: 1})


@clause("DEV-LAUNCH-01")
def test_unknown_keywords_are_refused():
    with pytest.raises(TypeError, match="blocks"):
        D.launch(nothing, grid=1, block=1, blocks=2)


@clause("DEV-LAUNCH-01")
def test_without_a_stream_the_results_are_there_at_once(target):
    a = np.zeros(1000)
    D.launch(fill, a, 2.5, grid=4, block=256)
    assert (a == 2.5).all()


# --- asynchronous execution ---


def lcg(x, n):
    """The value of `spin`, by squaring the affine map."""
    a, c = 1664525, 1013904223
    step_a, step_c = 1, 0
    while n:
        if n & 1:
            step_a, step_c = step_a * a % 2**32, (step_c * a + c) % 2**32
        a, c = a * a % 2**32, (c * a + c) % 2**32
        n >>= 1
    return (step_a * x + step_c) % 2**32


@clause("DEV-LAUNCH-02")
def test_a_launch_on_a_stream_returns_before_the_kernel_is_done():
    stream = D.core.Device("host").create_stream()
    a = np.array([1], dtype=np.uint32)
    n = 100_000_000
    run(spin, a, 1)
    a[0] = 1
    D.launch(spin, a, n, grid=1, block=1, stream=stream)
    done = stream.record()
    early = done.is_done
    stream.sync()
    assert not early
    assert done.is_done
    assert a[0] == lcg(1, n)


@D.kernel
def double(a):
    i = D.tid(1)
    if i < a.size:
        a[i] = a[i] * 2 + 1


@clause("DEV-LAUNCH-02")
def test_a_stream_keeps_the_order():
    stream = D.core.Device("host").create_stream()
    a = np.zeros(10_000, dtype=np.int32)
    for _ in range(20):
        D.launch(double, a, grid=40, block=256, stream=stream)
    stream.sync()
    assert (a == 2**20 - 1).all()


@clause("DEV-LAUNCH-02")
def test_arguments_live_until_the_launch_is_done():
    stream = D.core.Device("host").create_stream()
    a = np.zeros(1 << 16, dtype=np.int32)
    for i in range(50):
        D.launch(add_to, a, np.full(1 << 16, i, dtype=np.int32), grid=256, block=256, stream=stream)
    stream.sync()
    assert (a == sum(range(50))).all()


@D.kernel
def add_to(a, b):
    i = D.tid(1)
    if i < a.size:
        a[i] += b[i]


# --- the grid ---

SHAPES = [
    ((1,), (1,)),
    ((4,), (33,)),
    ((1000,), (1,)),
    ((3, 2), (8, 5)),
    ((2, 3, 2), (4, 3, 2)),
    ((1, 1, 2), (1, 1, 64)),
    ((2, 1, 1), (1024, 1, 1)),
    ((1, 2, 1), (7, 11, 13)),
]


@D.kernel
def mark(seen):
    b = D.block_idx.x + D.grid_dim.x * (D.block_idx.y + D.grid_dim.y * D.block_idx.z)
    t = D.thread_idx.x + D.block_dim.x * (D.thread_idx.y + D.block_dim.y * D.thread_idx.z)
    seen[b, t] += 1


@clause("DEV-LAUNCH-03")
@pytest.mark.parametrize(("grid", "block"), SHAPES)
def test_grid_and_block_shapes(target, grid, block):
    seen = np.zeros((np.prod(grid) + 1, np.prod(block) + 1), dtype=np.int32)
    run(mark, seen, grid=grid, block=block)
    assert (seen[:-1, :-1] == 1).all()
    assert seen.sum() == np.prod(grid) * np.prod(block)


@D.kernel
def extents(out):
    out[0] = D.grid_dim.x
    out[1] = D.grid_dim.y
    out[2] = D.grid_dim.z
    out[3] = D.block_dim.x
    out[4] = D.block_dim.y
    out[5] = D.block_dim.z


@clause("DEV-DIM3L-01")
@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (4, [4, 1, 1]),
        ((4,), [4, 1, 1]),
        ((4, 2), [4, 2, 1]),
        ((4, 2, 1), [4, 2, 1]),
        ((1, 2, 3), [1, 2, 3]),
        (np.int32(5), [5, 1, 1]),
    ],
)
def test_forms_of_grid_and_block(target, value, shape):
    out = np.zeros(6, dtype=np.int64)
    run(extents, out, grid=value, block=1)
    assert out.tolist() == [*shape, 1, 1, 1]
    run(extents, out, grid=1, block=value)
    assert out.tolist() == [1, 1, 1, *shape]


@clause("DEV-LAUNCH-05")
def test_each_thread_runs_the_function_with_the_arguments(target):
    a, b, c = np.arange(96.0), np.arange(96.0) * 3, np.zeros(96)
    run(vec_add, a, b, c, grid=3, block=32)
    assert np.array_equal(c, a + b)
    run(nothing)


@clause("DEV-LAUNCH-05")
@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_a_wrong_number_of_arguments_is_refused(count):
    a = np.zeros(4)
    with pytest.raises(TypeError) as raised:
        D.launch(vec_add, *[a] * count, grid=1, block=1)
    text = str(raised.value)
    assert "vec_add" in text
    assert "3" in text
    assert str(count) in text


# --- what launch refuses ---


def plain(a):
    a[0] = 1


NOT_KERNELS = {
    "plain function": plain,
    "func": D.func(plain),
    "lambda": lambda a: None,
    "None": None,
    "class": int,
}


@clause("DEV-LAUNCH-06")
@pytest.mark.parametrize("what", NOT_KERNELS)
def test_only_kernels_are_launched(what):
    a = np.zeros(1)
    with pytest.raises(TypeError, match="kernel"):
        D.launch(NOT_KERNELS[what], a, grid=1, block=1)
    assert a[0] == 0


class Thing:
    pass


@clause("DEV-LAUNCH-07")
@pytest.mark.parametrize(
    "value", ["text", b"bytes", {"a": 1}, [1, 2], {1, 2}, Thing(), Thing, len, ...]
)
def test_arguments_must_be_heterogeneous(value):
    a = np.zeros(1)
    with pytest.raises((TypeError, NotImplementedError)) as raised:
        D.launch(fill, a, value, grid=1, block=1)
    text = str(raised.value)
    assert "fill" in text
    assert "2" in text or "value" in text  # its position, or its name
    assert type(value).__name__ in text


@clause("DEV-LAUNCH-07")
def test_a_file_is_no_argument(tmp_path):
    with open(tmp_path / "file", "w") as file, pytest.raises(TypeError, match="TextIOWrapper"):
        D.launch(fill, np.zeros(1), file, grid=1, block=1)


BAD_GRIDS = [
    0, -1, 2**31, 1.5, "4", None, (), (1, 2, 3, 4), (0,), (1, 0), (1, 1, 0), (1, -2), (1, 1.5),
    (1, "2"), (1, 65536), (1, 1, 65536), 2**64, np.float32(2),
]  # fmt: skip
BAD_BLOCKS = [
    0, -1, 1025, 1.5, "4", None, (), (1, 2, 3, 4), (1, 0), (1, 1, 0), (1, -2), (32, 33), (1, 1, 65),
    (1, 1.5), (16, 16, 5), 2**32, 2**64, (65536, 65536),
]  # fmt: skip


@clause("DEV-LAUNCH-08")
@clause("DEV-GEN-05")
@pytest.mark.parametrize("grid", BAD_GRIDS, ids=repr)
def test_bad_grids(grid):
    with pytest.raises(REFUSED, match="grid"):
        D.launch(nothing, grid=grid, block=1)


@clause("DEV-LAUNCH-08")
@pytest.mark.parametrize("block", BAD_BLOCKS, ids=repr)
def test_bad_blocks(block):
    with pytest.raises(REFUSED, match="block"):
        D.launch(nothing, grid=1, block=block)


@clause("DEV-LAUNCH-08")
@pytest.mark.parametrize("block", [1024, (32, 32), (1, 1024), (16, 1, 64)])
def test_the_largest_blocks_are_accepted(target, block):
    seen = np.zeros((1, 1024), dtype=np.int32)
    run(mark, seen, block=block)
    assert (seen == 1).all()


@D.kernel
def last_block(a):
    last_x = D.block_idx.x == D.grid_dim.x - 1
    last_y = D.block_idx.y == D.grid_dim.y - 1
    if last_x and last_y and D.block_idx.z == D.grid_dim.z - 1:
        a[0] += 1


@clause("DEV-LAUNCH-08")
@pytest.mark.parametrize("grid", [65536, (1, 65535), (1, 1, 65535)])
def test_large_grids_are_accepted(target, grid):
    a = np.zeros(1, dtype=np.int32)
    run(last_block, a, grid=grid)
    assert a[0] == 1


@clause("DEV-LAUNCH-09")
@pytest.mark.parametrize("shared", [-1, 1.5, "4", None, 2**40])
def test_bad_shared(shared):
    with pytest.raises(REFUSED, match="shared"):
        D.launch(nothing, grid=1, block=1, shared=shared)


@clause("DEV-LAUNCH-09")
def test_shared_over_the_limit_states_the_limit():
    with pytest.raises(ValueError, match="232448"):
        D.launch(nothing, grid=1, block=1, shared=227 * 1024 + 1)


class RaisingStream:
    def __cuda_stream__(self):
        raise ZeroDivisionError("the stream's own")


class WrongVersion:
    def __cuda_stream__(self):
        return (1, 0)


@clause("DEV-LAUNCH-10", partial="a stream of another device")
@pytest.mark.parametrize("stream", [None, 0, 1, "stream", Thing(), 1.0, (0, 0)])
def test_bad_streams(stream):
    with pytest.raises(TypeError, match="stream"):
        D.launch(nothing, grid=1, block=1, stream=stream)


@clause("DEV-LAUNCH-10", partial="a stream of another device")
def test_streams_that_break_the_protocol():
    with pytest.raises(D.errors.LaunchValueError, match="gave \\(1, 0\\); only version 0"):
        D.launch(nothing, grid=1, block=1, stream=WrongVersion())
    # The stream's own error, as it is.
    with pytest.raises(ZeroDivisionError, match=r"^the stream's own$"):
        D.launch(nothing, grid=1, block=1, stream=RaisingStream())


@pytest.fixture
def current_device():
    """The one that is current now is so for the next test too."""
    before = D.core.Device()
    yield
    before.set_current()


@clause("DEV-LAUNCH-11", "DEV-GEN-04")
@pytest.mark.usefixtures("current_device")
def test_the_example_of_the_guide():
    dev = D.core.Device("host")
    dev.set_current()
    stm = dev.create_stream()
    n = 1024
    rng = np.random.default_rng(7)
    a, b = rng.random(n), rng.random(n)
    c = np.zeros_like(a)
    D.launch(vec_add, a, b, c, grid=4, block=256, stream=stm)
    stm.sync()
    assert np.array_equal(c, a + b)
