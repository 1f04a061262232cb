#include "passes/barriers/barrier_sites.h"

#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::passes {

using ir::Inst;

BarrierSites::Range BarrierSites::block(const ir::Block& b) {
  const int first = last_ + 1;
  for (const Inst* i : b.insts)
    if (level_.contains(*i)) enter(*i);
  return {first, last_};
}

void BarrierSites::enter(const Inst& i) {
  if (ir::is_barrier(i.op) || decisions_.contains(&i)) numbers_[&i] = ++last_;
  std::vector<Range> ranges;
  ranges.reserve(i.regions.size());
  for (const ir::Block& region : i.regions) ranges.push_back(block(region));
  if (!ranges.empty()) ranges_[&i] = std::move(ranges);
}

bool BarrierSites::decided_inside(const Inst& control) const {
  return decisions_.contains(&control) ||
         ir::any_inside(control, [&](const Inst& i) { return decisions_.contains(&i); });
}

void BarrierSites::add_copies(const ir::Copies& copies) {
  for (const auto& [from, to] : copies) {
    if (const auto n = numbers_.find(from); n != numbers_.end()) numbers_[to] = n->second;
    if (const auto r = ranges_.find(from); r != ranges_.end()) {
      std::vector<Range> ranges = r->second;
      ranges_[to] = std::move(ranges);
    }
  }
}

}  // namespace cuda_device::passes
