from cuda import device as D


@D.func
def within(first, count, points, node, x, y, half, px, py, radius2):
    """Points of a node, a square around (x, y), that are within the radius of (px, py)."""
    dx = max(abs(px - x) - half, 0.0)
    dy = max(abs(py - y) - half, 0.0)
    if count[node] == 0 or dx * dx + dy * dy > radius2:
        return 0
    begin = first[node]
    found = 0
    if begin < 0:
        for p in range(-1 - begin, -1 - begin + count[node]):
            ex = points[p, 0] - px
            ey = points[p, 1] - py
            if ex * ex + ey * ey <= radius2:
                found += 1
        return found
    quarter = half * 0.5
    for k in range(4):
        cx = x + (quarter if k & 1 else -quarter)
        cy = y + (quarter if k & 2 else -quarter)
        found += within(first, count, points, begin + k, cx, cy, quarter, px, py, radius2)
    return found


@D.kernel
def quadtree(out, first, count, points, queries, radius2):
    i = D.tid(1)
    if i < out.size:
        out[i] = within(
            first, count, points, 0, 0.5, 0.5, 0.5, queries[i, 0], queries[i, 1], radius2
        )
