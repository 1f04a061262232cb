"""Launches of NumbaPro's dialect: arguments, streams, events, shared memory, arrays of others."""

import re
import threading
import time

import cloudpickle
import numpy as np
import pytest
from cuda import device
from cuda.device.errors import CompileError, LaunchOverflowError, LaunchTypeError
from cuda.device.numbapro import complex64, cuda, float32, int8, int32, int64, uint8, void
from support.clauses import clause
from support.held_streams import Held, held
from support.interfaces import cuda as other_array


@cuda.autojit
def takes_two(out, x):
    out[0] = x


@cuda.jit(void(float32[:], int32))
def declared(out, x):
    out[0] = x


@cuda.autojit
def has_default(out, x=3):
    out[0] = x


# --- arguments ---


def test_arguments_are_counted():
    out = np.zeros(1, np.float32)
    for arguments in ((), (out,), (out, 1, 2)):
        with pytest.raises(LaunchTypeError) as raised:
            takes_two[1, 1](*arguments)
        assert str(raised.value) == (
            f"the kernel takes_two(out, x) takes 2 arguments, but {len(arguments)} were given"
        )
        with pytest.raises(LaunchTypeError, match=r"declared\(float32\[:\], int32\) takes 2 arg"):
            declared[1, 1](*arguments)
    has_default[1, 1](out)
    assert out[0] == 3
    with pytest.raises(LaunchTypeError, match="takes 2 arguments, but 1 were given"):
        cuda.jit("void(float32[:], int32)")(has_default.py_func)[1, 1](out)


def test_arguments_have_no_names():
    with pytest.raises(LaunchTypeError) as raised:
        takes_two[1, 1](np.zeros(1), x=3)
    assert str(raised.value) == (
        "a launch of the kernel 'takes_two' takes no keyword arguments, found 'x': arguments are "
        "given by position"
    )


@pytest.mark.parametrize(
    "option",
    ["name", "fastmth", "nopython", "debug", "link", "opt", "max_registers", "func_or_sig"],
)
def test_options_that_there_are_not(option):
    for decorator in (cuda.jit, cuda.autojit):
        with pytest.raises(TypeError, match=f"got an unexpected keyword argument '{option}'"):
            decorator(**{option: True})


@pytest.mark.parametrize("decorator", [cuda.jit, cuda.autojit])
def test_fastmath_is_checked(decorator):
    with pytest.raises(TypeError) as raised:
        decorator(fastmath="approximate_sqrt")
    assert str(raised.value) == (
        "@cuda.jit: fastmath must be True, False or a set of names, found 'approximate_sqrt'; "
        "write fastmath={'approximate_sqrt'}"
    )
    with pytest.raises(TypeError, match=r"@cuda\.jit: fastmath has no part 'ftz'; its parts are "):
        decorator(fastmath={"ftz"})


@pytest.mark.parametrize(
    ("options", "found"),
    [({"fastmath": True}, "fastmath=True"), ({"fmad": False}, "fmad=False")],
)
def test_device_functions_compute_as_their_kernels(options, found):
    for decorator in (cuda.jit, cuda.autojit):
        with pytest.raises(TypeError) as raised:
            decorator(device=True, **options)
        assert str(raised.value) == (
            f"cuda.jit(device=True) takes neither fmad nor fastmath, found {found}: a device "
            "function computes as the kernel that calls it; give the option to the kernel"
        )
    for decorator in (cuda.jit, cuda.autojit):
        assert callable(decorator(device=True, fmad=True, fastmath=False)(lambda x: x))


def test_kernels_with_a_signature_are_compiled_when_they_are_defined():
    with pytest.raises(CompileError, match="name 'unknown' is not defined"):

        @cuda.jit("void(float32[:])")
        def wrong(out):
            out[0] = unknown  # noqa: F821


def test_autojit_takes_no_signature():
    with pytest.raises(TypeError, match=r"autojit\(\) takes no signature, found argtypes="):
        cuda.autojit(argtypes=[int32])
    with pytest.raises(TypeError, match=r"autojit\(\) takes no signature, found 'void\(int32\)'"):
        cuda.autojit("void(int32)")


