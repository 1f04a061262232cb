// A small valid function around any operation of op.def.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/ir.h"

namespace cuda_device::ir {

inline std::vector<Op> all_ops() {
  return {
#define OP(name, ...) Op::name,
#include "ir/op.def"
  };
}

inline const Type kTestArray = Type::array(ScalarKind::F32, 2);
inline const Type kTestPairs = Type::array(RecordSize{16, 16}, 1);

// Types of operands that the operation takes.
inline std::vector<Type> sample_operands(Op op) {
  switch (op) {
    case Op::Select:
      return {kBool, kI32, kI32};
    case Op::Ldexp:
      return {kF32, kI32};
    case Op::Wrap:
      return {kI32, kI64};
    case Op::Extent:
    case Op::Stride:
      return {kTestArray};
    case Op::View:
      return {kTestArray, kI64, kI64, kI64};
    case Op::Print:
    case Op::Opaque:
      return {kI32, kF32};
    case Op::Check:
    case Op::If:
    case Op::Yield:
    case Op::BarrierCount:
    case Op::BarrierAnd:
    case Op::BarrierOr:
      return {kBool};
    case Op::Return:
      return {};
    case Op::FrexpExponent:
      return {kF32};
    case Op::WarpSync:
    case Op::WarpCheck:
      return {kU32};
    case Op::VoteAll:
    case Op::VoteAny:
    case Op::VoteEq:
    case Op::Ballot:
      return {kU32, kBool};
    case Op::Shuffle:
    case Op::ShuffleUp:
    case Op::ShuffleDown:
    case Op::ShuffleXor:
      return {kU32, kF32, kI32};
    case Op::MatchAny:
    case Op::MatchAll:
      return {kU32, kF32};
    case Op::AtomicLoadPair:
      return {kTestPairs, kI32};
    case Op::AtomicStorePair:
      return {kTestPairs, kI32, kI64, kI64};
    default:
      break;
  }
  const auto count = static_cast<size_t>(info(op).operands);
  if (const Where where = info(op).effects.where;
      where == Where::Element || where == Where::AtomicElement) {
    std::vector<Type> types = {kTestArray, kI32, kI64};
    types.insert(types.end(), count, Type::of(kTestArray.scalar()));
    return types;
  }
  const bool is_float = info(op).result == ResultRule::SameFloat ||
                        info(op).result == ResultRule::SameNum ||
                        info(op).result == ResultRule::Bool;
  return std::vector<Type>(count, is_float ? kF32 : kI32);
}

inline Type sample_result(Op op) {
  switch (op) {
    case Op::Const:
    case Op::SlotLoad:
      return kI32;
    case Op::Param:
      return kTestArray;
    case Op::View:
      return Type::array(ScalarKind::F32, 1);
    case Op::Convert:
    case Op::Bitcast:
      return kF32;
    default:
      return {};  // follows from the operands
  }
}

// Builds instructions on top of one parameter for each type.
class Sample {
 public:
  Sample() {
    function->name = "sample";
    function->params.push_back({"array", kTestArray, {}, {}});
    for (int i = 0; i < kScalarCount; ++i) {
      const auto kind = static_cast<ScalarKind>(i);
      function->params.push_back({std::string(name_of(kind)), Type::of(kind), {}, {}});
    }
    function->params.push_back({"pairs", kTestPairs, {}, {}});
    function->slots.push_back({"slot", kI32});
    const Type own = Type::array(ScalarKind::F32, 2, AddressSpace::Shared);
    function->arrays.push_back({"tile", own, {3, 5}, {20, 4}, 16, {}});
    function->failures.push_back({"ValueError", {"a \"text\"\n", {}}, true, 3, -4});
    function->formats.push_back({"{} {{}} {:.3f}\n", {ScalarKind::I32, ScalarKind::F32}});
  }

  Inst* value(Builder& b, Type type) {
    if (type == kTestPairs) return b.op(Op::Param, {}, 1 + kScalarCount);
    return b.op(Op::Param, {}, type.is_array() ? 0 : 1 + static_cast<int64_t>(type.scalar()));
  }

  Inst* add(Builder& b, Op op) {
    if (op == Op::AtomicSecond) return b.op(op, {add(b, Op::AtomicLoadPair)});
    if (op == Op::Call) return call(b);
    if (op == Op::CallResult) return b.typed(op, kF32, {call(b)}, 1);
    std::vector<Inst*> operands;
    for (Type type : sample_operands(op)) operands.push_back(value(b, type));
    if (Type type = sample_result(op); !type.is_none()) return b.typed(op, type, operands);
    switch (operands.size()) {
      case 0:
        return b.op(op, {});
      case 1:
        return b.op(op, {operands[0]});
      case 2:
        return b.op(op, {operands[0], operands[1]});
      case 3:
        return b.op(op, {operands[0], operands[1], operands[2]});
      case 4:
        return b.op(op, {operands[0], operands[1], operands[2], operands[3]});
      default:
        return b.op(op, {operands[0], operands[1], operands[2], operands[3], operands[4]});
    }
  }

  // Calls a function that gives its operand twice, once as a float.
  Inst* call(Builder& b) {
    auto called = std::make_unique<Function>();
    called->name = "called";
    called->kernel = function.get();
    called->params = function->params;
    called->arrays = function->arrays;
    called->failures = function->failures;
    called->formats = function->formats;
    called->results = {kI32, kF32};
    const auto own = static_cast<int64_t>(called->params.size());
    called->params.push_back({"own", kI32, {}, {}});
    Builder inside(*called, called->body);
    Inst* given = inside.op(Op::Param, {}, own);
    Inst* converted = inside.typed(Op::Convert, kF32, {given});
    inside.typed(Op::Return, Type::none(), {given, converted});
    function->functions.push_back(std::move(called));
    return b.typed(Op::Call, kI32, {value(b, kI32)}, 0);
  }

  // A while with the given last instruction in one of its regions.
  void loop(Op in_body) {
    Builder b(*function, function->body);
    Inst* loop = add(b, Op::While);
    Builder condition(*function, loop->regions[0]);
    add(condition, Op::Yield);
    if (in_body == Op::Break || in_body == Op::Continue) {
      Builder body(*function, loop->regions[1]);
      add(body, in_body);
    }
  }

  std::unique_ptr<Function> function = std::make_unique<Function>();
};

inline std::unique_ptr<Function> function_with(Op op) {
  Sample s;
  Builder b(*s.function, s.function->body);
  if (op == Op::While || op == Op::Yield || op == Op::Break || op == Op::Continue) {
    s.loop(op);
  } else if (op == Op::Leave) {
    Builder inside(*s.function, s.add(b, Op::Scope)->regions[0]);
    s.add(inside, op);
  } else {
    s.add(b, op);
  }
  return std::move(s.function);
}

}  // namespace cuda_device::ir
