"""Dask: kernels in blocks of arrays, on a cluster of two workers."""

import sys

import cloudpickle
import numpy as np
import pytest
from cuda import device as D
from cuda.device import array_api as xp
from cuda.device.errors import CompileError

from neighbours.packages import needs

dask_array, distributed = needs("dask.array", "distributed")


# As a user's program: workers cannot import this module.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


@pytest.fixture(scope="module")
def client():
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def make_brighten(gain):
    """A kernel that no module has, with a value that it closes over."""

    def clipped(x):
        return min(x, 255)

    @D.kernel
    def brighten(out, a):
        y, x = D.tid(2)
        if y < out.shape[0] and x < out.shape[1]:
            out[y, x] = clipped(a[y, x] * gain)

    return brighten


def launch_on_block(block, kernel):
    out = np.empty_like(block)
    h, w = block.shape
    D.launch(kernel, out, block, grid=(-(-h // 8), -(-w // 32)), block=(8, 32))
    return out


@D.kernel
def blur(out, a):
    y, x = D.tid(2)
    h, w = a.shape
    if 0 < y < h - 1 and 0 < x < w - 1:
        total = D.float32(0)
        for dy in range(-1, 2):
            for dx in range(-1, 2):
                total += a[y + dy, x + dx]
        out[y, x] = total / 9


def blurred(block):
    out = block.copy()
    h, w = block.shape
    D.launch(blur, out, block, grid=(-(-h // 8), -(-w // 32)), block=(8, 32))
    return out


def test_map_blocks(client):
    a = np.arange(90 * 70, dtype=np.int32).reshape(90, 70) % 200
    blocks = dask_array.from_array(a, chunks=(25, 40))
    found = blocks.map_blocks(launch_on_block, make_brighten(2), dtype=a.dtype).compute()
    assert np.array_equal(found, np.minimum(a * 2, 255))
    found = blocks.map_blocks(launch_on_block, make_brighten(3), dtype=a.dtype).compute()
    assert np.array_equal(found, np.minimum(a * 3, 255))


def test_both_workers_have_the_kernel(client):
    kernel = make_brighten(2)
    addresses = list(client.scheduler_info()["workers"])
    assert len(addresses) == 2

    def use(kernel):
        a = np.full((3, 3), 7, np.int32)
        return distributed.get_worker().address, launch_on_block(a, kernel).tolist()

    found = [client.submit(use, kernel, workers=[each], pure=False) for each in addresses]
    assert {each.result()[0] for each in found} == set(addresses)
    assert [each.result()[1] for each in found] == [[[14] * 3] * 3] * 2


def test_map_overlap(client):
    rng = np.random.default_rng(3)
    a = rng.random((100, 90), np.float32)
    blocks = dask_array.from_array(a, chunks=(30, 50))
    found = blocks.map_overlap(blurred, depth=1, boundary="none", dtype=a.dtype).compute()
    wanted = blurred(a)
    assert np.array_equal(found, wanted)
    sums = sum(
        a[1 + y : 99 + y, 1 + x : 89 + x].astype(float) for y in (-1, 0, 1) for x in (-1, 0, 1)
    )
    assert np.allclose(wanted[1:-1, 1:-1], sums / 9, atol=1e-6)


def test_arrays_of_ours_travel(client):
    """HostArrays arrive as NumPy's, whose elements are all that Dask sends of its subclasses."""

    def doubled(a):
        ours = xp.asarray(a)
        return type(a), np.shares_memory(ours, a), type(ours * 2), ours * 2

    for a in (xp.asarray([1.0, 2.0]), xp.zeros(100_000) + 3):
        there = client.scatter(a)
        kind, same, made, found = client.submit(doubled, there).result()
        assert (kind, same, made) == (np.ndarray, True, xp.HostArray)
        assert np.array_equal(found, np.asarray(a) * 2)
        assert type(client.submit(lambda x: xp.asarray(x), there).result()) is np.ndarray
    b = D.arange(4, device="cpu")
    assert client.submit(lambda x: x * 2, b).result().tolist() == [0, 2, 4, 6]


def test_an_error_in_a_kernel_reaches_the_client(client):
    @D.kernel
    def wrong(a):
        a[0] = a[0] + "x"

    def use(kernel):
        D.launch(kernel, np.zeros(1), grid=1, block=1)

    with pytest.raises(CompileError) as raised:
        client.submit(use, wrong).result()
    assert 'a[0] = a[0] + "x"' in str(raised.value)
    assert raised.value.diagnostics[0].line > 0