@cuda.jit("void(float64[:], int8, uint8, int32, int64, float32, complex64)")
def converts(out, a, b, c, d, e, z):
    out[0], out[1], out[2], out[3], out[4] = a, b, c, d, e
    out[5], out[6] = z.real, z.imag


@clause("NP-ARITH-01", "NP-TYPE-01")
def test_arguments_are_converted_as_kernels_convert(target):
    out = np.zeros(7)
    converts[1, 1](out, 300, -1.5, 3e9, float("nan"), 16777217, 0.1)
    assert out.tolist() == [44, 0, 2147483647, 0, 16777216, float(np.float32(0.1)), 0]
    converts[1, 1](out, np.float32(1e9), 300.5, -3e9, -1e30, 1e300, 1 + 2j)
    assert out.tolist() == [127, 255, -2147483648, -(1 << 63), np.inf, 1, 2]
    given = (300, -1.5, 3e9, float("nan"), 16777217)
    as_host = [
        float(kind(x)) for kind, x in zip((int8, uint8, int32, int64, float32), given, strict=True)
    ]
    assert as_host == [44, 0, 2147483647, 0, 16777216]
    assert complex64(0.1) == np.complex64(np.float32(0.1))
    with pytest.raises(LaunchTypeError, match=r"argument 2 \('a'\) .* is complex128, but declared"):
        converts[1, 1](out, 1j, 0, 0, 0, 0, 0)


@cuda.autojit
def of_python(out, n):
    out[0] = n + 2147483647  # an intp does not wrap
    out[1] = n / 2


@cuda.jit("void(int64[:], uint64, int64, int32)")
def of_wide_numbers(out, a, b, c):
    out[0], out[1], out[2] = a, b, c


def test_integers_that_fit_no_format_are_refused():
    out = np.zeros(3, np.int64)
    of_wide_numbers[1, 1](out, (1 << 64) - 1, -(1 << 63), (1 << 63) - 1)
    assert out.tolist() == [-1, -(1 << 63), -1]
    for at, name, value in ((1, "a", 1 << 64), (2, "b", 1 << 63), (3, "c", -(1 << 63) - 1)):
        given = [0, 0, 0]
        given[at - 1] = value
        kind = of_wide_numbers.signature.args[at]
        with pytest.raises(LaunchOverflowError) as raised:
            of_wide_numbers[1, 1](out, *given)
        assert str(raised.value) == (
            f"argument {at + 1} ({name!r}) of kernel 'of_wide_numbers' is {value}, which does not "
            f"fit {kind}"
        )


@pytest.mark.parametrize("n", [1 << 63, (1 << 64) - 1, 1 << 64, -(1 << 63) - 1])
def test_pythons_integers_beyond_intp_are_refused(n):
    out = np.zeros(2)
    with pytest.raises(LaunchOverflowError) as raised:
        of_python[1, 1](out, n)
    assert str(raised.value) == (
        f"argument 2 ('n') of kernel 'of_python': {n} does not fit intp, the int64 that Python's "
        "ints are in kernels\n  numpy.uint64(n), or uint64 in the kernel's signature, takes up to "
        "2**64 - 1; a float takes more"
    )


def halves(out, n):
    out[0] = n // 2


def test_what_the_message_says_takes_larger_integers(target):
    out = np.zeros(1, np.uint64)
    cuda.autojit(halves)[1, 1](out, np.uint64((1 << 64) - 1))
    assert out[0] == (1 << 63) - 1
    cuda.jit("void(uint64[:], uint64)")(halves)[1, 1](out, 1 << 63)
    assert out[0] == 1 << 62


def adds_product(out, a):
    out[0] = a[0] * a[0] - a[1]


