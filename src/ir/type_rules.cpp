#include "ir/type_rules.h"

#include <algorithm>

#include "ir/atomic.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

const std::string kFine;

using Test = bool (*)(Type);
bool any_scalar(Type t) { return t.is_scalar(); }
bool int_or_bool(Type t) { return t.is_int() || t.is_bool(); }
bool any_int(Type t) { return t.is_int(); }
bool any_float(Type t) { return t.is_float(); }
bool any_number(Type t) { return t.is_int() || t.is_float(); }
bool any_array(Type t) { return t.is_array(); }

std::string operand_name(size_t i) { return "operand " + std::to_string(i); }

std::string expect(const std::string& what, Type found, Type wanted) {
  if (found == wanted) return kFine;
  return what + " is " + to_string(found) + ", expected " + to_string(wanted);
}

std::string expect(const std::string& what, Type found, Test test, const char* wanted) {
  if (test(found)) return kFine;
  return what + " is " + to_string(found) + ", expected " + wanted;
}

std::string operand_is(const Inst& inst, size_t i, Type wanted) {
  return expect(operand_name(i), inst.operands[i]->type, wanted);
}

std::string operand_is(const Inst& inst, size_t i, Test test, const char* wanted) {
  return expect(operand_name(i), inst.operands[i]->type, test, wanted);
}

std::string result_is(const Inst& inst, Type wanted) { return expect("result", inst.type, wanted); }

// The first complaint.
std::string first(std::initializer_list<std::string> complaints) {
  for (const std::string& complaint : complaints) {
    if (!complaint.empty()) return complaint;
  }
  return kFine;
}

std::string operands_are(const Inst& inst, Type wanted) {
  for (size_t i = 0; i < inst.operands.size(); ++i) {
    if (std::string e = operand_is(inst, i, wanted); !e.empty()) return e;
  }
  return kFine;
}

std::string operands_are(const Inst& inst, Test test, const char* wanted) {
  for (size_t i = 0; i < inst.operands.size(); ++i) {
    if (std::string e = operand_is(inst, i, test, wanted); !e.empty()) return e;
  }
  return kFine;
}

std::string all_of(const Inst& inst, Test test, const char* wanted) {
  return first({expect("result", inst.type, test, wanted), operands_are(inst, inst.type)});
}

std::string compared(const Inst& inst, Test test, const char* wanted) {
  return first({result_is(inst, kBool), operand_is(inst, 0, test, wanted),
                operands_are(inst, inst.operands[0]->type)});
}

bool accesses_element(Op op) {
  const Where where = info(op).effects.where;
  return where == Where::Element || where == Where::AtomicElement;
}

std::string count_error(const Inst& inst, int wanted) {
  if (wanted < 0 || inst.operands.size() == static_cast<size_t>(wanted)) return kFine;
  return std::to_string(inst.operands.size()) + " operands, expected " + std::to_string(wanted);
}

std::string missing_operand(const Inst& inst) {
  for (size_t i = 0; i < inst.operands.size(); ++i) {
    if (!inst.operands[i]) return operand_name(i) + " is missing";
    if (inst.operands[i]->type.is_none()) return operand_name(i) + " has no value";
  }
  return kFine;
}

// Rules that op.def's result column states by itself.
std::string result_rule_error(const Inst& inst) {
  switch (info(inst.op).result) {
    case ResultRule::None:
      return result_is(inst, Type::none());
    case ResultRule::Same:
      return all_of(inst, int_or_bool, "an integer or bool");
    case ResultRule::SameInt:
      return all_of(inst, any_int, "an integer");
    case ResultRule::SameFloat:
      return all_of(inst, any_float, "a float");
    case ResultRule::SameNum:
      return all_of(inst, any_number, "an integer or float");
    case ResultRule::Bool:
      return compared(inst, any_scalar, "a scalar");
    case ResultRule::I32:
      return result_is(inst, kI32);
    case ResultRule::I64:
      return result_is(inst, kI64);
    case ResultRule::U32:
      return result_is(inst, kU32);
    case ResultRule::Element:
      return kFine;  // with the operands
    case ResultRule::Explicit:
      return kFine;  // below, by hand
  }
  CD_UNREACHABLE("unknown result rule");
}

