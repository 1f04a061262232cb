"""Mistakes, and all that is said of them. The golden has the text."""

A = "array[float32, 1]"
B = "array[int8, 2]"
N = 4


class Thing:
    pass


thing = Thing()
table = [1, 2, 3]


@case(A, "float32")
@kernel
def several_independent_mistakes(a, x):
    i = device.tid(1)
    a[0] = x & a[1]
    y = undefined_name + 1
    z = y * 2
    if a:
        a[i] = 'text'
    for k in 5:
        a[k] = lenght
    a[0] = z


@case(A)
@kernel
def operators(a):
    x = a + 1
    y = (1, 2) * 3
    z = a[0] << 1
    w = -a
    v = ~a[0]
    u = a[0] @ a[1]
    t = a < 1
    s = None + 1
    r = 'a' + 'b'
    q = device.thread_idx + 1
    a[0] %= None


@case("int8", "uint8")
def literals(x, y):
    a = x + 300
    b = y - (-1)
    c = x * 5_000_000_000
    d = device.int8(300)
    e = device.uint8(-1)
    f = device.float32(1e300)
    g = 1 << -1
    h = 2**200
    i = 1 << 5000
    j = x if y else -1000
    k = y if x else -1
    return a, b, c, d, e, f, g, h, i, j, k


@case("int", B, A)
def stored_literals(n, a, f):
    x = n + 5_000_000_000
    a[0, 0] = 300
    a[0, 1] += 300
    a[0, 2] = 1e10
    f[0] = 1e300
    n = 0
    while n < 3:
        n = 3_000_000_000


@case("uint8")
def joined_with_unsigned(u):
    x = -1
    if u > 3:
        x = u
    return x


@case(B, A)
@kernel
def indexing(b, a):
    b[0] = 1
    b[0, 1, 2] = 3
    b[0.5, 1] = 1
    b[True, 0] = 1
    b[:, 0] = 1
    b[..., 0] = 1
    b[None, 0, 0] = 1
    b[(0, 1)] = 'x'
    a[a] = 1
    x = b.shape[2]
    y = b.shape[a[0]]
    z = b.shape[device.tid(1)]
    w = a.shape[0][0]
    b.shape = (1, 2)
    b.shape[0] = 3
    t = b.flags, b.T, b.reshape, b.nothing
    a[0].x = 5


@case("read_only " + A)
@kernel
def read_only(a):
    a[0] = a[1]
    a[0] += 1


@case(A)
@kernel
def unpacking(a):
    x, y = a
    x, y = 1, 2, 3
    (x, y), z = 1, 2
    x, *y = 1, 2, 3
    x, y = 5
    h, w = a.shape


@case(A)
@kernel
def statements(a):
    with a:
        pass
    try:
        x = 1
    except ValueError:
        pass
    import math
    global N
    del a
    assert a[0] > 0, a[0]
    assert a[0] > 1, f"{a[0]}"

    class C:
        pass

    def f():
        pass

    [1, 2]
    {1: 2}
    {1, 2}
    f"{a}"
    [x for x in a]
    (x for x in (1, 2))
    g = lambda x: x
    match N:
        case 1:
            pass


@case(A)
@kernel
def generator(a):
    yield a[0]


def two(x, y, /, z=1, *, w=2):
    return x + y + z + w


def variadic(*args):
    return 1


@case(A)
@kernel
def wrong_calls(a):
    two(1)
    two(1, 2, 3, 4)
    two(1, 2, v=3)
    two(1, 2, 3, z=4)
    two(x=1, y=2)
    variadic(1)
    two(*(1, 2))
    two(**{})
    a(1)
    (1)(2)
    device.thread_idx(1)
    thing(1)
    N(1)
    abs()
    abs(1, 2)
    abs(x=1)
    math.sqrt(a)
    max(a)
    range(1, 2, 3, 4)
    device.float32(1, 2)
    device.int8(a)
    len(5)


