#include "codegen/thread/arrays.h"

#include <algorithm>

#include "codegen/constant_arrays.h"
#include "codegen/thread/calls.h"
#include "support/check.h"

namespace cuda_device::codegen::thread {
namespace {

using ir::Inst;
using ir::Op;

// No kernel has a $ in its symbol.
constexpr const char* kConstant = "constant$";

}  // namespace

// On the stack of the thread; what is only reached by constant indices ends in registers.
llvm::Value* Arrays::local(size_t array) const {
  const ir::Allocation& a = c_.function.arrays[array];
  const ScalarKind element = a.type.has_records() ? ScalarKind::U8 : a.type.scalar();
  const uint64_t count = a.bytes() / static_cast<uint64_t>(bytes_of(element));
  auto* memory = c_.variable(llvm::ArrayType::get(memory_type(c_.llvm(), element), count));
  memory->setAlignment(llvm::Align(a.align));
  return memory;
}

llvm::Value* Arrays::own(size_t array) {
  const ir::Allocation& a = c_.function.arrays[array];
  if (a.lent) return lent_array(c_, static_cast<uint32_t>(array));
  if (!memory_[array]) {
    const bool is_shared = a.type.space == ir::AddressSpace::Shared;
    memory_[array] = a.is_constant()
                         ? constant_variable(c_.module, a, kConstant + std::to_string(array),
                                             platform_.constant_space())
                     : is_shared ? platform_.shared(array)
                                 : local(array);
  }
  return memory_[array];
}

llvm::Value* Arrays::data(const Inst& array) {
  switch (array.op) {
    case Op::Param:
      return platform_.data(static_cast<uint32_t>(array.imm));
    case Op::Array:
      return own(static_cast<size_t>(array.imm));
    case Op::DynamicShared:
      return platform_.dynamic_shared();
    case Op::View:
      return c_.b.CreateGEP(c_.b.getInt8Ty(), data(*array.operands[0]), c_.operand(array, 1));
    default:
      CD_UNREACHABLE("no array: " + std::string(ir::info(array.op).text));
  }
}

llvm::Value* Arrays::extent(const Inst& array, int64_t axis) {
  const auto i = static_cast<size_t>(axis);
  switch (array.op) {
    case Op::Param:
      return platform_.extent(static_cast<uint32_t>(array.imm), axis);
    case Op::Array:
      return c_.b.getInt64(
          static_cast<uint64_t>(c_.function.arrays[static_cast<size_t>(array.imm)].shape[i]));
    case Op::DynamicShared:
      return platform_.dynamic_shared_bytes();
    case Op::View:
      return c_.operand(array, 2 + i);
    default:
      CD_UNREACHABLE("no array: " + std::string(ir::info(array.op).text));
  }
}

llvm::Value* Arrays::stride(const Inst& array, int64_t axis) {
  const auto i = static_cast<size_t>(axis);
  switch (array.op) {
    case Op::Param:
      return platform_.stride(static_cast<uint32_t>(array.imm), axis);
    case Op::Array:
      return c_.b.getInt64(
          static_cast<uint64_t>(c_.function.arrays[static_cast<size_t>(array.imm)].strides[i]));
    case Op::DynamicShared:
      return c_.b.getInt64(1);
    case Op::View:
      return c_.operand(array, 2 + array.type.ndim + i);
    default:
      CD_UNREACHABLE("no array: " + std::string(ir::info(array.op).text));
  }
}

// A field of records lies as they do: of packed ones it may lie anywhere.
llvm::Align Arrays::alignment(const Inst& array) const {
  const Inst* base = &array;
  uint32_t align = array.type.element_align();
  while (base->op == Op::View) {
    base = base->operands[0];
    if (base->type.has_records()) align = std::min(align, base->type.element_align());
  }
  if (base->op == Op::Param &&
      !c_.function.params[static_cast<size_t>(base->imm)].facts.element_aligned)
    return llvm::Align(1);
  return llvm::Align(align);
}

}  // namespace cuda_device::codegen::thread
