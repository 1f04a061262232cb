"""Operators on run-time values."""

I32, I64, F64, U8 = ("array[%s, 1]" % t for t in ("int32", "int64", "float64", "uint8"))

INTS = np.array([0, 1, -1, 7, -7, 13, -13, 100], np.int64)
FLOATS = np.array([0.0, -0.0, 1.5, -1.5, 7.25, -7.25, 1e10, np.inf, -np.inf, np.nan])


@case(I64, I64, I64, args=[INTS, np.array([3, -3, 5, -100, 1], np.int64), np.zeros(8 * 5 * 9, np.int64)])
def integers(a, b, c):
    n = 0
    for i in range(len(a)):
        for j in range(len(b)):
            x, y = a[i], b[j]
            c[n] = x + y
            c[n + 1] = x - y
            c[n + 2] = x * y
            c[n + 3] = x // y
            c[n + 4] = x % y
            c[n + 5] = x & y
            c[n + 6] = x | y
            c[n + 7] = x ^ y
            c[n + 8] = (x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y) + 16 * (x > y) + 32 * (x >= y)
            n += 9


@case(F64, F64, F64, args=[FLOATS, FLOATS, np.zeros(10 * 10 * 3)])
def float_division(a, b, c):
    n = 0
    for i in range(len(a)):
        for j in range(len(b)):
            x, y = a[i], b[j]
            c[n] = x // y
            q, r = divmod(x, y)
            c[n + 1] = q
            c[n + 2] = r
            n += 3


@case(I64, I64, args=[INTS, np.zeros(8 * 5, np.int64)])
def integer_powers(a, c):
    for i in range(len(a)):
        x = a[i]
        c[5 * i] = x**0
        c[5 * i + 1] = x**1
        c[5 * i + 2] = x**5
        c[5 * i + 3] = x**i
        c[5 * i + 4] = pow(x, 3)


@case(F64, F64, args=[FLOATS[:6], np.zeros(6 * 6)])
def float_powers(a, c):
    for i in range(len(a)):
        x = a[i]
        c[6 * i] = x**0
        c[6 * i + 1] = x**2
        c[6 * i + 2] = 2.0**x
        c[6 * i + 3] = abs(x) ** 0.25
        c[6 * i + 4] = x**1
        c[6 * i + 5] = 0.0 + math.trunc(x) + math.floor(x) * 100 + math.ceil(x) * 10000


@case(I32, args=[np.arange(-4, 12, dtype=np.int32)], block=16)
def shifts_and_unary(a):
    i = device.tid(1)
    x = a[i]
    a[i] = ((x << 3) ^ (x >> 1)) + (~x) * 1000 - (-x) + (+x) + (not x) + abs(x)


@case(U8, args=[np.arange(0, 250, 30, dtype=np.uint8)], block=9)
def augmented(a):
    i = device.tid(1)
    a[i] //= 7
    a[i] += 3
    a[i] *= 2
    a[i] -= 1
    a[i] <<= 1
    a[i] |= 1
    a[i] %= 50
    a[i] &= 60
    a[i] ^= 5
    a[i] >>= 1
    a[i] **= 2


@case("array[int8, 1]", "array[uint64, 1]", I32,
      args=[np.array([-1, 0, 5], np.int8), np.array([0, 5, 2**64 - 1], np.uint64), np.zeros(9, np.int32)])
def mixed_signs(a, b, c):
    for i in range(3):
        for j in range(3):
            x, y = a[i], b[j]
            c[3 * i + j] = (x < y) + 2 * (y < x) + 4 * (x == y) + 8 * (x != y) + 16 * (x >= y) + 32 * (y >= x)


@case(I32, F64, args=[np.array([7, -3, 0], np.int32), np.zeros(9)])
def rounding(a, c):
    for i in range(3):
        x = a[i] * 0.5
        c[3 * i] = round(x) * 100 + int(x)
        c[3 * i + 1] = min(x, 1, a[i]) + max(a[i], -2) * 10
        c[3 * i + 2] = float(a[i]) + bool(x) + divmod(a[i], 4)[1]


@case(F64, args=[np.zeros(12)])
def exact_constants(c):
    x = 0.1
    c[0] = x
    c[1] = x + 0.2
    c[2] = math.pi
    c[3] = 1 / 3
    c[4] = 2**40 // 3
    c[5] = 7 // -2 + 7 % -2
    c[6] = 7.5 // -2 + 7.5 % -2
    c[7] = math.sqrt(2.0) * math.e
    c[8] = -(2**31)
    c[9] = (1 << 20) ^ ~5
    c[10] = 1e300 * 1e-300
    c[11] = 5_000_000_000


@case(F64, F64, args=[np.array([0.5, -2.25, 3.0, 0.0]), np.zeros(4 * 10)])
def math_functions(a, c):
    for i in range(4):
        x = a[i]
        c[10 * i] = math.fabs(x) + math.sqrt(abs(x))
        c[10 * i + 1], e = math.frexp(x)
        c[10 * i + 2] = math.ldexp(x, e + 3)
        c[10 * i + 3], c[10 * i + 4] = math.modf(x)
        c[10 * i + 5] = math.copysign(x, -1) + math.fmod(x, 2)
        c[10 * i + 6] = math.isclose(x, 0.5) + 2 * math.isclose(x, 3.001, rel_tol=0.01) + 4 * math.isnan(x)
        c[10 * i + 7] = math.gcd(12, 18, i * 9) + math.degrees(x) + math.radians(180 * x)
        c[10 * i + 8] = math.remainder(x, 2) + math.hypot(3 * x, 4 * x)
        c[10 * i + 9] = math.isfinite(x) + math.isinf(math.inf)
