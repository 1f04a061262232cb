from cuda import device as D


@D.func
def solutions(n, columns, up, down):
    full = (1 << n) - 1
    if columns == full:
        return 1
    found = 0
    free = full & ~(columns | up | down)
    while free != 0:
        bit = free & -free
        free ^= bit
        found += solutions(n, columns | bit, (up | bit) << 1, (down | bit) >> 1)
    return found


@D.kernel
def queens(out, n):
    start = D.tid(1)
    if start < n * n:
        first = 1 << (start // n)
        second = 1 << (start % n)
        found = 0
        if second & (first | first << 1 | first >> 1) == 0:
            up = (first << 1 | second) << 1
            down = (first >> 1 | second) >> 1
            found = solutions(n, first | second, up, down)
        out[start] = found
