from cuda import device as D


@D.kernel
def triad(a, b, c, s, n):
    i = D.tid(1)
    if i < n:
        a[i] = b[i] + s * c[i]
