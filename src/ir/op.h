// Operations and what op.def says of each. What passes may do with one is asked in effects.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace cuda_device::ir {

enum class Op : uint8_t {
#define OP(name, ...) name,
#include "ir/op.def"
};

inline constexpr int kOpCount = 0
#define OP(...) +1
#include "ir/op.def"
    ;

// The columns of op.def, whose head says what each word means.
enum class OpKind : uint8_t { Scalar, Given, Position, Slot, Effect, Control };
enum class ResultRule : uint8_t {
  None,
  Same,
  SameInt,
  SameFloat,
  SameNum,
  Bool,
  Element,
  Explicit,
  I32,
  I64,
  U32
};
enum class ImmKind : uint8_t {
  None,
  Int,
  Value,
  Axis,
  Slot,
  Param,
  Array,
  Depth,
  Failure,
  Format,
  Function,
  Leaf,
  Atomic
};
enum class Cost : uint8_t { Cheap, Costly };
enum class Accuracy : uint8_t { Exact, Approximate, Estimate };
enum class Width : uint8_t { LowBits, SmallValues, FullWidth };
enum class LaneRule : uint8_t { OfOperands, BlockUniform, Varying, ByLane, OfMask };
enum class Memory : uint8_t { Untouched, Reads, Writes, ReadsWrites };
enum class Where : uint8_t { Nowhere, Element, AtomicElement, Anywhere };
enum class Order : uint8_t { Unordered, OrdersBlock, OrdersAll };
enum class Threads : uint8_t { Alone, Converges, Waits, ConvergesAndWaits, MeetsBlock, MeetsWarp };
enum class Report : uint8_t { Silent, Reports };
enum class Regions : uint8_t { None, ThenElse, ConditionBodyElse, BodyElse, Body, LeavesBlock };

// Where nothing is said, everything may happen.
struct Effects {
  Memory memory = Memory::ReadsWrites;
  Where where = Where::Anywhere;
  Order order = Order::OrdersAll;
  Threads threads = Threads::ConvergesAndWaits;
  Report report = Report::Reports;
};
inline constexpr Effects kNoEffects = {Memory::Untouched, Where::Nowhere, Order::Unordered,
                                       Threads::Alone, Report::Silent};

// What an `opaque` of an identity does: all that may be, or one thing and nothing else. AtomicLoad
// is of operand 0, an array, and for questions only: no target has it.
enum class OpaquePart : uint8_t { Everything, Access, Fence, Vote, Wait, AtomicLoad };
inline constexpr int64_t kOpaqueParts = 5;  // that calls may have
constexpr OpaquePart opaque_part(int64_t identity) {
  return static_cast<OpaquePart>(identity >> 32);
}
constexpr int64_t opaque_identity(OpaquePart part, int64_t number) {
  return static_cast<int64_t>(part) << 32 | number;
}

struct OpInfo {
  std::string_view text;
  int8_t operands;  // -1: variable
  ResultRule result;
  ImmKind imm;
  OpKind kind;
  std::string_view semantics;
  Cost cost = Cost::Costly;
  Accuracy accuracy = Accuracy::Approximate;
  Width width = Width::FullWidth;
  LaneRule lanes = LaneRule::Varying;
  Effects effects = {};
  Regions regions = Regions::None;
};
const OpInfo& info(Op op);

}  // namespace cuda_device::ir
