#include "analysis/steady_loads.h"

#include "analysis/block_level.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

bool is_shared(const Inst& access) {
  return access.operands[0]->type.space == ir::AddressSpace::Shared;
}

class Finder {
 public:
  explicit Finder(const ir::Function& f) : level_(f), steady_(f.inst_count()) {
    if (level_.has_barrier()) block(f.body);
  }
  std::vector<bool> take() { return std::move(steady_); }

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
      stored = stored || (ir::info(i.op).effect == ir::Effect::Write && is_shared(i));
    });
    if (stored) return;
    for_each_inst(r, [&](const Inst& i, uint32_t) {
      if (i.op == Op::Load && is_shared(i)) steady_[i.id] = true;
    });
  }

  BlockLevel level_;
  std::vector<bool> steady_;
};

}  // namespace

std::vector<bool> find_steady_loads(const ir::Function& f) { return Finder(f).take(); }

}  // namespace cuda_device::analysis
