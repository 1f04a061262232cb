"""Vectors in host code (DEV-VEC): the 56 types, Vector, Dim3."""

from cuda import device as D
from support.clauses import clause

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
FLOATS = ["float8e4m3", "float8e5m2", "float16", "bfloat16", "float32", "float64"]
FORMATS = INTEGERS + FLOATS
LANES = (1, 2, 3, 4)
TYPES = [(number, lanes) for number in FORMATS for lanes in LANES]


def vector_type(number, lanes):
    return getattr(D, f"{number}x{lanes}")


# --- the types ---


@clause("DEV-VEC-01", "DEV-VEC-02", "DEV-VEC-05", "DEV-VEC-06")
def test_all_types_exist_with_their_size_and_dtype():
    assert len(TYPES) == 56
    for number, lanes in TYPES:
        kind = vector_type(number, lanes)
        made = kind(*range(1, lanes + 1))
        assert issubclass(kind, D.Vector)
        assert isinstance(made, D.Vector)
        assert (kind.__module__, kind.__name__) == ("cuda.device", f"{number}x{lanes}")
        assert kind.dtype is made.dtype is getattr(D, number)
        assert kind.size == made.size == len(made) == lanes


@clause("DEV-VEC-06")
def test_dtype_compares_with_the_format():
    assert D.uint32x3(1, 2, 3).dtype == D.uint32
