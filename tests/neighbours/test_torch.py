"""PyTorch's C functions of DLPack (__dlpack_c_exchange_api__), which launches call."""

import functools
import gc
import sys

import numpy as np
import pytest
from cuda import device as D
from cuda.device import array_api as xp
from cuda.device import core
from support.clauses import clause
from support.kernels import add_one

from neighbours.packages import needs
from support import exchange

torch = needs("torch")
if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
    pytest.skip("waits for PyTorch 2.13", allow_module_level=True)


def python_calls(call):
    """Names of the Python functions that it calls."""
    names = []
    sys.setprofile(lambda frame, event, _: event == "call" and names.append(frame.f_code.co_name))
    try:
        call()
    finally:
        sys.setprofile(None)
    return names


@D.kernel
def doubled(out, a):
    y, x = D.tid(2)
    if y < a.shape[0] and x < a.shape[1]:
        out[y, x] = a[y, x] * 2


class Subclass(torch.Tensor):
    pass


@clause("DEV-DLP-02")
def test_a_launch_runs_no_python_of_pytorch():
    made = torch.arange(12.0).reshape(3, 4)
    for given in (
        *(made, made.t(), made[:, ::2], made[1:], made.as_subclass(Subclass)),
        torch.nn.Parameter(made, requires_grad=False),
        torch.arange(12, dtype=torch.int16).reshape(3, 4),
        torch.ones((3, 4), dtype=torch.bfloat16),
    ):
        out = torch.zeros(given.shape, dtype=given.dtype)
        launch = functools.partial(D.launch, doubled, out, given, grid=1, block=(4, 4))
        launch()
        out[:] = 0
        names = set(python_calls(launch))
        assert not names & {"__dlpack__", "__dlpack_device__"}
        # Each look at a tensor of a subclass goes by __torch_function__.
        assert not names or type(given) is Subclass
        assert torch.equal(out, given * 2)


@clause("DEV-DLP-05")
def test_storage_is_held_until_the_kernel_is_done():
    stream = core.Device("host").create_stream()
    a = torch.zeros(1 << 20)
    whole = a.numpy()
    for _ in range(10):
        D.launch(add_one, a, grid=1 << 12, block=256, stream=stream)
    a.set_(torch.zeros(1).untyped_storage(), 0, (1,))
    gc.collect()
    stream.sync()
    assert (whole == 10).all()
    D.launch(add_one, torch.zeros((0,)), grid=1, block=4)


@clause("DEV-ARR-21", "DEV-DLP-06")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: torch.zeros(4, requires_grad=True), "require gradient"),
        (lambda: torch.nn.Parameter(torch.zeros(4)), "require gradient"),
        (lambda: torch.zeros(4, dtype=torch.complex64).conj(), "conjugate bit"),
        (lambda: torch.tensor([1 + 2j, 3j]).conj().imag, "resolve_neg"),
        (lambda: torch.tensor([1 + 2j, 3j]).conj().imag[0], "resolve_neg"),
        (lambda: torch.tensor([1 + 2j, 3j]).conj().imag[0].reshape(1), "resolve_neg"),
        (lambda: torch.ones((3, 4, 1), dtype=torch.complex128).conj().imag.mT, "resolve_neg"),
        (lambda: torch.eye(3).to_sparse(), "layout"),
        (lambda: torch.empty(3, device="meta"), "meta"),
        (lambda: torch._efficientzerotensor((3,)), "has elements but no memory"),
    ],
)
def test_what_pytorch_does_not_give_away(make, text):
    """Its C functions would give the first three, and those that PyTorch negates as it reads them,
    which its __dlpack__ gives as well."""
    stream = core.Device("host").create_stream()
    for where in ({}, {"stream": stream}):
        with pytest.raises((BufferError, ValueError), match=text):
            D.launch(add_one, make(), grid=1, block=4, **where)
    if text == "resolve_neg":
        for take in (D.from_dlpack, D.asarray, xp.asarray, xp.from_dlpack):
            with pytest.raises((BufferError, RuntimeError), match=text):
                take(make())


def test_imaginary_parts():
    a = torch.tensor([1 + 2j, 3j])
    for part in (a.imag, a.conj().imag.resolve_neg(), a[:1].imag, a.imag[0]):
        assert D.asarray(part).tolist() == part.tolist()
        out = torch.zeros((1, part.numel()))
        D.launch(doubled, out, part.reshape(1, -1), grid=1, block=(4, 4))
        assert torch.equal(out[0], 2 * part.reshape(-1))


def test_complex_tensors():
    a = torch.tensor([[1 + 2j, 3j]])
    out = torch.zeros((1, 2), dtype=torch.complex64)
    D.launch(doubled, out, a, grid=1, block=(4, 4))
    assert out.tolist() == [[2 + 4j, 6j]]


@clause("DEV-DLP-05", "DEV-DLP-08")
def test_arrays_go_both_ways_by_c_functions():
    theirs, ours = exchange.api_of(torch.Tensor), exchange.api_of(xp.HostArray)
    a = xp.asarray(np.arange(6, dtype=np.float32).reshape(2, 3))
    tensor = exchange.array_of(theirs, exchange.exchanged(ours, a.T))
    assert (type(tensor), tensor.shape, tensor.stride()) == (torch.Tensor, (3, 2), (1, 3))
    tensor[2, 1] = 50
    assert a[1, 2] == 50
    back = exchange.array_of(ours, exchange.exchanged(theirs, tensor))
    del a, tensor
    gc.collect()
    assert back.tolist() == [[0, 3], [1, 4], [2, 50]]
