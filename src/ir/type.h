// Types of IR values: nothing, a scalar, or the descriptor of an array, whose elements are scalars
// or records. Tuples, vectors and structs are taken apart by the frontend: their scalars reach the
// IR, one by one.
#pragma once

#include <bit>
#include <string>

#include "support/check.h"
#include "support/scalar.h"

namespace cuda_device::ir {

enum class AddressSpace : uint8_t { Global, Shared, Local };

// A record in memory, as arrays of records have them: only its size and alignment matter here;
// loads and stores say which scalar of it they mean.
struct RecordSize {
  uint32_t bytes = 0;  // of padding too; zero: elements are scalars
  uint32_t align = 1;
  friend constexpr bool operator==(const RecordSize&, const RecordSize&) = default;
};
constexpr bool is_sane(const RecordSize& r) {
  return r.bytes != 0 && std::has_single_bit(r.align) && r.bytes % r.align == 0;
}

struct Type {
  enum class Kind : uint8_t { None, Scalar, Array };
  Kind kind = Kind::None;
  uint8_t ndim = 0;
  AddressSpace space = AddressSpace::Global;

  static constexpr Type none() { return {}; }
  static constexpr Type of(ScalarKind k) { return Type(Kind::Scalar, k, 0, AddressSpace::Global); }
  static constexpr Type array(ScalarKind k, int ndim, AddressSpace s = AddressSpace::Global) {
    return Type(Kind::Array, k, static_cast<uint8_t>(ndim), s);
  }
  static constexpr Type array(RecordSize record, int ndim, AddressSpace s = AddressSpace::Global) {
    Type type = array(ScalarKind::U8, ndim, s);
    type.record_ = record;
    return type;
  }
  constexpr Type() = default;

  // An array's is that of its elements, which are no records.
  constexpr ScalarKind scalar() const {
    CD_CHECK(!has_records(), "a record where a scalar is expected");
    return scalar_;
  }
  // Whether the elements of an array are records.
  constexpr bool has_records() const { return record_.bytes != 0; }
  constexpr RecordSize record() const { return record_; }
  // Bytes of an element of an array, or of a scalar.
  constexpr uint32_t element_bytes() const {
    return has_records() ? record_.bytes : static_cast<uint32_t>(bytes_of(scalar_));
  }
  constexpr uint32_t element_align() const {
    return has_records() ? record_.align : static_cast<uint32_t>(bytes_of(scalar_));
  }

  constexpr bool is_none() const { return kind == Kind::None; }
  constexpr bool is_scalar() const { return kind == Kind::Scalar; }
  constexpr bool is_array() const { return kind == Kind::Array; }
  constexpr bool is_bool() const { return is_scalar() && cuda_device::is_bool(scalar_); }
  constexpr bool is_int() const { return is_scalar() && cuda_device::is_int(scalar_); }
  constexpr bool is_signed() const { return is_scalar() && is_signed_int(scalar_); }
  constexpr bool is_float() const { return is_scalar() && cuda_device::is_float(scalar_); }
  // A float that arithmetic is not done in.
  constexpr bool is_stored() const { return is_scalar() && is_storage_only(scalar_); }
  constexpr int bits() const { return bits_of(scalar()); }
  // Equal types have equal hashes.
  constexpr uint64_t hash() const {
    return static_cast<uint64_t>(scalar_) | uint64_t{ndim} << 8 | uint64_t{record_.bytes} << 16;
  }
  friend constexpr bool operator==(const Type&, const Type&) = default;

 private:
  constexpr Type(Kind k, ScalarKind scalar, uint8_t n, AddressSpace s)
      : kind(k), ndim(n), space(s), scalar_(scalar) {}
  ScalarKind scalar_ = ScalarKind::Bool;
  RecordSize record_{};
};

inline constexpr Type kBool = Type::of(ScalarKind::Bool);
inline constexpr Type kI32 = Type::of(ScalarKind::I32);
inline constexpr Type kI64 = Type::of(ScalarKind::I64);
inline constexpr Type kU32 = Type::of(ScalarKind::U32);
inline constexpr Type kF32 = Type::of(ScalarKind::F32);
inline constexpr Type kF64 = Type::of(ScalarKind::F64);
inline constexpr Type kDynamicShared = Type::array(ScalarKind::U8, 1, AddressSpace::Shared);

// "int32", "array<float32, 2>", "array<record<16, 4>, 2>", "none"
std::string to_string(Type t);

}  // namespace cuda_device::ir
