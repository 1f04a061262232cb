// Types of IR values: nothing, a scalar, or the descriptor of an array. Tuples, vectors and structs
// are taken apart by the frontend and do not reach the IR.
#pragma once

#include <string>

#include "support/scalar.h"

namespace cuda_device::ir {

enum class AddressSpace : uint8_t { Global, Shared, Local };

struct Type {
  enum class Kind : uint8_t { None, Scalar, Array };
  Kind kind = Kind::None;
  ScalarKind scalar = ScalarKind::Bool;  // of an array: the element type
  uint8_t ndim = 0;
  AddressSpace space = AddressSpace::Global;

  static constexpr Type none() { return {}; }
  static constexpr Type of(ScalarKind k) { return {Kind::Scalar, k, 0, AddressSpace::Global}; }
  static constexpr Type array(ScalarKind k, int ndim, AddressSpace s = AddressSpace::Global) {
    return {Kind::Array, k, static_cast<uint8_t>(ndim), s};
  }
  constexpr bool is_none() const { return kind == Kind::None; }
  constexpr bool is_scalar() const { return kind == Kind::Scalar; }
  constexpr bool is_array() const { return kind == Kind::Array; }
  constexpr bool is_bool() const { return is_scalar() && cuda_device::is_bool(scalar); }
  constexpr bool is_int() const { return is_scalar() && cuda_device::is_int(scalar); }
  constexpr bool is_signed() const { return is_scalar() && is_signed_int(scalar); }
  constexpr bool is_float() const { return is_scalar() && cuda_device::is_float(scalar); }
  // A float that arithmetic is not done in.
  constexpr bool is_stored() const { return is_scalar() && is_storage_only(scalar); }
  constexpr int bits() const { return bits_of(scalar); }
  friend constexpr bool operator==(const Type&, const Type&) = default;
};

inline constexpr Type kBool = Type::of(ScalarKind::Bool);
inline constexpr Type kI32 = Type::of(ScalarKind::I32);
inline constexpr Type kI64 = Type::of(ScalarKind::I64);
inline constexpr Type kU32 = Type::of(ScalarKind::U32);
inline constexpr Type kF32 = Type::of(ScalarKind::F32);
inline constexpr Type kF64 = Type::of(ScalarKind::F64);
inline constexpr Type kDynamicShared = Type::array(ScalarKind::U8, 1, AddressSpace::Shared);

// "int32", "array<float32, 2>", "none"
std::string to_string(Type t);

}  // namespace cuda_device::ir