def test_products_are_fused_unless_told_otherwise(target):
    a, out = np.array([1 + 2.0**-30, 1 + 2.0**-29]), np.zeros(1)
    cuda.autojit(adds_product)[1, 1](out, a)
    assert out[0] == 2.0**-60
    for decorator in (
        cuda.autojit(fmad=False),
        cuda.jit("void(float64[:], float64[:])", fmad=False),
    ):
        decorator(adds_product)[1, 1](out, a)
        assert out[0] == 0


def test_a_kernel_that_arrives_elsewhere_has_its_signature():
    kernel = cuda.jit(void(float32[:], int32))(lambda out, x: None)
    arrived = cloudpickle.loads(cloudpickle.dumps(kernel))
    assert arrived.signature == kernel.signature
    assert arrived.specializations == kernel.specializations == [(float32[:], int32)]
    with pytest.raises(LaunchTypeError, match=r"is float64\[:\], but declared float32\[:\]"):
        arrived[1, 1](np.zeros(1), 3)


def copies(out, a):
    i, k = cuda.grid(2)
    out[i, k] = a[i, k]


def strides_read(kernel):
    """How many strides the PTX loads: 64-bit parameters but for those of places and extents."""
    return kernel.ptx.count("ld.param.b64")


def test_the_ptx_is_for_the_layouts_of_the_signature():
    loose, packed, half, columns = (
        cuda.jit(text)(copies)
        for text in (
            "void(float32[:, :], float32[:, :])",
            "void(float32[:, ::1], float32[:, ::1])",
            "void(float32[:, :], float32[:, ::1])",
            "void(float32[::1, :], float32[::1, :])",
        )
    )
    assert strides_read(packed) < strides_read(half) < strides_read(loose)
    # Their strides are read, their elements aligned.
    assert strides_read(columns) == strides_read(loose)
    assert [kernel.ptx.count("ld.global.b8") for kernel in (loose, half, packed, columns)] == [
        *(4, 0, 0, 0)
    ]
    assert list(packed.inspect_ptx()) == packed.specializations == [packed.signature.args]
    assert packed.inspect(*packed.signature.args, what="ptx") == packed.ptx
    line = cuda.jit("void(float32[::1])")(lambda a: None)
    assert line.specializations == [(float32[::1],)]


def test_the_ptx_is_that_of_the_last_version():
    kernel = cuda.autojit(takes_two.py_func)
    out = np.zeros(1, np.float32)
    kernel[1, 1](out, np.float64(1))
    first = kernel.ptx
    kernel[1, 1](out, np.int16(1))
    assert ".param .b16" in kernel.ptx or ".param .u16" in kernel.ptx
    assert list(kernel.inspect_ptx().values()) == [first, kernel.ptx]
    kernel[1, 1](out, np.float64(2))
    assert len(kernel.specializations) == 2


def test_pythons_numbers_are_intp_and_float64(target):
    out = np.zeros(2)
    of_python[1, 1](out, 1)
    assert out.tolist() == [2147483648, 0.5]
    of_python[1, 1](out, 1 << 40)
    assert out.tolist() == [(1 << 40) + 2147483647, float(1 << 39)]
    of_python[1, 1](out, True)
    assert out.tolist() == [-2147483648, 0.5]
    with pytest.raises(OverflowError, match="9223372036854775808"):
        of_python[1, 1](out, 1 << 63)


@pytest.mark.parametrize(
    ("signature", "good", "bad"),
    [
        ("void(float32[::1])", np.zeros(4, "f4"), np.zeros(8, "f4")[::2]),
        ("void(float32[:, ::1])", np.zeros((3, 4), "f4"), np.zeros((3, 4), "f4", order="F")),
        ("void(float32[:, ::1])", np.zeros((1, 4), "f4")[:, :], np.zeros((3, 8), "f4")[:, :4]),
        ("void(float32[::1, :])", np.zeros((3, 4), "f4", order="F"), np.zeros((3, 4), "f4")),
        ("void(float32[::1, :])", np.zeros((3, 1), "f4"), np.zeros((6, 4), "f4", order="F")[:3]),
        ("void(float32[:, ::1])", np.zeros((3, 0), "f4"), np.zeros((3, 4), "f4")[:, ::-1]),
        ("void(float32[:, ::1])", np.zeros((4, 8), "f4")[:0, ::2], np.zeros((4, 8), "f4")[:1, ::2]),
    ],
)
def test_contiguous_arrays_are_asked_for(signature, good, bad):
    kernel = cuda.jit(signature)(lambda a: None)
    kernel[1, 1](good)
    with pytest.raises(LaunchTypeError, match=r"is declared .*, but the array is not contiguous"):
        kernel[1, 1](bad)
    cuda.jit(signature.replace("::1", ":"))(lambda a: None)[1, 1](bad)


