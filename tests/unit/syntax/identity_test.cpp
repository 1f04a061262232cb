// Programs are the same where the compiler cannot tell them apart, and only there.
#include "syntax/identity.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

namespace cuda_device::syntax {
namespace {

// def k(a, n=2): x = -a[n]; return f(x, 0.5)  # f and a constant are free
struct Sample {
  Program program;
  arguments* args;
  arg* parameter;
  Name *called, *index;
  UnaryOp* minus;
  Assign* assign;
  Return* result;
  Constant* half;
  Call* call;

  Sample() {
    Function& f = program.functions.emplace_back();
    f.name = "k";
    f.kind = FunctionKind::Kernel;
    args = f.args = program.make<arguments>({});
    parameter = program.make<arg>({});
    parameter->name = "a";
    args->args = {parameter};
    index = name("n");
    auto* subscript = program.make<Subscript>({});
    subscript->value = name("a");
    subscript->slice = index;
    minus = program.make<UnaryOp>({});
    minus->op = "USub";
    minus->operand = subscript;
    assign = program.make<Assign>({});
    assign->targets = {name("x")};
    assign->value = minus;
    called = name("f");
    half = program.make<Constant>({});
    half->value.kind = Value::Kind::Float;
    half->value.real = 0.5;
    call = program.make<Call>({});
    call->func = called;
    call->args = {name("x"), half};
    result = program.make<Return>({});
    result->value = call;
    f.body = {assign, result};
    binding(called).kind = Binding::Kind::Function;
    binding(called).function = 1;
    binding(index).kind = Binding::Kind::Constant;
    binding(index).value.kind = Value::Kind::Int;
    binding(index).value.integer = 3;
    f.defaults = {binding(index)};
    program.functions.emplace_back(f).name = "g";
  }

