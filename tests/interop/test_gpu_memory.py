"""Memory of a GPU that is not there: buffers and arrays with the tests' own CUDA driver."""

import pickle

import pytest
from cuda.device import array_api
from support.clauses import clause

from support import fake_memory

pytestmark = fake_memory.needs_fake


@pytest.fixture
def on_fake(tmp_path):
    return lambda text, **variables: fake_memory.run(tmp_path, text, **variables)


NOTHING = [0, 0, 0, 0]
OPEN_POOL = ["device_attribute", "default_pool", "pool_set_attribute"]


def test_device_memory_comes_from_the_pool_in_the_streams_order(on_fake):
    first, second, freed, left = on_fake("""
        r = core.DeviceMemoryResource(0)
        calls()
        a = r.allocate(1000, stream=Stream(7))
        first = [calls(), notes()]
        b = r.allocate(500)
        second = [calls(), notes()]
        a.close()
        b.close(Stream(9))
        answer = [first, second, notes(), left()]
    """)
    opened, allocated = first[0][:-4], first[0][-4:]
    assert opened[-1] == "primary_context_retain"
    assert allocated == [*OPEN_POOL, "memory_alloc_async"]
    assert first[1] == ["memory_alloc_async 1000 on 7"]
    assert second == [["memory_alloc_async"], ["memory_alloc_async 500 on 0"]]
    # Stream 9 frees what the default stream used last: it waits for it.
    assert freed == [
        "memory_free_async 1000 on 7",
        "event_record on 1",
        "stream_wait_event on 9",
        "memory_free_async 500 on 9",
    ]
    assert left == NOTHING


def test_without_pools_freeing_waits_for_the_stream(on_fake):
    made, freed, left = on_fake(
        """
        a = core.DeviceMemoryResource(0).allocate(1000, stream=Stream(7))
        made = calls()[-1]
        a.close()
        answer = [made, [calls(), notes()], left()]
        """,
        FAKE_CUDA_POOLS="0",
    )
    assert made == "memory_alloc"
    assert freed == [["stream_synchronize", "memory_free"], ["stream_synchronize on 7"]]
    assert left == NOTHING


@pytest.mark.parametrize(
    ("resource", "allocates", "frees", "reached", "dlpack"),
    [
        ("Device", "memory_alloc_async", ["memory_free_async"], [False, True, False], [2, 0]),
        (
            "Pinned",
            "pinned_alloc",
            ["stream_synchronize", "pinned_free"],
            [True, True, False],
            [3, 0],
        ),
        (
            "Managed",
            "memory_alloc_managed",
            ["stream_synchronize", "memory_free"],
            [True, True, True],
            [13, 0],
        ),
    ],
)
def test_kinds_of_memory(on_fake, resource, allocates, frees, reached, dlpack):
    made, facts, device, freed, left = on_fake(f"""
        r = core.{resource}MemoryResource(0)
        b = r.allocate(64)
        made = calls()[-1]
        facts = [b.is_host_accessible, b.is_device_accessible, b.is_managed]
        assert facts == [r.is_host_accessible, r.is_device_accessible, r.is_managed]
        assert b.memory_resource is r
        assert (b.size, b.device_id, b.handle % 256) == (64, 0, 0)
        device = b.__dlpack_device__()
        b.close()
        assert (b.size, b.handle) == (0, 0)
        b.close()
        answer = [made, facts, device, calls(), left()]
    """)
    assert made == allocates
    assert facts == reached
    assert device == dlpack
    assert freed == frees
    assert left == NOTHING


def test_no_bytes_need_no_driver(on_fake):
    asked, left = on_fake("""
        core.DeviceMemoryResource(0)
        calls()
        b = core.DeviceMemoryResource(0).allocate(0)
        b.close()
        a = D.zeros((0, 5), device="cuda")
        assert D.to_host(a).shape == (0, 5)
        del a
        answer = [[c for c in calls() if "memory" in c], left()]
    """)
    assert asked == []
    assert left == NOTHING


