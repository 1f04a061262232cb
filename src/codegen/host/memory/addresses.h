// Where the lanes of a gang load from or store to: the address of an array's element, from indices
// by their shapes.
#pragma once

#include "codegen/host/memory/arrays.h"
#include "codegen/host/memory/unclamped_index.h"

namespace cuda_device::codegen::host {

// pointer, and for each lane: nothing more, column * s0 + row * s1 bytes, or its offset.
struct Address {
  Lanes::Kind kind = Lanes::Kind::Uniform;
  Element element;
  ScalarKind offset = ScalarKind::I64;  // holds every offset in bytes
  llvm::Value* pointer = nullptr;
  llvm::Value* s0 = nullptr;
  llvm::Value* s1 = nullptr;
  unsigned period = 0;  // lanes of a row
  Offsets offsets;
  // Of an array that has its lines to itself: where the pointer lies, in bytes from its beginning.
  std::optional<analysis::Congruence> start;
};

inline bool is_constant(llvm::Value* value, int64_t number) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant && constant->getSExtValue() == number;
}

class Addresses {
 public:
  Addresses(EmitContext& context, LaneValues& values, Arrays& arrays)
      : c_(context), values_(values), arrays_(arrays), bare_(context, values) {}

  // `bare`: by the bare values behind varying indices.
  Address of(const ir::Inst& inst, size_t indices, bool bare = false);
  llvm::Value* stride(const ir::Inst& inst, size_t axis) {  // int64, bytes
    return arrays_.stride(*inst.operands[0], static_cast<unsigned>(axis));
  }
  // i1: that is the same in all active lanes. Null where it would not help.
  llvm::Value* may_be_unclamped(const ir::Inst& inst, size_t indices);

 private:
  using Value = llvm::Value*;
  struct Term {
    const ir::Inst* index;
    Value stride;
    bool bare = false;  // none of its lanes, active or not, is negative or has wrapped
  };
  using Terms = llvm::SmallVector<Term, 4>;
  Terms terms(const ir::Inst& inst, size_t indices, const ArrayBase& array, bool bare) const;
  bool is_varying(llvm::ArrayRef<Term> terms, unsigned period, ScalarKind offset);
  analysis::Congruence start_of(llvm::ArrayRef<Term> terms) const;
  bool is_one(const Term& term) const;
  bool has_steps(const Term& term, unsigned period, ScalarKind offset);
  unsigned common_period(llvm::ArrayRef<Term> terms) const;
  bool steps_in_int64(const ir::Inst& index, ScalarKind offset) const;
  bool may_wrap(const ir::Inst& index, ScalarKind offset) const;
  void add_uniform(Address& address, const Term& term);
  void add_affine(Address& address, const Term& term);
  void add_varying(Address& address, const Term& term, bool only);
  void add_lanes(Address& address, uint64_t step, bool varying);
  Value product(Value x, Value y);
  Value sum(Value x, Value y);

  EmitContext& c_;
  LaneValues& values_;
  Arrays& arrays_;
  BareIndices bare_;
};

}  // namespace cuda_device::codegen::host
