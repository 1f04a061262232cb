// One IR value as the host target holds it: by its lane shape, and 64-bit integers that fit in 32
// bits.
#pragma once

#include "codegen/emit_types.h"
#include "codegen/host/machine/target.h"

namespace cuda_device::codegen::host {

// Where a value was defined: its vector is made there when first needed, so that it is there for
// every later use.
struct Anchor {
  llvm::BasicBlock* block = nullptr;
  llvm::Instruction* after = nullptr;  // null: at the block's beginning
};

struct Lanes {
  enum class Kind : uint8_t { None, Uniform, Affine, Varying };
  Kind kind = Kind::None;
  ScalarKind held =
      ScalarKind::Bool;          // of `value`: the IR type, or I32 for a narrowed 64-bit integer
  llvm::Value* value = nullptr;  // scalar; base; vector
  llvm::Value* s0 = nullptr;     // Affine: steps, in `held`
  llvm::Value* s1 = nullptr;
  unsigned period = 0;  // Affine: lanes of a row
  Anchor anchor;
  llvm::Value* vector = nullptr;  // of Uniform and Affine, once made

  bool uniform() const { return kind == Kind::Uniform; }
  bool affine() const { return kind == Kind::Affine; }
  bool varying() const { return kind == Kind::Varying; }
};

// The lanes in which something happens.
struct Mask {
  llvm::Value* lanes = nullptr;  // one i1 a lane; null: all of them, statically
  bool none = false;             // statically no lane
  bool may_be_empty = false;     // else at least one lane, whenever this is executed
  llvm::Value* some = nullptr;   // i1: whether it has a lane; null: to be seen from the lanes
  llvm::Value* each = nullptr;   // i1: whether it has all lanes, as most gangs do; null: none known

  bool all() const { return !lanes && !none; }
  static Mask all_lanes() { return {}; }
  static Mask no_lane() { return {nullptr, true, true, nullptr, nullptr}; }
  static Mask of(llvm::Value* lanes, bool may_be_empty) {
    return {lanes, false, may_be_empty, nullptr, nullptr};
  }
  friend bool same(const Mask& x, const Mask& y) { return x.lanes == y.lanes && x.none == y.none; }
};

}  // namespace cuda_device::codegen::host
