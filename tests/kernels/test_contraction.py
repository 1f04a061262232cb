"""Which products and sums are fused: whatever the target does about assertions, the same."""

import numpy as np
import pytest
from cuda import device as D


@D.kernel
def asserted_product(out, x):
    i = D.tid(1)
    square = x[i] * x[i]
    assert square >= 0
    out[i] = square - x[i]


@D.kernel
def product(out, x):
    i = D.tid(1)
    square = x[i] * x[i]
    out[i] = square - x[i]


def test_an_assertion_changes_no_bit(target):
    """PTX leaves assertions out: an assertion is no use that keeps a product from being fused."""
    x = np.random.default_rng(3).random(64, np.float32)
    results = np.zeros((2, 64), np.float32)
    for kernel, out in zip((asserted_product, product), results, strict=True):
        D.launch(kernel, out, x, grid=1, block=64)
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize("name", ["interpreter", "avx512", "avx2", "sse4", "sm_90"])
def test_an_asserted_product_is_fused(name):
    x = np.zeros(64, np.float32)
    ir = asserted_product.inspect(x, x, what="ir", target=name, block=64)
    assert " fma " in ir
