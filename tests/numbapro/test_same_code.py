"""A kernel in both languages is the same machine code where its types are the same."""

import importlib.util

import pytest
from cuda import device as D
from cuda.device.numbapro import cuda
from support.pages import ROOT


def kernels():
    """bench/kernels/languages.py, whose figures bench/languages.py prints."""
    path = ROOT / "bench" / "kernels" / "languages.py"
    spec = importlib.util.spec_from_file_location("bench_languages", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ARRAY, KERNELS = kernels().ARRAY, kernels().KERNELS


@pytest.mark.parametrize(
    ("what", "architecture"),
    [("asm", "avx512"), ("asm", "avx2"), ("ptx", "sm_75"), ("ptx", "sm_90")],
)
@pytest.mark.parametrize(("ours", "theirs", "types", "block"), KERNELS, ids=lambda x: str(x)[:40])
def test_machine_code_is_the_same(what, architecture, ours, theirs, types, block):
    options = {"what": what, "target": architecture, "grid": 1, "block": block}
    mine = ours.inspect(*types, **options)
    other = theirs.inspect(*types, **options).replace("_2014", "")
    assert mine == other
    assert len(mine.splitlines()) > 20


def test_machine_code_differs_with_the_types():
    """float32 times a literal is float64 in one of them: what is compared shows it."""

    @D.kernel
    def doubles(out, x):
        out[0] = x * 0.1

    @cuda.autojit
    def doubles_2014(out, x):
        out[0] = x * 0.1

    ptx = [
        k.inspect(ARRAY, "float32", what="ptx").replace("_2014", "")
        for k in (doubles, doubles_2014)
    ]
    assert ptx[0] != ptx[1]
    assert "mul.rn.f32" in ptx[0]
    assert "mul.rn.f64" in ptx[1]