@cuda.autojit
def has_much_shared_memory(out):
    held = cuda.shared.array(6000, float32)
    given = cuda.shared.array(0, float32)
    out[cuda.grid(1)] = held[0] + given[0]


LAUNCHES_THAT_ARE_NONE = {
    "no blocks": ((0, 1), "leave it out: if n > 0: kernel[grid, block](...)"),
    "no threads": ((1, 0), "leave it out: if n > 0: kernel[grid, block](...)"),
    "many threads": ((1, 2048), "smaller blocks and more: kernel[(n + 255) // 256, 256](...)"),
    "many along axes": ((1, (64, 64)), "use smaller blocks, such as"),
    "four axes": (((1, 1, 1, 1), 1), "grid is an int or a tuple of one to three ints"),
    "a text": (("a", 1), "grid is an int or a tuple of one to three ints"),
    "a float": ((1.5, 1), "rounded up it is (n + 255) // 256"),
    "many blocks": ((1 << 40, 1), "range(cuda.grid(1), n, cuda.gridsize(1))"),
    "wide grid": (
        (1 << 30, 1024),
        "int64(cuda.blockIdx.x) * cuda.blockDim.x + cuda.threadIdx.x",
    ),
    "no stream": ((1, 1, "q"), "give a stream of cuda.stream(), an object with __cuda_stream__"),
    "few bytes": ((1, 1, 0, -1), "sharedmem in the launch of kernel"),
    "many bytes": ((1, 1, 0, 1 << 30), "sharedmem in the launch of kernel"),
    "bytes in all": ((1, 1, 0, 220000), "and 220000 from sharedmem"),
}


@pytest.mark.parametrize("name", LAUNCHES_THAT_ARE_NONE)
def test_errors_of_launches_name_what_the_dialect_has(name):
    configuration, said = LAUNCHES_THAT_ARE_NONE[name]
    with pytest.raises(device.errors.LaunchError) as raised:
        has_much_shared_memory[configuration](np.zeros(4))
    text = str(raised.value)
    assert said in text
    assert not re.search(r"\bdevice\.|launch\(|\b(grid|block|shared|stream)=|keyword", text)
    for named in re.findall(r"\bcuda\.(\w+)", text):
        assert hasattr(cuda, named)


# --- streams ---


def test_a_launch_is_queued_on_its_stream(on_the_host):
    out, other = np.zeros(1), np.zeros(1)
    free = cuda.stream()
    with held() as one:
        takes_two[1, 1, one.stream](out, 7)
        takes_two[1, 1, free](other, 3)  # waits for no other stream
        free.synchronize()
        assert (out[0], other[0]) == (0, 3)
    assert out[0] == 7


def test_what_names_no_stream_comes_after_all_streams_and_before_their_next_work(on_the_host):
    """As CUDA's default stream."""
    out = np.ones(1)
    with held() as one:
        multiplies[1, 1, one.stream](out, 7)
        later = threading.Timer(0.1, one.release)
        later.start()
        takes_two[1, 1](out, 3)  # in place of what was multiplied
        assert out[0] == 3
        other = cuda.stream()
        multiplies[1, 1, other](out, 7)
        assert cuda.to_device(out).copy_to_host().tolist() == [21]


