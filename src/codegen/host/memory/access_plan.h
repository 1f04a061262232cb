// How a load or store is made: decided once, from the shape of its address, its mask and what the
// mask form has; then described, and emitted.
#pragma once

#include "analysis/memory/prefetch.h"
#include "codegen/host/memory/addresses.h"
#include "codegen/host/memory/window.h"

namespace cuda_device::codegen::host {

struct AccessPlan {
  enum class How : uint8_t {
    OneAddress,   // of all lanes; of a store the highest active lane is the last
    Scalarized,   // the same in a scalarized loop
    RepeatedRow,  // loaded once for all rows
    OneARow,      // loaded once for all lanes of a row
    Run,          // consecutive elements
    BlendedRun,   // the same, those of inactive lanes read and written as well
    Window,       // whole vectors and shuffles
    Records,  // the same of whole records, so that loads of their other scalars share the vectors
    Rows,     // a run for each row
    Gather,
    Scatter,
    EachElement,  // loads at constant offsets
    LaneByLane,   // a loop over the active lanes
    Lines,        // whole lines by streaming stores
  };
  // When the kernel runs; `otherwise` where it does not hold.
  enum class If : uint8_t { Always, AllLanesOn, LinesBegin, AllLanesOnAndLinesBegin };

  How how;
  If when = If::Always;
  Address address;
  std::optional<Window> window = {};
  std::vector<AccessPlan> otherwise = {};  // one, or none
  std::vector<analysis::Prefetch> prefetches = {};
};

// For inspect(what="facts").
std::string describe(const AccessPlan& plan);

class AccessPlanner {
 public:
  explicit AccessPlanner(const EmitContext& context) : c_(context) {}

  AccessPlan plan(const ir::Inst& inst, const Address& address, const Mask& mask) const;

 private:
  using How = AccessPlan::How;
  using If = AccessPlan::If;

  const FormInfo& form() const { return c_.source.target.info(); }
  AccessPlan lines(const ir::Inst& store, const Address& address, const Mask& mask) const;
  AccessPlan lanes(const Address& address, const Mask& mask, bool store) const;
  AccessPlan run(const Address& address, const Mask& mask) const;
  How scattered(const Address& address, const Mask& mask, bool store) const;
  bool fills_lines(const Address& address) const;
  bool begins_lines(const ir::Inst& store, const Address& address) const;
  bool takes_rows(const Address& address, const Mask& mask) const;
  bool is_worth(const Window& window, bool store) const;
  bool is_vectors(const Address& address) const;
  std::optional<Window> window_of(const Address& address, bool whole) const;
  std::optional<Window> whole_window(const Address& address) const;
  std::optional<Window> records_window(const Address& address) const;

  const EmitContext& c_;
};

}  // namespace cuda_device::codegen::host
