"""Functions that are called when the kernel runs: called_test.cpp makes them such functions."""

F32 = "array[float32, 1]"


def power(x, n):
    return x if n == 0 else x * power(x, n - 1)


@case(F32, F32)
@kernel
def chain_of_2(out, a):
    out[0] = power(a[0], 1)


@case(F32, F32)
@kernel
def chain_of_61(out, a):
    out[0] = power(a[0], 60)
