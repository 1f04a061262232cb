"""Draws docs/images/bench.svg: speed relative to hand-written SIMD code, from the kept figures."""

from guide import results

LABELS, WIDTH, ROW, TOP, BOTTOM = 150, 760, 26, 76, 34
INK, PALE, GRID = "#1f2933", "#66727f", "#d5dbe1"
OURS, PEERS = "#2f6fb7", "#c9a06b"
LIMIT = 1.4  # the right end of the axis; longer bars are cut and say their number


def text(x, y, words, size=12, fill=INK, anchor="start", weight="normal"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-family="sans-serif" fill="{fill}" '
        f'text-anchor="{anchor}" font-weight="{weight}">{words}</text>'
    )


def place(value):
    """The x of a value on the axis."""
    return LABELS + min(value, LIMIT) / LIMIT * (WIDTH - LABELS - 60)


def bar(y, value, fill, height=9):
    width = place(value) - LABELS
    return (
        f'<rect x="{LABELS}" y="{y:.1f}" width="{width:.1f}" height="{height}" fill="{fill}"/>'
        + text(place(value) + 5, y + height - 0.5, f"{value:.2f}", size=10, fill=PALE)
    )


def axis(bottom):
    parts = []
    for tick in (0, 0.25, 0.5, 0.75, 1, 1.25):
        x, hand = place(tick), tick == 1
        parts.append(
            f'<line x1="{x:.1f}" y1="{TOP - 6}" x2="{x:.1f}" y2="{bottom}" '
            f'stroke="{INK if hand else GRID}" stroke-width="{1.5 if hand else 1}"/>'
        )
        parts.append(text(x, bottom + 16, f"{tick:g}", size=11, fill=PALE, anchor="middle"))
    return parts


def head(machine, threads):
    lines = [
        text(
            16,
            24,
            "Speed relative to hand-written SIMD C++ (= 1), longer is faster",
            15,
            weight="bold",
        ),
        text(16, 42, f"{machine['cpu']}, {threads} threads, {machine['date']}", 11, PALE),
    ]
    for x, fill, words in (
        (16, OURS, "cuda.device"),
        (120, PEERS, "the fastest of Intel OpenCL, PoCL, Warp, NumPy"),
    ):
        lines.append(f'<rect x="{x}" y="51" width="12" height="9" fill="{fill}"/>')
        lines.append(text(x + 17, 60, words, 11))
    return lines


def drawing():
    kept = results.load()
    kernels = results.by_kernel(kept["results"])
    threads = max(record["threads"] for record in kept["results"])
    bottom = TOP + ROW * len(kernels)
    parts = [*head(kept["machine"], threads), *axis(bottom)]
    for row, (name, records) in enumerate(kernels.items()):
        y, record = TOP + row * ROW, records[threads]
        ours = results.to_hand(record)
        parts.append(text(LABELS - 8, y + 13, name, anchor="end"))
        parts.append(bar(y, ours, OURS))
        parts.append(bar(y + 10, ours / results.to_peers(record), PEERS))
    height = bottom + BOTTOM
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">\n'
        "<title>Speed of kernels relative to hand-written SIMD code</title>\n"
        f'<rect width="{WIDTH}" height="{height}" rx="6" fill="#ffffff"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
