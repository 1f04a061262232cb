#include <string>

#include "ir/ir.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

Type type_of_explicit(const Function& f, Op op, const std::vector<Inst*>& operands, int64_t imm) {
  switch (op) {
    case Op::Param:
      return f.params.at(static_cast<size_t>(imm)).type;
    case Op::SlotLoad:
      return f.slots.at(static_cast<size_t>(imm)).type;
    case Op::Array:
      return f.arrays.at(static_cast<size_t>(imm)).type;
    case Op::DynamicShared:
      return kDynamicShared;
    case Op::Select:
      return operands.at(1)->type;
    case Op::Ldexp:
      return operands.at(0)->type;
    case Op::VoteAll:
    case Op::VoteAny:
    case Op::VoteEq:
      return kBool;
    case Op::Shuffle:
    case Op::ShuffleUp:
    case Op::ShuffleDown:
    case Op::ShuffleXor:
      return operands.at(1)->type;
    default:
      CD_UNREACHABLE("the type of '" + std::string(info(op).text) +
                     "' does not follow; use typed()");
  }
}

Type result_type(const Function& f, Op op, const std::vector<Inst*>& operands, int64_t imm) {
  switch (info(op).result) {
    case ResultRule::None:
      return Type::none();
    case ResultRule::Same:
    case ResultRule::SameInt:
    case ResultRule::SameFloat:
    case ResultRule::SameNum:
      return operands.at(0)->type;
    case ResultRule::Bool:
      return kBool;
    case ResultRule::Element:  // not of records: typed()
      return Type::of(operands.at(0)->type.scalar());
    case ResultRule::I32:
      return kI32;
    case ResultRule::I64:
      return kI64;
    case ResultRule::U32:
      return kU32;
    case ResultRule::Explicit:
      return type_of_explicit(f, op, operands, imm);
  }
  CD_UNREACHABLE("unknown result rule");
}

}  // namespace

Inst* Builder::op(Op op, std::initializer_list<Inst*> operands, int64_t imm) {
  const std::vector<Inst*> list(operands);
  return typed(op, result_type(*function_, op, list, imm), list, imm);
}

Inst* Builder::typed(Op op, Type type, std::vector<Inst*> operands, int64_t imm) {
  Inst* inst = function_->create(op, type, span_);
  inst->operands = std::move(operands);
  inst->imm = imm;
  block_->insts.push_back(inst);
  const bool apart = products_apart_ && op == Op::Mul && type.is_float() && !type.is_stored();
  return apart ? typed(Op::Convert, type, {inst}) : inst;
}

Inst* Builder::const_int(Type type, int64_t value) {
  CD_CHECK(type.is_int() || type.is_bool(), "const_int of " + to_string(type));
  return typed(Op::Const, type, {}, canonical(type.scalar(), value));
}

Inst* Builder::const_float(Type type, double value) {
  CD_CHECK(type.is_float(), "const_float of " + to_string(type));
  return typed(Op::Const, type, {}, float_bits(type.scalar(), value));
}

Inst* Builder::slot_load(uint32_t slot) { return op(Op::SlotLoad, {}, slot); }

Inst* Builder::slot_store(uint32_t slot, Inst* value) { return op(Op::SlotStore, {value}, slot); }

Inst* Builder::control(Op op, std::vector<Inst*> operands, int regions, int64_t imm) {
  Inst* inst = typed(op, Type::none(), std::move(operands), imm);
  inst->regions.resize(static_cast<size_t>(regions));
  return inst;
}

}  // namespace cuda_device::ir
