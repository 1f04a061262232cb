// Where the lanes of a gang load from or store to: the address of an array's element, from the
// shapes of its indices.
#pragma once

#include "codegen/host/memory/arrays.h"
#include "codegen/host/memory/unclamped_index.h"

namespace cuda_device::codegen::host {

inline bool is_constant(llvm::Value* value, int64_t number) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant && constant->getSExtValue() == number;
}

// pointer, and for each lane: nothing more, column * s0 + row * s1 bytes, or its offset.
struct Address {
  Lanes::Kind kind = Lanes::Kind::Uniform;
  Element element;
  ScalarKind offset = ScalarKind::I64;  // holds every offset in bytes
  llvm::Value* pointer = nullptr;
  llvm::Value* s0 = nullptr;
  llvm::Value* s1 = nullptr;
  unsigned period = 0;  // lanes of a row
  unsigned lanes = 0;   // of the gang
  unsigned rows = 0;    // of the gang, at most
  Offsets offsets;
  uint64_t record_bytes = 0;  // of which the element is a scalar; zero: of none
  uint64_t into = 0;          // bytes from the pointer back to the beginning of the record
  std::optional<uint64_t>
      packed;              // the element is a record: bytes into it to the scalar that is meant
  bool own_lanes = false;  // of threads' own arrays: a lane's element is its thread's alone
  // Where the pointer lies, in bytes from the beginning of an array that has its cache lines to
  // itself.
  std::optional<analysis::Congruence> start;

  // The element is a record.
  bool is_whole_record() const { return record_bytes == 0; }
  // Lanes have records one after the other.
  bool has_records_side_by_side() const;
  // One run of memory for the whole gang.
  bool is_linear() const;
  // A run for each row.
  bool is_in_rows() const;
  // Rows make up the gang: no lane is without a thread, and none reads beyond.
  bool fills_rows() const { return rows * period == lanes; }
  // Every row reads the same run of memory.
  bool repeats_a_row() const { return is_in_rows() && is_constant(s1, 0); }
  // Every row reads one element.
  bool is_one_a_row() const;
  // The offsets of lanes are known when compiling.
  bool has_constant_offsets() const;
  // The runs, of an address that is linear or in rows.
  std::vector<RowPiece> pieces(llvm::IRBuilder<>& b) const;
};

class Addresses {
 public:
  Addresses(EmitContext& context, LaneValues& values, Arrays& arrays)
      : c_(context), values_(values), arrays_(arrays), unclamped_(context, values) {}

  // `unclamped`: from the unclamped values of varying indices.
  Address of(const ir::Inst& inst, bool unclamped = false);
  // The address of records whose scalars are all stored, by stores of which this is the last.
  Address of_record(const ir::Inst& store, bool unclamped);
  // i1: that is the same in all active lanes. Null where it would not help.
  llvm::Value* may_be_unclamped(const ir::Inst& inst);

 private:
  Address of(const ir::Inst& inst, const ArrayBase& array, bool unclamped);
  struct Term {
    const ir::Inst* index;
    llvm::Value* stride;
    bool unclamped = false;  // none of its lanes, active or not, is negative or has wrapped
  };
  using Terms = llvm::SmallVector<Term, 4>;
  Terms terms(const ir::Inst& inst, const ArrayBase& array, bool unclamped) const;
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
  llvm::Value* product(llvm::Value* x, llvm::Value* y);
  llvm::Value* sum(llvm::Value* x, llvm::Value* y);

  EmitContext& c_;
  LaneValues& values_;
  Arrays& arrays_;
  UnclampedIndices unclamped_;
};

}  // namespace cuda_device::codegen::host
