#include "analysis/analysis.h"
#include "analysis/lanes/shape_algebra.h"
#include "analysis/lanes/uniformity.h"
#include "analysis/memory/nontemporal_stores.h"

namespace cuda_device::analysis {

Analysis analyse(const ir::Function& f, uint32_t width, const Tuning& tuning) {
  Analysis a;
  a.layout = choose_layout(f, width, tuning);
  a.tuning = tuning;
  const Liveness live = liveness(f);
  const Ranges ranges = find_ranges(f, live.entry);
  find_shapes(f, live, ranges, a);
  a.record_stores = find_record_stores(f);
  a.nontemporal_stores = tuning.on(Heuristic::nontemporal_stores)
                             ? find_nontemporal_stores(f)
                             : std::vector<bool>(f.inst_count());
  if (tuning.on(Heuristic::worker_tables)) a.worker_tables = find_worker_tables(f);
  for (const Interval& i : ranges.values) a.ranges.push_back(to_range(i));
  for (const Interval& i : ranges.slots) a.slot_ranges.push_back(to_range(i));
  return a;
}

// The base of an affine value is computed in 32 bits as well, for lane 0, which may be inactive.
bool Analysis::narrow(const ir::Inst& i) const {
  if (!i.type.is_int() || i.type.bits() != 64 || !range(i).fits_i32()) return false;
  if (!shape(i).affine() || !shape(i).s0.known || !shape(i).s1.known) return true;
  return extends(shape(i), to_interval(range(i), i.type.scalar()), layout, 32);
}

}  // namespace cuda_device::analysis
