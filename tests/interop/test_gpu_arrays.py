"""Arrays of our own in launches on GPUs that are not there: the driver of the tests does what is
queued on each stream's own thread."""

from support.fake_gpu import needs_fake, on_fake  # noqa: F401 a fixture

pytestmark = needs_fake


def test_launches_take_arrays_and_the_host_waits_for_them(on_fake):  # noqa: F811
    """Without a word about synchronisation: three streams, and a kernel that waits in front."""
    answer = on_fake("""
        a = D.zeros(8, device="cuda")
        b = D.full(8, 2.0, device="cuda")
        first, second = core.Device(0).create_stream(), core.Device(0).create_stream()
        gates["add"] = threading.Event()
        D.launch(add, a, b, grid=1, block=8, stream=first)
        D.launch(double, a, grid=1, block=8, stream=second)
        c = D.asarray(a, copy=True)
        D.launch(add, c, b, grid=1, block=8)
        assert launches == []
        gates["add"].set()
        answer = [D.to_host(a).tolist(), D.to_host(c).tolist()]
    """)
    assert answer == [[4.0] * 8, [6.0] * 8]


def test_memory_that_is_dropped_behind_a_launch_is_freed_behind_it(on_fake):  # noqa: F811
    answer = on_fake("""
        b = D.full(8, 2.0, device="cuda")
        total = D.zeros(8, device="cuda")
        stream = core.Device(0).create_stream()
        gates["add"] = threading.Event()
        for _ in range(5):
            a = D.full(8, 1.0, device="cuda")
            D.launch(add, a, b, grid=1, block=8, stream=stream)
            D.launch(add, total, a, grid=1, block=8, stream=stream)
            del a
        assert launches == []
        gates["add"].set()
        answer = D.to_host(total).tolist()
    """)
    assert answer == [15.0] * 8


def test_the_current_device_is_where_arrays_are_made(on_fake):  # noqa: F811
    answer = on_fake(
        """
        found = [D.zeros(2).device]
        core.Device(1).set_current()
        found += [D.zeros(2).device, D.arange(3).device, D.asarray([1, 2]).device]
        found += [D.zeros(2, device=core.Device(0)).device, type(D.zeros(2, device="cpu")).__name__]
        core.Device("host").set_current()
        found += [D.zeros(2).device]
        buffer = core.Device(1).allocate(64, stream=core.Device(1).create_stream())
        found += [buffer.device_id, core.Device(1).memory_resource.device_id]
        answer = found
        """,
        FAKE_CUDA_DEVICES="2",
    )
    assert answer == ["cuda:0", "cuda:1", "cuda:1", "cuda:1", "cuda:0", "ndarray", "cpu", 1, 1]


def test_buffers_are_of_use_on_streams_of_ours(on_fake):  # noqa: F811
    answer = on_fake("""
        gpu = core.Device(0)
        stream, other = gpu.create_stream(), gpu.create_stream()
        pinned = core.PinnedMemoryResource(0).allocate(64)
        a = gpu.allocate(64, stream=stream)
        a.fill(7, stream=stream)
        b = a.copy_to(stream=other)
        a.close(other)
        pinned.copy_from(b, stream=stream)
        answer = [list(bytes(pinned)) == [7] * 64,
                  outcome(lambda: gpu.allocate(5, stream=core.Device("host").create_stream()))]
    """)
    assert answer[0] is True
    assert answer[1][0] == "TypeError"
