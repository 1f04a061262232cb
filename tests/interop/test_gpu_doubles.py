"""Arrays of CuPy, PyCUDA, DALI, cuDF, RMM and PyArrow, and buffers of mpi4py, as doubles on the
tests' GPUs."""

import pytest
from support.clauses import clause
from support.fake_gpu import needs_fake, on_fake  # noqa: F401 a fixture
from support.gpu_doubles import DOUBLES

pytestmark = needs_fake

HEAD = """
from support.gpu_doubles import DOUBLES, at, mpi_buffer, of_dictionary
import gc, weakref

kind = DOUBLES[{name!r}]
core.Device(0).set_current()
S, T = core.Device(0).create_stream(), core.Device(0).create_stream()
size = dict(grid=1, block=64)

def memory_of(a):
    '''Memory of a GPU with these elements, and the elements as its library sees them.'''
    made = D.empty(max(a.size, 1), a.dtype, device="cuda")
    core.Device(0).sync()
    elements = at(made.__cuda_array_interface__["data"][0], a.shape, a.dtype)
    elements[...] = a
    return made, elements

def theirs(a, stream=None, part=...):
    memory, elements = memory_of(a)
    return kind(memory, elements[part], stream)

def given(array):
    '''What a launch takes.'''
    if hasattr(array, "dictionary"):
        return D.from_cuda_array_interface(array.dictionary(), owner=array)
    return array

@runs_on_fake(("f4", 1))
@D.kernel
def twice(a):
    i = D.tid(1)
    if i < a.size:
        a[i] *= 2

@runs_on_fake(("u1", 1))
@D.kernel
def next_one(a):
    i = D.tid(1)
    if i < a.size:
        a[i] += 1

bytes_only = kind.dtypes == ("uint8",)
kernel = next_one if bytes_only else twice
change = (lambda a: a + 1) if bytes_only else (lambda a: a * 2)
numbers = np.arange(8).astype("u1" if bytes_only else "f4")

def synced():
    core.Device(0).sync()
"""


@pytest.fixture
def answer_of(on_fake):  # noqa: F811
    return lambda name, text: on_fake(HEAD.format(name=name) + text)


@pytest.mark.parametrize("name", DOUBLES)
class TestDoubles:
    @clause("CAI-ADOPT-01")
    def test_both_sides_see_what_the_other_stores(self, name, answer_of):
        answer = answer_of(
            name,
            """
a = theirs(numbers)
D.launch(kernel, given(a), **size); synced()
first = a.elements.tolist() == change(numbers).tolist()
a.elements[3] = 7
D.launch(kernel, given(a), **size); synced()
answer = [first, int(a.elements[3]) == int(change(np.array(7))), a.asked]
""",
        )
        asked = "DLPack" if name == "CuPy" else "dictionary"
        assert answer == [True, True, [] if name == "PyArrow CUDA" else [asked] * 2]

    def test_they_take_ours(self, name, answer_of):
        answer = answer_of(
            name,
            """
ours = D.full(8, 3, dtype=numbers.dtype, device="cuda")
D.launch(kernel, ours, **size, stream=S)
said = ours.__cuda_array_interface__
S.sync() if said["stream"] in (S.handle, None) else core.Device(0).sync()
seen = of_dictionary(said)
before = seen.tolist()
seen[2] = 50
answer = [before == [int(change(np.array(3)))] * 8, int(D.to_host(ours)[2]), said["version"],
          said["stream"] == S.handle]
""",
        )
        assert answer == [True, 50, 3, True]

    def test_the_producer_lives_until_the_launch_is_done(self, name, answer_of):
        answer = answer_of(
            name,
            """
gates[kernel.__name__] = threading.Event()
a = theirs(numbers)
memory, elements, gone = a.memory, a.elements, weakref.ref(a)
D.launch(kernel, given(a), **size, stream=T)
del a
gc.collect()
early = gone() is not None
gates[kernel.__name__].set()
T.sync()
D.launch(nothing, grid=1, block=1, stream=T); T.sync()
gc.collect()
answer = [early, gone() is None, elements.tolist() == change(numbers).tolist()]
""",
        )
        assert answer == [True, True, True]

    def test_types_of_elements(self, name, answer_of):
        answer = answer_of(
            name,
            """
answer = []
for dtype in kind.dtypes:
    a = theirs(np.arange(5).astype(dtype))
    ours = (D.from_cuda_array_interface(a.dictionary(), owner=a) if hasattr(a, "dictionary")
            else D.as_cuda_array(a))
    answer.append([str(ours.dtype), ours.to_host().tolist() == a.elements.tolist()]
                  if hasattr(ours, "to_host") else
                  [str(ours.dtype), D.to_host(ours).tolist() == a.elements.tolist()])
""",
        )
        assert answer == [[dtype, True] for dtype in DOUBLES[name].dtypes]

    def test_arrays_without_elements(self, name, answer_of):
        answer = answer_of(
            name,
            """
a = theirs(numbers[:0])
assert a.data()[0] == 0
D.launch(kernel, given(a), **size); synced()
answer = a.elements.size
""",
        )
        assert answer == 0

    def test_streams(self, name, answer_of):
        """A launch comes after the work that the producer has queued on the stream that it names;
        one that names none has done that work."""
        answer = answer_of(
            name,
            """
scratch = D.full(8, 1.0, dtype="f8", device="cuda"); synced()
gates["double"] = threading.Event()
a = theirs(numbers, stream=S.handle)
D.launch(double, scratch, grid=1, block=8, stream=S)  # the library is busy
D.launch(kernel, given(a), **size, stream=T)
time.sleep(0.2)
early = [name for name, *_ in launches]
gates["double"].set()
synced()
answer = [early, sorted(name for name, *_ in launches)]
""",
        )
        kernel = "next_one" if DOUBLES[name].dtypes == ("uint8",) else "twice"
        early = [] if DOUBLES[name].has_streams else [kernel]
        assert answer == [early, sorted(["double", kernel])]


