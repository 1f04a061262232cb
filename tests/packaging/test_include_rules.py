"""The include checker finds each kind of breach, and nothing in the tree as it is."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def load_checker():
    spec = importlib.util.spec_from_file_location(
        "check_includes", ROOT / "scripts/check_includes.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


checker = load_checker()
LAYERS = checker.read_layers()

BREACHES = [
    ("src/ir/x.cpp", '#include "codegen/codegen.h"'),
    ("src/passes/x.cpp", '#include "syntax/tree.h"'),
    ("src/codegen/x.cpp", '#include "runtime/device.h"'),
    ("src/dispatch/x.cpp", '#include "codegen/codegen.h"'),
    ("bindings/x.cpp", '#include "compile/jit_api.h"'),
    ("src/codegen/host/x.cpp", "#include <llvm/IR/Module.h>"),
    ("src/compile/x.cpp", '#include "codegen/llvm.h"'),
    ("src/dispatch/x.cpp", "#include <Python.h>"),
    ("src/syntax/x.cpp", "#include <nanobind/nanobind.h>"),
    ("src/runtime/cuda/x.cpp", "#include <cuda.h>"),
    ("src/runtime/host/x.cpp", "auto p = cuLaunchKernel;"),
    ("src/codegen/nvptx/x.cpp", "if (numbapro) {}"),
    ("src/ir/x.cpp", "struct DialectPolicy;"),
    ("src/ir/x.cpp", "using ir::Op;\nusing std::pair;\nOp op();"),
    ("src/ir/x.cpp", '#include "../support/span.h"'),
    ("src/frontend/x.cpp", "if (name == DialectName::NumbaPro) {}"),
    ("src/frontend/x.cpp", "if (DialectName::Device != name) {}"),
    ("src/frontend/x.cpp", "case DialectName::NumbaPro:"),
    ("src/frontend/x.cpp", "if (request.dialect == other) {}"),
    ("bindings/x.cpp", "x = d == frontend::DialectName::Device64;"),
    ("python/cuda/device/x.py", 'if kind == "numbapro": pass'),
    ("python/cuda/device/x.py", "if dialect in known: pass"),
    # Ways to ask which dialect it is.
    ("src/frontend/x.cpp", "using enum DialectName;"),
    ("bindings/x.cpp", "using enum frontend::DialectName;"),
    ("src/frontend/x.cpp", "if (!request.dialect) {}"),
    ("src/frontend/x.cpp", "switch (request().dialect) {}"),
    ("src/frontend/x.cpp", "return its_dialect() ? 1 : 2;"),
    ("src/frontend/x.cpp", "return other == request->dialect;"),
    ("src/frontend/x.cpp", "x = static_cast<int>(request.dialect);"),
    ("src/frontend/x.cpp", "x = std::to_underlying(request.dialect);"),
    ("src/frontend/x.cpp", "return &ctx.policy == &other;"),
    ("src/frontend/x.cpp", "return &policy_of(x) != own;"),
    ("src/frontend/x.cpp", "return own == &policy_of(x);"),
    ("src/frontend/x.cpp", "return ctx.policy.int_literal == numbapro_int_literal;"),
    ("src/frontend/x.cpp", 'return name.starts_with("numbapro.") ? 1 : 2;'),
    ("src/frontend/x.cpp", 'return text == "numbapro";'),
    ("src/frontend/x.cpp", "return ctx.policy.names == &kGuide;"),
    ("src/frontend/x.cpp", 'return language_names(policy).decorator == "@cuda.jit";'),
    ("src/frontend/x.cpp", 'return names.own_prefix.starts_with("n");'),
    ("src/frontend/x.cpp", "bool is_numbapro = ask();"),
    ("python/cuda/device/x.py", 'x = 1 if kind.startswith("numbapro") else 2'),
    ("python/cuda/device/x.py", 'x = "numbapro" == kind'),
    ("python/cuda/device/x.py", 'x = kind in ("guide", "numbapro")'),
    ("python/cuda/device/x.py", "if kernel.dialect: pass"),
    ("python/cuda/device/x.py", "x = not kernel.dialect"),
    ("python/cuda/device/x.py", "match kernel.dialect:\n    case _: pass"),
    ("python/cuda/device/x.py", 'match kind:\n    case "guide64": pass'),
    ("python/cuda/device/x.py", "x = TABLE[kernel.dialect]"),
    ("python/cuda/device/x.py", "x = TABLE.get(its_dialect())"),
    ("python/cuda/device/x.py", 'x = getattr(kernel, "dialect") is None'),
    ("python/cuda/device/x.py", "x = kernel.dialect and 1"),
]

ALLOWED = [
    (
        "src/frontend/x.cpp",
        '#include "syntax/tree.h"\n#include "ir/ir.h"\n#include "support/span.h"',
    ),
    ("src/codegen/llvm.h", "#include <llvm/IR/Module.h>"),
    ("src/codegen/host/x.cpp", '#include "codegen/llvm.h"'),
    ("src/dispatch/x.cpp", '#include "compile/jit_api.h"'),
    ("src/runtime/cuda/x.cpp", "auto p = cuLaunchKernel;"),
    ("bindings/x.cpp", '#include <Python.h>\n#include "dispatch/rt_api.h"'),
    ("src/frontend/x.cpp", "struct DialectPolicy;"),
    ("src/ir/x.cpp", "using ir::Op;\nOp op();"),
    ("src/frontend/x.cpp", "DialectName name = DialectName::Device;"),
    ("src/frontend/policy.cpp", "case DialectName::NumbaPro:"),
    ("src/frontend/x.cpp", "if (ctx.policy.loop_rule == LoopRule::Join) {}"),
    ("python/cuda/device/x.py", 'make(dialect="numbapro")'),
    ("python/cuda/device/x.py", "import numbapro"),
    ("python/cuda/device/x.py", '"""if dialect == "numbapro" """\n# if dialect: pass'),
    ("python/cuda/device/x.py", "make(dialect=dialect)"),
    ("src/frontend/x.cpp", "// Of NumbaPro's: if (dialect == x)\nint y;"),
    ("src/frontend/x.cpp", '#include "frontend/numbapro.def"'),
    ("src/frontend/numbapro.def", 'NAME("numbapro.cuda.grid")'),
    ("src/frontend/x.cpp", "Policy policy = policy_of(request.dialect);"),
    ("src/frontend/x.cpp", "call(frontend::DialectName::Device);"),
    ("src/frontend/x.cpp", "policy_of(static_cast<frontend::DialectName>(raw.dialect));"),
    ("bindings/x.cpp", "kDialectNames[static_cast<size_t>(state.dialect)]"),
    ("src/frontend/x.cpp", "return a.names == b.names;"),
]


@pytest.mark.parametrize(("path", "text"), BREACHES)
def test_breach_is_found(path, text):
    assert len(list(checker.complaints_of(LAYERS, path, text))) == 1


@pytest.mark.parametrize(("path", "text"), ALLOWED)
def test_allowed_include_passes(path, text):
    assert list(checker.complaints_of(LAYERS, path, text)) == []


def test_the_tree_keeps_the_rules():
    assert checker.check_tree() == 0
