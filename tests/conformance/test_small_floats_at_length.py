"""Small floats beside the arithmetic of NumPy and ml_dtypes, of many pairs, and beside CUDA's own
conversions, compiled for the CPU. CUDA_DEVICE_LONG_TESTS=1 takes a hundred million pairs."""

import os
import shutil
import subprocess

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.cuda_tools import find_headers
from support.small_float_kernels import arithmetic, launch, to_small
from support.small_floats import DTYPES, assert_same, bits, patterns

PAIRS = 100_000_000 if "CUDA_DEVICE_LONG_TESTS" in os.environ else 1 << 18
AT_A_TIME = 1 << 22


def assert_equal(found, expected, *context):
    with np.errstate(all="ignore"):
        same = (bits(found) == bits(expected)) | (np.isnan(found) & np.isnan(expected))
    if not same.all():
        assert_same(found, expected, *context)


def pairs(name, count, rng):
    """Of any numbers; every other pair of a like size, whose sums round and cancel."""
    x, y = rng.integers(0, 1 << 16, (2, count), dtype=np.uint16)
    y[::2] = x[::2] ^ (1 << 15) * rng.integers(0, 2, len(y[::2]), dtype=np.uint16)
    y[::2] += rng.integers(0, 4000, len(y[::2]), dtype=np.uint16) - np.uint16(2000)
    return x.view(DTYPES[name]), y.view(DTYPES[name])


@pytest.mark.parametrize("name", ["float16", "bfloat16"])
@clause("DEV-FIX-03", "DEV-FIX-09")
@pytest.mark.timeout(3600)
def test_pairs_are_those_of_numpy_and_ml_dtypes(target, name):
    rng = np.random.default_rng(20261128)
    count = PAIRS if not target.startswith(("interpreter", "ptx")) else 1 << 16
    for begin in range(0, count, AT_A_TIME):
        x, y = pairs(name, min(AT_A_TIME, count - begin), rng)
        outs = [np.zeros_like(x) for _ in range(10)]
        launch(arithmetic, x, y, *outs)
        with np.errstate(all="ignore"):
            expected = [x + y, x - y, x * y, x / y]  # the others are in test_small_floats
        for out, value in zip(outs, expected, strict=False):
            assert_equal(out, value, x, y)


# Reads doubles, floats, halves and bfloat16s, each after how many they are; writes what they are as
# 8-bit floats, saturated, and then every 8-bit float as a half.
CONVERSIONS = """
#include <cuda_fp8.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
template <class T, class F>
void each(F convert) {
  std::uint64_t count;
  if (std::fread(&count, 8, 1, stdin) != 1) std::exit(1);
  std::vector<T> in(count);
  if (std::fread(in.data(), sizeof(T), count, stdin) != count) std::exit(1);
  for (auto form : {__NV_E4M3, __NV_E5M2})
    for (T x : in) std::putchar(convert(x, form));
}
int main() {
  each<double>([](double x, auto f) { return __nv_cvt_double_to_fp8(x, __NV_SATFINITE, f); });
  each<float>([](float x, auto f) { return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, f); });
  each<__half_raw>([](auto x, auto f) { return __nv_cvt_halfraw_to_fp8(x, __NV_SATFINITE, f); });
  each<__nv_bfloat16_raw>(
      [](auto x, auto f) { return __nv_cvt_bfloat16raw_to_fp8(x, __NV_SATFINITE, f); });
  for (auto form : {__NV_E4M3, __NV_E5M2})
    for (int k = 0; k < 256; ++k) {
      __half_raw h = __nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(k), form);
      std::fwrite(&h.x, 2, 1, stdout);
    }
}
"""


@D.kernel
def to_halves(x, out):
    i = D.tid(1)
    if i < x.size:
        out[i] = D.float16(x[i])


def numbers_to_convert():
    rng = np.random.default_rng(8)
    near = rng.integers(0, 1 << 16, 200_000, dtype=np.uint64).astype(np.uint32) << 16
    near += rng.integers(-2, 3, len(near)).astype(np.int32).view(np.uint32)  # bfloat16s, and beside
    floats = np.concatenate([near, rng.integers(0, 1 << 32, 200_000).astype(np.uint32)])
    floats = floats.view(np.float32)
    with np.errstate(all="ignore"):
        doubles = floats.astype(np.float64)
        doubles = np.concatenate([doubles, np.nextafter(doubles, 0), np.nextafter(doubles, 500)])
    return doubles, floats, patterns("float16"), patterns("bfloat16")


@pytest.fixture(scope="module")
def by_cuda(tmp_path_factory):
    """What CUDA's header makes of the numbers, and every 8-bit float as a half."""
    folder = tmp_path_factory.mktemp("fp8")
    (folder / "fp8.cpp").write_text(CONVERSIONS)
    command = ["g++", "-std=c++17", "-O1", "-w", "-I", find_headers(), "fp8.cpp", "-o", "fp8"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    given = b"".join(len(x).to_bytes(8, "little") + x.tobytes() for x in numbers_to_convert())
    out = subprocess.run([folder / "fp8"], input=given, check=True, capture_output=True).stdout
    return np.frombuffer(out, np.uint8)


@pytest.mark.skipif(not shutil.which("g++"), reason="waits for g++")
@pytest.mark.skipif(not find_headers(), reason="waits for CUDA's headers")
@clause("DEV-FIX-07", "DEV-FIX-08", "DEV-FIX-14")
def test_8_bit_floats_are_those_of_cudas_header(target, by_cuda):
    at = 0
    for x in numbers_to_convert():
        outs = {name: np.zeros(len(x), dtype) for name, dtype in DTYPES.items()}
        launch(to_small, x, *outs.values())
        for out in (outs["float8e4m3"], outs["float8e5m2"]):
            assert_same(out, by_cuda[at : at + len(x)].view(out.dtype), x)
            at += len(x)
    for name in ("float8e4m3", "float8e5m2"):
        out = np.zeros(256, np.float16)
        launch(to_halves, patterns(name), out)
        assert_same(out, by_cuda[at : at + 512].view(out.dtype), patterns(name))
        at += 512
    assert at == len(by_cuda)