@case(A)
@kernel
def intrinsics(a):
    device.popc(a[0])
    device.popc(True)
    device.clz((1, 2))
    device.cbrt(8)
    device.fma(1, a[0], a[1])
    device.tid(0)
    device.tid(4)
    device.tid(len(a))
    device.syncwarp()
    s = device.activemask()
    math.fsum(3)
    sum((1, 2))
    print(a)
    round(a[0], 2)
    pow(2, 3, 5)
    for x in zip((1, 2), (3, 4)):
        pass
    for i in range(0.5):
        pass
    for i in range(1, 10, 0):
        pass
    math.ldexp(a[0], 1.5)
    r = range(5)
    list((1, 2))
    m = math.nothing
    n = device.nothing


@case(A)
@kernel
def assigned_entities(a):
    device.thread_idx = 1
    device.thread_idx.x = 1
    math.pi = 3
    thing.x = 1
    t = (1, 2)
    t[0] = 5
    x = 5
    x[0] = 1


@case(A)
@kernel
def returns_a_value(a):
    if a[0] > 1:
        return a[0]
    return None


@case(A)
@kernel
def annotated_result(a) -> device.float32:
    return


@kernel
def other_kernel(a):
    a[0] = 1


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


@func
def uses_device():
    return device.thread_idx.x


def no_return(x):
    if x > 0:
        return 1.5


def two_types(x):
    if x > 0:
        return x
    return (x, x)


@case(A)
@kernel
def calls_of_functions(a):
    other_kernel(a)
    even(5)
    uses_device()
    no_return(a[0])
    two_types(a[0])
    bad_inside(a[0])


def bad_inside(x):
    return deeper(x) + 1


def deeper(x):
    return x & 1


@case(A, "int")
@kernel
def variables(a, n):
    if n > 3:
        x = 1
    y = x + z
    z = 5
    while n > 0:
        w = w + 1
        n -= 1
    v = a
    if n:
        v = 3
    u = 1 if n else a
    a[0] = v


@case("int")
def depends_on_itself(n):
    while n > 0:
        w = w + 1
        n -= 1


@case(A)
@kernel
def names(a):
    i = cuda.grid(1)
    j = threadIdx.x
    lenght = 3
    a[0] = length
    a[1] = np.sqrt(a[0])
    a[2] = table[0]
    a[3] = thing.value
    a[4] = Thing


def takes(x: device.int8, y: float) -> device.int16:
    return x


@case("int32", "float64", A)
def annotations(x, y, a):
    takes(5, 1)
    takes(300, 1.0)
    takes(x, 1)
    takes(1, y)
    z: device.int8 = x
    w: int = 0.5
    v: device.float32 = a
    u: thing = x
    t: "device.int8" = x
    s: None = x
    r: device.float64 = x


@case("float32", "float32", "float32")
@kernel
def too_many_launch_arguments(x):
    pass


@case("float32")
@kernel
def too_few_launch_arguments(x, y):
    pass


@case("int")
def tabs_and_wide_characters(x):
    ä = 'é' + (x &	1.5)


def ranges(n):
    if n > 3:
        return zip((n,))
    return zip((3,))


@case("int", "float32")
def values_that_cannot_be_kept(n, x):
    r = zip((n,))
    t = (1, zip((3,)))
    for k in ranges(n):
        pass
    c = zip((3,)) if n else zip((4,))
    m = reversed((1, 2))
    for k in r:
        pass


@case(A)
def assigned_in_a_pruned_branch(a):
    if N > 5:
        x = 1
    a[0] = x


@case(A, dialect="NumbaPro")
def retyped_in_a_loop(a):
    x = 0
    for k in range(3):
        x = (1, 2)
    a[0] = x


@case(A, dialect="NumbaPro")
def failures_of_a_dialect_without(a):
    assert a[0] > 0
    if a[0] > 1:
        raise ValueError("x")
