"""Atomic operations in PTX beside those of nvcc for cuda::atomic_ref: operation, type, order, scope
and state space (DEV-ATOM, DEV-ORDER, DEV-SCOPE).

Left out: max, min and the like of floats, for which PTX has no instruction (both loop, nvcc's first
load relaxed, ours of the order that is asked for), elements of 8 and 16 bits, whose exchanges are
loops too, and the scope of one thread, in which nobody else is: there nvcc keeps the order.
nvcc's accesses name no state space, which atomic_ref does not know.
"""

import os
import re

import numpy as np
import pytest
from support.clauses import clause
from support.cuda_tools import find_nvcc, nvcc
from support.sources import executed

LONG = bool(os.environ.get("CUDA_DEVICE_LONG_TESTS"))
TYPES = {
    "int32": "int",
    "uint64": "unsigned long long",
    "float32": "float",
    "uint32": "unsigned",
    "int64": "long long",
    "float64": "double",
}
ORDERS = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")
SCOPES = ("system", "device", "block")
CHANGES = {
    "exch": "exchange",
    "add": "fetch_add",
    "sub": "fetch_sub",
    "and_": "fetch_and",
    "or_": "fetch_or",
    "xor": "fetch_xor",
    "max": "fetch_max",
    "min": "fetch_min",
}
OF_INTEGERS = ("and_", "or_", "xor", "max", "min")


def orders_of(operation):
    if operation == "load":
        return [order for order in ORDERS if order not in ("release", "acq_rel")]
    if operation == "store":
        return [order for order in ORDERS if order not in ("consume", "acquire", "acq_rel")]
    return ORDERS


def rows():
    """(operation, type, state space)"""
    types = TYPES if LONG else list(TYPES)[:3]
    return [
        (operation, dtype, space)
        for operation in ("load", "store", "cas", *CHANGES)
        for dtype in types
        for space in ("global", "shared")
        if not (dtype.startswith("float") and operation in OF_INTEGERS)
    ]


def name_of(row):
    return "_".join(("table", *row))


def ways(operation):
    """(number, order, scope)"""
    pairs = [(order, scope) for order in orders_of(operation) for scope in SCOPES]
    return [(number, *pair) for number, pair in enumerate(pairs)]


def in_cuda(row):
    operation, dtype, space = row
    ctype = TYPES[dtype]
    lines = [
        f"__shared__ {ctype} s[1]; {ctype} *at = s;" if space == "shared" else f"{ctype} *at = p;"
    ]
    for number, order, scope in ways(operation):
        ref = f"cuda::atomic_ref<{ctype}, cuda::thread_scope_{scope}>(*at)"
        how = f"cuda::memory_order_{order}"
        lines.append(
            {
                "load": f"out[{number}] = {ref}.load({how});",
                "store": f"{ref}.store(v, {how});",
                "cas": f"{{ {ctype} e = w; {ref}.compare_exchange_strong(e, v, {how});"
                f" out[{number}] = e; }}",
            }.get(operation, f"out[{number}] = {ref}.{CHANGES.get(operation)}(v, {how});")
        )
    body = "\n  ".join(lines)
    return (
        f'extern "C" __global__ void {name_of(row)}({ctype} *p, {ctype} *out, {ctype} v, {ctype} w)'
        f" {{\n  {body}\n}}\n"
    )


def in_python(row):
    operation, dtype, space = row
    array = f"D.shared_array(1, D.{dtype})" if space == "shared" else "p"
    lines = [f"ref = D.atomic_ref({array}, 0)"]
    for number, order, scope in ways(operation):
        how = f"'{order}', '{scope}'"
        lines.append(
            {
                "load": f"out[{number}] = ref.load({how})",
                "store": f"ref.store(v, {how})",
                "cas": f"out[{number}] = ref.cas(w, v, {how})",
            }.get(operation, f"out[{number}] = ref.{operation}(v, {how})")
        )
    body = "\n    ".join(lines)
    return f"@D.kernel\ndef {name_of(row)}(p, out, v, w):\n    {body}\n"


def accesses(ptx):
    """Atomic accesses and fences, without what tells loads of numbers from those of bits."""
    found = re.findall(r"^\s*(?:\{\s*)?((?:ld|st|atom|red|fence)\.[\w.:]+)", ptx, re.MULTILINE)
    kept = []
    for text in found:
        parts = [part for part in text.split("::")[0].split(".") if part != "volatile"]
        if parts[0] in ("ld", "st"):
            if not set(parts) & {"relaxed", "acquire", "release"}:
                continue  # of parameters and results
            parts = [re.sub(r"^[usf](32|64)$", r"b\1", part) for part in parts]
        kept.append((parts[0], *sorted(parts[1:])))
    return kept


def by_nvcc(source, arch, folder):
    path = folder / "table.cu"
    path.write_text("#include <cuda/atomic>\n" + source)
    done = nvcc("-std=c++17", "-O3", "-ptx", f"-arch={arch}", "-o", "-", path)
    assert done.returncode == 0, done.stderr
    entries = re.finditer(r"\.entry (\w+)\((.*?)\n}\n", done.stdout, re.DOTALL)
    return {entry.group(1): entry.group(2) for entry in entries}


@clause("DEV-ORDER-01", "DEV-ORDER-02", "DEV-ORDER-03", "DEV-ORDER-04", "DEV-ORDER-05")
@clause("DEV-SCOPE-01", "DEV-SCOPE-02", "DEV-SCOPE-03", "DEV-ATOM-25")
@pytest.mark.skipif(not find_nvcc(), reason="waits for nvcc")
@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"] if LONG else ["sm_90"])
def test_instructions_are_nvccs(arch, tmp_path):
    ours = executed("\n\n".join(map(in_python, rows())))
    theirs = by_nvcc("\n".join(map(in_cuda, rows())), arch, tmp_path)
    differ = {}
    for row in rows():
        dtype = np.dtype(row[1])
        arrays = np.zeros(1, dtype), np.zeros(len(ways(row[0])), dtype)
        kernel = ours[name_of(row)]
        text = kernel.inspect(*arrays, dtype.type(1), dtype.type(2), what="ptx", target=arch)
        found, wanted = accesses(text), accesses(theirs[name_of(row)])
        assert all(row[2] in access for access in found if access[0] != "fence")
        found = [tuple(part for part in access if part != row[2]) for access in found]
        assert len(wanted) >= len(ways(row[0]))
        if found != wanted:
            differ[row] = [pair for pair in zip(found, wanted, strict=False) if pair[0] != pair[1]][
                :3
            ]
    assert differ == {}
