"""Thread positions (DEV-POS) and what is device only (DEV-DEVONLY)."""

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.errors import expect_refusal
from support.launching import run

SHAPES = [
    ((1,), (1,)),
    ((5,), (33,)),
    ((2,), (1024,)),
    ((3, 2), (8, 5)),
    ((2, 2), (1, 40)),
    ((2, 3, 2), (4, 3, 2)),
    ((1, 2, 2), (7, 11, 13)),
    ((3, 1, 1), (1, 1, 64)),
]


def three(shape):
    return (*shape, 1, 1)[:3]


def positions(grid, block):
    """Arrays [block, thread, axis] of block and thread indices, x fastest, as CUDA orders them."""

    def axes(shape):
        z, y, x = np.indices(shape[::-1]).reshape(3, -1)
        return np.stack([x, y, z], axis=1)

    blocks, threads = axes(three(grid)), axes(three(block))
    b = np.broadcast_to(blocks[:, None], (len(blocks), len(threads), 3))
    t = np.broadcast_to(threads[None], (len(blocks), len(threads), 3))
    return b, t


@D.kernel
def indices(out):
    b = D.block_idx.x + D.grid_dim.x * (D.block_idx.y + D.grid_dim.y * D.block_idx.z)
    t = D.thread_idx.x + D.block_dim.x * (D.thread_idx.y + D.block_dim.y * D.thread_idx.z)
    out[b, t, 0] = D.thread_idx.x
    out[b, t, 1] = D.thread_idx.y
    out[b, t, 2] = D.thread_idx.z
    out[b, t, 3] = D.block_idx.x
    out[b, t, 4] = D.block_idx.y
    out[b, t, 5] = D.block_idx.z
    out[b, t, 6] = D.block_dim.x
    out[b, t, 7] = D.block_dim.y
    out[b, t, 8] = D.block_dim.z
    out[b, t, 9] = D.grid_dim.x
    out[b, t, 10] = D.grid_dim.y
    out[b, t, 11] = D.grid_dim.z


@clause("DEV-POS-02", "DEV-POS-03", "DEV-POS-04", "DEV-POS-05")
@pytest.mark.parametrize(("grid", "block"), SHAPES)
def test_indices_and_extents(target, grid, block):
    b, t = positions(grid, block)
    out = np.full((*b.shape[:2], 12), -1, dtype=np.int64)
    run(indices, out, grid=grid, block=block)
    assert np.array_equal(out[..., 0:3], t)
    assert np.array_equal(out[..., 3:6], b)
    assert (out[..., 6:9] == three(block)).all()
    assert (out[..., 9:12] == three(grid)).all()


@D.kernel
def below_zero(out):
    out[0] = D.thread_idx.x - 1
    out[1] = D.block_idx.y - 1
    out[2] = D.block_dim.x - 2
    out[3] = D.grid_dim.z - 2


@clause("DEV-POS-02", "DEV-POS-03", "DEV-POS-04", "DEV-POS-05")
def test_components_are_uint32(target):
    out = np.zeros(4, dtype=np.int64)
    run(below_zero, out)
    assert out.tolist() == [2**32 - 1] * 4


@D.kernel
def tids_1(out):
    i = D.tid(1)
    out[i] = i - 1


@D.kernel
def tids_2(out):
    x, y = D.tid(2)
    out[y, x, 0] = x - 1
    out[y, x, 1] = y - 1


@D.kernel
def tids_3(out):
    x, y, z = D.tid(3)
    out[z, y, x, 0] = x - 1
    out[z, y, x, 1] = y - 1
    out[z, y, x, 2] = z - 1


@clause("DEV-POS-06")
@pytest.mark.parametrize(("grid", "block"), [(1, 1), (3, 33), (2, 1024), (7, 5)])
def test_tid_on_a_line(target, grid, block):
    out = np.zeros(grid * block, dtype=np.int64)
    run(tids_1, out, grid=grid, block=block)
    assert np.array_equal(out, np.arange(grid * block) - 1)


