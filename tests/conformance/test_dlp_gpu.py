"""DLPack in memory of GPUs of the tests: order of streams (DEV-DLP)."""

from support.clauses import clause
from support.fake_gpu import needs_fake, on_fake  # noqa: F401 a fixture

pytestmark = needs_fake


@clause("DEV-DLP-04", "DEV-DLP-03")
def test_consumers_read_what_was_written_before(on_fake):  # noqa: F811
    """A kernel waits on one stream; the consumer's, on the stream that it names, comes after it."""
    found = on_fake("""
        S, T = core.Device(0).create_stream(), core.Device(0).create_stream()
        size = {"grid": 1, "block": 4}
        class Given:  # another library's tensor, which asks nobody to wait any more
            def __init__(self, capsule):
                self.capsule = capsule
            def __dlpack_device__(self):
                return 2, 0
            def __dlpack__(self, **keywords):
                return self.capsule
        def exchanged(stream):
            a, ones = D.zeros(4, device="cuda"), D.full(4, 1.0, device="cuda")
            core.Device(0).sync()
            gates["add"] = threading.Event()
            D.launch(add, a, ones, **size, stream=S)
            given = Given(a.__dlpack__(stream=stream, max_version=(1, 0)))
            D.launch(double, given, **size, stream=T)
            time.sleep(0.2)
            early = [name for name, *_ in launches]
            gates["add"].set()
            core.Device(0).sync()
            result = D.to_host(a).tolist()
            del given
            launches.clear()
            return early, result
        answer = [exchanged(T.handle), exchanged(-1)]
    """)
    assert found == [[[], [2.0] * 4], [["double"], [1.0] * 4]]


@clause("DEV-DLP-01", "DEV-DLP-05")
def test_devices_are_asked_for_first_and_their_memory_taken(on_fake):  # noqa: F811
    calls, refused = on_fake("""
        size = {"grid": 1, "block": 4}
        T = core.Device(0).create_stream()
        calls = []
        for type in (2, 3, 13):
            a = Producer(np.ones(4), device=(type, 0))
            D.launch(double, a, **size, stream=T)
            core.Device(0).sync()
            asked = [call if isinstance(call, str) else call[0] for call in a.calls]
            T.sync()
            calls.append([asked, a.array.tolist(), a.capsule_names()])
        one = Producer(np.ones(4), device=(14, 0))
        answer = [calls, [outcome(lambda: D.launch(double, one, **size, stream=T))[0], one.calls]]
    """)
    order = [["__dlpack_device__", "__dlpack__"], [2.0] * 4, ["used_dltensor_versioned"]]
    assert calls == [order] * 3
    assert refused == ["LaunchValueError", ["__dlpack_device__"]]


@clause("DEV-DLP-17", "CAI-PTR-01")
def test_where_memory_is_comes_from_the_pointer(on_fake):  # noqa: F811
    """Numbers of devices are another library's own; kinds of memory are in no dictionary."""
    found = on_fake(
        """
        answer = []
        for kind, number in {"device": 2, "pinned": 3, "managed": 13}.items():
            a = D.full(4, 1.0, device="cuda:1", memory=kind)
            core.Device(1).sync()
            fields = a.__cuda_array_interface__
            data = fields["data"][0]
            tensor = Producer(np.zeros(4), device=(number, 0), data=data)  # it is on GPU 1
            for ours in (D.from_dlpack(tensor), D.from_cuda_array_interface(fields)):
                answer.append([kind, ours.device, ours.memory])
        """,
        FAKE_CUDA_DEVICES="2",
    )
    assert found == [
        [kind, "cuda:1", kind] for kind in ("device", "pinned", "managed") for _ in range(2)
    ]
