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
    ("src/ir/x.cpp", '#include "../support/span.h"'),
    ("src/frontend/x.cpp", "if (name == DialectName::NumbaPro) {}"),
    ("src/frontend/x.cpp", "if (DialectName::Device != name) {}"),
    ("src/frontend/x.cpp", "case DialectName::NumbaPro:"),
    ("src/frontend/x.cpp", "if (ctx.policy.name) {}"),
    ("src/frontend/x.cpp", "if (request.dialect == other) {}"),
    ("bindings/x.cpp", "x = d == frontend::DialectName::Device64;"),
    ("python/cuda/device/x.py", 'if kind == "numbapro":'),
    ("python/cuda/device/x.py", "if dialect in known:"),
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
    ("src/frontend/x.cpp", "DialectName name = DialectName::Device;"),
    ("src/frontend/policy.cpp", "case DialectName::NumbaPro:"),
    ("src/frontend/x.cpp", "if (ctx.policy.loop_rule == LoopRule::Join) {}"),
    ("python/cuda/device/x.py", 'make(dialect="numbapro")'),
    ("python/cuda/device/x.py", "import numbapro"),
]


@pytest.mark.parametrize(("path", "text"), BREACHES)
def test_breach_is_found(path, text):
    assert len(list(checker.complaints_of(LAYERS, path, text))) == 1


@pytest.mark.parametrize(("path", "text"), ALLOWED)
def test_allowed_include_passes(path, text):
    assert list(checker.complaints_of(LAYERS, path, text)) == []


def test_the_tree_keeps_the_rules():
    assert checker.check_tree() == 0
