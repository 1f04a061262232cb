"""Draws docs/guide/execution.svg: how a launch runs on a CPU, from the grid down to the lanes."""

WIDTH, HEIGHT = 960, 736
INK, PALE, LINE = "#1f2933", "#e8edf2", "#8896a5"
WORKERS = ("#2f6fb7", "#c9662b")
ACTIVE, IDLE = "#3f8f5f", "#ffffff"
LANES = 32


class Drawing:
    """Shapes of an SVG, in the order in which they are drawn."""

    def __init__(self):
        self.parts = []

    def box(self, x, y, width, height, fill, stroke=LINE, radius=3, dash=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{radius}" '
            f'fill="{fill}" stroke="{stroke}"{dashes}/>'
        )

    def text(self, x, y, words, size=14, fill=INK, anchor="start", weight="normal", font="sans"):
        family = "monospace" if font == "mono" else "sans-serif"
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append(
            f'<text x="{x}" y="{y}" font-size="{size}" font-family="{family}" fill="{fill}" '
            f'text-anchor="{anchor}" font-weight="{weight}">{words}</text>'
        )

    def line(self, x0, y0, x1, y1, stroke=LINE, width=1.5, dash="", arrow=False):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        head = ' marker-end="url(#head)"' if arrow else ""
        self.parts.append(
            f'<line x1="{x0}" y1="{y0}" x2="{x1}" y2="{y1}" stroke="{stroke}" '
            f'stroke-width="{width}"{dashes}{head}/>'
        )

    def svg(self):
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">\n'
            "<title>A launch on a CPU: blocks on workers, regions between barriers, gangs, lanes"
            "</title>\n"
            '<defs><marker id="head" markerWidth="8" markerHeight="8" refX="7" refY="3" '
            f'orient="auto"><path d="M0,0 L7,3 L0,6 z" fill="{LINE}"/></marker></defs>\n'
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="#ffffff"/>\n'
        )
        return head + "\n".join(self.parts) + "\n</svg>\n"


def heading(d, y, number, words):
    d.text(24, y, f"{number}  {words}", size=17, weight="bold")


def grid(d):
    """Blocks of a grid, and the workers that take them."""
    heading(d, 36, 1, "A grid of blocks: each worker, a thread of the CPU, claims a few at a time")
    for block in range(8):
        x, worker = 120 + block * 92, block // 2 % 2
        d.box(x, 54, 80, 34, WORKERS[worker], WORKERS[worker])
        d.text(x + 40, 76, f"block {block}", fill="#ffffff", anchor="middle")
        d.line(x + 40, 90, (300, 670)[worker], 124, WORKERS[worker])
    for worker, x in enumerate((150, 520)):
        d.box(x, 126, 300, 64, PALE, WORKERS[worker])
        d.text(x + 14, 150, f"worker {worker}", weight="bold", fill=WORKERS[worker])
        d.text(x + 14, 174, "one block after another", size=13)
        d.box(x + 178, 136, 110, 44, "#ffffff", WORKERS[worker], dash="4 3")
        d.text(x + 233, 154, "arena", size=13, anchor="middle")
        d.text(x + 233, 171, "shared arrays", size=12, anchor="middle")


def gang(d, x, y, number, cell=16):
    for lane in range(LANES):
        d.box(x + lane * cell, y, cell, 18, PALE, LINE, radius=0)
    first = number * LANES
    d.text(x - 12, y + 14, f"gang {number}", size=13, anchor="end")
    d.text(x + LANES * cell + 12, y + 14, f"threads {first} to {first + LANES - 1}", size=13)


def block(d, top):
    """One block on its worker: region by region, gang by gang."""
    heading(d, top, 2, "One block of 128 threads on its worker, from top to bottom")
    for region in range(2):
        y = top + 24 + region * 142
        d.text(36, y + 44, f"region {region + 1}", weight="bold", fill=WORKERS[0])
        d.text(36, y + 62, "a loop over", size=12)
        d.text(36, y + 78, "the gangs", size=12)
        for number in range(4):
            gang(d, 200, y + number * 25, number)
        d.line(126, y + 2, 126, y + 94, WORKERS[0], arrow=True)
    y = top + 24 + 120
    d.line(36, y, 866, y, INK, dash="7 5")
    d.text(452, y - 6, "syncthreads()", font="mono", size=13, anchor="middle")
    d.text(866, y - 6, "all gangs are here, before any goes on", size=12, anchor="end")


def lanes(d, top):
    """One gang where its lanes diverge."""
    heading(d, top, 3, "One gang is a vector of 32 lanes; a mask says which of them are active")
    rows = (
        ("x = a[i]", "all lanes: float32 in two registers of AVX-512", 32, 0),
        ("if t < 20:", "lanes diverge: the condition becomes a mask", 32, 0),
        ("    x = 2 * x", "under the mask: lanes 0 to 19", 20, 0),
        ("else:", "the other mask", 0, 0),
        ("    x = 0.0", "lanes 20 to 31", 32, 20),
        ("out[i] = x", "all lanes again", 32, 0),
    )
    for row, (code, words, end, begin) in enumerate(rows):
        y = top + 20 + row * 27
        d.text(36, y + 14, code.replace(" ", "\u00a0"), font="mono", size=14)
        if end:
            for lane in range(LANES):
                on = begin <= lane < end
                d.box(200 + lane * 12, y, 12, 18, ACTIVE if on else IDLE, LINE, radius=0)
        d.text(600, y + 14, words, size=13)


def drawing():
    d = Drawing()
    grid(d)
    block(d, 230)
    lanes(d, 540)
    return d.svg()
