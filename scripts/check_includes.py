#!/usr/bin/env python3
"""Checks the rules on includes between layers that linking cannot see.

The layers and what each may include are read from the cd_library() lines of the build files, so an
include is allowed exactly where linking is. Beside that: LLVM only in codegen through its wrapper
header, Python only in bindings, the names of libcuda only in runtime/cuda, the words of the dialect
seam only in front of the IR. Which dialect it is, only the policy and formats of launches ask; what
differs stands in policies and tables. Of Python sources the last is checked alone. And using
declarations that a source makes no use of.
"""

import ast
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
# Ways to ask in C++. A name that is handed on, or a default, is none.
_EQUALS = r"(?:[!=]=|<=>)"
_DIALECT_NAME = r"(?:\w+::)*DialectName::\w+"
_OF_DIALECT = r"(?:[\w:]|\.|->|\(\))*(?i:dialect)\w*(?:\(\))?"  # request.dialect, its_dialect()
_OF_POLICY = r"(?:[\w:]|\.|->|\(\))*(?i:policy)\w*(?:\([^()]*\))?"
_PREFIX = r"(?:decorator|own_prefix|other_prefix)"
_OF_NAMES = rf"(?:names|name|{_PREFIX})"
ASKS_DIALECT = re.compile(
    "|".join(
        (
            rf"{_EQUALS}\s*{_DIALECT_NAME}|{_DIALECT_NAME}\s*{_EQUALS}|\bcase\s+{_DIALECT_NAME}",
            r"\busing\s+enum\s+(?:\w+::)*DialectName",
            rf"{_OF_DIALECT}\s*(?:{_EQUALS}|[<>]=?\s*\w|\?)|{_EQUALS}\s*{_OF_DIALECT}",
            rf"\b(?:if|while|switch)\s*\(\s*!?\s*{_OF_DIALECT}",
            # As a number it can be anything; as one of the names it is a request.
            rf"(?<!kDialectNames\[)\bstatic_cast<(?![^>]*DialectName)[^>]*>\(\s*{_OF_DIALECT}|\bto_underlying\({_OF_DIALECT}",
            rf"&\s*{_OF_POLICY}\s*{_EQUALS}|{_EQUALS}\s*&\s*{_OF_POLICY}",
            rf"{_OF_POLICY}(?:\.|->){_OF_NAMES}\s*{_EQUALS}|{_EQUALS}\s*{_OF_POLICY}(?:\.|->){_OF_NAMES}",
            rf"\.{_PREFIX}\s*{_EQUALS}|\.{_PREFIX}\.\w+\(",
            r"(?i:\w*numbapro\w*)",  # a string, a function of the policy, a table of it
        )
    )
)
ASKS = "asks which dialect it is, which a policy answers"
NAMES_OF_DIALECTS = {"guide", "guide64", "numbapro"}
MAY_ASK = (
    *("src/frontend/policy.cpp", "src/frontend/request.h", "src/frontend/language_names.h"),
    "bindings/launch/key.cpp",  # the format of launches
)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|^\s*#\s*include[^\n]*", re.M | re.S)

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
    if path.endswith(".py"):
        yield from asked_in_python(text)
        return
    if not path.startswith(DIALECT_FOLDERS):
        forbidden.append((DIALECT, "a name of the dialect seam after it"))
    elif path not in MAY_ASK and not path.endswith(".def"):  # tables say what is whose
        yield from asked_in_cpp(text)
    if not path.startswith("src/runtime/cuda/"):
        forbidden.append((LIBCUDA, "a name of libcuda outside src/runtime/cuda"))
    yield from found_in(forbidden, text)


def asked_in_cpp(text):
    """(line, complaint) for code that asks which dialect it is: one a line."""
    code = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment.group()), text)
    found = {code.count("\n", 0, m.start()) + 1: m.group() for m in ASKS_DIALECT.finditer(code)}
    yield from ((line, f"{ASKS}: {what.strip()}") for line, what in found.items())


def asked_in_python(text):
    """(line, complaint) for conditions and look-ups that a dialect decides: one a line."""
    lines = {node.lineno for node in ast.walk(ast.parse(text)) if decides_by_dialect(node)}
    yield from ((line, ASKS) for line in sorted(lines))


def decides_by_dialect(node):
    """Whether something is chosen here by what speaks of a dialect."""
    match node:
        case ast.Compare(left=left, comparators=others):
            return any(map(is_of_dialect, (left, *others)))
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            return is_of_dialect(test)
        case ast.Match(subject=subject):
            return is_of_dialect(subject)
        case ast.MatchValue(value=value):
            return is_of_dialect(value)
        case ast.BoolOp(values=values):
            return any(map(is_of_dialect, values))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return is_of_dialect(operand)
        case ast.Subscript(slice=key):
            return is_of_dialect(key)
        case ast.Call(func=ast.Attribute(value=value, attr=method), args=args):
            asks = method in ("get", "startswith", "endswith", "__eq__", "index", "find", "count")
            return asks and any(map(is_of_dialect, (value, *args)))
    return False


def is_of_dialect(node):
    """The name of a dialect, what is called one, or a collection or part of these."""
    match node:
        case ast.Constant(value=str() as text):
            return text.rstrip(".") in NAMES_OF_DIALECTS
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return "dialect" in name.lower()
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return any(map(is_of_dialect, parts))
        case ast.Subscript(value=value, slice=key):
            return is_of_dialect(value) or is_of_dialect(key)
        case ast.Call(func=ast.Name(id="getattr" | "str" | "hash" | "id"), args=args):
            named = [a.value for a in args if isinstance(a, ast.Constant)]
            return "dialect" in named or any(map(is_of_dialect, args))
        case ast.Call(func=func):
            return is_of_dialect(func)
    return False


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
    if path.endswith(".cpp"):
        yield from unused_names(text)


USING = re.compile(r"^using (?:\w+::)+(\w+);", re.MULTILINE)


def unused_names(text):
    """Using declarations of names that stand nowhere else: clang-tidy, which sees the sources of a
    folder together, finds none of them."""
    for match in USING.finditer(text):
        if len(re.findall(rf"\b{match.group(1)}\b", text)) == 1:
            yield text.count("\n", 0, match.start()) + 1, f"uses {match.group(1)} nowhere"


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
