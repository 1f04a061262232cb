"""What operators and NumPy's functions of arrays on GPUs take and refuse, on the tests' driver."""

from support.clauses import clause
from support.fake_gpu import needs_fake
from support.gpu_arrays import on_gpu  # noqa: F401 a fixture

pytestmark = needs_fake


@clause("DEV-AAPI-02")
def test_numbers_of_arrays_of_one_complex_element(on_gpu):  # noqa: F811
    """Have a value as complex alone, as those of the host."""
    answer = on_gpu("""
        z = D.asarray(np.array(1 + 2j), device="cuda")
        answer = [str(complex(z)), bool(z), outcome(lambda: float(z)), outcome(lambda: int(z)),
                  outcome(lambda: [1][z])[0], outcome(lambda: [1][z == z])[0],
                  [outcome(lambda: kind(xp.asarray(1j)))[0] for kind in (float, int)]]
    """)
    text = "an element of complex128 is no {}; see complex(), real() and abs()"
    assert answer == [
        "(1+2j)",
        True,
        ["TypeError", text.format("float")],
        ["TypeError", text.format("int")],
        *["TypeError"] * 2,
        ["TypeError"] * 2,
    ]


@clause("DEV-AAPI-02")
def test_results_in_place(on_gpu):  # noqa: F811
    """Of the shape and the kind of the array, as NumPy has it."""
    answer = on_gpu("""
        def halved(x):
            x /= 2

        def negative(x):
            x -= 1.5

        def more(x):
            x += a

        answer = [outcome(lambda: change(b)) for change in (halved, negative, more)] + [shown(b)]
    """)
    text = "in place, an array of shape (4,) and dtype int32 cannot become one of shape {}"
    assert answer == [
        ["TypeError", text.format("(4,) and dtype float64")],
        ["TypeError", text.format("(4,) and dtype float64")],
        ["TypeError", text.format("(3, 4) and dtype float64")],
        [1, 2, 3, 4],
    ]
