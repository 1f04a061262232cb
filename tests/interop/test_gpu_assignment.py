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
