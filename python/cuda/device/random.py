"""Random numbers that need no state: Philox 4x32-10, in kernels and on the host.

Each number follows from a seed, a stream (a thread's number, for example) and a step, so threads
share nothing and results do not depend on the launch. Salmon, Moraes, Dror and Shaw, "Parallel
random numbers: as easy as 1, 2, 3" (2011). The key is the seed; the counter is the step, then the
stream; the low 32 bits of each come first. The bits are those of Random123's philox4x32. NumPy's
Philox is another generator, 4x64-10, and gives other numbers.

    from cuda.device import random
    u = random.uniform(seed, i, step)  # four float32
    dice = random.integers(1, 7, seed, i, step)  # four int64 of 1 to 6
"""

import math
from typing import Any

from cuda.device._formats import float32, int64, uint32, uint64
from cuda.device._in_kernels import require

__all__ = ["bits", "integers", "normal", "philox", "uniform"]

_LOW = 0xFFFFFFFF
_ROUNDS = 10
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_WEYL = (0x9E3779B9, 0xBB67AE85)


def philox(counter: Any, key: Any) -> Any:
    """The four uint32 that Philox 4x32-10 makes of a counter of four uint32 and a key of two."""
    a, b, c, d = uint32(counter[0]), uint32(counter[1]), uint32(counter[2]), uint32(counter[3])
    k, m = uint64(key[0]), uint64(key[1])
    for _ in range(_ROUNDS):
        first = uint64(a) * uint64(_MULTIPLIERS[0])
        second = uint64(c) * uint64(_MULTIPLIERS[1])
        a, c = (
            uint32(second >> uint64(32)) ^ b ^ uint32(k & uint64(_LOW)),
            uint32(first >> uint64(32)) ^ d ^ uint32(m & uint64(_LOW)),
        )
        b, d = uint32(second & uint64(_LOW)), uint32(first & uint64(_LOW))
        k, m = k + uint64(_WEYL[0]), m + uint64(_WEYL[1])
    return a, b, c, d


def _halves(x: Any) -> Any:
    wide = uint64(x | 0)  # TypeError for a float, which would be cut
    return uint32(wide & uint64(_LOW)), uint32(wide >> uint64(32))


def bits(seed: Any, stream: Any, step: Any = 0) -> Any:
    """Four random uint32. seed, stream, step: integers from 0 to 2**64 - 1."""
    return philox((*_halves(step), *_halves(stream)), _halves(seed))


def integers(low: Any, high: Any, seed: Any, stream: Any, step: Any = 0) -> Any:
    """Four random int64 from low to high - 1, at most 2**32 different ones; as in `bits` otherwise.

    Each number of a range of n is as likely as any other, up to n parts in 2**32. ValueError where
    high is not above low, or more than 2**32 above it.
    """
    first, end = int64(low), int64(high)
    require(end > first, "integers() needs a low below its high")
    require(
        uint64(end - first) <= uint64(1 << 32), "integers() gives at most 2**32 different numbers"
    )
    a, b, c, d = bits(seed, stream, step)
    count = uint64(end - first)
    return (
        first + _below(count, a),
        first + _below(count, b),
        first + _below(count, c),
        first + _below(count, d),
    )


def _below(count: Any, x: Any) -> Any:
    return int64((count * uint64(x)) >> uint64(32))


def uniform(seed: Any, stream: Any, step: Any = 0) -> Any:
    """Four random float32 in [0, 1), multiples of 2**-24; arguments as in `bits`."""
    a, b, c, d = bits(seed, stream, step)
    return _fraction(a), _fraction(b), _fraction(c), _fraction(d)


def _fraction(x: Any) -> Any:
    return float32(x >> uint32(8)) * float32(2.0**-24)


def normal(seed: Any, stream: Any, step: Any = 0) -> Any:
    """Four random float32 of the normal distribution, by Box and Muller; arguments as in `bits`."""
    a, b, c, d = uniform(seed, stream, step)
    return (*_two_normals(a, b), *_two_normals(c, d))


def _two_normals(a: Any, b: Any) -> Any:
    radius = float32(math.sqrt(float32(-2.0) * float32(math.log(float32(1.0) - a))))
    angle = float32(2.0 * math.pi) * b
    return radius * float32(math.cos(angle)), radius * float32(math.sin(angle))
