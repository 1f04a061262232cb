"""SYCL's USM array interface of memory of GPUs of the tests: given, and taken (USM)."""

from support.clauses import clause
from support.fake_gpu import needs_fake, on_fake  # noqa: F401 a fixture

pytestmark = needs_fake

HEAD = """
import ctypes, os
os.environ["CUDA_DEVICE_HOST_CAI"] = "1"

class Theirs:
    def __init__(self, array, **changes):
        self.array = array
        self.__sycl_usm_array_interface__ = {**array.__sycl_usm_array_interface__, **changes}

S, T = core.Device(0).create_stream(), core.Device(0).create_stream()
size = {"grid": 1, "block": 8}
"""


def test_memory_of_cuda_is_given_as_sycls_on_request_alone(on_fake):  # noqa: F811
    """SYCL's runtime knows nothing of it (amendment 13)."""
    has, said, switched = on_fake(
        """
import os
a = D.zeros(3, device="cuda")
name = "__sycl_usm_array_interface__"
has = hasattr(a, name)
said = outcome(lambda: getattr(a, name))
os.environ["CUDA_DEVICE_HOST_CAI"] = "1"
answer = [has, said, hasattr(a, name)]
"""
    )
    assert (has, switched) == (False, True)
    assert said[0] == "AttributeError"
    assert "no USM allocation of SYCL's; CUDA_DEVICE_HOST_CAI=1" in said[1]


@clause("USM-06", "USM-13", "USM-16", "USM-18", "USM-20", "USM-36")
def test_dictionaries_of_arrays_of_a_gpu(on_fake):  # noqa: F811
    said, kinds, rest = on_fake(
        HEAD
        + """
a = D.zeros((2, 3), np.float64, device="cuda")
base = a.__cuda_array_interface__["data"][0]
def parts(view):
    found = view.__sycl_usm_array_interface__
    assert type(found) is dict and found is not view.__sycl_usm_array_interface__
    assert (found["version"], found["syclobj"]) == (1, "cuda:gpu:0")
    assert [type(p) for p in found["data"]] == [int, bool] and type(found["offset"]) is int
    again = D.from_sycl_usm(Theirs(view))
    assert (again.shape, again.strides, again.dtype) == (view.shape, view.strides, view.dtype)
    assert again.__cuda_array_interface__["data"] == view.__cuda_array_interface__["data"]
    return [found["shape"], found["strides"], found["data"][0] - base, found["offset"],
            found["typestr"]]
said = [parts(v) for v in (a, a.T, a[1, ::-1], a[1, 2])]
kinds = []
for memory in ("device", "pinned", "managed"):
    b = D.zeros(3, device="cuda", memory=memory)
    kinds.append([b.usm_type, b.get_usm_type("cuda:gpu:0"), b.get_usm_type("cpu")])
empty = D.zeros((0, 3), device="cuda").__sycl_usm_array_interface__
point = np.dtype([("x", "<f4"), ("y", "<i2")], align=True)
records = D.zeros(2, point, device="cuda").__sycl_usm_array_interface__
rest = [empty["data"], empty["offset"], records["typestr"], len(records["typedescr"]),
        outcome(lambda: D.zeros(2, D.bfloat16, device="cuda").__sycl_usm_array_interface__)]
answer = [said, kinds, rest]
"""
    )
    assert said == [
        [[2, 3], None, 0, 0, "<f8"],
        [[3, 2], [1, 3], 0, 0, "<f8"],
        [[3], [-1], 0, 5, "<f8"],
        [[], None, 0, 5, "<f8"],
    ]
    assert kinds == [
        ["device", "device", "unknown"],
        ["host", "host", "unknown"],
        ["shared", "shared", "unknown"],
    ]
    text = "elements of bfloat16 have no name in SYCL's interface; DLPack has one"
    assert rest == [[0, False], 0, "|V8", 3, ["BufferError", text]]


@clause("USM-03")
def test_the_host_does_not_read_device_memory(on_fake):  # noqa: F811
    found = on_fake(
        HEAD
        + """
x = D.from_sycl_usm(Theirs(D.zeros(4, device="cuda")))
answer = [outcome(lambda: np.asarray(x)), outcome(lambda: float(x)),
          outcome(lambda: memoryview(x)), D.to_host(x).tolist()]
del x
"""
    )
    reach = (
        "the host does not reach the memory of GPU 0; device.to_host(a) copies the array, kernels "
        "take it as it is"
    )
    value = (
        "an array of shape (4,) on cuda:0 has no value for the host; device.to_host(a) copies it"
    )
    assert found[:2] == [["TypeError", reach], ["TypeError", value]]
    assert found[2][0] == "TypeError"
    assert found[3] == [0.0] * 4


@clause("USM-02", "USM-41", "USM-04")
def test_launches_on_a_gpu_take_all_three_kinds(on_fake):  # noqa: F811
    values, host_sees, other = on_fake(
        HEAD
        + """
values, host_sees = [], []
for memory in ("device", "pinned", "managed"):
    a = D.full(4, 2.0, device="cuda", memory=memory)
    core.Device(0).sync()
    D.launch(double, Theirs(a), **size, stream=T)
    T.sync()
    values.append(D.to_host(a).tolist())
    if memory != "device":
        seen = np.asarray(D.from_sycl_usm(Theirs(a)))
        seen[0] = 9
        host_sees.append(D.to_host(a).tolist())
a = D.zeros(4, device="cuda")
tries = [outcome(lambda: D.from_sycl_usm(Theirs(a, syclobj=s))) for s in ("cpu", "cuda:gpu:1")]
answer = [values, host_sees, tries]
del seen
""",
        FAKE_CUDA_DEVICES="2",
    )
    assert values == [[4.0] * 4] * 3
    assert host_sees == [[9.0, 4.0, 4.0, 4.0]] * 2
    for (kind, text), where in zip(other, ("opencl:cpu:0", "cuda:gpu:1"), strict=True):
        assert (kind, text) == (
            "ValueError",
            f"'data' is memory of GPU 0, and 'syclobj' names {where}: the allocation's type is "
            "'unknown' there",
        )


@clause("USM-37")
def test_the_dictionary_comes_when_the_work_is_done(on_fake):  # noqa: F811
    early, values = on_fake(
        HEAD
        + """
a, ones = D.zeros(4, device="cuda"), D.full(4, 1.0, device="cuda")
core.Device(0).sync()
gates["add"] = threading.Event()
D.launch(add, a, ones, **size, stream=S)
found = []
reader = threading.Thread(target=lambda: found.append(a.__sycl_usm_array_interface__))
reader.start()
time.sleep(0.2)
early = len(found)
gates["add"].set()
reader.join()
address = found[0]["data"][0] + 8 * found[0]["offset"]
values = np.frombuffer((ctypes.c_char * 32).from_address(address), np.float64).tolist()
answer = [early, values]
"""
    )
    assert early == 0
    assert values == [1.0] * 4
