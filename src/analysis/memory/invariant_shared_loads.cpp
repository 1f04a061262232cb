#include "analysis/memory/invariant_shared_loads.h"

#include "analysis/blocks/block_level.h"
#include "ir/effects.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;

// Whether it accesses a shared array, or may access any array.
bool is_shared(const ir::Access& access) {
  return !access.array || access.array->type.space == ir::AddressSpace::Shared;
}

class SharedLoadFinder {
 public:
  explicit SharedLoadFinder(const ir::Function& f) : level_(f), invariant_(f.inst_count()) {
    if (level_.has_barrier()) block(f.body);
  }
  std::vector<bool> take() { return std::move(invariant_); }

 private:
  void block(const ir::Block& b) {
    for_each_part(
        b, level_, [&](const Region& r) { region(r); },
        [&](const Inst& i) {
          for (const ir::Block& inside : i.regions) block(inside);
        });
  }

  void region(const Region& r) {
    bool stored = false;
    for_each_inst(r, [&](const Inst& i, uint32_t) {
      const auto access = ir::access_of(i);
      stored = stored || (access && access->writes && is_shared(*access));
    });
    if (stored) return;
    for_each_inst(r, [&](const Inst& i, uint32_t) {
      const auto access = ir::access_of(i);
      if (access && access->plain_read() && is_shared(*access)) invariant_[i.id] = true;
    });
  }

  BlockLevel level_;
  std::vector<bool> invariant_;
};

}  // namespace

std::vector<bool> find_invariant_shared_loads(const ir::Function& f) {
  return SharedLoadFinder(f).take();
}

}  // namespace cuda_device::analysis
