// Shapes of values across the lanes of a gang, their ranges, and what follows from them: side
// tables over const IR. Nothing is assumed: an entry holds for every launch that satisfies the
// function's facts (Function::launch, Param::facts).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/memory/record_stores.h"
#include "analysis/memory/worker_tables.h"
#include "ir/ir.h"
#include "support/tuning.h"

namespace cuda_device::analysis {

inline constexpr int kWarpWidth = 32;

// How the threads of a block are dealt to the lanes of gangs.
//   Linear  lane l of gang g is thread g*width + l of the block (with 32 lanes: CUDA's warps).
//   Rows    only where the block shape is a fact: a gang covers whole rows of the block
//           (blockDim.x = row <= width: width/row rows of one z slice, lane l = row (l / row),
//           column (l % row)), or, for longer rows, a piece of one row. Lanes beyond are dead.
// A kernel that uses warps (ir/effects.h) has gangs of 32 lanes in linear order.
struct LaneLayout {
  enum class Kind : uint8_t { Linear, Rows };
  Kind kind = Kind::Linear;
  uint32_t width = kWarpWidth;   // lanes of a gang: 8 to 64
  uint32_t period = kWarpWidth;  // lanes of a row: P of affine shapes that have none of their own
  uint32_t rows_per_gang = 1;    // Rows with row <= 32
  // Rows: gangs to cover a block; Linear with a known block likewise; 0 = computed at run time.
  uint32_t gangs = 0;
};
LaneLayout choose_layout(const ir::Function& f, uint32_t width, const Tuning& tuning = {});

// level: LaunchUniform ⊂ BlockUniform ⊂ GangUniform ⊂ Affine ⊂ Varying
// Affine: value(lane) = base + s0 * (lane % P) + s1 * (lane / P), modulo 2**bits of the type, with
// the P of the layout, or one of its own: `thread_idx.x % 4` goes up within 4 lanes. The
// base is gang-uniform: what lane 0 has or, where lane 0 is not active, would have. A `convert` or
// `wrap` to a wider type that is Affine sign-extends base and steps, whatever the signedness of its
// source (the base of an inactive lane 0 may be negative). An affine value of known steps is added,
// subtracted, multiplied and compared by == and != on its base; uniform results of affine operands
// are those of the bases; a quotient that is not varying has the base's, as a signed number. All
// shapes speak of active lanes only.
enum class Level : uint8_t { LaunchUniform, BlockUniform, GangUniform, Affine, Varying };

struct Step {
  bool known = true;  // false: gang-uniform, but not a compile-time constant
  int64_t value = 0;
  friend bool operator==(const Step&, const Step&) = default;
};

struct Shape {
  Level level = Level::LaunchUniform;
  Step s0, s1;          // of Affine
  uint32_t period = 0;  // of Affine: P, a power of two below the width; 0: the layout's
  bool uniform() const { return level <= Level::GangUniform; }
  bool affine() const { return level == Level::Affine; }
  uint32_t period_in(const LaneLayout& layout) const { return period ? period : layout.period; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

// Signed bounds of an integer value as a mathematical integer; a uint64 that may exceed INT64_MAX
// is unbounded above.
struct Range {
  int64_t lo = INT64_MIN;
  int64_t hi = INT64_MAX;
  bool unsigned_overflow = false;  // uint64 beyond INT64_MAX possible: treat as unknown
  bool non_negative() const { return !unsigned_overflow && lo >= 0; }
  bool fits_i32() const { return !unsigned_overflow && lo >= INT32_MIN && hi <= INT32_MAX; }
  friend bool operator==(const Range&, const Range&) = default;
};

// A number is `value` modulo `modulus`, a power of two.
struct Congruence {
  static constexpr uint32_t kMostModulus = 1U << 30;
  uint32_t modulus = 1;
  uint32_t value = 0;
  // A power of two that divides the number.
  uint32_t factor() const { return value ? value & -value : modulus; }
  friend bool operator==(const Congruence&, const Congruence&) = default;
};

struct Analysis {
  LaneLayout layout;
  Tuning tuning;  // decides what is made of this analysis
  // Shapes by Inst::id of instructions with a value. A pure integer or bool value whose range is
  // one number is LaunchUniform whatever its operands are: write the number.
  std::vector<Shape> shapes;
  std::vector<Range> ranges;       // by Inst::id, integer values
  std::vector<Shape> slot_shapes;  // by slot
  std::vector<Congruence>
      congruences;  // by Inst::id: of the uniform value, or of an affine one's base
  std::vector<Congruence> slot_congruences;
  std::vector<Range> slot_ranges;
  // Stores to slots (SlotStore, and For, which stores its counter at the head of each iteration),
  // by Inst::id, that must blend under the mask, as an inactive lane reads the slot later; the slot
  // is then Varying. Any other store may overwrite all lanes.
  std::vector<bool> store_blends;
  // Stores by Inst::id; see nontemporal_stores.h.
  std::vector<bool> nontemporal_stores;
  RecordStores record_stores;
  std::vector<WorkerTable> worker_tables;
  // Control instructions by Inst::id in which lanes may take different paths (a varying condition,
  // or a break, continue, leave or return under one), so that they need masks. One that is not
  // divergent is emitted as scalar control flow under the mask it is entered with.
  std::vector<bool> divergent;

  const Shape& shape(const ir::Inst& i) const { return shapes[i.id]; }
  const Range& range(const ir::Inst& i) const { return ranges[i.id]; }
  // Whether the integer value may be computed in 32 bits although its type has 64: its range fits,
  // and so does the base of an affine one. The caller asks whether its operands fit, where the
  // operation looks at their high bits.
  bool narrow(const ir::Inst& i) const;
};

Analysis analyse(const ir::Function& f, uint32_t width = kWarpWidth, const Tuning& tuning = {});

// Describes values of interest for inspect(what="facts"), one on a line, with the reason.
// `accesses`: how the target makes a load or store, by Inst::id; may end early.
std::string describe(const ir::Function& f, const Analysis& a,
                     const std::vector<std::string>& accesses = {});

}  // namespace cuda_device::analysis