def test_out_of_memory_has_figures_and_leaves_everything_usable(on_fake):
    found, figures, after, left = on_fake(
        """
        a = D.full(1000, 3, np.uint8, device="cuda")
        calls()
        def ask():
            try:
                D.empty(30000, np.uint8, device="cuda")
            except MemoryError as e:
                global figures
                figures = [e.asked, e.free, e.total]
                raise
        found = [outcome(ask), calls()]
        after = [int(D.to_host(a).sum()), D.empty(10000, np.uint8, device="cuda").nbytes]
        del a
        answer = [found, figures, after, left()]
        """,
        FAKE_CUDA_MEMORY="20000",
    )
    assert found[0] == [
        "OutOfMemoryError",
        "out of memory: 30000 bytes of device memory of GPU 0 were requested, 19000 of 20000 are "
        "free\n  free arrays and buffers that are not needed any more, or work on smaller parts",
    ]
    asked_for = "memory_alloc_async"
    assert found[1] == [asked_for, "context_synchronize", "pool_trim", asked_for, "memory_info"]
    assert figures == [30000, 19000, 20000]
    assert after == [3000, 10000]
    assert left == NOTHING


def test_what_the_pool_keeps_is_given_back_before_memory_is_missing(on_fake):
    """Freed on another stream, kept by the pool, and wanted as managed memory."""
    outcomes, kept = on_fake(
        """
        def make(kind, stream=None):
            return getattr(core, kind + "MemoryResource")(0).allocate(15000, stream=stream)
        make("Device", Stream(7)).close()
        found = [outcome(lambda: make("Device", Stream(8)).close())]
        found.append(outcome(lambda: make("Managed").close()))
        answer = [found, fake.fake_pool_bytes()]
        """,
        FAKE_CUDA_MEMORY="20000",
    )
    assert outcomes == [None, None]
    assert kept == 0


FAULTS = {
    "memory_alloc_async": "allocating 64 bytes of device memory of GPU 0",
    "pinned_alloc": "allocating 64 bytes of pinned memory of GPU 0",
    "memory_alloc_managed": "allocating 64 bytes of managed memory of GPU 0",
    "context_push": "making the GPU's context current",
    "device_attribute": "asking for memory pools",
    "default_pool": "opening the GPU's memory pool",
    "pool_set_attribute": "telling the GPU's memory pool to keep memory",
    "copy_async": "copying memory on the GPU",
    "copy_2d_async": "copying memory on the GPU",
    "fill_8_async": "filling memory on the GPU",
    "fill_16_async": "filling memory on the GPU",
    "fill_32_async": "filling memory on the GPU",
    "event_create": "making an event",
    "event_record": "recording an event",
    "event_query": "asking for an event",
    "event_synchronize": "waiting for an event",
    "stream_wait_event": "waiting for an event",
}

# That the program below calls one time only, since the pool is opened once.
ONCE = {"device_attribute", "default_pool", "pool_set_attribute", "copy_2d_async", "fill_8_async"}

# The second time of a stream of another library, which may have gone: the GPU is waited for then.
SURVIVED = {"event_create", "event_record"}

EVERYTHING = """
def everything():
    for kind in ("Device", "Pinned", "Managed"):
        b = getattr(core, kind + "MemoryResource")(0).allocate(64)
        b.fill(b"\\1\\2\\3\\4", stream=Stream(7))
        b.fill(b"\\1\\2", stream=Stream(7))
        b.copy_from(b.copy_to(stream=Stream(7)), stream=Stream(8))
        b.close()
    a = D.zeros((4, 4), np.float32, device="cuda")
    a[:, 1:3] = 5
    b = D.asarray(a, copy=True)
    a.__dlpack__(stream=handle(9))
    return D.to_host(b).sum()
"""


@pytest.mark.parametrize("member", FAULTS)
def test_a_call_that_fails_is_an_error_and_leaves_nothing(on_fake, member):
    """Each call in turn, the first and the second time; then everything works again."""
    found, left, after = on_fake(
        EVERYTHING
        + f"""
_core.memory_figures(0)
found = []
for which in (1, 2):
    fail({member!r}, 999, which)
    found.append(outcome(everything))
    fail("", 0)
answer = [found, left(), float(everything())]
"""
    )
    error = ["KernelError", FAULTS[member] + ": CUDA_ERROR_UNKNOWN (fake error 999)"]
    assert found[0] == error
    assert found[1] == (None if member in ONCE | SURVIVED else error)
    assert left == NOTHING
    assert after == 40.0