std::string index_error(int64_t index, size_t count, const char* what) {
  if (index >= 0 && static_cast<uint64_t>(index) < count) return kFine;
  return std::string("there is no ") + what + " " + std::to_string(index);
}

std::string atomic_immediate_error(const Inst& inst) {
  const auto spec = AtomicSpec::decoded(inst.imm);
  if (!spec) return "there is no such kind, order and scope";
  const bool loads = inst.op == Op::AtomicLoad || inst.op == Op::AtomicLoadPair;
  return spec->waits && !loads ? "only loads wait" : kFine;
}

std::string immediate_error(const Function& f, const Inst& inst) {
  switch (info(inst.op).imm) {
    case ImmKind::Slot:
      return index_error(inst.imm, f.slots.size(), "slot");
    case ImmKind::Param:
      return index_error(inst.imm, f.params.size(), "parameter");
    case ImmKind::Array:
      return index_error(inst.imm, f.arrays.size(), "array");
    case ImmKind::Failure:
      return index_error(inst.imm, f.failures.size(), "failure");
    case ImmKind::Format:
      return index_error(inst.imm, f.formats.size(), "format");
    case ImmKind::Function:
      return index_error(inst.imm, f.module().functions.size(), "function");
    case ImmKind::Axis:
      return inst.operands.empty() ? index_error(inst.imm, 3, "axis") : kFine;
    case ImmKind::Atomic:
      return atomic_immediate_error(inst);
    case ImmKind::Leaf:  // with the operands
    case ImmKind::Depth:
    case ImmKind::None:
    case ImmKind::Int:
    case ImmKind::Value:
      return kFine;
  }
  CD_UNREACHABLE("unknown kind of immediate");
}

std::string constant_error(const Inst& inst) {
  if (!inst.type.is_scalar()) return "a constant is a scalar, not " + to_string(inst.type);
  return canonical(inst.type.scalar(), inst.imm) == inst.imm
             ? kFine
             : "the constant does not fit " + to_string(inst.type);
}

std::string select_error(const Inst& inst) {
  return first({operand_is(inst, 0, kBool), operand_is(inst, 1, any_scalar, "a scalar"),
                operand_is(inst, 1, inst.type), operand_is(inst, 2, inst.type)});
}

std::string bitcast_error(const Inst& inst) {
  const Type from = inst.operands[0]->type;
  std::string e = first({operand_is(inst, 0, any_number, "an integer or float"),
                         expect("result", inst.type, any_number, "an integer or float")});
  if (!e.empty()) return e;
  return from.bits() == inst.type.bits() ? kFine : "the sizes of operand and result differ";
}

std::string array_axis_error(const Inst& inst) {
  std::string e = operand_is(inst, 0, any_array, "an array");
  return e.empty() ? index_error(inst.imm, inst.operands[0]->type.ndim, "axis") : e;
}

// A scalar that lies within the record.
std::string leaf_error(const Inst& inst, Type array, Type leaf) {
  if (!leaf.is_scalar()) return "the scalar of a record is " + to_string(leaf);
  const int64_t last = inst.imm + bytes_of(leaf.scalar());
  return inst.imm >= 0 && last <= static_cast<int64_t>(array.record().bytes)
             ? kFine
             : "the scalar lies outside of the record";
}

// The type of what is accessed: the result, or the last operand.
Type accessed_type(const Inst& inst) {
  return inst.type.is_none() ? inst.operands.back()->type : inst.type;
}

