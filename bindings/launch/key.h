// The key of a specialisation: a launch writes it byte by byte, the compiler's request is read back
// from it, so that nothing can be compiled in that is not in the key.
#pragma once

#include <vector>

#include "bindings/launch/buffer.h"
#include "bindings/launch/facts.h"
#include "frontend/request.h"
#include "support/facts.h"
#include "syntax/tree.h"

namespace cuda_device::bindings {

using KeyBuffer = Buffer<256>;

struct KeyHead {
  uint32_t variant = 0;
  LaunchFacts facts;
};

void write_head(KeyBuffer& key, const KeyHead& head);  // first of all; its size is fixed
void write_plain(KeyBuffer& key, frontend::ArgumentType::Kind kind);
void write_scalar(KeyBuffer& key, ScalarKind scalar);
void write_tuple(KeyBuffer& key, uint32_t elements);  // its elements follow
// Offset of the byte that holds the facts, for clear_no_alias.
inline size_t write_array(KeyBuffer& key, ScalarKind scalar, int ndim, FactBits facts) {
  const uint8_t bytes[] = {static_cast<uint8_t>(frontend::ArgumentType::Kind::Array),
                           static_cast<uint8_t>(scalar), static_cast<uint8_t>(ndim), facts};
  std::memcpy(key.extend(sizeof bytes), &bytes, sizeof bytes);
  return key.size() - 1;
}
void clear_no_alias(KeyBuffer& key, size_t facts_at);

KeyHead read_head(const uint8_t* key);
std::vector<frontend::ArgumentType> read_arguments(const uint8_t* key, size_t size);
// What another process knows the specialisation by: the program stands in place of the number that
// it has in this one.
std::string identity_of(const uint8_t* key, size_t size, const syntax::Program& program);

}  // namespace cuda_device::bindings
