// The key of a specialisation: a launch writes it word by word, the compiler's request is read back
// from it, so that nothing can be compiled in that is not in the key. What it lacks is the target,
// which stands beside it where kernels are kept.
#pragma once

#include "bindings/launch/buffer.h"
#include "frontend/request.h"
#include "support/dtype.h"
#include "support/facts.h"
#include "syntax/tree.h"

namespace cuda_device::bindings {

using KeyBuffer = Buffer<256>;

struct KeyHead {
  uint32_t variant = 0;
  LaunchFacts facts{};
  frontend::DialectName dialect = frontend::DialectName::Device;
  bool checks = false;
};

void write_head(KeyBuffer& key, const KeyHead& head);  // first of all; its size is fixed
void write_plain(KeyBuffer& key, frontend::ArgumentType::Kind kind);
void write_scalar(KeyBuffer& key, DtypeId dtype, const DtypeTable& dtypes);
void write_tuple(KeyBuffer& key, uint32_t elements);  // its elements follow
// A named tuple of Program::types[type]; its fields follow.
void write_named_tuple(KeyBuffer& key, uint32_t type, uint32_t fields);
void write_complex(KeyBuffer& key, ScalarKind part);
void write_vector(KeyBuffer& key, ScalarKind item, int lanes);
// A member of the enumeration Program::types[type]; its number follows, as an argument of its own.
void write_member(KeyBuffer& key, uint32_t type);
// A record of Program::types[type]; its fields follow.
void write_record_value(KeyBuffer& key, uint32_t type, uint32_t fields);
// What elements that are no numbers are, after the array's dtype.
struct ElementWord {
  frontend::ArgumentType::Kind kind;
  ScalarKind item;
  uint8_t lanes;
  uint8_t unused = 0;
  uint32_t type;
};
void write_elements(KeyBuffer& key, const ElementWord& word);
// Structural bytes after the argument that a word with kRecord begins.
void write_record(KeyBuffer& key, DtypeId dtype, const DtypeTable& dtypes);
void clear_no_alias(KeyBuffer& key, size_t facts_at);

// An array is one word, which is written as one: kind, dimensions, the scalar of its elements or
// kRecord, and from kFactsAt on its facts.
inline constexpr uint8_t kRecord = 0xff;
inline constexpr size_t kFactsAt = 4;

inline uint8_t scalar_or_record(DtypeId dtype) {
  return dtype.is_scalar() ? static_cast<uint8_t>(dtype.scalar()) : kRecord;
}

// Offset of the facts, for clear_no_alias.
inline size_t write_array(KeyBuffer& key, DtypeId dtype, int ndim, FactBits facts,
                          const DtypeTable& dtypes) {
  static_assert(sizeof facts == 4);
  const uint64_t word = static_cast<uint64_t>(frontend::ArgumentType::Kind::Array) |
                        static_cast<uint64_t>(ndim) << 8 | uint64_t{scalar_or_record(dtype)} << 16 |
                        uint64_t{facts} << 8 * kFactsAt;
  std::memcpy(key.extend(sizeof word), &word, sizeof word);
  const size_t facts_at = key.size() - sizeof word + kFactsAt;
  if (!dtype.is_scalar()) [[unlikely]]
    write_record(key, dtype, dtypes);
  return facts_at;
}

// The request that a key describes, without program and target.
frontend::Request read_request(const uint8_t* key, size_t size);
// What another process knows the specialisation by: the program stands in place of the number that
// it has in this one.
std::string identity_of(const uint8_t* key, size_t size, const syntax::Program& program);

}  // namespace cuda_device::bindings
