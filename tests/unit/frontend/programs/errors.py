"""Mistakes, and all that is said of them."""

A = "array[float32, 1]"


@case(A, "float32")
@kernel
def first(a, x):
    a[0] = x & a[1]