// Elements of atomic operations are scalars that the operation is for.
std::string atomic_error(const Inst& inst, Type array) {
  if (info(inst.op).imm != ImmKind::Atomic) return kFine;
  if (array.space == AddressSpace::Local) return "no other thread sees a local array";
  if (array.has_records()) return "the elements are records";
  const AtomicKind kind = AtomicSpec::decoded(inst.imm)->kind;
  return is_for(kind, array.scalar()) ? kFine : "it is not for elements of " + to_string(array);
}

// Array of records of 16 bytes, one index per axis, then so many int64.
std::string pair_error(const Inst& inst, size_t values) {
  if (inst.operands.empty()) return "no operands, expected an array";
  if (std::string e = operand_is(inst, 0, any_array, "an array"); !e.empty()) return e;
  const Type array = inst.operands[0]->type;
  if (array.space == AddressSpace::Local) return "no other thread sees a local array";
  if (array.record() != RecordSize{16, 16}) return "the elements are no records of 16 bytes";
  const size_t indices = array.ndim;
  if (std::string e = count_error(inst, static_cast<int>(1 + indices + values)); !e.empty())
    return e;
  for (size_t i = 1; i < inst.operands.size(); ++i) {
    std::string e =
        i <= indices ? operand_is(inst, i, any_int, "an integer index") : operand_is(inst, i, kI64);
    if (!e.empty()) return e;
  }
  return kFine;
}

// Array, one index per axis, then values of the element's type.
std::string element_error(const Inst& inst) {
  if (inst.operands.empty()) return "no operands, expected an array";
  if (std::string e = operand_is(inst, 0, any_array, "an array"); !e.empty()) return e;
  const Type array = inst.operands[0]->type;
  if (std::string e = atomic_error(inst, array); !e.empty()) return e;
  const Type element = array.has_records() ? accessed_type(inst) : Type::of(array.scalar());
  if (array.has_records()) {
    if (std::string e = leaf_error(inst, array, element); !e.empty()) return e;
  } else if (leaf_offset(inst) != 0) {
    return "the elements are no records";
  }
  const size_t values = 1 + static_cast<size_t>(inst.operands[0]->type.ndim);
  if (std::string e = count_error(inst, static_cast<int>(values) + info(inst.op).operands);
      !e.empty()) {
    return e;
  }
  for (size_t i = 1; i < inst.operands.size(); ++i) {
    std::string e = i < values ? operand_is(inst, i, any_int, "an integer index")
                               : operand_is(inst, i, element);
    if (!e.empty()) return e;
  }
  return info(inst.op).result == ResultRule::Element ? result_is(inst, element) : kFine;
}

// Array, offset, extents and strides of the result.
std::string view_error(const Inst& inst) {
  if (inst.operands.empty()) return "no operands, expected an array";
  if (std::string e = first({operand_is(inst, 0, any_array, "an array"),
                             expect("result", inst.type, any_array, "an array")});
      !e.empty()) {
    return e;
  }
  if (inst.operands[0]->type.space != inst.type.space) return "the address spaces differ";
  const size_t wanted = 2 + 2 * static_cast<size_t>(inst.type.ndim);
  if (inst.operands.size() != wanted) {
    return std::to_string(inst.operands.size()) + " operands, expected " + std::to_string(wanted);
  }
  for (size_t i = 1; i < wanted; ++i) {
    if (std::string e = operand_is(inst, i, kI64); !e.empty()) return e;
  }
  return kFine;
}

std::string for_error(const Function& f, const Inst& inst) {
  const Type slot = f.slots[static_cast<size_t>(inst.imm)].type;
  return first({expect("the slot", slot, any_int, "an integer"), operands_are(inst, slot)});
}

// A mask, then a bool for each that a vote takes.
std::string vote_error(const Inst& inst) {
  return first({operand_is(inst, 0, kU32), operand_is(inst, 1, kBool),
                inst.op == Op::Ballot ? kFine : result_is(inst, kBool)});
}

// Bits are moved and compared as integers, or floats that are computed in.
bool is_shuffled(Type t) { return t.is_scalar() && !t.is_stored(); }

