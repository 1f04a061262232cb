"""Two disc galaxies collide: every body attracts every other, in float32."""

import math
from dataclasses import dataclass

import numpy as np
from cuda import device as D
from scipy import ndimage

import support

TILE = 256
SOFTENING = 0.08  # length below which attraction fades, so that close pairs need no shorter steps
STEP = 0.02
CENTRE_MASS, DISC_MASS = 1.0, 0.25


@D.kernel
def accelerate(acceleration, position, mass, softening):
    """Bodies are loaded a tile at a time; each thread adds up the attraction of one body.

    A tile has sums of its own: next to those of all bodies, the pull of a far one would be lost.
    """
    tile = D.shared_array((4, TILE), D.float32)
    t = D.thread_idx.x
    i = D.tid(1)
    n = mass.size
    own = min(i, n - 1)  # threads beyond the last body help to load
    x, y, z = position[0, own], position[1, own], position[2, own]
    ax, ay, az = 0.0, 0.0, 0.0
    for first in range(0, n, TILE):
        other = min(first + t, n - 1)
        tile[0, t] = position[0, other]
        tile[1, t] = position[1, other]
        tile[2, t] = position[2, other]
        tile[3, t] = mass[other] if first + t < n else 0.0
        D.syncthreads()
        tx, ty, tz = 0.0, 0.0, 0.0
        for j in range(TILE):
            dx = tile[0, j] - x
            dy = tile[1, j] - y
            dz = tile[2, j] - z
            inverse = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz + softening * softening)
            strength = tile[3, j] * inverse * inverse * inverse
            tx += strength * dx
            ty += strength * dy
            tz += strength * dz
        ax += tx
        ay += ty
        az += tz
        D.syncthreads()
    if i < n:
        acceleration[0, i] = ax
        acceleration[1, i] = ay
        acceleration[2, i] = az


@D.kernel
def move(position, velocity, acceleration, kick, drift):
    """Leapfrog: velocities jump, then positions follow them."""
    i = D.tid(1)
    if i < position.shape[1]:
        for axis in range(3):
            v = velocity[axis, i] + kick * acceleration[axis, i]
            velocity[axis, i] = v
            position[axis, i] += drift * v


@dataclass
class Bodies:
    position: np.ndarray  # (3, n); or device.Array, on a GPU
    velocity: np.ndarray
    mass: np.ndarray

    def each(self, change):
        return Bodies(*map(change, (self.position, self.velocity, self.mass)))

    def astype(self, dtype):
        return self.each(lambda a: a.astype(dtype))

    def on(self, device):
        """Copies in float32."""
        return self.astype(np.float32).each(lambda a: D.asarray(a, device=device))

    def on_host(self):
        return self.each(D.to_host)


def disc(n, random, tilt):
    """A heavy centre and n - 1 light bodies that circle it."""
    share = random.uniform(0, 0.985, n - 1)  # of a disc that thins out exponentially
    radius = np.concatenate([[0.0], 0.04 - 0.38 * np.log1p(-share)])
    angle = random.uniform(0, 2 * math.pi, n)
    inside = CENTRE_MASS + DISC_MASS * np.searchsorted(np.sort(radius), radius) / n
    speed = radius * np.sqrt(inside) / (radius**2 + SOFTENING**2) ** 0.75
    flat = np.stack([np.cos(angle), np.sin(angle), np.zeros(n)])
    ahead = np.stack([-np.sin(angle), np.cos(angle), np.zeros(n)])
    c, s = math.cos(tilt), math.sin(tilt)
    turn = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    position = radius * flat
    position[2, 1:] += random.normal(0, 0.02, n - 1)
    mass = np.full(n, DISC_MASS / (n - 1))
    mass[0] = CENTRE_MASS
    return turn @ position, turn @ (speed * ahead), mass


