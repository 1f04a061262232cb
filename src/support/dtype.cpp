#include "support/dtype.h"

#include <algorithm>
#include <bit>

namespace cuda_device {
namespace {

// Scalars are below; another way to write records would be another lead byte.
constexpr uint8_t kRecordLead = 0x81;

std::optional<RecordLayout> read_record(ByteReader& in) {
  constexpr size_t kLeafBytes = sizeof(uint32_t) + sizeof(uint8_t);
  RecordLayout record;
  record.size = in.number<uint32_t>();
  record.align = in.number<uint32_t>();
  const uint32_t leaves = in.number<uint32_t>();
  if (!in.ok() || leaves > in.left() / kLeafBytes) return std::nullopt;
  for (uint32_t i = 0; i < leaves; ++i) {
    const auto offset = in.number<uint32_t>();
    record.leaves.push_back({offset, static_cast<ScalarKind>(in.number<uint8_t>())});
  }
  return record.is_sane() ? std::optional(std::move(record)) : std::nullopt;
}

}  // namespace

bool RecordLayout::is_sane() const {
  if (!std::has_single_bit(align) || align > kMostAlign) return false;
  if (size == 0 || size > kMostBytes || size % align != 0) return false;
  uint64_t end = 0;
  for (const Leaf& leaf : leaves) {
    if (static_cast<int>(leaf.scalar) >= kScalarCount || leaf.offset < end) return false;
    end = uint64_t{leaf.offset} + static_cast<uint64_t>(bytes_of(leaf.scalar));
  }
  return end <= size;
}

DtypeId DtypeTable::add(const RecordLayout& record) {
  const auto found = std::ranges::find(records_, record);
  const auto index = static_cast<size_t>(found - records_.begin());
  CD_CHECK(index < DtypeId::kMostRecords, "too many kinds of records");
  if (found == records_.end()) records_.push_back(record);
  return DtypeId::record(index);
}

void write_dtype(ByteWriter& out, DtypeId id, const DtypeTable& table) {
  if (id.is_scalar()) return out.number(id.scalar());
  const RecordLayout& record = table.record(id);
  out.number(kRecordLead);
  out.number(record.size);
  out.number(record.align);
  out.number(static_cast<uint32_t>(record.leaves.size()));
  for (const Leaf& leaf : record.leaves) {
    out.number(leaf.offset);
    out.number(leaf.scalar);
  }
}

std::optional<DtypeId> read_dtype(ByteReader& in, DtypeTable& table) {
  const auto lead = in.number<uint8_t>();
  if (!in.ok()) return std::nullopt;
  if (lead < kScalarCount) return static_cast<ScalarKind>(lead);
  if (lead != kRecordLead) return std::nullopt;
  const std::optional<RecordLayout> record = read_record(in);
  return record ? std::optional(table.add(*record)) : std::nullopt;
}

}  // namespace cuda_device
