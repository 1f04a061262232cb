"""Assignment to parts of arrays on GPUs, and what indices mean, on the tests' driver."""

import pytest
from support.clauses import clause
from support.fake_gpu import needs_fake
from support.gpu_arrays import on_gpu  # noqa: F401 a fixture

pytestmark = needs_fake


@clause("DEV-AAPI-03")
@pytest.mark.parametrize("memory", ["device", "pinned", "managed"])
def test_assignment_between_parts_that_overlap(on_gpu, memory):  # noqa: F811
    """As if the whole of the source were read before anything is stored."""
    answer = on_gpu(
        """
        def reverse(x):
            x[:] = x[::-1]

        def reversed_place(x):
            x[::-1] = x

        def down(x):
            x[1:] = x[:-1]

        def up(x):
            x[:-1] = x[1:]

        def interleaved(x):
            x[1::2] = x[:x.shape[0] // 2 * 2:2]

        def transpose(x):
            x[...] = x.T

        def both(x):
            x[::-1, ::-1] = x.mT

        def rolled(x):
            x[:, 1:] = x[::-1, :-1]

        def itself(x):
            x[...] = x

        ours = lambda host: D.asarray(host, device="cuda", memory=MEMORY, copy=True)
        wrong = []
        line, square = np.arange(300.0), np.arange(49, dtype="i2").reshape(7, 7)
        for host, changes in ((line, (reverse, reversed_place, down, up, interleaved, itself)),
                              (square, (reverse, down, up, transpose, both, rolled, itself))):
            for change in changes:
                x, expected = ours(host), host.copy()
                change(x), change(expected)
                if shown(x) != expected.tolist():
                    wrong.append([change.__name__, shown(x)])

        # By views of functions, by the same memory imported, by its view of the host's.
        class Says:
            def __init__(self, x):
                self.__cuda_array_interface__ = x.__cuda_array_interface__

        x, y = ours(line), ours(line)
        x[:] = xp.flip(x)
        y[:] = D.as_cuda_array(Says(y[::-1]))
        found = [shown(x) == shown(y) == line[::-1].tolist()]
        if MEMORY != "device":
            y = ours(line)
            y[1:] = np.asarray(y)[:-1]
            found.append(shown(y) == [0, *line[:-1]])
        cells = ours(np.array([(1, 2), (3, 4)], [("x", "i4"), ("y", "i4")]))
        cells["x"][:] = cells["y"][::-1]
        found.append(shown(cells) == [(4, 2), (2, 4)])
        answer = [wrong, found]
        """.replace("MEMORY", repr(memory))
    )
    assert answer == [[], [True] * (2 if memory == "device" else 3)]


@clause("DEV-AAPI-03")
def test_memory_between_parts_that_overlap_is_of_the_stream(on_gpu):  # noqa: F811
    """A copy that waits for a kernel, and one after it, in the order of the statements."""
    answer = on_gpu("""
        x = D.asarray(np.arange(8.0), device="cuda", copy=True)
        stream = core.Device(0).create_stream()
        before = left()["allocations"]
        gates["double"] = threading.Event()
        D.launch(double, x, grid=1, block=8, stream=stream)
        x[:] = x[::-1]
        D.launch(double, x, grid=1, block=8, stream=stream)
        queued = launches == []
        gates["double"].set()
        answer = [queued, shown(x), left()["allocations"] - before]
    """)
    assert answer == [True, [28.0, 24.0, 20.0, 16.0, 12.0, 8.0, 4.0, 0.0], 0]


