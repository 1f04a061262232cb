"""What must not stand in the machine code of kernels that stream: addresses are computed once for a
gang, in scalar registers, and whole vectors are moved."""

import re

import numpy as np
import pytest
from cuda import device as D
from support.kernels import triad

GATHERS = re.compile(r"\tvp?(?:gather|scatter)\w+")
# Arithmetic, shifts, comparisons and widening in vectors of 64-bit lanes.
WIDE_LANES = re.compile(
    r"\tv?p(?:add|sub|mull|sll|srl|sra|sllv|srlv|srav|abs|mins|minu|maxs|maxu|cmp\w*)q\b.*[xyz]mm"
    r"|\tv?pmulu?dq\b|\tv?pmov[sz]xdq\b|\tv?cvt\w*u?qq2\w+"
)
FORMS = ("avx512", "avx512x64", "avx2", "avx2x64")


@D.kernel
def copy2d(out, source):
    x, y = D.tid(2)
    height, width = source.shape
    if x < width and y < height:
        out[y, x] = source[y, x]


@D.kernel
def pick(out, source, index):
    i = D.tid(1)
    if i < out.size:
        out[i] = source[index[i] ^ 3]


def assert_streams(text):
    assert "mm" in text
    assert not GATHERS.findall(text)
    assert not WIDE_LANES.findall(text)


# Masks of float64 lanes are 64 bits wide with AVX2.
@pytest.mark.parametrize(
    ("form", "dtype"),
    [(form, dtype) for form in FORMS for dtype in (np.float32, np.int16)]
    + [("avx512", np.float64), ("avx512x64", np.float64)],
)
@pytest.mark.parametrize("block", [256, 1000])
def test_triad(form, block, dtype):
    a, b, c = np.zeros((3, 10_001), dtype)
    s = dtype(2)
    assert_streams(triad.inspect(a, b, c, s, 10_001, what="asm", target=form, grid=40, block=block))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("block", [(32, 8), (16, 16), (8, 8), (10, 10)])
def test_copy(form, block):
    source, out = np.zeros((2, 1001, 1003), np.float32)
    grid = (130, 130)
    text = copy2d.inspect(out, source, what="asm", target=form, grid=grid, block=block)
    assert_streams(text)


@pytest.mark.parametrize("name", ["vgatherdps", "vpgatherqd", "vscatterdpd", "vpscatterdd"])
def test_names_of_gathers(name):
    assert GATHERS.search(f"\t{name}\t(%rax,%zmm1,4), %zmm0 {{%k1}}")


ON_64_BITS = """
    vpaddq psubq vpmullq vpmuludq pmuludq vpmuldq vpsllq psrlq vpsraq vpsravq vpsllvq vpabsq vpminsq
    vpmaxuq vpcmpgtq vpcmpltuq vpcmpeqq vpmovsxdq pmovzxdq vcvtqq2ps vcvtuqq2pd
"""


@pytest.mark.parametrize("name", ON_64_BITS.split())
def test_names_of_arithmetic_on_64_bits(name):
    assert WIDE_LANES.search(f"\t{name}\t%ymm1, %ymm2, %ymm0")


@pytest.mark.parametrize("name", ["vpaddd", "vpmulld", "vmovdqu64", "vpord", "vpsrld", "vpcmpgtd"])
def test_names_of_what_may_be_there(name):
    assert not WIDE_LANES.search(f"\t{name}\t%ymm1, %ymm2, %ymm0")


def test_a_kernel_that_gathers_has_them():
    out, source = np.zeros((2, 1000))
    index = np.zeros(1000, np.int64)
    arguments = dict(what="asm", target="avx512", grid=10, block=128)
    text = pick.inspect(out, source, index, **arguments)
    assert GATHERS.search(text)
    assert WIDE_LANES.search(text)


LANE_BY_NUMBER = re.compile(r"extractelement <\d+ x \w+> [^,]+, i\d+ %")


@D.kernel
def last_of_some(out, a, n):
    x = a[D.tid(1)]
    if x > n:
        out[0] = x


# Taking a lane out of a vector by a number that is undefined for an empty mask may be moved before
# the branch that asks whether there is a lane, and reads memory at a wild place.
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.bool_])
def test_the_last_lane_is_read_where_it_is_known_to_be(form, dtype):
    a, out = np.zeros(256, dtype), np.zeros(1, dtype)
    arguments = (out, a, dtype(1))
    text = last_of_some.inspect(*arguments, what="llvm", target=form, grid=1, block=256)
    assert "llvm.ctlz" in text
    assert not LANE_BY_NUMBER.search(text)