def test_questions_about_memory_that_fail(on_fake):
    """What the driver says nothing of is taken for memory of the process."""
    found, again = on_fake("""
        plain = ctypes.create_string_buffer(8)
        _core.memory_figures(0)
        fail("memory_info", 999)
        found = [outcome(lambda: _core.memory_figures(0))]
        fail("pointer_attributes", 999)
        found.append(_core.memory_find(ctypes.addressof(plain)))
        answer = [found, _core.memory_figures(0)["allocations"]]
    """)
    error = "asking for free memory: CUDA_ERROR_UNKNOWN (fake error 999)"
    assert found[0] == ["KernelError", error]
    assert found[1][1] == "host"
    assert again == 0


def test_a_wait_that_fails(on_fake):
    found, left = on_fake("""
        a = D.zeros(4, device="cuda")
        fail("event_query", 999)
        found = [outcome(lambda: D.to_host(a)), D.to_host(a).tolist()]
        del a
        answer = [found, left()]
    """)
    error = "asking for an event: CUDA_ERROR_UNKNOWN (fake error 999)"
    assert found == [["KernelError", error], [0.0] * 4]
    assert left == NOTHING


@pytest.mark.parametrize(
    "member",
    [
        "memory_free_async",
        "memory_free",
        "pinned_free",
        "event_destroy",
        "pool_trim",
        "stream_synchronize",
    ],
)
def test_a_failure_to_clean_up_is_nobodys_error(on_fake, member):
    assert on_fake(EVERYTHING + f"fail({member!r}, 999)\nanswer = float(everything())") == 40.0


def test_a_free_that_its_stream_refuses_is_made_without_it(on_fake):
    freed, left = on_fake("""
        a = core.DeviceMemoryResource(0).allocate(64, stream=Stream(7))
        calls()
        fail("memory_free_async", 400)
        a.close()
        answer = [calls(), left()]
    """)
    assert freed == ["memory_free_async", "stream_synchronize", "memory_free"]
    assert left == NOTHING


def test_whose_memory_an_address_is(on_fake):
    """Ours, of another library with the same driver, and of the process."""
    found = on_fake("""
        D.empty(1, device="cuda")
        a = core.DeviceMemoryResource(0).allocate(100)
        host = core.MemoryResource("host").allocate(100)
        foreign = ctypes.c_uint64()
        fake.cuCtxPushCurrent_v2(ctypes.c_void_p(0x1000))
        fake.cuMemAllocManaged(ctypes.byref(foreign), ctypes.c_size_t(300), 1)
        plain = ctypes.create_string_buffer(8)
        calls()
        def about(address, base):
            device, kind, begin, size, ours = _core.memory_find(address)
            return [device, kind, begin - base if begin else None, size, ours]
        found = [about(a.handle + 99, a.handle), about(host.handle + 5, host.handle), calls(),
                 about(foreign.value + 299, foreign.value), about(ctypes.addressof(plain), 0),
                 calls()]
        a.close()
        answer = [*found, _core.memory_find(host.handle + 100)[4]]
    """)
    assert found == [
        [0, "device", 0, 100, True],
        [-1, "device", 0, 100, True],
        [],
        [0, "managed", 0, 300, False],
        [-1, "host", None, 0, False],
        ["pointer_attributes", "pointer_attributes"],
        False,
    ]


def test_buffers_are_copied_on_the_stream_that_is_given(on_fake):
    said, wrong, values, left = on_fake("""
        device, pinned = core.DeviceMemoryResource(0), core.PinnedMemoryResource(0)
        a, p = device.allocate(64), pinned.allocate(64)
        memoryview(p)[:] = bytes(range(64))
        notes()
        a.copy_from(p, stream=Stream(7))
        b = a.copy_to(stream=Stream(7))
        said = notes()
        q = b.copy_to(core.DeviceMemoryResource("host").allocate(64), stream=Stream(7))
        said.append("|")
        said += notes()
        wrong = [
            outcome(lambda: a.copy_to(stream=None)),
            outcome(lambda: a.copy_to(q, stream=core.Device("host").create_stream())),
            outcome(lambda: a.copy_to(device.allocate(63), stream=Stream(7))),
            outcome(lambda: a.copy_to(3, stream=Stream(7))),
            outcome(lambda: memoryview(a)),
        ]
        values = [list(bytes(q)) == list(range(64)), b.memory_resource is device]
        del a, b, p, q
        answer = [said, wrong, values, left()]
    """)
    wait = ["event_record on 1", "stream_wait_event on 7"]
    assert said == [
        *wait,  # for device memory, which is allocated in the order of a stream
        "copy_async 64 on 7",
        "memory_alloc_async 64 on 7",
        "copy_async 64 on 7",
        "|",
        "event_record on 7",
        "copy_async 64 on 7",
        "event_record on 7",
    ]
    assert wrong == [
        [
            "TypeError",
            "copy_to() needs a stream; device.default_stream is the one of launches without "
            "stream=",
        ],
        [
            "TypeError",
            "copy_to() of memory of GPU 0 expects as stream a stream of GPU 0: one of cuda.core, "
            "or any object with __cuda_stream__; found 'Stream'",
        ],
        ["ValueError", "copy_to(): the buffers have 64 and 63 bytes; equal sizes were expected"],
        ["TypeError", "copy_to() expects a Buffer, found 'int'"],
        [
            "BufferError",
            "the buffer lies in memory of a GPU, which the host does not reach; copy it to a "
            "buffer of a PinnedMemoryResource",
        ],
    ]
    assert values == [True, True]
    assert left == NOTHING