@clause("DEV-POS-06")
@pytest.mark.parametrize(("grid", "block"), [((1, 1), (1, 1)), ((3, 2), (5, 7)), ((2, 3), (32, 4))])
def test_tid_on_a_plane(target, grid, block):
    shape = (grid[1] * block[1], grid[0] * block[0])
    out = np.zeros((*shape, 2), dtype=np.int64)
    run(tids_2, out, grid=grid, block=block)
    y, x = np.indices(shape)
    assert np.array_equal(out[..., 0], x - 1)
    assert np.array_equal(out[..., 1], y - 1)


@clause("DEV-POS-06")
def test_tid_in_space(target):
    grid, block = (2, 3, 2), (5, 2, 3)
    shape = tuple(g * b for g, b in zip(grid, block, strict=True))[::-1]
    out = np.zeros((*shape, 3), dtype=np.int64)
    run(tids_3, out, grid=grid, block=block)
    z, y, x = np.indices(shape)
    for axis, expected in enumerate((x, y, z)):
        assert np.array_equal(out[..., axis], expected - 1)


@D.kernel
def tuple_items(out):
    out[0] = D.tid(2)[1]
    out[1] = D.tid(3)[0]
    out[2] = D.grid_size(3)[2]
    out[3] = D.grid_size(2)[0]


@clause("DEV-POS-06", "DEV-POS-08")
def test_positions_are_tuples(target):
    out = np.zeros(4, dtype=np.int64)
    run(tuple_items, out, grid=(1, 1, 4), block=(3, 1, 2))
    assert out[2:].tolist() == [8, 3]
    assert out[0] == 0
    assert out[1] in (0, 1, 2)


@D.kernel
def sizes(out):
    out[0] = D.grid_size(1) - 10_000
    x, y = D.grid_size(2)
    out[1] = x - 10_000
    out[2] = y - 10_000
    x, y, z = D.grid_size(3)
    out[3] = x - 10_000
    out[4] = y - 10_000
    out[5] = z - 10_000


@clause("DEV-POS-08")
@pytest.mark.parametrize(("grid", "block"), SHAPES)
def test_grid_size(target, grid, block):
    out = np.zeros(6, dtype=np.int64)
    run(sizes, out, grid=grid, block=block)
    x, y, z = (g * b for g, b in zip(three(grid), three(block), strict=True))
    assert (out + 10_000).tolist() == [x, x, y, x, y, z]


@D.kernel
def tid_of_zero(out):
    out[0] = D.tid(0)  # refused


@D.kernel
def tid_of_four(out):
    out[0] = D.tid(4)  # refused


@D.kernel
def tid_of_a_variable(out, n):
    out[0] = D.tid(n)  # refused


@D.kernel
def tid_of_a_float(out):
    out[0] = D.tid(1.0)  # refused


@D.kernel
def tid_of_nothing(out):
    out[0] = D.tid()  # refused


@D.kernel
def size_of_zero(out):
    out[0] = D.grid_size(0)  # refused


@D.kernel
def size_of_four(out):
    out[0] = D.grid_size(4)  # refused


@D.kernel
def size_of_a_variable(out, n):
    out[0] = D.grid_size(n)  # refused


@D.kernel
def size_of_a_float(out):
    out[0] = D.grid_size(1.0)  # refused


OUT = np.zeros(4, dtype=np.int64)


@clause("DEV-POS-07")
@pytest.mark.parametrize("kernel", [tid_of_zero, tid_of_four, tid_of_a_float, tid_of_nothing])
def test_tid_needs_one_to_three(kernel):
    expect_refusal(kernel, OUT, words=("tid",))


@clause("DEV-POS-07")
def test_tid_needs_a_constant():
    expect_refusal(tid_of_a_variable, OUT, 1, words=("tid", "constant"))


@clause("DEV-POS-09")
@pytest.mark.parametrize("kernel", [size_of_zero, size_of_four, size_of_a_float])
def test_grid_size_needs_one_to_three(kernel):
    expect_refusal(kernel, OUT, words=("grid_size",))


@clause("DEV-POS-09")
def test_grid_size_needs_a_constant():
    expect_refusal(size_of_a_variable, OUT, 1, words=("grid_size", "constant"))


TWO = 2


@D.kernel
def constant_dimensions(out):
    n = 1 + 1
    x, y = D.tid(n)
    w, h = D.grid_size(TWO)
    out[y * w + x] = h


