"""numba-cuda: our kernel's source with Numba's names instead of ours.

Literals with a point are float32, as they are beside float32 in ours; that products of integers and
float32 are float64 is Numba's meaning, and stays (Mandelbrot's coordinates).
"""

import ast
import importlib
import inspect
import math
import warnings
from pathlib import Path

from peers import Contestant, NotAvailable
from peers.ours import kernel_of

from gpu import on_gpu

GROUP = "numba-cuda"
NAMES = {
    "tid": "cuda.grid",
    "grid_size": "cuda.gridsize",
    "thread_idx": "cuda.threadIdx",
    "block_idx": "cuda.blockIdx",
    "block_dim": "cuda.blockDim",
    "shared_array": "cuda.shared.array",
    "local_array": "cuda.local.array",
    "syncthreads": "cuda.syncthreads",
    "kernel": "cuda.jit",
    "func": "cuda.jit(device=True)",
    **{name: f"numba.{name}" for name in ("float32", "float64", "int32", "uint8")},
}


class Translation(ast.NodeTransformer):
    """Names of ours as Numba's. Raises NotAvailable for one that has no counterpart."""

    def __init__(self, constants):
        self.constants = constants  # of the module

    def visit_Call(self, node):
        """Shapes of arrays are literals: Numba takes no expressions there."""
        if isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_array"):
            shape = eval(ast.unparse(node.args[0]), dict(self.constants))
            node.args[0] = ast.parse(repr(shape), mode="eval").body
        return self.generic_visit(node)

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if not (isinstance(node.value, ast.Name) and node.value.id == "D"):
            return node
        if node.attr not in NAMES:
            raise NotAvailable(f"missing: nothing in Numba stands for D.{node.attr}")
        return ast.parse(NAMES[node.attr], mode="eval").body

    def visit_ImportFrom(self, node):
        """`from cuda import device as D` names what is given below."""
        return None if node.module == "cuda" else node

    def visit_Constant(self, node):
        if not isinstance(node.value, float):
            return node
        return ast.parse(f"numba.float32({node.value!r})", mode="eval").body


def translated(source, constants):
    """Text of a module of ours as one for Numba. constants: values by the module's names."""
    made = Translation(constants).visit(ast.parse(source))
    return ast.unparse(ast.fix_missing_locations(made))


def numba_here():
    """(numba, numba.cuda), on GPU 0. Raises NotAvailable."""
    try:
        import numba
        from numba import cuda

        cuda.select_device(0)
    except Exception as error:  # of its own libraries too
        raise NotAvailable(f"not here: {type(error).__name__}: {error}") from error
    warnings.simplefilter("ignore")  # small grids
    return numba, cuda


def kernel(problem, numba, cuda):
    module = importlib.import_module(f"kernels.{problem.kernel}")
    text = translated(Path(module.__file__).read_text(), vars(module))
    names = {"numba": numba, "cuda": cuda, "math": math, "__name__": f"numba_{problem.kernel}"}
    exec(compile(text, f"<{problem.kernel} for Numba>", "exec"), names)
    return names[problem.kernel]


def contestants(problem, arguments):
    numba, cuda = numba_here()
    made = kernel(problem, numba, cuda)
    arrays = {name: cuda.as_cuda_array(array) for name, array in arguments.arrays.items()}
    values = {**problem.values, **arrays}
    args = [values[name] for name in inspect.signature(kernel_of(problem)).parameters]
    configured = made[problem.grid, problem.block, cuda.external_stream(arguments.handle)]
    on_gpu.wait()
    return [Contestant(GROUP, GROUP, lambda: configured(*args))]
