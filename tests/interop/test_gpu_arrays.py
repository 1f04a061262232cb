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


def test_memory_that_is_dropped_after_a_launch_is_freed_after_it(on_fake):  # noqa: F811
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


def test_a_lost_gpu_is_told_with_the_kernel(on_fake):  # noqa: F811
    found = on_fake("""
        a, b = D.zeros(8, device="cuda"), core.Device(0).allocate(8)
        fake.fake_fault(b"double", 700)
        D.launch(double, a, grid=1, block=32)
        tries = [
            lambda: D.to_host(a), lambda: D.zeros(8, device="cuda"), lambda: core.Device(0).sync(),
            lambda: b.fill(0, stream=core.Device(0).default_stream),
        ]
        found = [outcome(what) for what in tries]
        b.close()
        del a
        answer = [[kind, text.partition(" (")[0], text.count("CUDA_ERROR_ILLEGAL_ADDRESS")]
                  for kind, text in found]
    """)
    assert found == [["KernelError", "kernel 'double'", 1]] * 4


def test_memory_of_a_gpu_in_a_forked_child(on_fake):  # noqa: F811
    said = on_fake("""
        import os
        stream = core.Device(0).create_stream()
        a, b = D.zeros(5, device="cuda"), core.Device(0).allocate(8)
        from_child, to_parent = os.pipe()
        if os.fork() == 0:
            tries = [lambda: D.to_host(a), lambda: D.zeros(5, device="cuda"),
                     lambda: b.fill(0, stream=stream)]
            said = [outcome(what) for what in tries]
            b.close()
            del a
            os.write(to_parent, json.dumps(said).encode())
            os._exit(0)
        os.wait()
        answer = json.loads(os.read(from_child, 10000))
    """)
    assert [kind for kind, _ in said] == ["KernelError", "ValueError", "KernelError"]
    assert all("was forked from one that had initialised CUDA" in text for _, text in said)


def test_memory_that_is_left_at_the_end_of_the_process(on_fake):  # noqa: F811
    """Freed at the end of the process: nothing is called any more, and nothing said."""
    assert on_fake("""
        stream = core.Device(0).create_stream()
        kept = [D.zeros(5, device="cuda"), core.Device(0).allocate(8, stream=stream)]
        D.launch(double, kept[0], grid=1, block=32, stream=stream)
        core.kept = kept
        answer = 1
    """)


def test_arrays_of_vectors_and_structs(on_fake):  # noqa: F811
    """They are made, filled, assigned to and copied; DLPack has no type for structs."""
    answer = on_fake("""
        @D.struct(align=16)
        class Cell:
            flag: D.int8
            value: D.float32x2
            nothing: None = None

        a = D.zeros((2, 2), dtype=Cell, device="cuda")
        a[0, 1] = Cell(1, D.float32x2(2, 3))
        a[1] = np.array([(4, (5, 6), b"")] * 2, Cell.numpy_dtype)
        found = D.to_host(a)
        kept = found.dtype.type.__cuda_device_type__ is Cell and a.dtype is Cell.numpy_dtype
        fields = D.to_host(a["value"]["y"]).tolist(), a["flag"].strides, a.itemsize
        odd = D.full(3, D.uint8x3(1, 1, 2), device="cuda")
        moved = D.asarray(np.zeros(2, D.int16x4.numpy_dtype), device="cuda")
        refused = []
        for use in (a.__dlpack__, lambda: a["nope"], lambda: a["nothing"]):
            try:
                use()
            except Exception as error:
                refused.append(type(error).__name__)
        cai = a.__cuda_array_interface__
        answer = [found["value"]["x"].tolist(), kept, fields, D.to_host(odd).tolist(),
                  D.to_host(moved).tolist(), refused, cai["typestr"], "descr" in cai]
    """)
    assert answer == [
        [[0, 2], [5, 5]],
        True,
        [[[0, 3], [6, 6]], [64, 32], 32],
        [[1, 1, 2]] * 3,
        [[0, 0, 0, 0]] * 2,
        ["BufferError", "IndexError", "TypeError"],
        "|V32",
        True,
    ]


def test_launches_take_arrays_of_vectors_structs_and_complex_numbers(on_fake):  # noqa: F811
    answer = on_fake("""
        @D.struct
        class Cell:
            flag: D.int8
            value: D.float32x2
            nothing: None = None

            def total(self):
                return self.value.x + self.value.y

        @runs_on_fake((Cell.numpy_dtype, 1), (D.float32x4.numpy_dtype, 1), ("c8", 1), ("c8", 1))
        @D.kernel
        def gather(cells, vectors, numbers, copied):
            i = D.tid(1)
            if i < len(cells):
                cell = cells[i]
                vectors[i] = D.float32x4(cell.value.x, cell.value.y, cell.total(), cell.flag)
                copied[i] = numbers[i]

        cells = D.full(3, Cell(-1, D.float32x2(1, 2)), device="cuda")
        cells[1] = Cell(5, D.float32x2(7, 8))
        vectors = D.zeros(3, D.float32x4, device="cuda")
        numbers = D.full(3, 1 + 2j, np.complex64, device="cuda")
        copied = D.zeros(3, np.complex64, device="cuda")
        for _ in range(2):
            D.launch(gather, cells, vectors, numbers, copied, grid=1, block=32)
        parts = D.to_host(copied).view(np.float32)
        answer = [D.to_host(vectors).tolist(), parts.tolist(), len(launches)]
    """)
    assert answer == [
        [[1, 2, 3, -1], [7, 8, 15, 5], [1, 2, 3, -1]],
        [1, 2] * 3,
        2,
    ]


def test_launches_take_records_and_complex_numbers_by_a_dictionary(on_fake):  # noqa: F811
    """A description is read once; the memory of a GPU is known by its address alone."""
    answer = on_fake("""
        class Given:
            def __init__(self, array):
                self.array, self.changes = array, {}
            @property
            def __cuda_array_interface__(self):
                return self.array.__cuda_array_interface__ | self.changes

        point = np.dtype([("x", "<f4"), ("y", "<i4")])

        @runs_on_fake((point, 1), ("c8", 1))
        @D.kernel
        def gather(points, numbers):
            i = D.tid(1)
            if i < len(points):
                numbers[i] = complex(points[i]["x"], points[i]["y"])

        points = D.asarray(np.array([(1, 2), (3, 4)], point), device="cuda")
        numbers = D.zeros(2, np.complex64, device="cuda")
        found = []
        for _ in range(2):
            D.launch(gather, Given(points), Given(numbers), grid=1, block=32)
            found.append(D.to_host(numbers).view(np.float32).tolist())
            points["y"] = 9
        outside = Given(points)
        outside.changes = {"shape": (1 << 20,)}
        try:
            D.launch(gather, outside, numbers, grid=1, block=32)
        except ValueError as error:
            found.append("outside of their allocation" in str(error))
        empty = Given(points)
        empty.changes = {"shape": (0,), "data": (0, False)}
        D.launch(gather, empty, Given(numbers), grid=1, block=32)
        core.Device(0).sync()
        answer = [found, len(launches)]
    """)
    assert answer == [[[1, 2, 3, 4], [1, 9, 3, 9], True], 3]
