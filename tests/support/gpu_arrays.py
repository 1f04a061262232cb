"""Programs with arrays on a GPU of the tests' driver, whose kernels are all interpreted."""

import textwrap

import pytest

from support.fake_gpu import answer_on_fake

HEAD = """
import cuda.device.array_api as xp
run_all_on_fake()

def shown(x):
    return D.to_host(x).tolist()

h = np.arange(12, dtype="f4").reshape(3, 4)
a = D.asarray(h, device="cuda")
b = D.asarray(np.array([1, 2, 3, 4], "i4"), device="cuda")
"""


@pytest.fixture
def on_gpu(tmp_path):
    """answer_on_fake with a matrix `a` of `h`, and a vector `b`, on a GPU."""

    def run(text, **variables):
        return answer_on_fake(tmp_path, HEAD + textwrap.dedent(text), **variables)

    return run
