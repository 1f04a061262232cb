"""Two substances react and diffuse (Gray and Scott), and draw a photograph, in float32.

Where the photograph is bright, v is taken away faster: spots instead of stripes.
"""

import numpy as np
from cuda import device as D
from PIL import Image
from scipy import ndimage

import support

DIFFUSION_U, DIFFUSION_V = 0.12, 0.06
FEED = 0.037
KILL = 0.058, 0.0655  # where the photograph is black, and white


# Products are rounded before they are added, as NumPy does it: the results are the same bit by bit.
@D.kernel(fmad=False)
def react(u_after, v_after, u, v, kill):
    """One step: u + 2 v -> 3 v; u is fed, v taken away; nothing passes the border."""
    x, y = D.tid(2)
    rows, columns = u.shape
    if x < columns and y < rows:
        west, east = max(x - 1, 0), min(x + 1, columns - 1)
        north, south = max(y - 1, 0), min(y + 1, rows - 1)
        here_u, here_v = u[y, x], v[y, x]
        around_u = (u[y, west] + u[y, east]) + (u[north, x] + u[south, x])
        around_v = (v[y, west] + v[y, east]) + (v[north, x] + v[south, x])
        reaction = here_u * here_v * here_v
        gain_u = DIFFUSION_U * (around_u - 4 * here_u) - reaction + FEED * (1 - here_u)
        gain_v = DIFFUSION_V * (around_v - 4 * here_v) + reaction - (FEED + kill[y, x]) * here_v
        u_after[y, x] = here_u + gain_u
        v_after[y, x] = here_v + gain_v


def simulate(here, kill, steps, device, seen=lambda step: None):
    """Moves u and v, which lie `here`, on by an even number of steps."""
    block = (32, 8)
    grid = support.grid_for(kill.shape, block)
    there = tuple(D.empty(a.shape, a.dtype, device=device) for a in here)
    for step in range(0, steps, 2):
        D.launch(react, *there, *here, kill, grid=grid, block=block)
        D.launch(react, *here, *there, kill, grid=grid, block=block)
        seen(step + 2)


def numpy_around(a):
    wide = np.pad(a, 1, mode="edge")
    return (wide[1:-1, :-2] + wide[1:-1, 2:]) + (wide[:-2, 1:-1] + wide[2:, 1:-1])


def numpy_simulate(u, v, kill, steps):
    for step in range(steps):
        reaction = u * v * v
        gain_u = DIFFUSION_U * (numpy_around(u) - 4 * u) - reaction + FEED * (1 - u)
        gain_v = DIFFUSION_V * (numpy_around(v) - 4 * v) + reaction - (FEED + kill) * v
        u, v = u + gain_u, v + gain_v
        support.progress("Gray-Scott with NumPy", step + 1, steps)
    return u, v


def start(rows, columns):
    """u everywhere, and drops of v."""
    random = np.random.default_rng(5)
    u, v = np.ones((rows, columns), np.float32), np.zeros((rows, columns), np.float32)
    for _ in range(rows * columns // 400):
        y, x = random.integers(rows), random.integers(columns)
        u[y : y + 5, x : x + 5] = v[y : y + 5, x : x + 5] = 0.5
    return u, v


def kill_map(photo):
    bright = photo @ np.array([0.299, 0.587, 0.114]) / 255
    return (KILL[0] + (KILL[1] - KILL[0]) * bright).astype(np.float32)


def check(u, v, kill, steps, device):
    """Returns NumPy's seconds a step."""
    placed = [D.asarray(a, device=device, copy=True) for a in (u, v)]
    simulate(placed, D.asarray(kill, device=device), steps, device)
    ours = [D.to_host(a) for a in placed]
    seconds, expected = support.once(lambda: numpy_simulate(u, v, kill, steps))
    support.require(np.array_equal(ours, expected), f"after {steps} steps u or v differ")
    print(f"  {steps} steps: equal to NumPy bit by bit")
    return seconds / steps


def draw(photo, v):
    """v as ink of the photograph's colour on paper of the same, lighter."""
    colour = ndimage.gaussian_filter(photo / 255, (2, 2, 0))
    ink = np.clip((v - 0.1) / 0.18, 0, 1)[..., None]
    paper = 0.5 + 0.5 * colour**0.8
    return (255 * (paper + ink * (0.55 * colour**1.3 - paper))).astype(np.uint8)


def run(options):
    columns, steps = (240, 1000) if options.small else (1280, 3000)
    image = Image.fromarray(support.photograph(options, "astronaut.png"))
    rows = columns * image.height // image.width
    photo = np.array(image.resize((columns, rows), Image.Resampling.LANCZOS))
    print(f"Gray-Scott reaction, {columns} x {rows} points, {steps} steps")
    kill = kill_map(photo)
    u, v = start(rows, columns)
    theirs = check(u, v, kill, 50, options.device)
    placed = [D.asarray(a, device=options.device) for a in (u, v, kill)]

    def seen(step):
        support.progress("Gray-Scott", step, steps)

    def move_on():
        simulate(placed[:2], placed[2], steps, options.device, seen)

    ours, _ = support.once(move_on, options.device)
    support.compare("points", 1e-6 * u.size, "Mpoint/s", ours / steps, "NumPy", theirs)
    support.save(options, draw(photo, D.to_host(placed[1])), "gray_scott.png")


if __name__ == "__main__":
    support.run_demo("gray_scott")
