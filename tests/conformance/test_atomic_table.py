"""Atomic operations in PTX beside those of nvcc for cuda::atomic_ref: operation, type, order, scope
and state space (DEV-ATOM, DEV-ORDER, DEV-SCOPE).

Numbers of 32 and 64 bits have nvcc's instructions, one by one. Where ours differ they are at least
as strong, as REASONS says: what is no instruction, elements of 1, 2 and 16 bytes, and the scope of
one thread. nvcc's accesses name no state space, which atomic_ref does not know. In local arrays
ours are plain, and nvcc's ask whether the place is local.
"""

import os
import re

import numpy as np
import pytest
from cuda import device as D
from support.clauses import clause
from support.cuda_tools import find_nvcc, ptx_by_nvcc
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


def call_in_cuda(operation, ctype, order, scope, out, value, expected):
    """A statement: the operation on *at, with its result in `out`."""
    ref = f"cuda::atomic_ref<{ctype}, cuda::thread_scope_{scope}>(*at)"
    how = f"cuda::memory_order_{order}"
    return {
        "load": f"{out} = {ref}.load({how});",
        "store": f"{ref}.store({value}, {how});",
        "cas": f"{{ {ctype} e = {expected}; {ref}.compare_exchange_strong(e, {value}, {how});"
        f" {out} = e; }}",
    }.get(operation, f"{out} = {ref}.{CHANGES.get(operation)}({value}, {how});")


def in_cuda(row):
    operation, dtype, space = row
    ctype = TYPES[dtype]
    lines = [
        f"__shared__ {ctype} s[1]; {ctype} *at = s;" if space == "shared" else f"{ctype} *at = p;"
    ]
    for number, *way in ways(operation):
        lines.append(call_in_cuda(operation, ctype, *way, f"out[{number}]", "v", "w"))
    body = "\n  ".join(lines)
    return (
        f'extern "C" __global__ void {name_of(row)}({ctype} *p, {ctype} *out, {ctype} v, {ctype} w)'
        f" {{\n  {body}\n}}\n"
    )


def call_in_python(operation, order, scope, out, value, expected):
    how = f"'{order}', '{scope}'"
    return {
        "load": f"{out} = ref.load({how})",
        "store": f"ref.store({value}, {how})",
        "cas": f"{out} = ref.cas({expected}, {value}, {how})",
    }.get(operation, f"{out} = ref.{operation}({value}, {how})")


def in_python(row):
    operation, dtype, space = row
    array = f"D.shared_array(1, D.{dtype})" if space == "shared" else "p"
    lines = [f"ref = D.atomic_ref({array}, 0)"]
    for number, *way in ways(operation):
        lines.append(call_in_python(operation, *way, f"out[{number}]", "v", "w"))
    body = "\n    ".join(lines)
    return f"@D.kernel\ndef {name_of(row)}(p, out, v, w):\n    {body}\n"


def accesses(ptx):
    """Atomic accesses and fences, without what tells loads of numbers from those of bits."""
    found = re.findall(r"(?<![\w.%$])((?:ld|st|atom|red|fence)\.[\w.:]+)", ptx)
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
    return ptx_by_nvcc("#include <cuda/atomic>\n" + source, arch, folder)


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


# ------------------------------------------------------------------------------------------------
# what is not compared instruction by instruction


@D.struct(align=8)
class Two:
    a: D.int32
    b: D.float32


@D.struct(align=16)
class Four:
    a: D.int64
    b: D.float32x2


# Element types beside types of C++ of their size.
BYTE, HALF, EIGHT = "unsigned char", "unsigned short", "unsigned long long"
OTHERS = {
    "uint8": BYTE,
    "int16": HALF,
    "Two": EIGHT,
    "float32x4": "Sixteen",
    "int8": BYTE,
    "bool": BYTE,
    "float8e4m3": BYTE,
    "uint16": HALF,
    "float16": HALF,
    "bfloat16": HALF,
    "complex64": EIGHT,
    "int16x4": EIGHT,
    "Four": "Sixteen",
}
IN_LOOPS = {"float32": "float", "float64": "double"}
REASONS = {
    "one thread": "Nobody else is in the scope: what a thread does itself, it sees in its order.",
    "the part of a word": "Ours reads and writes the byte itself, where nvcc's reads two bytes, and"
    " writes by exchanging the word around it. Orders and scopes are those of nvcc's accesses.",
    "a loop": "Ours gives the load before the loop the order that is asked for, nvcc's relaxed. The"
    " fence of seq_cst stands before ours, and in each turn of nvcc's. The exchange decides.",
}
SCOPE_NAMES = ("cta", "gpu", "sys")


