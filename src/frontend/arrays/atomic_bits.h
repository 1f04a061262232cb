// How the element behind an atomic reference is accessed: in one step, as one number or as two
// halves of 8 bytes. Vectors, structs, complex numbers and floats that are only stored are put
// together of their bits. Padding between them is stored as zero, and not compared: plain stores
// leave there what was.
#pragma once

#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

enum class Carrier : uint8_t {
  Number,   // as what it is
  Integer,  // as an unsigned integer of its size
  Pair,     // 16 bytes, as two int64
};
Carrier carrier_of(const DataType& type);
// What an atomic of the type takes in memory: a power of two.
uint32_t atomic_bytes(const DataType& type);
// The type that memory is read and written as.
DataType carrier_type(const DataType& type);

// One instruction, or the two halves of a Pair. The value is one of the type: as_data.
std::vector<Inst*> bits_of_value(Context& ctx, const DataType& type, const Value& value,
                                 const Node* node);
Value value_of_bits(Context& ctx, const DataType& type, const std::vector<Inst*>& bits);

// The bits of the numbers in one of its parts of up to 8 bytes; the others are padding.
uint64_t value_bits(const DataType& type, uint32_t half);
bool has_padding(const DataType& type);

// A number as an unsigned integer of its size.
Inst* raw_bits(Context& ctx, Inst* number);

}  // namespace cuda_device::frontend
