"""Calls of functions, which are inlined."""

I32 = "array[int32, 1]"
F64 = "array[float64, 1]"
N = 8
SCALE = 3
TABLE = (2, 7, (1, 8))


def out():
    return np.zeros(N, np.int32)


def square(x):
    return x * x


twice = lambda x: x + x


def sign(x):
    if x > 0:
        return 1
    elif x < 0:
        return -1
    return 0


def find(a, value):
    for k in range(a.shape[0]):
        if a[k] == value:
            return k
    return -1


def divide(x, y=2, *, offset=0):
    return x // y + offset, x % y


def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def store(a, i, v):
    a[i] = v


def early(a, i):
    if i == 3:
        return
    for k in range(i):
        if k == 5:
            return
        a[i] += k


def outer(x):
    y = x + 1
    return inner(y) + inner(2 * y)


def inner(y):
    x = y * 10
    if x > 50:
        return x - 1
    return x


@func
def clamp(x, low, high):
    return max(low, min(x, high))


def mixed(x):
    if x > 3:
        return 0.5
    return x


@case(I32, args=[out()], block=N)
def simple(a):
    i = device.tid(1)
    a[i] = square(i) + twice(x=i) * 100


@case(I32, args=[out()], block=N)
def returns(a):
    i = device.tid(1)
    a[i] = sign(i - 3) * 10 + sign(3 - i)


@case(I32, I32, args=[np.array([5, 3, 9, 1], np.int32), out()], block=N)
def returns_from_loop(a, b):
    i = device.tid(1)
    b[i] = find(a, i)


@case(I32, args=[out()], block=N)
def defaults_and_keywords(a):
    i = device.tid(1)
    q, r = divide(i)
    s, t = divide(i, 3, offset=100)
    u, v = divide(y=5, x=i)
    a[i] = q + 10 * r + s * 1000 + t + u * v


@case(I32, args=[out()], block=N)
def argument_is_assigned(a):
    i = device.tid(1)
    n = i + 1
    a[i] = collatz(n) * 100 + n


@case(I32, args=[out()], block=N)
def effects(a):
    i = device.tid(1)
    store(a, i, i * 7)
    early(a, i)


@case(I32, args=[out()], block=N)
def names_are_separate(a):
    i = device.tid(1)
    x = 1
    a[i] = outer(i) + x


@case(I32, args=[out()], block=N)
def constants(a):
    i = device.tid(1)
    first, second, (third, fourth) = TABLE
    a[i] = clamp(i * SCALE, TABLE[0], first * 5) + TABLE[2][1] + second + third + fourth


@case(F64, args=[np.zeros(N)], block=N)
def several_types(a):
    i = device.tid(1)
    a[i] = square(i) + square(0.25) + mixed(i)


@case(I32, args=[out()], block=N)
def call_in_condition(a):
    i = device.tid(1)
    n = 0
    while sign(i - n) > 0 and find(a, n + 100) < 0:
        n += 1
    a[i] = n if sign(n - 2) else collatz(n + 5)


@case(I32, args=[out()], block=N)
def calls_in_unrolled_loop(a):
    i = device.tid(1)
    s = 0
    for x in (1, -2, 3):
        s += sign(x * i) * inner(x)
    a[i] = s


def convert(x, T):
    return T(x)


def apply(f, x, y):
    return f(x) + f(y)


def add_optional(x, y=None):
    if y is None:
        return x
    return x + y


@case(I32, args=[out()], block=N)
def functions_and_types_as_arguments(a):
    i = device.tid(1)
    a[i] = convert(i * 0.7, device.int32) + apply(twice, i, 3) + apply(square, 2, i)
    a[i] += convert(i * 300, device.int32)


@case(I32, "None", args=[out(), None], block=N)
def optional_arguments(a, b):
    i = device.tid(1)
    if b is not None:
        a[i] = b[i]
    a[i] += add_optional(i) + 10 * add_optional(i, 2) + (b is None)


@case(I32, args=[out()], block=N)
def defaults_of_a_kernel(a, step=3, table=(1, 2)):
    i = device.tid(1)
    a[i] = i * step + table[1]


def nested(n):
    s = 0
    for i in range(n):
        if i == 3:
            return s
        for j in range(i):
            if j == 2:
                break
            if i + j == 100:
                return -1
            s += j + 1
    return s + 50


@case(I32, args=[out()], block=N)
def returns_from_nested_loops(a):
    i = device.tid(1)
    s = 0
    for k in (1, 2):
        s += nested(i * k) * k
        if s > 60:
            continue
        s += sign(s - 20)
    a[i] = s
