// What values and elements of arrays are where a launch hands them over: a small number, which is
// the scalar's kind or names a record in a table that comes along.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "support/bytes.h"
#include "support/check.h"
#include "support/scalar.h"

namespace cuda_device {

class DtypeId {
 public:
  constexpr DtypeId() = default;
  constexpr DtypeId(ScalarKind kind) : number_(static_cast<uint16_t>(kind)) {}
  // That of place `index` in its table.
  static constexpr DtypeId record(size_t index) {
    DtypeId id;
    id.number_ = static_cast<uint16_t>(kFirstRecord + index);
    return id;
  }
  constexpr bool is_scalar() const { return number_ < kFirstRecord; }
  constexpr ScalarKind scalar() const {
    CD_CHECK(is_scalar(), "a record where a scalar is expected");
    return static_cast<ScalarKind>(number_);
  }
  constexpr size_t index() const { return static_cast<size_t>(number_ - kFirstRecord); }
  friend constexpr bool operator==(DtypeId, DtypeId) = default;

  static constexpr uint16_t kFirstRecord = 128;
  static constexpr size_t kMostRecords = UINT16_MAX - kFirstRecord;

 private:
  uint16_t number_ = static_cast<uint16_t>(ScalarKind::Bool);
};
static_assert(kScalarCount <= DtypeId::kFirstRecord);

// A scalar of a record.
struct Leaf {
  uint32_t offset = 0;  // bytes
  ScalarKind scalar = ScalarKind::Bool;
  friend bool operator==(const Leaf&, const Leaf&) = default;
};

// Where the scalars of a record lie. Nothing in it has a name: records with equal layouts are one
// dtype, and share code.
struct RecordLayout {
  static constexpr uint32_t kMostAlign = 16, kMostBytes = 1 << 16;
  uint32_t size = 0;   // bytes, of padding too; at most kMostBytes
  uint32_t align = 1;  // a power of two, at most kMostAlign, that divides the size
  std::vector<Leaf> leaves;
  friend bool operator==(const RecordLayout&, const RecordLayout&) = default;

  // Whether every leaf lies within the record and none overlaps the one before it.
  bool is_sane() const;
};

// The records that the dtype ids of a request, an image or a process name.
class DtypeTable {
 public:
  DtypeId add(const RecordLayout& record);  // of a layout that is there its id
  bool has(DtypeId id) const { return id.is_scalar() || id.index() < records_.size(); }
  const RecordLayout& record(DtypeId id) const { return records_.at(id.index()); }
  uint32_t bytes_of(DtypeId id) const {
    return id.is_scalar() ? static_cast<uint32_t>(cuda_device::bytes_of(id.scalar()))
                          : record(id).size;
  }
  // That of a scalar is its size.
  uint32_t align_of(DtypeId id) const { return id.is_scalar() ? bytes_of(id) : record(id).align; }

 private:
  std::vector<RecordLayout> records_;
};

// The structural bytes of a dtype, which mean the same in every process: one byte, the kind, of a
// scalar; of a record a lead byte, size, alignment and leaves.
void write_dtype(ByteWriter& out, DtypeId id, const DtypeTable& table);
// Adds what is not in the table yet. Nothing where the bytes are those of no dtype, or end early.
std::optional<DtypeId> read_dtype(ByteReader& in, DtypeTable& table);

}  // namespace cuda_device