std::string shuffle_error(const Inst& inst) {
  return first({operand_is(inst, 0, kU32),
                operand_is(inst, 1, is_shuffled, "a scalar that is not only stored"),
                operand_is(inst, 1, inst.type), operand_is(inst, 2, kI32)});
}

std::string match_error(const Inst& inst) {
  return first({operand_is(inst, 0, kU32),
                operand_is(inst, 1, is_shuffled, "a scalar that is not only stored")});
}

// The format says what it writes: the operands from `first` on.
std::string format_error(const Inst& inst, const PrintFormat& format, size_t first) {
  const std::vector<DtypeId>& wanted = format.arguments;
  if (wanted.size() > kMostPrinted) return "too many values for one text";
  if (std::string e = count_error(inst, static_cast<int>(first + wanted.size())); !e.empty())
    return e;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const Type type = Type::of(wanted[i].scalar());
    if (std::string e = operand_is(inst, first + i, type); !e.empty()) return e;
  }
  return kFine;
}

std::string check_error(const Function& f, const Inst& inst) {
  const std::string e = format_error(inst, f.failures[static_cast<size_t>(inst.imm)].message, 1);
  return e.empty() ? operand_is(inst, 0, kBool) : e;
}

// An array of the function's table: where callers lend it, this one has to have it from its own.
std::string own_array_error(const Function& f, const Inst& inst) {
  const auto number = static_cast<uint32_t>(inst.imm);
  if (f.arrays[number].lent && std::ranges::find(f.lent, number) == f.lent.end())
    return "array &" + std::to_string(number) + " is not lent to this function";
  return result_is(inst, f.arrays[number].type);
}

// The whole of a local array, which has the size that the function takes it for.
std::string lent_error(const Function& f, const Inst& inst, size_t operand, uint32_t lent) {
  if (std::string e = operand_is(inst, operand, f.arrays[lent].type); !e.empty()) return e;
  const Inst& array = *inst.operands[operand];
  if (array.op != Op::Array) return "operand " + std::to_string(operand) + " is no whole array";
  const Allocation &given = f.arrays[static_cast<size_t>(array.imm)], &taken = f.arrays[lent];
  if (given.shape == taken.shape && given.strides == taken.strides) return kFine;
  return "operand " + std::to_string(operand) + " is of another shape";
}

// A scalar for each of the function's own parameters, then what it is lent.
std::string call_error(const Function& f, const Inst& inst) {
  const Function& called = called_function(f, inst);
  const size_t before = f.kernel_params(), scalars = called.params.size() - before;
  if (std::string e = count_error(inst, static_cast<int>(scalars + called.lent.size())); !e.empty())
    return e;
  for (size_t i = 0; i < scalars; ++i) {
    if (std::string e = operand_is(inst, i, called.params[before + i].type); !e.empty()) return e;
  }
  for (size_t i = 0; i < called.lent.size(); ++i) {
    if (std::string e = lent_error(f, inst, scalars + i, called.lent[i]); !e.empty()) return e;
  }
  return result_is(inst, called.results.empty() ? Type::none() : called.results[0]);
}

std::string call_result_error(const Function& f, const Inst& inst) {
  const Inst& call = *inst.operands[0];
  if (call.op != Op::Call) return "operand 0 is no call";
  const std::vector<Type>& results = called_function(f, call).results;
  if (inst.imm < 1) return "the first result is the call itself";
  if (std::string e = index_error(inst.imm, results.size(), "result"); !e.empty()) return e;
  return result_is(inst, results[static_cast<size_t>(inst.imm)]);
}

std::string return_error(const Function& f, const Inst& inst) {
  if (std::string e = count_error(inst, static_cast<int>(f.results.size())); !e.empty()) return e;
  for (size_t i = 0; i < inst.operands.size(); ++i) {
    if (std::string e = operand_is(inst, i, f.results[i]); !e.empty()) return e;
  }
  return kFine;
}

