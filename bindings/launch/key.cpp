#include "bindings/launch/key.h"

#include <bit>

#include "support/bytes.h"
#include "support/check.h"
#include "syntax/identity.h"

namespace cuda_device::bindings {
namespace {

using frontend::ArgumentType;
using Kind = ArgumentType::Kind;

struct RawHead {
  uint32_t variant;
  uint16_t block[3];
  uint16_t grid_fits_31;
};

ArrayFacts unpack(uint8_t bits) {
  bool values[sizeof(ArrayFacts)];
  for (size_t i = 0; i < sizeof values; ++i) values[i] = bits >> i & 1;
  return std::bit_cast<ArrayFacts>(values);
}

class Reader {
 public:
  Reader(const uint8_t* at, const uint8_t* end) : at_(at), end_(end) {}
  bool done() const { return at_ == end_; }

  ArgumentType argument() {
    ArgumentType type;
    type.kind = static_cast<Kind>(byte());
    if (type.kind == Kind::Scalar) type.scalar = static_cast<ScalarKind>(byte());
    if (type.kind == Kind::Array) {
      type.scalar = static_cast<ScalarKind>(byte());
      type.ndim = byte();
      type.facts = unpack(byte());
    }
    if (type.kind == Kind::Tuple) {
      uint32_t count;
      CD_CHECK(end_ - at_ >= 4, "a launch key ends within a tuple");
      std::memcpy(&count, at_, sizeof count);
      at_ += sizeof count;
      for (uint32_t i = 0; i < count; ++i) type.elements.push_back(argument());
    }
    return type;
  }

 private:
  uint8_t byte() {
    CD_CHECK(at_ < end_, "a launch key ends within an argument");
    return *at_++;
  }
  const uint8_t* at_;
  const uint8_t* end_;
};

}  // namespace

void write_head(KeyBuffer& key, const KeyHead& head) {
  RawHead raw{head.variant, {}, head.facts.grid_fits_31};
  for (int i = 0; i < 3; ++i) raw.block[i] = static_cast<uint16_t>(head.facts.block[i]);
  if (key.size() == 0) key.extend(sizeof raw);
  std::memcpy(key.data(), &raw, sizeof raw);
}

void write_plain(KeyBuffer& key, Kind kind) { *key.extend(1) = static_cast<uint8_t>(kind); }

void write_scalar(KeyBuffer& key, ScalarKind scalar) {
  uint8_t* at = key.extend(2);
  at[0] = static_cast<uint8_t>(Kind::Scalar);
  at[1] = static_cast<uint8_t>(scalar);
}

void write_tuple(KeyBuffer& key, uint32_t elements) {
  write_plain(key, Kind::Tuple);
  key.append(elements);
}

void clear_no_alias(KeyBuffer& key, size_t facts_at) {
  key.data()[facts_at] &= static_cast<uint8_t>(~CD_FACT_BIT(no_alias));
}

KeyHead read_head(const uint8_t* key) {
  RawHead raw;
  std::memcpy(&raw, key, sizeof raw);
  KeyHead head;
  head.variant = raw.variant;
  for (int i = 0; i < 3; ++i) head.facts.block[i] = raw.block[i];
  head.facts.grid_fits_31 = raw.grid_fits_31 != 0;
  return head;
}

std::vector<ArgumentType> read_arguments(const uint8_t* key, size_t size) {
  Reader reader(key + sizeof(RawHead), key + size);
  std::vector<ArgumentType> arguments;
  while (!reader.done()) arguments.push_back(reader.argument());
  return arguments;
}

std::string identity_of(const uint8_t* key, size_t size, const syntax::Program& program) {
  static_assert(offsetof(RawHead, variant) == 0);
  constexpr size_t kNumber = sizeof(RawHead::variant);
  ByteWriter identity;
  identity.text({reinterpret_cast<const char*>(key) + kNumber, size - kNumber});
  identity.text(syntax::identity_of(program));
  return identity.take();
}

}  // namespace cuda_device::bindings
