// The affine value that an index is in all lanes of most gangs, although in some lanes of some
// gangs it is a bound that it is clamped to, counts from the end of its axis, or begins anew:
//
//   a[y * width + x]   a[min(max(x + i, 0), n - 1)]   a[x - 1 if x > 0 else 0]   a[(x + 1) % n]
//
// Whether it is, the gang's least and greatest lane tell: two numbers for all lanes.
#pragma once

#include "analysis/ranges/interval.h"
#include "codegen/host/lowering/lane_values.h"

namespace cuda_device::codegen::host {

class UnclampedIndices {
 public:
  UnclampedIndices(EmitContext& context, LaneValues& values) : c_(context), values_(values) {}

  // The affine value, which may be the index itself; null: there is none.
  const ir::Inst* unclamped(const ir::Inst& index) const;

  // i1: each active lane of the index has what it has of its unclamped value, of which no lane,
  // active or not, is negative as a signed number, or has wrapped.
  llvm::Value* holds(const ir::Inst& index);

 private:
  using Inst = ir::Inst;

  struct Ends {
    ScalarKind kind = ScalarKind::I32;
    llvm::Value* least = nullptr;
    llvm::Value* greatest = nullptr;
  };
  // An operation that hands on one operand, unchanged where another, the same for all lanes, does
  // not come into play.
  struct Layer {
    const Inst* inside = nullptr;
    const Inst* bound = nullptr;  // null: what is not negative is never changed
  };

  bool uniform(const Inst& inst) const { return values_.of(inst).uniform(); }
  Layer layer(const Inst& inst) const;
  Layer bounded(const Inst& inst) const;
  Layer chosen(const Inst& select) const;
  std::optional<analysis::Interval> offsets(const Inst& affine) const;
  Ends ends(const Inst& affine);
  Ends widened(const Ends& of, bool is_signed);
  llvm::Value* unchanged(const Inst& inst, const Layer& layer, const Ends& ends);
  llvm::Value* chooses(const Inst& select, const Layer& layer, llvm::Value* bound);
  llvm::Value* compare(ir::Op op, ScalarKind kind, llvm::Value* x, llvm::Value* y);

  EmitContext& c_;
  LaneValues& values_;
};

}  // namespace cuda_device::codegen::host