// Rules that stand in op.def's words only.
std::string worded_rule_error(const Function& f, const Inst& inst) {
  switch (inst.op) {
    case Op::Const:
      return constant_error(inst);
    case Op::Param:
      return result_is(inst, f.params[static_cast<size_t>(inst.imm)].type);
    case Op::SlotLoad:
      return result_is(inst, f.slots[static_cast<size_t>(inst.imm)].type);
    case Op::SlotStore:
      return operand_is(inst, 0, f.slots[static_cast<size_t>(inst.imm)].type);
    case Op::Select:
      return select_error(inst);
    case Op::Convert:
      return first({operand_is(inst, 0, any_scalar, "a scalar"),
                    expect("result", inst.type, any_scalar, "a scalar")});
    case Op::Bitcast:
      return bitcast_error(inst);
    case Op::Popc:
    case Op::Clz:
    case Op::Ffs:
      return operand_is(inst, 0, any_int, "an integer");
    case Op::IsNan:
    case Op::IsInf:
    case Op::IsFinite:
    case Op::FrexpExponent:
      return operand_is(inst, 0, any_float, "a float");
    case Op::Ldexp:
      return first({operand_is(inst, 0, any_float, "a float"), operand_is(inst, 0, inst.type),
                    operand_is(inst, 1, kI32)});
    case Op::Extent:
    case Op::Stride:
      return array_axis_error(inst);
    case Op::Wrap:
      return first({operand_is(inst, 0, any_int, "an integer"), operand_is(inst, 1, kI64)});
    case Op::Array:
      return own_array_error(f, inst);
    case Op::DynamicShared:
      return result_is(inst, kDynamicShared);
    case Op::View:
      return view_error(inst);
    case Op::BarrierCount:
    case Op::BarrierAnd:
    case Op::BarrierOr:
    case Op::If:
    case Op::Yield:
      return operand_is(inst, 0, kBool);
    case Op::WarpSync:
    case Op::WarpCheck:
      return operand_is(inst, 0, kU32);
#define VOTE(name, ...) case Op::name:
#include "ir/op.def"
      return vote_error(inst);
#define SHUFFLE(name, ...) case Op::name:
#include "ir/op.def"
      return shuffle_error(inst);
#define MATCH(name, ...) case Op::name:
#include "ir/op.def"
      return match_error(inst);
    case Op::Check:
      return check_error(f, inst);
    case Op::Print:
      return format_error(inst, f.formats[static_cast<size_t>(inst.imm)], 0);
    case Op::Opaque:
      return operands_are(inst, any_scalar, "a scalar");
    case Op::Call:
      return call_error(f, inst);
    case Op::CallResult:
      return call_result_error(f, inst);
    case Op::Return:
      return return_error(f, inst);
    case Op::For:
      return for_error(f, inst);
    case Op::AtomicLoadPair:
      return pair_error(inst, 0);
    case Op::AtomicStorePair:
      return pair_error(inst, 2);
    case Op::AtomicSecond:
      return inst.operands[0]->op == Op::AtomicLoadPair ? kFine
                                                        : "operand 0 is no atomic_load_pair";
    default:
      if (accesses_element(inst.op)) return element_error(inst);
      return info(inst.op).result == ResultRule::Explicit ? "no rule says its type" : kFine;
  }
}

}  // namespace

std::string type_error(const Function& f, const Inst& inst) {
  // The order matters: each rule relies on the ones before it.
  const int count = accesses_element(inst.op) ? -1 : info(inst.op).operands;
  if (std::string e = count_error(inst, count); !e.empty()) return e;
  if (std::string e = missing_operand(inst); !e.empty()) return e;
  if (std::string e = immediate_error(f, inst); !e.empty()) return e;
  if (std::string e = result_rule_error(inst); !e.empty()) return e;
  return worded_rule_error(f, inst);
}

}  // namespace cuda_device::ir