@pytest.mark.parametrize("name", [name for name, each in DOUBLES.items() if each.strided])
def test_strides(name, answer_of):
    answer = answer_of(
        name,
        """
a = theirs(numbers, part=slice(None, None, -2))
whole = a.elements.base
D.launch(kernel, given(a), **size); synced()
wanted = numbers.copy()
wanted[::-2] = change(wanted[::-2])
answer = a.elements.tolist() == wanted[::-2].tolist()
""",
    )
    assert answer is True


@pytest.mark.parametrize("memory", ["device", "pinned", "managed"])
def test_mpi_sends_and_receives_ours(answer_of, memory):
    """Bytes of an array that is contiguous; the program waits for what is queued itself."""
    answer = answer_of(
        "CuPy",
        f"""
a = D.zeros((4, 6), "f4", device="cuda", memory={memory!r})
a[...] = np.arange(24, dtype="f4").reshape(4, 6)
b = D.zeros((2, 6), "f4", device="cuda", memory={memory!r})
synced()
mpi_buffer(b)[:] = mpi_buffer(a[1:3])
sent = D.to_host(b).tolist() == D.to_host(a)[1:3].tolist()
mpi_buffer(a[3])[:] = mpi_buffer(b[0])
mpi_buffer(a.T)[:4] = 0
assert mpi_buffer(a[:0]).size == 0
answer = [sent, D.to_host(a)[3].tolist(), float(D.to_host(a)[0, 0]),
          [outcome(lambda: mpi_buffer(part)) for part in (a[:, 1:3], a[::2])]]
D.launch(kernel, a.reshape((24,)), grid=1, block=64)
answer.append(mpi_buffer(theirs(numbers)).view("f4").tolist() == numbers.tolist())
synced()
""",
    )
    wrong = ["BufferError", "dlpack: buffer is not contiguous"]
    assert answer == [True, [6, 7, 8, 9, 10, 11], 0.0, [wrong, wrong], True]


def test_columns_with_nulls_are_refused(answer_of):
    answer = answer_of(
        "cuDF",
        """
a = theirs(numbers)
a.with_nulls = True
answer = outcome(lambda: D.launch(kernel, a, **size))
""",
    )
    assert answer[0] == "NotImplementedError"
    assert "'mask'" in answer[1]