def test_streams_that_are_none(on_fake):
    gave = "stream of allocate(): __cuda_stream__ of 'Odd' gave"
    instead = "  give a stream of cuda.device.core, or leave the keyword out"
    assert on_fake("""
        class Odd:
            def __init__(self, pair):
                self.pair = pair
            def __cuda_stream__(self):
                return self.pair
        r = core.DeviceMemoryResource(0)
        r.allocate(5, stream=Odd((0, 1)))
        answer = [outcome(lambda: r.allocate(5, stream=s))
                  for s in (Odd((1, 5)), Odd((0,)), Odd((0, "x")), 3, Stream)]
    """) == [
        [
            "LaunchValueError",
            f"{gave} (1, 5); only version 0 of the protocol is known\n{instead}",
        ],
        ["LaunchTypeError", f"{gave} (0,), not (0, handle)\n{instead}"],
        ["LaunchTypeError", f"{gave} (0, 'x'), not (0, handle)\n{instead}"],
        *[
            [
                "TypeError",
                "allocate() of memory of GPU 0 expects as stream a stream of GPU 0: one of "
                f"cuda.core, or any object with __cuda_stream__; found '{found}'",
            ]
            for found in ("int", "type")
        ],
    ]


def test_two_gpus(on_fake):
    figures, values, left = on_fake(
        """
        a = D.arange(10, device="cuda:1")
        b = D.asarray(a, device="cuda:0")
        figures = [_core.memory_figures(i)["in_use"] for i in (0, 1)]
        values = [D.to_host(b).tolist(), a.device, b.device, list(a.__dlpack_device__()),
                  outcome(lambda: D.zeros(3, device="cuda:2"))]
        del a, b
        answer = [figures, values, left()]
        """,
        FAKE_CUDA_DEVICES="2",
    )
    assert figures == [80, 80]
    assert values == [
        list(range(10)),
        "cuda:1",
        "cuda:0",
        [2, 1],
        [
            "ValueError",
            "no device 'cuda:2': this process sees GPUs 0 to 1; the host device is 'cpu' or 'host'",
        ],
    ]
    assert left == NOTHING


