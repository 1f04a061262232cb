"""What warps do in several kernels: sums and scans of 32 values in registers."""

from cuda import device as D

FULL = D.WarpMask(-1)


def summed(value):
    """In every lane, the sum of all."""
    for distance in (16, 8, 4, 2, 1):
        value += D.shfl_xor_sync(FULL, value, distance)
    return value


def scanned(value):
    """The sum of the lanes up to each and with it."""
    for distance in (1, 2, 4, 8, 16):
        below = D.shfl_up_sync(FULL, value, distance)
        if D.lane_id >= distance:
            value += below
    return value