def galaxies(n):
    """Two discs on a parabola about each other; the first half of the bodies is one of them."""
    random = np.random.default_rng(11)
    parts = [disc(n // 2, random, 0.35), disc(n - n // 2, random, -0.9)]
    apart, nearest, mass = 4.0, 1.0, 2 * (CENTRE_MASS + DISC_MASS)
    cosine = 2 * nearest / apart - 1
    at = apart * np.array([cosine, -math.sqrt(1 - cosine**2), 0])
    speed = math.sqrt(mass / (2 * nearest)) * np.array([-at[1] / apart, 1 + cosine, 0])
    for (position, velocity, _), side in zip(parts, (0.5, -0.5), strict=True):
        position += side * at[:, None]
        velocity += side * speed[:, None]
    return Bodies(*(np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True)))


def simulate(bodies, steps, device, seen=lambda step: None):
    """Moves float32 bodies; velocities end where positions do. seen(step): after each of them.

    Returns their acceleration.
    """
    n = bodies.mass.size
    acceleration = D.zeros(bodies.position.shape, np.float32, device=device)

    def attract():
        shape = {"grid": -(-n // TILE), "block": TILE}
        D.launch(
            accelerate, acceleration, bodies.position, bodies.mass, np.float32(SOFTENING), **shape
        )

    def kick(seconds, drift):
        own = bodies.position, bodies.velocity, acceleration
        D.launch(move, *own, np.float32(seconds), np.float32(drift), grid=-(-n // 256), block=256)

    attract()
    for step in range(steps):
        kick(STEP if step else STEP / 2, STEP)
        attract()
        seen(step + 1)
    kick(STEP / 2, 0.0)
    return acceleration


def numpy_acceleration(position, mass, which=slice(None)):
    """Of some bodies by all, in the arguments' type: (3, bodies), and the sums of the sizes."""
    total, sizes = [], []
    for part in np.array_split(np.arange(mass.size)[which], -(-mass.size // 256)):
        apart = position[:, None, :] - position[:, part, None]
        inverse = 1 / np.sqrt(np.square(apart).sum(axis=0) + position.dtype.type(SOFTENING) ** 2)
        terms = mass * inverse**3 * apart
        total.append(terms.sum(axis=2))
        sizes.append(np.abs(terms).sum(axis=2))
    return np.concatenate(total, axis=1), np.concatenate(sizes, axis=1)


def numpy_simulate(bodies, steps):
    acceleration = numpy_acceleration(bodies.position, bodies.mass)[0]
    for step in range(steps):
        bodies.velocity += (STEP if step else STEP / 2) * acceleration
        bodies.position += STEP * bodies.velocity
        acceleration = numpy_acceleration(bodies.position, bodies.mass)[0]
    bodies.velocity += STEP / 2 * acceleration


def energy(bodies):
    """Kinetic and potential, in float64."""
    b = bodies.astype(np.float64)
    square = np.square(b.position[:, None] - b.position[:, :, None]).sum(axis=0)
    pairs = np.outer(b.mass, b.mass) / np.sqrt(square + SOFTENING**2)
    np.fill_diagonal(pairs, 0)
    return 0.5 * (b.mass * np.square(b.velocity).sum(axis=0)).sum() - 0.5 * pairs.sum()


# No two bodies meet: what rounding adds, 2**-24 of a length a step, hardly grows in so many steps.
STEPS_CHECKED, MOVED, DRIFT = 100, 1e-4, 1e-5


def check_motion(device):
    start = galaxies(500)  # no whole tile
    there, exact = start.on(device), start.astype(np.float64)
    simulate(there, STEPS_CHECKED, device)
    ours = there.on_host()
    numpy_simulate(exact, STEPS_CHECKED)
    moved = np.abs(ours.position - exact.position).max()
    support.require(moved <= MOVED, f"bodies are off by {moved:.2g}, allowed {MOVED}")
    before = energy(start)
    ours_drift, drift = ((energy(b) - before) / abs(before) for b in (ours, exact))
    text = f"drift of energy {ours_drift:.2g}, with NumPy {drift:.2g}"
    support.require(abs(ours_drift - drift) <= DRIFT, text)
    print(f"  500 bodies, {STEPS_CHECKED} steps: within {moved:.1g} of NumPy in float64; {text}")


def check_acceleration(bodies, acceleration):
    """Of a few of many bodies. Returns NumPy's seconds for all of them."""
    some = slice(0, None, 61)
    b = bodies.astype(np.float64)
    exact, sizes = numpy_acceleration(b.position, b.mass, some)
    # Errors of up to some 2**-24 go up and down: they grow with the square root of their number.
    allowed = 8 * math.sqrt(TILE + b.mass.size / TILE) * 2.0**-24
    worst = (np.abs(acceleration[:, some] - exact) / sizes).max()
    support.require(worst <= allowed, f"acceleration is off by {worst:.2g}, allowed {allowed:.2g}")
    args = bodies.position, bodies.mass, some
    return support.once(lambda: numpy_acceleration(*args))[0] * b.mass.size / exact.shape[1]


def draw(position, pixels, reach=3.5):
    """A frame, seen from above: each galaxy in its colour, brighter where there is more of it."""
    half = position.shape[1] // 2
    light = np.zeros((pixels, pixels, 3))
    for part, colour in ((slice(half), (1.0, 0.6, 0.32)), (slice(half, None), (0.38, 0.62, 1.0))):
        x, y = position[:2, part]
        count = np.histogram2d(y, x, bins=pixels, range=[[-reach, reach]] * 2)[0]
        glow = 1.5 * ndimage.gaussian_filter(count, 0.8) + 3 * ndimage.gaussian_filter(count, 6)
        light += glow[..., None] * colour
    return (255 * (1 - np.exp(-light * 7000 / half))).astype(np.uint8)


def run(options):
    n, steps, pixels = (1500, 60, 200) if options.small else (12288, 270, 640)
    seen_at = []
    print(f"Two galaxies, {n:,} bodies, {steps} steps")
    check_motion(options.device)
    bodies = galaxies(n).on(options.device)

    def seen(step):
        support.progress("N-body", step, steps)
        if step % (steps // 6) == 0:
            seen_at.append(np.array(D.to_host(bodies.position)))

    def move_all():
        return simulate(bodies, steps, options.device, seen)

    ours, acceleration = support.once(move_all, options.device)
    theirs = check_acceleration(bodies.on_host(), D.to_host(acceleration))
    support.compare("pairs", 1e-6 * n * n, "Mpair/s", ours / (steps + 1), "NumPy", theirs)
    frames = [draw(position, pixels) for position in seen_at]
    rows = [np.concatenate(frames[first : first + 3], axis=1) for first in (0, 3)]
    support.save(options, np.concatenate(rows), "nbody.png")


if __name__ == "__main__":
    support.run_demo("nbody")