def test_random_steps_as_a_model_of_numpy_says(on_fake):
    """Arrays and their parts made, copied, filled and dropped in random order."""
    steps, left = on_fake("""
        random = np.random.default_rng(3)
        FORMATS = [np.int8, np.uint16, np.float32, np.float64, np.complex128, np.bool_]
        held = []  # (array of the GPU, the same as NumPy has it)

        def part(shape):
            '''A random basic index.'''
            index = []
            for extent in shape:
                kind = random.integers(4)
                if kind == 0 and extent:
                    index.append(int(random.integers(-extent, extent)))
                elif kind == 1:
                    start, stop = sorted(random.integers(0, extent + 1, 2).tolist())
                    index.append(slice(start, stop, int(random.choice([1, 2, 3]))))
                elif kind == 2:
                    index.append(slice(None, None, int(random.choice([-1, 1, -2]))))
                else:
                    index.append(slice(None))
            if random.integers(5) == 0:
                index.insert(int(random.integers(len(index) + 1)), None)
            return (*index, ...)  # NumPy's view, of no dimensions too

        steps = 0
        for n in range(3000):
            action = random.integers(6)
            if action == 0 or not held:
                shape = tuple(random.integers(0, 6, random.integers(0, 4)).tolist())
                format = FORMATS[random.integers(len(FORMATS))]
                value = random.integers(0, 2)
                kind = ["device", "pinned", "managed"][random.integers(3)]
                order = "CF"[random.integers(2)]
                held.append((D.full(shape, value, format, device="cuda", memory=kind, order=order),
                             np.full(shape, value, format, order=order)))
                continue
            i = int(random.integers(len(held)))
            ours, numpys = held[i]
            if action == 1:
                index = part(numpys.shape)
                held.append((ours[index], numpys[index]))
            elif action == 2:
                index = part(numpys.shape)
                value = random.integers(0, 100, numpys[index].shape).astype(numpys.dtype)
                ours[index] = value
                numpys[index] = value
            elif action == 3:
                copy = D.asarray(ours, copy=True)
                held.append((copy, numpys.copy()))
            elif action == 4:
                others = [o for o in held if o[1].shape == numpys.shape
                          and o[1].dtype == numpys.dtype and not np.shares_memory(o[1], numpys)]
                if others:
                    ours[...] = others[0][0]
                    numpys[...] = others[0][1]
            else:
                del held[i], ours, numpys
                continue
            for ours, numpys in held[-2:]:
                assert ours.shape == numpys.shape
                assert np.array_equal(D.to_host(ours), numpys), n
                steps += 1
            if len(held) > 30:
                del held[:10]
        ours = numpys = copy = others = None
        held.clear()
        answer = [steps, left()]
    """)
    assert steps > 2000
    assert left == NOTHING


@clause("DEV-DLP-05", "DEV-DLP-13")
def test_a_capsule_that_nobody_takes_frees_its_memory(on_fake):
    names, left = on_fake("""
        name = ctypes.pythonapi.PyCapsule_GetName
        name.restype, name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
        a = D.zeros(4, device="cuda")
        b = core.DeviceMemoryResource(0).allocate(8)
        made = [a.__dlpack__(), a.__dlpack__(max_version=(1, 0)), b.__dlpack__(),
                a.__dlpack__(max_version=(0, 8))]
        names = [name(c).decode() for c in made]
        del a, b
        kept = fake.fake_allocations()
        del made
        answer = [[*names, kept], left()]
    """)
    assert names == ["dltensor", "dltensor_versioned", "dltensor", "dltensor", 2]
    assert left == NOTHING


@clause("DEV-DLP-03")
def test_streams_that_consumers_ask_for(on_fake):
    said = on_fake("""
        a = D.zeros(4, device="cuda")
        def asked(stream):
            notes()
            found = outcome(lambda: a.__dlpack__(stream=stream))
            return found or notes()
        own = handle(77)
        answer = [asked(s) for s in (None, 1, 2, own, own, -1, None, 0, -2, "x", 1 << 70)]
    """)

    def waits(later, earlier):
        return [f"event_record on {earlier}", f"stream_wait_event on {later}"]

    def wrong(text):
        return [
            "ValueError",
            f"__dlpack__(): stream={text} is none of None, -1 (do not wait), 1, 2 or the handle of "
            "a CUDA stream",
        ]

    # What consumers do there later is theirs to order: their streams are not remembered.
    assert said == [
        [],
        [],
        waits(2, 1),
        waits(77, 1),
        waits(77, 1),
        [],
        [],
        wrong(0),
        wrong(-2),
        wrong("'x'"),
        wrong(1 << 70),
    ]


@clause("DEV-DLP-04", partial="a slow kernel of a GPU")
def test_the_next_user_waits_for_the_stream_that_was_last(on_fake):
    assert on_fake("""
        b = core.DeviceMemoryResource(0).allocate(32)
        b.fill(1, stream=Stream(77))
        notes()
        b.__dlpack__(stream=handle(78))
        answer = notes()
    """) == ["event_record on 77", "stream_wait_event on 78"]


