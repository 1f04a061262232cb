// What a place holds: a field, an element of an array, a value with a hint. Numbers, and records
// made of them: vectors, structs, named tuples, the records of NumPy.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "frontend/operators/numeric.h"
#include "ir/type.h"

namespace cuda_device::syntax {
struct TypeDecl;
}

namespace cuda_device::frontend {

struct RecordType;
// One object for each type of a session: equal types have equal pointers.
using RecordRef = std::shared_ptr<const RecordType>;

struct DataType {
  enum class Kind : uint8_t { None, Number, Record, Array };
  Kind kind = Kind::None;
  TypeCode code = TypeCode::b1;  // Number; Array: that its elements are
  RecordRef record = nullptr;    // Record
  // What the hint of an Array leaves open.
  bool any_element = false;
  int ndim = kAnyNdim;
  static constexpr int kAnyNdim = -1;

  static DataType number(TypeCode code) { return {Kind::Number, code, nullptr}; }
  static DataType of(RecordRef record) { return {Kind::Record, TypeCode::b1, std::move(record)}; }
  bool is_number() const { return kind == Kind::Number; }
  bool is_record() const { return kind == Kind::Record; }
  bool is_array() const { return kind == Kind::Array; }
  friend bool operator==(const DataType&, const DataType&) = default;
};

struct RecordField {
  std::string name;  // empty: of a tuple
  DataType type;
  uint32_t offset = 0;  // bytes
};

struct RecordType {
  enum class Kind : uint8_t {
    Vector,      // device.float32x4: fields x, y, z, w of one number type
    Mask,        // device.WarpMask: a uint32, a bit for each lane
    Struct,      // @device.struct
    Tuple,       // tuple[int, float] as a field
    NamedTuple,  // of Python's collections; a tuple with names
    Fields,      // a structured dtype of NumPy
    SubArray,    // a field of such a dtype that is an array: its elements in C order
    Atomic,      // device.Atomic(T): its one field, which is accessed atomically
    Alias,  // device.align(T, n), or the hint of an array: instances are of its one field's type
    Enumeration  // its instances are members: Value::Enum, or numbers of that class
  };
  Kind kind = Kind::Struct;
  std::string name;  // "float32x4", "Point"
  std::vector<RecordField> fields;
  DataType element;                        // of a SubArray
  std::vector<int64_t> shape;              // of a SubArray
  uint32_t size = 0, align = 1;            // bytes, as C++ has it
  const syntax::TypeDecl* decl = nullptr;  // of a class of the program

  bool is_vector() const { return kind == Kind::Vector; }
  // Has a length, and is gone through, unpacked and indexed.
  bool is_sequence() const {
    return is_vector() || kind == Kind::Tuple || kind == Kind::NamedTuple || kind == Kind::SubArray;
  }
};

// A scalar of a type in memory.
struct DataLeaf {
  uint32_t offset;
  TypeCode code;  // no complex one
};

uint32_t bytes_of(const DataType& type);
uint32_t align_of(const DataType& type);
// device.Atomic(T), and what its value is.
bool is_atomic(const DataType& type);
const DataType& value_of_atomic(const DataType& atomic);
// It is atomic or some part of it is: kernels refer to it and never copy it.
bool holds_atomics(const DataType& type);
// It is an array or some part of it is: a value of kernels that no memory holds.
bool holds_arrays(const DataType& type);
// In the order of memory; a complex number has two.
std::vector<DataLeaf> leaves_of(const DataType& type);
// "float32", "float32x4", "Point", "None"
std::string type_text(const DataType& type);
// That of elements in the IR.
ir::Type array_type(const DataType& element, int ndim, ir::AddressSpace space);

// device.float32x4 by its parts, or by its name; null: there is none.
RecordRef vector_type(TypeCode code, int lanes);
RecordRef vector_named(std::string_view name);
// device.WarpMask
const RecordRef& mask_type();

// The type of the real and the imaginary part.
constexpr TypeCode component_of(TypeCode complex) {
  switch (complex) {
    case TypeCode::c16:
      return TypeCode::f8;
    case TypeCode::c8:
      return TypeCode::f4;
    case TypeCode::wide_complex:
      return TypeCode::wide_float;
    default:
      return TypeCode::weak_float;
  }
}

}  // namespace cuda_device::frontend
