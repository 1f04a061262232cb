#include "analysis/memory/record_stores.h"

#include <algorithm>

#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;

int64_t end_of(const Inst& store) {
  return store.imm + bytes_of(store.operands.back()->type.scalar());
}

bool same_element(const Inst& a, const Inst& b) {
  return a.operands.size() == b.operands.size() &&
         std::equal(a.operands.begin(), a.operands.end() - 1, b.operands.begin());
}

// Whether the scalars, in order, fill the record without a gap.
bool fills_record(const std::vector<const Inst*>& stores) {
  int64_t end = 0;
  for (const Inst* store : stores) {
    if (store->imm != end) return false;
    end = end_of(*store);
  }
  return end == static_cast<int64_t>(stores[0]->operands[0]->type.record().bytes);
}

class RecordStoreFinder {
 public:
  explicit RecordStoreFinder(const ir::Function& f)
      : found_{std::vector<std::vector<const Inst*>>(f.inst_count()),
               std::vector<bool>(f.inst_count())} {
    block(f.body);
  }
  RecordStores take() { return std::move(found_); }

 private:
  void block(const ir::Block& b) {
    std::vector<const Inst*> open;
    for (const Inst* inst : b.insts) {
      for (const ir::Block& inside : inst->regions) block(inside);
      const bool stores_record = ir::is_plain_store(*inst) && inst->operands[0]->type.has_records();
      if (stores_record && (open.empty() || same_element(*open[0], *inst))) {
        open.push_back(inst);
      } else if (stores_record || !passes(*inst)) {
        close(open);
        if (stores_record) open.push_back(inst);
      }
    }
    close(open);
  }

  static bool passes(const Inst& inst) { return ir::may_speculate(inst.op); }

  void close(std::vector<const Inst*>& open) {
    if (open.size() > 1) {
      const Inst* last = open.back();
      std::ranges::sort(open, {}, [](const Inst* i) { return i->imm; });
      if (fills_record(open)) {
        for (const Inst* store : open) found_.waits[store->id] = store != last;
        found_.groups[last->id] = open;
      }
    }
    open.clear();
  }

  RecordStores found_;
};

}  // namespace

RecordStores find_record_stores(const ir::Function& f) { return RecordStoreFinder(f).take(); }

}  // namespace cuda_device::analysis
