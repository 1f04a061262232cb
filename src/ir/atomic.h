// What the immediate of an atomic operation says: what it does to the element, what it orders, and
// for which threads. Names and meaning are those of ISO C++ and CUDA's thread scopes (DEV-ORDER,
// DEV-SCOPE); `consume` is acquire.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ir/op.h"
#include "support/scalar.h"

namespace cuda_device::ir {

// What a read-modify-write leaves of the old value and the operand.
enum class AtomicKind : uint8_t {
  Exch,  // the operand; also of operations that modify nothing
  Add,
  Sub,
  And,
  Or,
  Xor,
  Max,  // the operand where it is greater: a NaN, on either side, changes nothing
  Min,
  NanMax,  // the greater number; a NaN is no number
  NanMin,
};
enum class MemoryOrder : uint8_t { Relaxed, Acquire, Release, AcqRel, SeqCst };
enum class ThreadScope : uint8_t { Thread, Block, Device, System };

inline constexpr std::array<std::string_view, 10> kAtomicKinds = {
    "exch", "add", "sub", "and", "or", "xor", "max", "min", "nanmax", "nanmin"};
inline constexpr std::array<std::string_view, 5> kMemoryOrders = {"relaxed", "acquire", "release",
                                                                  "acq_rel", "seq_cst"};
inline constexpr std::array<std::string_view, 4> kThreadScopes = {"thread", "block", "device",
                                                                  "system"};

struct AtomicSpec {
  AtomicKind kind = AtomicKind::Exch;
  MemoryOrder order = MemoryOrder::SeqCst;
  ThreadScope scope = ThreadScope::System;
  // The load of a loop that `wait` is: it looks again until the element is another one.
  bool waits = false;

  // Some other thread sees it.
  constexpr bool concurrent() const { return scope != ThreadScope::Thread; }
  // Accesses around it keep their order.
  constexpr bool orders() const { return concurrent() && order != MemoryOrder::Relaxed; }
  constexpr int64_t encoded() const {
    return static_cast<int64_t>(kind) | static_cast<int64_t>(order) << 8 |
           static_cast<int64_t>(scope) << 16 | static_cast<int64_t>(waits) << 24;
  }
  // Nothing: it encodes none.
  static constexpr std::optional<AtomicSpec> decoded(int64_t imm) {
    const int64_t kind = imm & 255, order = imm >> 8 & 255, scope = imm >> 16 & 255,
                  waits = imm >> 24;
    if (kind >= static_cast<int64_t>(kAtomicKinds.size()) ||
        order >= static_cast<int64_t>(kMemoryOrders.size()) ||
        scope >= static_cast<int64_t>(kThreadScopes.size()) || waits < 0 || waits > 1)
      return std::nullopt;
    return AtomicSpec{static_cast<AtomicKind>(kind), static_cast<MemoryOrder>(order),
                      static_cast<ThreadScope>(scope), waits == 1};
  }
};

// "add.seq_cst.system", "exch.acquire.device.waits"
std::string to_string(const AtomicSpec& spec);
std::optional<AtomicSpec> atomic_named(std::string_view text);

// The operation on scalars that gives the new value of the old one and the operand; of nanmax and
// nanmin where the old value is no NaN. Const: of exch, the operand.
constexpr Op op_of(AtomicKind kind) {
  switch (kind) {
    case AtomicKind::Exch:
      return Op::Const;
    case AtomicKind::Add:
      return Op::Add;
    case AtomicKind::Sub:
      return Op::Sub;
    case AtomicKind::And:
      return Op::And;
    case AtomicKind::Or:
      return Op::Or;
    case AtomicKind::Xor:
      return Op::Xor;
    case AtomicKind::Max:
    case AtomicKind::NanMax:
      return Op::Max;
    case AtomicKind::Min:
    case AtomicKind::NanMin:
      return Op::Min;
  }
  return Op::Const;
}
constexpr bool replaces_nan(AtomicKind kind) {
  return kind == AtomicKind::NanMax || kind == AtomicKind::NanMin;
}
// Integers, and floats that arithmetic is done in, where the operation is more than a move of bits.
constexpr bool is_for(AtomicKind kind, ScalarKind element) {
  const bool computed = is_int(element) || (is_float(element) && !is_storage_only(element));
  if (kind == AtomicKind::And || kind == AtomicKind::Or || kind == AtomicKind::Xor)
    return is_int(element);
  return computed;
}
// What the element holds after the operation.
int64_t after_atomic(AtomicKind kind, ScalarKind element, int64_t old, int64_t operand);

}  // namespace cuda_device::ir
