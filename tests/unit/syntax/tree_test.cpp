#include "syntax/tree.h"

#include <gtest/gtest.h>

#include "syntax/walk.h"

namespace cuda_device::syntax {
namespace {

// def f(x, y=2): return x + math.exp(-1.5)
Function sample(Program& p) {
  Function f;
  f.name = "f";
  f.span.line = 7;
  f.args = p.make<arguments>({});
  auto* x = p.make<arg>({0, 7, 6, 7, 7});
  x->name = "x";
  f.args->args = {x};
  auto* use = p.make<Name>({0, 8, 11, 8, 12});
  use->id = "x";
  auto* exp = p.make<Name>({0, 8, 15, 8, 18});
  exp->id = "exp";
  auto* number = p.make<Constant>({0, 8, 19, 8, 22});
  number->value.kind = Value::Kind::Float;
  number->value.real = -1.5;
  auto* call = p.make<Call>({0, 8, 15, 8, 23});
  call->func = exp;
  call->args = {number};
  auto* sum = p.make<BinOp>({0, 8, 11, 8, 23});
  sum->left = use;
  sum->op = "Add";
  sum->right = call;
  auto* ret = p.make<Return>({0, 8, 4, 8, 23});
  ret->value = sum;
  f.body = {ret};
  Binding entity;
  entity.kind = Binding::Kind::Entity;
  entity.name = "math.exp";
  f.bindings[exp] = entity;
  return f;
}

TEST(Printer, showsNodesPlacesAndMeanings) {
  Program p;
  EXPECT_EQ(print(sample(p)),
            "function 'f' line 7\n"
            "  args: arguments\n"
            "    args: arg 'x' @7:7\n"
            "  body: Return @8:5\n"
            "    value: BinOp Add @8:12\n"
            "      left: Name 'x' @8:12\n"
            "      right: Call @8:16\n"
            "        func: Name 'exp' @8:16 -> math.exp\n"
            "        args: Constant -1.5 @8:20\n");
}

TEST(Printer, showsOptionsDefaultsAndUnsupported) {
  Program p;
  Function f;
  f.kind = FunctionKind::Kernel;
  f.name = "k";
  f.options.fmad = false;
  Binding two;
  two.kind = Binding::Kind::Constant;
  two.value.kind = Value::Kind::Int;
  two.value.integer = 2;
  two.value.typed = true;
  two.value.format = ScalarKind::I64;
  f.defaults = {two};
  auto* with = p.make<Unsupported>({0, 2, 4, 3, 8});
  with->what = "With";
  f.body = {with};
  EXPECT_EQ(print(f),
            "kernel 'k' line 0 fmad=False\n"
            "  default: int64(2)\n"
            "  body: Unsupported With @2:5\n");
}

TEST(Walk, visitsEveryChildInOrder) {
  Program p;
  const Function f = sample(p);
  std::vector<NodeKind> seen;
  auto visit = [&](const Node* n, auto&& self) -> void {
    seen.push_back(n->kind);
    for_each_child(*n, [&](const Node* child) { self(child, self); });
  };
  visit(f.body[0], visit);
  EXPECT_EQ(seen, (std::vector<NodeKind>{NodeKind::Return, NodeKind::BinOp, NodeKind::Name,
                                         NodeKind::Call, NodeKind::Name, NodeKind::Constant}));
}

}  // namespace
}  // namespace cuda_device::syntax