@clause("DEV-DLP-12")
def test_keywords_of_the_producer(on_fake):
    found, left = on_fake("""
        a = D.arange(6, device="cuda").reshape((2, 3))
        p = D.arange(6, device="cuda", memory="pinned")
        def export(array, **keywords):
            return outcome(lambda: array.__dlpack__(max_version=(1, 0), **keywords))
        host = np.from_dlpack(a, device="cpu")
        shared = np.from_dlpack(p, device="cpu")
        p[0] = 99
        copied = np.from_dlpack(p, device="cpu", copy=True)
        p[1] = 98
        found = [host.tolist(), shared.tolist()[:2], copied.tolist()[:2],
                 export(a, dl_device=(1, 0), copy=False), export(a, dl_device=(2, 1)),
                 export(a, dl_device=(2, 0), copy=False), export(a, copy=True),
                 fake.fake_allocations() + fake.fake_pinned()]
        del a, p, host, shared, copied
        answer = [found, left()]
    """)
    assert found == [
        [[0, 1, 2], [3, 4, 5]],
        [99, 98],
        [99, 1],
        [
            "BufferError",
            "__dlpack__(): memory of a GPU reaches the host by a copy only, and copy=False was "
            "given",
        ],
        [
            "BufferError",
            "__dlpack__(): dl_device=(2, 1) is neither (2, 0), where the array is, nor (1, 0), "
            "the host",
        ],
        None,
        None,
        2,
    ]
    assert left == NOTHING


@clause("DEV-DLP-09")
def test_every_format_goes_out_and_comes_back(on_fake):
    codes = on_fake("""
        import ml_dtypes
        class Tensor(ctypes.Structure):
            _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("id", ctypes.c_int32),
                        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                        ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        FORMATS = [np.bool_, np.int8, np.int64, np.uint16, np.float16, np.float32, np.float64,
                   np.complex64, np.complex128, D.bfloat16, D.float8e4m3, D.float8e5m2]
        codes = []
        for format in FORMATS:
            host = np.arange(4).astype(format)
            a = D.asarray(host, device="cuda")
            assert a.dtype == format
            assert np.array_equal(D.to_host(D.from_dlpack(a)), host)
            class Foreign:
                __dlpack__, __dlpack_device__ = a.__dlpack__, a.__dlpack_device__
            back = D.from_dlpack(Foreign())
            assert type(back) is D.Array and back.dtype == format and back.shape == (4,)
            assert D.to_host(back).tobytes() == host.tobytes()
            capsule = a.__dlpack__()
            t = ctypes.cast(pointer(capsule, b"dltensor"), ctypes.POINTER(Tensor))[0]
            codes.append([t.code, t.bits, t.lanes])
        answer = codes
    """)
    assert codes == [
        [6, 8, 1],
        [0, 8, 1],
        [0, 64, 1],
        [1, 16, 1],
        [2, 16, 1],
        [2, 32, 1],
        [2, 64, 1],
        [5, 64, 1],
        [5, 128, 1],
        [4, 16, 1],
        [10, 8, 1],
        [12, 8, 1],
    ]


@clause("DEV-EXEC-03")
@clause("DEV-ARR-29", partial="arrays of the host on a GPU")
def test_the_host_does_not_read_memory_of_a_gpu(on_fake):
    found = on_fake("""
        @D.kernel
        def touch(a):
            a[0] = 1
        a = D.zeros(4, device="cuda")
        host = core.Device("host").create_stream()
        answer = [outcome(lambda: np.asarray(a)), outcome(lambda: float(a)),
                  outcome(lambda: bool(a)),
                  outcome(lambda: D.launch(touch, a, grid=1, block=1, stream=host))[1]]
    """)
    reach = (
        "the host does not reach the memory of GPU 0; device.to_host(a) copies the array, kernels "
        "take it as it is"
    )
    value = (
        "an array of shape (4,) on cuda:0 has no value for the host; device.to_host(a) copies it"
    )
    assert found[:3] == [["TypeError", reach], ["TypeError", value], ["TypeError", value]]
    assert "the array lives on GPU 0, but the launch's stream is one of the host device" in found[3]


def test_kernels_of_the_host_take_pinned_and_managed_arrays(on_fake):
    assert (
        on_fake("""
        @D.kernel
        def double(a):
            i = D.tid(1)
            if i < a.size:
                a[i] *= 2
        arrays = [D.arange(5, device="cuda", memory=kind) for kind in ("pinned", "managed")]
        host = core.Device("host").create_stream()
        for a in arrays:
            D.launch(double, a, grid=1, block=32, stream=host)
        host.sync()
        answer = [D.to_host(a).tolist() for a in arrays]
    """)
        == [[0, 2, 4, 6, 8]] * 2
    )


