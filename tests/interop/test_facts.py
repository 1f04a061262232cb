"""kernel.inspect(what="facts"): what barriers make of a kernel on the host, in full.

Bytes are threads times the size of a value: 256 threads, float32.
"""

import inspect

import numpy as np
from cuda import device as D

A = np.zeros(1024, np.float32)


def facts(kernel, *arguments):
    """What stands before the lanes."""
    text = kernel.inspect(*arguments, what="facts", target="avx2", block=256)
    return text[: text.index("lanes: ")]


LINE = inspect.currentframe().f_lineno


@D.kernel
def sums(a, out, n):
    s = D.shared_array(256, D.float32)
    t = D.thread_idx.x
    k = t * 3 + n
    x = a[t] * 2
    s[t] = x
    D.syncthreads()
    y = s[255 - t] + x
    for _ in range(n):
        D.syncthreads()
        y = y + s[t]
    out[t] = y + k


def line(k):
    """The k-th line from the def of `sums`, which is 1."""
    return f"in line {LINE + 3 + k}"


ARENA = "one for each thread, 1024 bytes of the arena"
BLOCK = "once for the block, in a register"
CHEAP = "cheaper than saving it"


def test_regions_and_what_is_saved():
    assert facts(sums, A, A.copy(), 4).splitlines() == [
        "arena: 3072 bytes a block",  # the shared array, and two values
        f"region 1: from the start of the kernel to the barrier {line(7)}",
        f"region 2: from the barrier {line(7)} to the loop {line(9)}",
        f"region 3: from the start of the loop {line(9)} to the barrier {line(10)}",
        f"region 4: from the barrier {line(10)} to the end of the loop {line(9)}",
        f"region 5: from the end of the loop {line(9)} to the end of the kernel",
        f"spilled $0, variable y: {ARENA}; a variable of the kernel, read in regions 4, 5",
        f"spilled $2, counter of the loop {line(9)}: {BLOCK}; one for all threads, "
        "read in region 3",
        f"spilled $3, value of mul {line(5)}: {ARENA}; floating point is not computed twice, "
        "read in region 2",
        f"spilled $4, value of param {line(1)}: {BLOCK}; the control of the block asks for it",
        f"computed again in region 2: thread_idx {line(3)} of region 1, {CHEAP}",
        f"computed again in region 4: thread_idx {line(3)} of region 1, {CHEAP}",
        f"computed again in region 5: thread_idx {line(3)} of region 1, {CHEAP}",
        f"computed again in region 5: mul {line(4)} of region 1, {CHEAP}",
        f"computed again in region 5: param {line(1)} of region 1, {CHEAP}",
        f"computed again in region 5: convert {line(4)} of region 1, {CHEAP}",
        f"computed again in region 5: add {line(4)} of region 1, {CHEAP}",
    ]


@D.kernel
def own(a):
    v = D.local_array(4, D.float32)
    w = D.local_array(4, D.float32)
    u = D.local_array(4, D.float32)  # noqa: F841
    i = D.tid(1)
    for j in range(4):
        v[j] = a[i] * j
    w[i % 4] = 1
    a[i] = v[0] + v[3] + w[i % 3]


def test_arrays_of_a_thread():
    assert facts(own, A).splitlines() == [
        "local array v: its elements are variables",
        "local array u: not used",
        "arena: 4096 bytes a block",  # w: 16 bytes a thread
    ]