  Name* name(const char* id) {
    auto* node = program.make<Name>({});
    node->id = id;
    return node;
  }
  Function& kernel() { return program.functions.front(); }
  Binding& binding(const Node* node) { return kernel().bindings[node]; }
};

using Change = std::function<void(Sample&)>;

std::string identity_after(const Change& change) {
  Sample sample;
  change(sample);
  return identity_of(sample.program);
}

TEST(Identity, IsOfTheContents) {
  EXPECT_EQ(identity_after([](Sample&) {}), identity_after([](Sample&) {}));
}

TEST(Identity, PlacesAreNoPartOfIt) {
  const Change move = [](Sample& s) {
    s.program.files = {{"elsewhere.py", 12, {"text"}}};
    s.program.depth = 9;
    s.kernel().span = {0, 4, 1, 4, 2};
    for (const auto& node : s.program.nodes) node->span = {0, 7, 3, 7, 9};
  };
  EXPECT_EQ(identity_after(move), identity_after([](Sample&) {}));
}

// What a kernel says when it fails holds its place: that in its function, and an assert's text.
TEST(Identity, PlacesOfFailuresAreInIt) {
  const auto with_assert = [](uint32_t definition, uint32_t line, const char* text) {
    return identity_after([=](Sample& s) {
      s.program.files = {{"k.py", line, {text}}};
      s.kernel().span = {0, definition, 0, definition, 3};
      auto* assertion = s.program.make<Assert>({0, line, 0, line, 10});
      assertion->test = s.name("b");
      assertion->test->span = {0, line, 0, line, 10};
      s.kernel().body.push_back(assertion);
    });
  };
  EXPECT_EQ(with_assert(1, 4, "x > 0"), with_assert(11, 14, "x > 0"));
  EXPECT_NE(with_assert(1, 4, "x > 0"), with_assert(1, 5, "x > 0"));
  EXPECT_NE(with_assert(1, 4, "x > 0"), with_assert(1, 4, "x>0"));
  const auto with_raise = [](uint32_t line) {
    return identity_after([=](Sample& s) {
      s.kernel().body.push_back(s.program.make<Raise>({0, line, 0, line, 5}));
    });
  };
  EXPECT_NE(with_raise(4), with_raise(5));
}

const Change kChanges[] = {
    [](Sample&) {},
    [](Sample& s) { s.kernel().name = "kk"; },
    [](Sample& s) { s.kernel().kind = FunctionKind::Func; },
    [](Sample& s) { s.kernel().options.fmad = false; },
    [](Sample& s) { s.kernel().options.fast_math.flush_subnormals = true; },
    [](Sample& s) { s.kernel().options.fast_math.reassociate = true; },
    [](Sample& s) { s.kernel().options.bounds.max_registers = 1; },
    [](Sample& s) { s.kernel().options.bounds.min_blocks = 1; },
    [](Sample& s) { s.kernel().defaults.clear(); },
    [](Sample& s) { s.kernel().kw_defaults.swap(s.kernel().defaults); },
    [](Sample& s) { s.kernel().defaults[0].value.integer = 4; },
    [](Sample& s) { s.kernel().returns = s.name("r"); },
    [](Sample& s) { s.kernel().body.pop_back(); },
    [](Sample& s) { s.kernel().body.push_back(s.program.make<Pass>({})); },
    [](Sample& s) { s.kernel().body.push_back(s.program.make<Break>({})); },
    [](Sample& s) { s.kernel().body.push_back(s.program.make<Unsupported>({})); },
    [](Sample& s) { s.parameter->name = "b"; },
    [](Sample& s) { s.parameter->annotation = s.name("t"); },
    [](Sample& s) { s.args->kwonlyargs.swap(s.args->args); },
    [](Sample& s) { s.args->posonlyargs.swap(s.args->args); },
    [](Sample& s) { s.args->kw_defaults = {nullptr}; },
    [](Sample& s) { s.args->kw_defaults = {nullptr, s.index}; },
    [](Sample& s) { s.args->kw_defaults = {s.index, nullptr}; },
    [](Sample& s) { s.args->vararg = s.name("v"); },
    [](Sample& s) { s.args->kwarg = s.name("v"); },
    [](Sample& s) { s.minus->op = "Invert"; },
    [](Sample& s) { s.minus->operand = s.index; },
    [](Sample& s) { s.assign->targets.push_back(s.name("y")); },
    [](Sample& s) { s.result->value = nullptr; },
    [](Sample& s) { std::swap(s.call->args[0], s.call->args[1]); },
    [](Sample& s) { s.call->keywords.push_back(s.call->args.back()), s.call->args.pop_back(); },
    [](Sample& s) { s.half->value.real = -0.5; },
    [](Sample& s) { s.half->value.imag = -0.0; },
    [](Sample& s) { s.half->value.kind = Value::Kind::Complex; },
    [](Sample& s) { s.half->value.typed = true; },
    [](Sample& s) { s.half->value.format = ScalarKind::F32; },
    [](Sample& s) { s.half->value.boolean = true; },
    [](Sample& s) { s.half->value.text = "0.5"; },
    [](Sample& s) { s.half->value.integer = __int128{1} << 100; },
    [](Sample& s) { s.half->value.elements.emplace_back(); },
    [](Sample& s) { s.binding(s.index).value.integer = 5; },
    [](Sample& s) { s.binding(s.index).kind = Binding::Kind::Undefined; },
    [](Sample& s) { s.binding(s.index).name = "math.pi"; },
    [](Sample& s) { s.binding(s.index).is_hint = true; },
    [](Sample& s) { s.binding(s.called).function = 0; },
    [](Sample& s) { s.kernel().bindings.erase(s.called); },
    [](Sample& s) { s.program.functions.pop_back(); },
    [](Sample& s) { s.program.functions[1].body.clear(); },
};

TEST(Identity, EveryOtherChangeShows) {
  std::set<std::string> seen;
  for (size_t i = 0; i < std::size(kChanges); ++i)
    EXPECT_TRUE(seen.insert(identity_after(kChanges[i])).second) << "change " << i;
}

TEST(Identity, TextsDoNotRunIntoOneAnother) {
  const auto named = [](const char* function, const char* parameter) {
    return identity_after([=](Sample& s) {
      s.kernel().name = function;
      s.parameter->name = parameter;
    });
  };
  EXPECT_NE(named("ab", "c"), named("a", "bc"));
}

TEST(Identity, OfTheDeepestProgramTakesNoStack) {
  Sample sample;
  Node* inner = sample.index;
  for (int i = 0; i < 1000000; ++i) {
    auto* outer = sample.program.make<UnaryOp>({});
    outer->operand = inner;
    inner = outer;
  }
  sample.result->value = inner;
  EXPECT_GT(identity_of(sample.program).size(), 1000000u);
}

}  // namespace
}  // namespace cuda_device::syntax
