"""Control flow. Every thread writes what it has seen."""

I32 = "array[int32, 1]"
N = 8


def out(n=N):
    return np.zeros(n, np.int32)


@case(I32, args=[out()], block=N)
def if_elif_else(a):
    i = device.tid(1)
    if i < 2:
        a[i] = 1
    elif i < 4:
        a[i] = 2
    elif i == 5:
        pass
    else:
        a[i] = 3


@case(I32, args=[out()], block=N)
def while_break_continue_else(a):
    i = device.tid(1)
    n = 0
    k = 0
    while k < 20:
        k += 1
        if k % 3 == 0:
            continue
        if k > i * 3:
            break
        n += k
    else:
        n = -n
    a[i] = n * 100 + k


@case(I32, args=[out()], block=N)
def for_else(a):
    i = device.tid(1)
    for k in range(4):
        if k == i:
            break
    else:
        k = 77
    a[i] = k


@case(I32, args=[out()], block=N)
def nested_loops(a):
    i = device.tid(1)
    s = 0
    for x in range(i):
        for y in range(x, 10, 2):
            if y > 6:
                break
            if (x + y) % 3 == 1:
                continue
            s += x * y
        else:
            s += 1000
    a[i] = s


@case(I32, args=[out()], block=N)
def ranges(a):
    i = device.tid(1)
    s = 0
    for k in range(10, i, -1):
        s = s * 3 + k
        s %= 1000
    for k in range(i, 3):
        s += k
    for k in range(5, 5):
        s += 100000
    for k in range(-3, 10, 4):
        k += 1
        s += k
    a[i] = s + k


@case(I32, args=[out()], block=N)
def early_return(a):
    i = device.tid(1)
    if i == 1:
        return
    for k in range(10):
        if k == i:
            a[i] = k + 1
            return
    a[i] = 99


@case(I32, args=[out()], block=N)
def forever(a):
    i = device.tid(1)
    n = 1
    while True:
        n = n * 3 + 1
        if n > 50 * i:
            break
    a[i] = n


@case(I32, args=[out()], block=N)
def conditional_expressions(a):
    i = device.tid(1)
    x = i if i % 2 else -i
    y = 10 if i > 3 else 20 if i > 1 else 30
    a[i] = x + y


@case(I32, args=[out()], block=N)
def short_circuits(a):
    i = device.tid(1)
    ok = i < 3 and a[i] == 0 or i > 5
    x = i and 7
    y = i or 5
    z = (i > 2 and i) + (i > 100 or 3)
    a[i] = ok * 1000 + x * 100 + y * 10 + z


@case(I32, args=[out()], block=N)
def guarded_access(a):
    i = device.tid(1)
    if i > 0 and a[i - 1] >= 0 and not a[i - 1] > 1000:
        a[i] = 1
    j = i + 5
    if j < a.shape[0] and a[j] == 0:
        a[i] += 2


@case(I32, args=[out()], block=N)
def chained(a):
    i = device.tid(1)
    a[i] = (1 < i <= 4) + 2 * (0 <= i < 3 != 2) + 4 * (i == 2 == 2)


@case(I32, args=[out()], block=N)
def redefinition(a):
    i = device.tid(1)
    x = i
    a[i] = x
    x = 0.5 * i
    if x > 1.2:
        x = 2.75
    a[i] += int(x * 100)
    x = i > 3
    if x:
        a[i] += 1000


@case(I32, args=[out()], block=N)
def joined_types(a):
    i = device.tid(1)
    x = 1
    if i > 3:
        x = 0.5
    s = 0
    for k in range(i):
        s += x
    a[i] = int(s * 8)


@case(I32, args=[out()], block=N)
def unpacking(a):
    i = device.tid(1)
    x, y = i, i + 1
    x, y = y, x
    (p, q), r = (x, y), 3
    t = (p, (q, r))
    u, (v, w) = t
    a[i] = u * 100 + v * 10 + w


@case(I32, args=[out()], block=N)
def tuple_in_a_loop(a):
    i = device.tid(1)
    t = (0, 1)
    for k in range(i):
        t = (t[1], t[0] + t[1])
    a[i] = t[0]


@case(I32, args=[out()], block=N)
def loop_over_tuples(a):
    i = device.tid(1)
    s = 0
    for x in (3, 5, 2, 8):
        if x == i:
            continue
        if x == i + 1:
            break
        s += x
    else:
        s += 100
    for x, y in ((1, 2), (3, 4)):
        s += x * y
    a[i] = s


@case(I32, args=[out()], block=N)
def loop_variable_retyped(a):
    i = device.tid(1)
    s = 0.0
    for k in range(4):
        s += k
        k = k * 0.5
        s += k
    a[i] = int(s * 2)


@case(I32, args=[out()], block=N)
def walrus(a):
    i = device.tid(1)
    n = 0
    while (n := n + 2) < i * 3:
        pass
    a[i] = n


@case(I32, args=[out()], block=N)
def pruned(a):
    i = device.tid(1)
    if N == 8:
        x = 5
    else:
        x = a.no_such_attribute
    while False:
        x = 'text'
    if N > 10 and a.nothing:
        x = None
    a[i] = x if True else nope


@case("array[uint32, 1]", "uint32", args=[np.zeros(4, np.uint32), np.uint32(4)])
def typed_range(a, n):
    for i in range(n):
        a[i] = i * 3


@case("array[int64, 2]", "array[int64, 1]", args=[np.arange(6).reshape(2, 3), np.zeros(8, np.int64)])
def attributes(a, b):
    rows, columns = a.shape
    b[0] = rows * 10 + columns
    b[1] = a.strides[0] * 100 + a.strides[1]
    b[2] = a.size
    b[3] = a.ndim
    b[4] = len(a)
    b[5] = len(a.shape)
    b[6] = a[-1, -1] + a[0, -2]
    shape = a.shape
    b[7] = shape[0] + shape[-1]


@case(I32, args=[out(12)], grid=(2, 1, 1), block=(2, 1, 3))
def positions(a):
    t = device.thread_idx
    bx, by, bz = device.block_idx
    i = t.x + 2 * t.z + 6 * bx
    a[i] = i + 100 * device.block_dim.z + 1000 * device.grid_dim[0] + by + bz + len(t)