@pytest.mark.parametrize("copies", ["to_host", "index", "to_device", "assignment", "event"])
def test_copies_without_a_stream_come_after_all_streams(on_the_host, copies):
    host = np.ones(1)
    array = cuda.to_device(host)
    with held() as one:
        multiplies[1, 1, one.stream](array, 7)
        later = threading.Timer(0.1, one.release)
        later.start()
        if copies == "to_host":
            assert array.copy_to_host().tolist() == [7]
        elif copies == "index":
            assert array[0] == 7
        elif copies == "event":
            mark = cuda.event()
            mark.record()
            mark.synchronize()
            assert array._array[0] == 7
        else:
            if copies == "to_device":
                array.copy_to_device(np.array([5.0]))
            else:
                array[0] = 5
            one.stream.synchronize()
            assert array.copy_to_host().tolist() == [5]


@cuda.autojit
def multiplies(out, x):
    out[0] = out[0] * x


@pytest.mark.parametrize("has_shape", [True, False])
def test_a_kernel_comes_after_the_stream_of_a_dictionary(on_the_host, monkeypatch, has_shape):
    memory = np.zeros(1)
    with held() as one:
        takes_two[1, 1, one.stream](memory, 3)  # when it is released
        shown = other_array(memory, stream=one.stream.handle)
        if has_shape:
            monkeypatch.setattr(type(shown), "shape", (1,), raising=False)
            monkeypatch.setattr(type(shown), "dtype", memory.dtype, raising=False)
        threading.Timer(0.1, one.release).start()
        other = cuda.stream()
        multiplies[1, 1, other](shown, 7)
        other.synchronize()
    assert memory[0] == 21


def test_the_switch_lets_launches_not_wait(on_the_host, monkeypatch):
    memory = np.zeros(1)
    with held() as one:
        shown = other_array(memory, stream=one.stream.handle)
        monkeypatch.setattr(cuda.config, "CUDA_ARRAY_INTERFACE_SYNC", 0)
        monkeypatch.setattr(type(shown), "shape", (1,), raising=False)
        monkeypatch.setattr(type(shown), "dtype", memory.dtype, raising=False)
        other = cuda.stream()
        takes_two[1, 1, other](shown, 7)
        other.synchronize()
        assert memory[0] == 7


def test_auto_synchronize_waits_at_the_end(on_the_host):
    out = np.zeros(1)
    with held() as one:
        later = threading.Timer(0.1, one.release)
        later.start()
        with one.stream.auto_synchronize() as stream:
            assert stream is one.stream
            takes_two[1, 1, stream](out, 7)
            assert out[0] == 0
        assert out[0] == 7


def test_elapsed_time_is_the_time_between_the_marks(on_the_host):
    before, after = cuda.event(), cuda.event()
    one = Held(free=True)
    before.record()
    time.sleep(0.05)
    one.release()
    one.stream.synchronize()
    after.record(one.stream)
    after.synchronize()
    assert 40 <= before.elapsed_time(after) <= 60_000
    assert cuda.event_elapsed_time(before, after) == before.elapsed_time(after)
    assert after.elapsed_time(before) == -before.elapsed_time(after)


def test_events_without_timing_have_no_time(on_the_host):
    before, after = cuda.event(timing=False), cuda.event()
    for each in (before, after):
        each.record()
        each.synchronize()
    with pytest.raises(RuntimeError, match="made with enable_timing=False has no time"):
        before.elapsed_time(after)


def test_events_are_done_when_their_stream_gets_there(on_the_host):
    mark = cuda.event()
    with held() as one:
        mark.record(one.stream)
        cuda.default_stream().synchronize()
        time.sleep(0.05)
        assert not mark.query()
    mark.synchronize()
    assert mark.query()


def test_bytes_of_shared_memory_are_given_to_the_launch():
    out = np.zeros(1)
    takes_two[1, 1, 0, 1024](out, 1)
    with pytest.raises(device.errors.LaunchError, match="shared"):
        takes_two[1, 1, 0, 1 << 30](out, 1)
