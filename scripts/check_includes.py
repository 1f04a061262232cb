#!/usr/bin/env python3
"""Checks the rules on includes between layers that linking cannot see.

The layers and what each may include are read from the cd_library() lines of the build files, so an
include is allowed exactly where linking is. Beside that: LLVM only in codegen through its wrapper
header, Python only in bindings, the names of libcuda only in runtime/cuda, the words of the dialect
seam only in front of the IR. Which dialect it is, only the policy and formats of launches ask; what
differs stands in policies and tables. Of Python sources the last is checked alone.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("src", "bindings", "include", "tests", "bench", "python")
SUFFIXES = {".cpp", ".h", ".def", ".py"}

LAYER = re.compile(r"cd_library\((\w+)([^)]*)\)")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
LIBCUDA = re.compile(
    r"\bcu(Launch|Mem|Ctx|Stream|Event|Module|Library|Kernel|Device|Driver|Func|Init|Get|Link|Occupancy"
    r"|Pointer|Graph)(?:[A-Z]\w*)?\b|\bCU(?:[a-z]\w*)\b"
)
DIALECT = re.compile(r"numbapro|dialect", re.I)
# A comparison or a case: a name that is handed on is none.
_DIALECT_NAME = r"(?:frontend::)?DialectName::\w+"
ASKS_DIALECT = re.compile(
    rf"[!=]=\s*{_DIALECT_NAME}|{_DIALECT_NAME}\s*[!=]=|\bcase\s+{_DIALECT_NAME}|\bpolicy\.name\b"
    r"|\bdialect\w*\s*(?:[!=]=|\bin\b|\bis\b)|[!=]=\s*[\"'](?:numbapro|guide|guide64)[\"']"
)
MAY_ASK = ("src/frontend/policy.cpp", "src/frontend/request.h")

# The bindings are no layer: they may include these and what these may.
BINDINGS_MAY_INCLUDE = {"dispatch", "interop", "syntax"}
# dispatch opens the compiler's shared object at run time and needs its C interface, nothing else of
# it; both dispatch and the bindings write the request that goes through it.
INTERFACES = {
    ("dispatch", "compile/jit_api.h"),
    ("dispatch", "frontend/request.h"),
    ("bindings", "frontend/request.h"),
    # Vectors on the host compute as kernels do, in the types that kernels compute in.
    ("bindings", "frontend/operators/numeric.h"),
    ("bindings", "frontend/promotion.def"),
    ("bindings", "ir/evaluate.h"),
    ("bindings", "ir/atomic.h"),
}
DIALECT_FOLDERS = (
    *("src/frontend/", "src/syntax/", "src/compile/", "src/dispatch/"),
    *("bindings/", "include/", "tests/"),
    "src/support/diagnostics.def",  # its messages say which language a rule is of
)


def read_layers():
    """Layer name -> (folder, layers it may include directly), as the build files say."""
    layers = {}
    for path in sorted((ROOT / "src").glob("*/CMakeLists.txt")):
        for name, rest in LAYER.findall(path.read_text()):
            words = rest.split()
            folder = path.parent
            if "FOLDER" in words:
                folder /= words[words.index("FOLDER") + 1]
            direct = set()
            if "PUBLIC" in words:
                tail = words[words.index("PUBLIC") + 1 :]
                direct = set(tail[: tail.index("PRIVATE")] if "PRIVATE" in tail else tail)
            layers[name] = (folder.relative_to(ROOT).as_posix() + "/", direct)
    return layers


def closure(layers, names):
    """All layers that can be reached from these."""
    found, waiting = set(), list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += layers[name][1]
    return found


def layer_of(layers, path):
    """The layer that a path below the root lies in, or None."""
    return next((name for name, (folder, _) in layers.items() if path.startswith(folder)), None)


def allowed_layers(layers, path):
    """The layers that this file may include from; None where any."""
    if path.startswith("bindings/"):
        return closure(layers, BINDINGS_MAY_INCLUDE)
    if path.startswith("include/"):
        return set()
    name = layer_of(layers, path)
    return closure(layers, {name}) if name else None


def layer_fault(layers, path, target):
    """What is wrong with including src/<target> from path, or None."""
    here = "bindings" if path.startswith("bindings/") else layer_of(layers, path)
    if (here, target) in INTERFACES:
        return None
    included = layer_of(layers, f"src/{target}")
    allowed = allowed_layers(layers, path)
    if included and allowed is not None and included not in allowed:
        return f"may not include from the layer {included} ({target})"
    return None


def library_fault(path, target):
    """What is wrong with including another library's header from path, or None."""
    if re.match(r"llvm(-c)?/", target) and path != "src/codegen/llvm.h":
        return f"includes {target}: LLVM comes in through src/codegen/llvm.h"
    if target == "codegen/llvm.h" and not path.startswith("src/codegen/"):
        return "includes codegen/llvm.h outside src/codegen"
    if re.match(r"(Python\.h|nanobind/|numpy/)", target) and not path.startswith("bindings/"):
        return f"includes {target}: Python ends at bindings/"
    if re.match(r"(cuda|cuda_runtime\w*|cuda_fp\w+)\.h$", target) and path.startswith("src/"):
        return f"includes {target}: the driver is found at run time, its header is not needed"
    return None


def word_faults(path, text):
    """(line, complaint) for names that this folder may not use."""
    if not path.startswith(("src/", "bindings/", "python/")):
        return
    forbidden = []
    if path not in MAY_ASK:
        forbidden.append((ASKS_DIALECT, "asks which dialect it is, which a policy answers"))
    if path.endswith(".py"):
        yield from found_in(forbidden, text)
        return
    if not path.startswith("src/runtime/cuda/"):
        forbidden.append((LIBCUDA, "a name of libcuda outside src/runtime/cuda"))
    if not path.startswith(DIALECT_FOLDERS):
        forbidden.append((DIALECT, "a name of the dialect seam after it"))
    yield from found_in(forbidden, text)


def found_in(forbidden, text):
    for pattern, complaint in forbidden:
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, f"{complaint}: {match.group()}"


def complaints_of(layers, path, text):
    """(line, complaint) of one file."""
    for match in INCLUDE.finditer(text):
        line = text.count("\n", 0, match.start(2)) + 1
        target = match.group(2)
        wrong = library_fault(path, target)
        if match.group(1) == '"':
            wrong = wrong or layer_fault(layers, path, target)
            if target.startswith("."):
                wrong = f"includes {target}: name it from src/"
        if wrong:
            yield line, wrong
    yield from word_faults(path, text)


def check_tree(root=ROOT):
    layers = read_layers()
    count = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                name = path.relative_to(root).as_posix()
                for line, wrong in complaints_of(layers, name, path.read_text()):
                    print(f"{name}:{line}: {wrong}")
                    count += 1
    return count


if __name__ == "__main__":
    sys.exit(1 if check_tree() else 0)
