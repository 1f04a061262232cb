"""One function under both dialects; the test compares its result types."""


def f(a, n):
    x = 1
    y = a[0] / 2
    z = n // 2
    for k in range(n):
        x = x + 0.5
    return x, y, z, a[0] + 1.5, math.sqrt(n), 5_000_000_000


def g(a, n):
    x = n
    if n > 1:
        x = a[0]
    y = n if n > 2 else a[0]
    return x, y, n + a[0], math.atan2(n, a[0])


case("array[float32, 1]", "int8", name="device")(f)
case("array[float32, 1]", "int8", name="numbapro", dialect="NumbaPro")(f)
case("array[float32, 1]", "int8", name="joins and operators")(g)