@clause("DEV-AAPI-03", "DEV-AAPI-07", "DEV-AAPI-08")
def test_indices_that_name_no_element(on_gpu):  # noqa: F811
    """IndexError with the index, the axis and its extent, as NumPy has it."""
    answer = on_gpu("""
        G = lambda x: D.asarray(np.asarray(x), device="cuda")
        m = np.arange(6.0).reshape(2, 3)
        n, line, none = G(m), G(np.arange(6.0)), G(np.zeros((3, 0)))
        same = []
        for index in ([100], [-7], [5, -6], [[0, 6]], [], [3, 2**40]):
            i = np.array(index, "i8")
            for f in (lambda x, i: x[i], lambda x, i: xp.take(x, i, axis=0),
                      lambda x, i: xp.take_along_axis(x, xp.reshape(i, (i.size,)), axis=0)):
                if i.ndim > 1 and f.__code__.co_names[:2] == ("xp", "take"):
                    continue
                ours, theirs = outcome(lambda: f(line, G(i))), outcome(lambda: f(np.arange(6.0), i))
                same.append(ours == theirs or [index, ours, theirs])
        for kind in ("u8", "i1", "u2"):
            same.append(outcome(lambda: line[G(np.array([6], kind))]) == [
                "IndexError", "index 6 is out of bounds for axis 0 with size 6"])
        pairs = [([0], [4]), ([2], [0]), ([-3], [1]), ([0], [-4]), ([[0], [1]], [0, 3]), (0, [3]),
                 (2, [0]), ([0], 3), ([0], -4)]
        for i, j in pairs:
            theirs = outcome(lambda: m[i, j])
            part = lambda k: k if type(k) is int else G(k)
            ours = outcome(lambda: n[part(i), part(j)])
            same.append(ours == theirs and theirs[0] == "IndexError" or [i, j, ours, theirs])
        same.append(outcome(lambda: none[G([3])])[0] == "IndexError")
        same.append(none[G([2])].shape == (1, 0))
        same.append(shown(n[G([-1, 0]), G([-3, -1])]) == m[[-1, 0], [-3, -1]].tolist())
        same.append(shown(xp.take(n, G([-1, 1]), axis=1)) == m[:, [-1, 1]].tolist())
        k = np.array([[-1, 0, -2]])
        expected = np.take_along_axis(m, k, 0)
        same.append(shown(xp.take_along_axis(n, G(k), axis=0)) == expected.tolist())
        answer = [same, outcome(lambda: xp.take(n, G([0, 5]), axis=1)),
                  outcome(lambda: xp.take_along_axis(n, G([[0, 0, 2]]), axis=0)),
                  outcome(lambda: xp.take(n, n, axis=1)),
                  outcome(lambda: xp.searchsorted(line, line, sorter=G([0, 1, 2, 3, 4, 6]))),
                  outcome(lambda: xp.searchsorted(line, line, sorter=G([0])))]
    """)
    assert answer[0] == [True] * len(answer[0])
    assert answer[1:] == [
        ["IndexError", "index 5 is out of bounds for axis 1 with size 3"],
        ["IndexError", "index 2 is out of bounds for axis 0 with size 2"],
        ["TypeError", "take() expects indices that are integers, found float64"],
        ["ValueError", "sorter=: index 6 is out of bounds for axis 0 with size 6"],
        ["ValueError", "sorter= of 1 indices of 6 elements"],
    ]


@clause("DEV-AAPI-03")
def test_assignment_by_masks(on_gpu):  # noqa: F811
    """Values for the chosen elements one by one, or spread over them, as NumPy has it."""
    answer = on_gpu("""
        G = lambda x: D.asarray(np.asarray(x), device="cuda", copy=True)
        m, rows = h % 3 == 1, np.array([True, False, True])
        cases = [(m, np.arange(4.0) + 50), (m, np.array([7.0])),
                 (m, np.array(7)), (rows, np.arange(4) * 10), (rows, h[:2] + 90),
                 (rows, h[:1] + 90), (rows, np.array([[3], [4]])), (rows & False, h[:0]),
                 (np.array([False, True, True, False]), np.arange(2)),
                 (m, np.arange(3.0)), (rows, h), (rows[:2], 1), (m[:1], 1)]
        same = []
        for mask, value in cases:
            ours, theirs = G(h), h.copy()
            def at(x, mask):
                return x[0] if mask.shape == (4,) else x
            one = outcome(lambda: at(ours, mask).__setitem__(G(mask), G(value)))
            other = outcome(lambda: at(theirs, mask).__setitem__(mask, value))
            same.append((one and one[0]) == (other and other[0])
                        and shown(ours) == theirs.tolist() or [str(mask), one, other, shown(ours)])
        x, y, square = G([0, 1]), G([[0], [1]]), G(h)
        wrong = [lambda: square.__setitem__((x, x), 5), lambda: square.__setitem__((0, x), b),
                 lambda: square.__setitem__(x, 5), lambda: square.__setitem__((G(m), 0), 5),
                 lambda: square[np.array([0])], lambda: square[np.array([0]), 1],
                 lambda: square[x, np.array([0])], lambda: square[h > 1],
                 lambda: square.__setitem__(np.array([0]), 5),
                 lambda: square.__setitem__((np.array([0]), x), 5)]
        square[G(m),] = 8
        answer = [same, [outcome(each) for each in wrong], shown(square[0])]
    """)
    assert answer[0] == [True] * 13
    one_mask = [
        "IndexError",
        "assignment by arrays as index expects one mask, an array of bool; where() chooses "
        "between arrays, and kernels store at any place",
    ]
    mixed = [
        "TypeError",
        "an array in memory of the host beside one on cuda:0: copy it by "
        "cuda.device.asarray(a, device='cuda:0')",
    ]
    assert answer[1] == [one_mask] * 4 + [mixed] * 6
    assert answer[2] == [0.0, 8.0, 2.0, 3.0]