def dtype_of(name):
    return globals().get(name) or (bool if name == "bool" else getattr(D, name))


def other_rows():
    """(operation, type, state space, C++ type)"""
    others = OTHERS if LONG else dict(list(OTHERS.items())[:4])
    return [
        (operation, dtype, space, ctype)
        for table, operations in (
            (others, ("load", "store", "exch", "cas")),
            (IN_LOOPS, ("max", "min")),
            ({"uint32": "unsigned"}, ("load", "store", "cas", *CHANGES)),
        )
        for dtype, ctype in table.items()
        for operation in operations
        for space in ("global", "shared")
        if ctype != "Sixteen" or operation in ("load", "store")
    ]


def other_ways(row):
    """(order, scope); of instructions the scope that the first table leaves out."""
    scopes = ("thread",) if row[1] == "uint32" else ("thread", *SCOPES)
    return [(order, scope) for order in orders_of(row[0]) for scope in scopes]


def apart(lines, fence):
    """What is between two such fences is one way."""
    return [line for one in lines for line in (fence, one)] + [fence]


def other_in_cuda(row):
    operation, _, space, ctype = row
    place = f"__shared__ {ctype} s[1]; {ctype} *at = s;"
    lines = [call_in_cuda(operation, ctype, *way, "*out", "*v", "*w") for way in other_ways(row)]
    fence = "cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_block);"
    lines = [place if space == "shared" else f"{ctype} *at = p;", *apart(lines, fence)]
    return (
        f'extern "C" __global__ void {name_of(row[:3])}({ctype} *p, {ctype} *out, '
        f"{ctype} *v, {ctype} *w) {{\n  " + "\n  ".join(lines) + "\n}\n"
    )


def other_in_python(row):
    operation, dtype, space, _ = row
    array = f"D.shared_array(1, {dtype})" if space == "shared" else "p"
    lines = [call_in_python(operation, *way, "out[0]", "v[0]", "w[0]") for way in other_ways(row)]
    lines = [f"ref = D.atomic_ref({array}, 0)", *apart(lines, "D.threadfence('acq_rel', 'block')")]
    body = "\n    ".join(lines)
    return f"@D.kernel\ndef {name_of(row[:3])}(p, out, v, w):\n    {body}\n"


def by_way(found):
    ways, fence = [[]], ("fence", "acq_rel", "cta")
    for access in found:
        if access == fence:
            ways.append([])
        else:
            ways[-1].append(access)
    assert ways[0] == ways[-1] == []
    return ways[1:-1]


def strength(way, operation):
    """(does it acquire, does it release, its scope, that of a fence of seq_cst) of the access that
    decides, the last one."""
    *_, last = [access for access in way if access[0] != "fence"]
    fences = [
        SCOPE_NAMES.index(scope)
        for access in way
        for scope in access
        if "sc" in access and scope in SCOPE_NAMES
    ]
    (scope,) = [SCOPE_NAMES.index(scope) for scope in last if scope in SCOPE_NAMES]
    return (
        operation != "store" and bool({"acquire", "acq_rel"} & set(last)),
        bool({"release", "acq_rel"} & set(last)),
        scope,
        max(fences, default=-1),
    )


def why_strong(operation, scope, found, wanted):
    """The name of the reason why ours may differ; none: it is weaker, or something else."""
    ours = strength(found, operation)
    if scope == "thread":
        kinds = {access[0] for access in found}
        return "one thread" if ours == (False, False, 0, -1) and "fence" not in kinds else None
    if any(a < b for a, b in zip(ours, strength(wanted, operation), strict=True)):
        return None
    kinds = [[access[0] for access in way if access[0] != "fence"] for way in (found, wanted)]
    if operation in ("load", "store") and kinds[0] == [operation[:2].replace("lo", "ld")]:
        return "the part of a word"
    return "a loop" if kinds == [["ld", "atom"]] * 2 else None