@clause("DEV-POS-06", "DEV-POS-08")
def test_dimensions_may_be_constant_expressions(target):
    out = np.zeros(12, dtype=np.int64)
    run(constant_dimensions, out, grid=(2, 3), block=(2, 1))
    assert (out == 3).all()


@D.kernel
def warp_sizes(out):
    out[D.tid(1)] = D.warp_size - 33


@clause("DEV-POS-10")
def test_warp_size_is_32_and_int32(target):
    out = np.zeros(3, dtype=np.int64)
    run(warp_sizes, out, block=3)
    assert out.tolist() == [-1, -1, -1]


@D.kernel
def lanes(out):
    t = D.thread_idx.x + D.block_dim.x * (D.thread_idx.y + D.block_dim.y * D.thread_idx.z)
    out[D.block_idx.x, t] = D.lane_id - 1


@clause("DEV-POS-11")
@pytest.mark.parametrize("block", [1, 31, 32, 33, 100, (5, 7), (16, 16), (3, 5, 7), (1, 1, 64)])
def test_lane_id_is_the_linear_thread_index_modulo_32(target, block):
    threads = int(np.prod(block))
    out = np.full((2, threads), -7, dtype=np.int64)
    run(lanes, out, grid=2, block=block)
    assert (out == np.arange(threads) % 32 - 1).all()


HOST_USES = {
    "thread_idx.x": lambda: D.thread_idx.x,
    "block_idx.y": lambda: D.block_idx.y,
    "block_dim.z": lambda: D.block_dim.z,
    "grid_dim.x": lambda: D.grid_dim.x,
    "warp_size + 1": lambda: D.warp_size + 1,
    "lane_id + 1": lambda: D.lane_id + 1,
    "1 + lane_id": lambda: 1 + D.lane_id,
    "int(lane_id)": lambda: int(D.lane_id),
    "lane_id == 0": lambda: D.lane_id == 0,
    "tid(1)": lambda: D.tid(1),
    "grid_size(2)": lambda: D.grid_size(2),
}
FUNCTIONS = {
    "syncthreads": lambda: D.syncthreads(),
    "syncthreads_count": lambda: D.syncthreads_count(lambda: True),
    "syncthreads_and": lambda: D.syncthreads_and(lambda: True),
    "syncthreads_or": lambda: D.syncthreads_or(pred=lambda: True),
    "shared_array": lambda: D.shared_array(4, D.int32),
    "local_array": lambda: D.local_array((2, 2), D.int32, order="F", align=16),
    "dynamic_shared_array": lambda: D.dynamic_shared_array(),
    "activemask": lambda: D.activemask(),
}


@clause("DEV-DEVONLY-01", "DEV-POS-12")
@pytest.mark.parametrize("use", HOST_USES)
def test_device_only_entities_are_refused_on_the_host(use):
    with pytest.raises(RuntimeError) as raised:
        HOST_USES[use]()
    name = next(word for word in ("thread_idx", "block_idx", "block_dim", "grid_dim", "warp_size",
                                  "lane_id", "tid", "grid_size") if word in use)  # fmt: skip
    assert name in str(raised.value)
    assert "kernel" in str(raised.value) or "device" in str(raised.value)


@clause("DEV-DEVONLY-01")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_device_only_functions_are_refused_on_the_host(name, partly):
    if not hasattr(D, name):
        partly("names that are missing, see docs/not-implemented.md")
        return
    with pytest.raises(RuntimeError, match=f"cuda.device.{name} exists in kernels only"):
        FUNCTIONS[name]()


@D.kernel
def assigns_thread_idx(out):
    D.thread_idx = 1  # refused
    out[0] = 1


@D.kernel
def assigns_a_component(out):
    D.thread_idx.x = 1  # refused
    out[0] = 1


@D.kernel
def assigns_lane_id(out):
    D.lane_id = 1  # refused
    out[0] = 1


@clause("DEV-POS-12")
@pytest.mark.parametrize("kernel", [assigns_thread_idx, assigns_a_component, assigns_lane_id])
def test_positions_are_not_assignable(kernel):
    expect_refusal(kernel, OUT)
