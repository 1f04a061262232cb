"""Inlined calls of which some are copies of others. The number in a kernel's name, which
copied_test.cpp reads, says how many are lowered: the first two calls of a function, and then one
for all that differ in nothing."""

F32 = "array[float32, 1]"


def squared(x):
    return x * x


def of_both(x, y):
    return squared(x) + squared(y)


def power(x, n):
    return x if n == 0 else x * power(x, n - 1)


@case(F32, F32)
@kernel
def lowers_4_of_numbers(out, a):
    out[0] = of_both(a[0], a[1]) + of_both(a[2], a[3]) + squared(a[4])


@case(F32, F32)
@kernel
def lowers_4_one_for_each_constant(out, a):
    out[0] = power(a[0], 3) + power(a[1], 3) + power(a[2], 2)


@case(F32, F32)
@kernel
def lowers_2_one_for_each_type(out, a):
    n = device.tid(1)
    out[0] = squared(a[0]) + squared(n) + squared(a[1]) + squared(n + 1)


def first_of(a):
    return a[0]


@case(F32, F32)
@kernel
def lowers_3_one_for_each_array(out, a):
    out[0] = first_of(a) + first_of(a) + first_of(out)
    out[1] = first_of(a) + first_of(out)


def larger(p, q):
    if p[0] > q[0]:
        return p
    return q


@case(F32, F32)
@kernel
def lowers_1_of_tuples(out, a):
    n = device.tid(1)
    p, q = (a[0], n), (a[1], n + 1)
    for k in range(3):
        p, q = larger(p, larger(q, larger(p, q))), p
    out[0], out[1] = p


def positive(x):
    assert x > 0
    return x


@case(F32, F32)
@kernel
def lowers_3_one_in_a_message(out, a):
    out[0] = positive(a[1]) + positive(a[2])
    assert a[0] > 0, f"{positive(a[0])}"
    out[1] = positive(a[3])
