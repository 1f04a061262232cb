// The elements that the lanes of a gang touch, where they lie at constant distances: in which
// vectors of memory, and which element there is which lane's. A few whole vectors and shuffles take
// the address of a gather or scatter of every second or third element, or of short rows.
#pragma once

#include <optional>
#include <vector>

#include "codegen/llvm.h"

namespace cuda_device::codegen::host {

struct Window {
  // A vector of memory, up to the last element that a lane touches, or a whole one.
  struct Part {
    int64_t first = 0;  // element, counted from that of lane 0
    unsigned count = 0;
  };

  unsigned native = 0;  // elements of a vector
  std::vector<Part> parts;
  std::vector<unsigned> at;  // by lane: part * native + element of it
  bool distinct = true;      // no two lanes touch the same element
  unsigned step = 0;         // of records: elements of one
  bool whole = false;        // aligned vectors, of which all elements may be read and written back

  // `elements`: by lane, from that of lane 0. `native`: how many fill a vector of the machine, of
  // which the lanes are a whole number. `within`: lane 0's in its aligned vector, where the vectors
  // of memory may be taken whole.
  Window(llvm::ArrayRef<int64_t> elements, unsigned native,
         std::optional<unsigned> within = std::nullopt);
  explicit Window(unsigned native) : native(native) {}

  // A window of every `step`-th element, from `first` on: in vectors that cover all elements from
  // the one at the pointer, whether a lane touches them or not.
  static Window of_records(unsigned lanes, unsigned step, unsigned first, unsigned native);

  // The lanes one after the other, as in memory.
  bool in_place() const;

  // Whether halving the elements again and again leaves those of the lanes.
  bool halves() const;

  // The lane that touches each element of a part; -1: none.
  std::vector<int> lanes_of(size_t part) const;

  // Instructions, about, for each vector of lanes.
  unsigned cost_of_load() const;
  unsigned cost_of_store() const;
};

}  // namespace cuda_device::codegen::host
