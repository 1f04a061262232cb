#include "bindings/launch/key.h"

#include "support/bytes.h"
#include "support/check.h"
#include "syntax/identity.h"

namespace cuda_device::bindings {
namespace {

using frontend::ArgumentType;
using Kind = ArgumentType::Kind;

// Marks the count of a tuple whose class follows.
constexpr uint32_t kNamed = uint32_t{1} << 31;

struct RawHead {
  uint32_t variant;
  uint16_t block[3];
  uint8_t dialect, checks;
  FactBits facts;
};
static_assert(sizeof(RawHead) == 16, "padding would be bytes of any value");

RawHead raw_of(const KeyHead& head) {
  RawHead raw{
      head.variant, {}, static_cast<uint8_t>(head.dialect), head.checks, bits_of(head.facts)};
  for (int i = 0; i < 3; ++i) raw.block[i] = static_cast<uint16_t>(head.facts.block[i]);
  return raw;
}

class Reader {
 public:
  Reader(std::string_view arguments, DtypeTable& dtypes) : in_(arguments), dtypes_(dtypes) {}
  bool done() const { return in_.left() == 0; }

  ArgumentType argument() {
    ArgumentType type;
    type.kind = static_cast<Kind>(in_.number<uint8_t>());
    if (type.kind == Kind::Scalar) type.dtype = dtype(in_.number<uint8_t>());
    if (type.kind == Kind::Array) array(type);
    if (type.kind == Kind::Tuple) elements(type);
    if (type.kind == Kind::Complex || type.kind == Kind::Vector)
      type.item = static_cast<ScalarKind>(in_.number<uint8_t>());
    if (type.kind == Kind::Vector) type.lanes = in_.number<uint8_t>();
    if (type.kind == Kind::Record) {
      type.type = in_.number<uint32_t>();
      elements(type);
    }
    if (type.kind == Kind::Member) {
      type.type = in_.number<uint32_t>();
      type.elements.push_back(argument());
    }
    CD_CHECK(in_.ok(), "a launch key ends within an argument");
    return type;
  }

 private:
  void elements(ArgumentType& type) {
    auto count = in_.number<uint32_t>();
    if (count & kNamed) {
      count &= ~kNamed;
      type.named = true;
      type.type = in_.number<uint32_t>();
    }
    for (; count && in_.ok(); --count) type.elements.push_back(argument());
  }

  void array(ArgumentType& type) {
    type.ndim = in_.number<uint8_t>();
    const auto element = in_.number<uint8_t>();
    in_.number<uint8_t>();
    type.facts = array_facts(in_.number<FactBits>());
    type.dtype = dtype(element);
    if (element != kRecord) return;
    ElementWord word{};
    const std::string_view bytes = in_.bytes(sizeof word);
    if (bytes.size() == sizeof word) std::memcpy(&word, bytes.data(), sizeof word);
    type.element = word.kind;
    type.item = word.item;
    type.lanes = word.lanes;
    type.type = word.type;
  }

  DtypeId dtype(uint8_t scalar) {
    if (scalar != kRecord) return static_cast<ScalarKind>(scalar);
    const std::optional<DtypeId> record = read_dtype(in_, dtypes_);
    CD_CHECK(record, "a launch key holds a dtype that is none");
    return *record;
  }

  ByteReader in_;
  DtypeTable& dtypes_;
};

}  // namespace

void write_head(KeyBuffer& key, const KeyHead& head) {
  const RawHead raw = raw_of(head);
  if (key.size() == 0) key.extend(sizeof raw);
  std::memcpy(key.data(), &raw, sizeof raw);
}

void write_plain(KeyBuffer& key, Kind kind) { *key.extend(1) = static_cast<uint8_t>(kind); }

void write_scalar(KeyBuffer& key, DtypeId dtype, const DtypeTable& dtypes) {
  uint8_t* at = key.extend(2);
  at[0] = static_cast<uint8_t>(Kind::Scalar);
  at[1] = scalar_or_record(dtype);
  if (!dtype.is_scalar()) write_record(key, dtype, dtypes);
}

void write_tuple(KeyBuffer& key, uint32_t elements) {
  write_plain(key, Kind::Tuple);
  key.append(elements);
}

void write_named_tuple(KeyBuffer& key, uint32_t type, uint32_t fields) {
  write_tuple(key, fields | kNamed);
  key.append(type);
}

void write_complex(KeyBuffer& key, ScalarKind part) {
  write_plain(key, Kind::Complex);
  *key.extend(1) = static_cast<uint8_t>(part);
}

void write_vector(KeyBuffer& key, ScalarKind item, int lanes) {
  write_plain(key, Kind::Vector);
  uint8_t* at = key.extend(2);
  at[0] = static_cast<uint8_t>(item);
  at[1] = static_cast<uint8_t>(lanes);
}

void write_member(KeyBuffer& key, uint32_t type) {
  write_plain(key, Kind::Member);
  key.append(type);
}

void write_record_value(KeyBuffer& key, uint32_t type, uint32_t fields) {
  write_plain(key, Kind::Record);
  key.append(type);
  key.append(fields);
}

void write_elements(KeyBuffer& key, const ElementWord& word) {
  std::memcpy(key.extend(sizeof word), &word, sizeof word);
}

void write_record(KeyBuffer& key, DtypeId dtype, const DtypeTable& dtypes) {
  ByteWriter out;
  write_dtype(out, dtype, dtypes);
  const std::string bytes = out.take();
  std::memcpy(key.extend(bytes.size()), bytes.data(), bytes.size());
}

void clear_no_alias(KeyBuffer& key, size_t facts_at) {
  FactBits facts;
  std::memcpy(&facts, key.data() + facts_at, sizeof facts);
  facts &= ~bit(ArrayFact::no_alias);
  std::memcpy(key.data() + facts_at, &facts, sizeof facts);
}

frontend::Request read_request(const uint8_t* key, size_t size) {
  RawHead raw;
  std::memcpy(&raw, key, sizeof raw);
  frontend::Request request;
  request.launch = launch_facts(raw.facts, {raw.block[0], raw.block[1], raw.block[2]});
  request.dialect = static_cast<frontend::DialectName>(raw.dialect);
  request.checks = raw.checks != 0;
  Reader reader({reinterpret_cast<const char*>(key) + sizeof raw, size - sizeof raw},
                request.dtypes);
  while (!reader.done()) request.arguments.push_back(reader.argument());
  return request;
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