@clause("DEV-ORDER-01", "DEV-ORDER-02", "DEV-ORDER-03", "DEV-ORDER-04", "DEV-ORDER-05")
@clause("DEV-SCOPE-01", "DEV-SCOPE-02", "DEV-SCOPE-03", "DEV-ATOM-25")
@pytest.mark.skipif(not find_nvcc(), reason="waits for nvcc")
@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"] if LONG else ["sm_90"])
def test_others_are_as_strong_as_nvccs(arch, tmp_path):
    rows = other_rows()
    types = {row[1]: dtype_of(row[1]) for row in rows}
    ours = executed("\n\n".join(map(other_in_python, rows)), **types)
    wide = "struct alignas(16) Sixteen { long long a, b; };\n"
    theirs = by_nvcc(wide + "\n".join(map(other_in_cuda, rows)), arch, tmp_path)
    weaker, reasons = {}, set()
    for row in rows:
        operation, dtype, space, _ = row
        array = D.zeros(1, dtype=types[dtype], device="cpu")
        text = ours[name_of(row[:3])].inspect(array, array, array, array, what="ptx", target=arch)
        found = [
            [tuple(part for part in access if part != space) for access in way]
            for way in by_way(accesses(text))
        ]
        wanted = by_way(accesses(theirs[name_of(row[:3])]))
        for way, mine, other in zip(other_ways(row), found, wanted, strict=True):
            if mine == other:
                continue
            reason = why_strong(operation, way[1], mine, other)
            reasons.add(reason)
            if reason is None:
                weaker[*row, *way] = mine, other
    assert weaker == {}
    assert reasons == set(REASONS)


@D.kernel
def fences():
    D.threadfence("relaxed", "system")
    D.threadfence("consume", "system")
    D.threadfence("acquire", "device")
    D.threadfence("release", "block")
    D.threadfence("acq_rel", "system")
    D.threadfence("acq_rel", "device")
    D.threadfence("seq_cst", "block")
    D.threadfence("seq_cst", "device")
    D.threadfence("seq_cst", "system")
    D.threadfence()


FENCES_IN_CUDA = """
extern "C" __global__ void fences() {
  using namespace cuda;
  atomic_thread_fence(memory_order_relaxed, thread_scope_system);
  atomic_thread_fence(memory_order_consume, thread_scope_system);
  atomic_thread_fence(memory_order_acquire, thread_scope_device);
  atomic_thread_fence(memory_order_release, thread_scope_block);
  atomic_thread_fence(memory_order_acq_rel, thread_scope_system);
  atomic_thread_fence(memory_order_acq_rel, thread_scope_device);
  atomic_thread_fence(memory_order_seq_cst, thread_scope_block);
  atomic_thread_fence(memory_order_seq_cst, thread_scope_device);
  atomic_thread_fence(memory_order_seq_cst, thread_scope_system);
  atomic_thread_fence(memory_order_seq_cst, thread_scope_system);
}
"""


@D.kernel
def waits(p, v):
    D.atomic_ref(p, 0).wait(v, "acquire", "device")


WAIT_IN_CUDA = """
extern "C" __global__ void waits(int *p, int v) {
  cuda::atomic_ref<int, cuda::thread_scope_device>(*p).wait(v, cuda::memory_order_acquire);
}
"""


@D.kernel
def spins(p, v):
    while D.atomic_ref(p, 0).load("acquire", "device") == v:
        pass


@clause("DEV-FENCE-01", "DEV-FENCE-02")
@pytest.mark.skipif(not find_nvcc(), reason="waits for nvcc")
@pytest.mark.parametrize("arch", ["sm_75", "sm_90", "sm_120"] if LONG else ["sm_90"])
def test_fences_and_waits_are_nvccs(arch, tmp_path):
    theirs = by_nvcc(FENCES_IN_CUDA + WAIT_IN_CUDA, arch, tmp_path)
    assert accesses(fences.inspect(what="ptx", target=arch)) == accesses(theirs["fences"])
    p = np.zeros(1, np.int32)
    text = waits.inspect(p, 1, what="ptx", target=arch)
    assert {access[:3] for access in accesses(text)} == {("ld", "acquire", "b32")}
    # A quarter of the time since the looks were timed, from 10 us to 1 ms.
    for ptx in (text, theirs["waits"]):
        assert "nanosleep.u32" in ptx
        assert "%globaltimer" in ptx
        assert re.search(r"\b(40000|39999|9999|10000)\b", ptx)
        assert re.search(r"\b1000000\b", ptx)
    # What a program looks at by itself, it looks at all the time.
    assert "nanosleep" not in spins.inspect(p, 1, what="ptx", target=arch)