@clause("CAI-DICT-01", "CAI-DICT-02", "CAI-DATA-01", "CAI-DATA-09", "CAI-VER-01")
@clause("CAI-SHAPE-01", "CAI-STRIDE-01", "CAI-STRIDE-02", partial="import")
@clause("CAI-DATA-03", "CAI-TYPE-01", "CAI-TYPE-05", partial="import")
def test_the_cuda_array_interface_is_there_where_a_gpu_reaches(on_fake):
    empty, scalar, parts, types, absent = on_fake("""
        def exported(a):
            found = a.__cuda_array_interface__
            assert type(found) is dict and found is not a.__cuda_array_interface__
            assert {"shape", "typestr", "data", "version"} <= set(found)
            assert type(found["shape"]) is tuple and all(type(i) is int for i in found["shape"])
            assert type(found["data"]) is tuple and len(found["data"]) == 2
            assert type(found["data"][0]) is int and found["data"][1] is False
            assert type(found["version"]) is int and found["version"] == 3
            return found
        @D.kernel
        def touch(a):
            a[0, 0] = 0
        a = D.zeros((4, 3), np.float64, device="cuda")
        assert exported(a)["stream"] == 1
        base = exported(a)["data"][0]
        def part(view):
            found = exported(view)
            assert found["stream"] == handle(5)
            return [found["shape"], found["strides"], found["data"][0] - base, 5]
        D.launch(touch, a, grid=1, block=1, stream=Stream(5))
        parts = [part(v) for v in (a, a[3:], a[::-1], a.T, a[:, 1:])]
        empty = exported(D.empty((0, 3), device="cuda"))["data"][0]
        scalar = exported(D.zeros((), np.int8, device="cuda"))["shape"]
        FORMATS = [np.bool_, np.int8, np.uint16, np.int64, np.float16, np.float32, np.complex64,
                   D.bfloat16, D.float8e4m3, D.float8e5m2]
        types = [exported(D.zeros(2, f, device="cuda"))["typestr"] for f in FORMATS]
        answer = [empty, scalar, parts, types,
                  hasattr(D.zeros(3, device="cpu"), "__cuda_array_interface__")]
    """)
    assert (empty, scalar, absent) == (0, [], False)
    assert parts == [
        [[4, 3], None, 0, 5],
        [[1, 3], None, 72, 5],
        [[4, 3], [-24, 8], 72, 5],
        [[3, 4], [8, 24], 0, 5],
        [[4, 2], [24, 8], 8, 5],
    ]
    assert types == ["|b1", "|i1", "<u2", "<i8", "<f2", "<f4", "<c8", "<V2", "|V1", "|V1"]


def test_arrays_are_pickled_and_copied(on_fake):
    found, left = on_fake("""
        import copy, pickle
        point = np.dtype([("x", "<f4"), ("y", "<i2")], align=True)
        arrays = [D.arange(6, device="cuda").reshape((2, 3)).T,
                  D.zeros(2, point, device="cuda", memory="managed"),
                  D.full((), 2, D.bfloat16, device="cuda", memory="pinned")]
        found = []
        for a in arrays:
            text = pickle.dumps(a)
            for b in (pickle.loads(text), copy.copy(a), copy.deepcopy(a)):
                same = D.to_host(b).tobytes() == D.to_host(a).tobytes()
                found.append([type(b).__name__, b.dtype == a.dtype, b.device, same,
                              b.memory == a.memory, b.shape == a.shape])
        del a, b, arrays
        answer = [found, left()]
    """)
    assert found == [["Array", True, "cuda:0", True, True, True]] * 9
    assert left == NOTHING


def test_where_there_is_no_gpu_a_pickled_array_is_the_hosts_by_the_array_api(on_fake, on_the_host):
    """As to_device("cpu") gives it: an element is an array, and its functions are those it had."""
    text = on_fake("""
        import pickle
        answer = pickle.dumps(D.arange(6, device="cuda").reshape((2, 3)).T).hex()
    """)
    found = pickle.loads(bytes.fromhex(text))
    assert type(found) is type(found[0, 0]) is array_api.HostArray
    assert found.__array_namespace__() is array_api
    assert found.tolist() == [[0, 3], [1, 4], [2, 5]]


def test_a_forked_child_of_a_process_with_gpu_memory_ends_well(on_fake):
    assert on_fake("""
        import os
        a = D.zeros(5, device="cuda")
        child = os.fork()
        if child == 0:
            del a
            gc.collect()
            os._exit(0 if (D.zeros(1000, device="cpu") == 0).all() else 1)
        answer = [os.waitpid(child, 0)[1], D.to_host(a).tolist()]
    """) == [0, [0.0] * 5]
