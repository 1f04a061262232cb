#include "passes/memory/promote_local.h"

#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::passes {
namespace {

using ir::Inst;
using ir::Op;

constexpr int64_t kMostElements = 256;

class Promoter {
 public:
  explicit Promoter(ir::Function& f) : f_(f), first_slot_(f.arrays.size(), -1) {}

  void run() {
    find();
    for (size_t a = 0; a < f_.arrays.size(); ++a)
      if (candidates_[a]) make_slots(a);
    ir::for_each_inst(f_.body, [&](const Inst& i) { rewrite(const_cast<Inst&>(i)); });
  }

 private:
  static int64_t elements(const ir::Allocation& a) {
    int64_t count = 1;
    for (int64_t extent : a.shape)
      count = extent > kMostElements ? kMostElements + 1 : count * extent;
    return count;
  }

  void find() {
    for (const ir::Allocation& a : f_.arrays)
      candidates_.push_back(a.type.space == ir::AddressSpace::Local &&
                            elements(a) <= kMostElements);
    ir::for_each_inst(f_.body, [&](const Inst& i) {
      for (size_t k = 0; k < i.operands.size(); ++k)
        if (i.operands[k]->op == Op::Array && !(k == 0 && is_plain_access(i)))
          candidates_[static_cast<size_t>(i.operands[k]->imm)] = false;
    });
  }

  bool is_plain_access(const Inst& i) const {
    if (i.op == Op::Extent || i.op == Op::Stride) return true;
    if (!ir::is_plain_load(i) && !ir::is_plain_store(i)) return false;
    const ir::Allocation& a = f_.arrays[static_cast<size_t>(i.operands[0]->imm)];
    for (size_t axis = 0; axis < a.shape.size(); ++axis) {
      const Inst& index = *i.operands[1 + axis];
      if (index.op != Op::Const || index.imm < 0 || index.imm >= a.shape[axis]) return false;
    }
    return true;
  }

  void make_slots(size_t array) {
    const ir::Allocation& a = f_.arrays[array];
    first_slot_[array] = static_cast<int64_t>(f_.slots.size());
    for (int64_t k = 0; k < elements(a); ++k)
      f_.slots.push_back({a.name, ir::Type::of(a.type.scalar)});
  }

  void rewrite(Inst& i) {
    const bool store = ir::is_plain_store(i);
    if (!store && !ir::is_plain_load(i)) return;
    if (i.operands[0]->op != Op::Array) return;
    const auto array = static_cast<size_t>(i.operands[0]->imm);
    if (first_slot_[array] < 0) return;
    const ir::Allocation& a = f_.arrays[array];
    int64_t number = 0;
    for (size_t axis = 0; axis < a.shape.size(); ++axis)
      number = number * a.shape[axis] + i.operands[1 + axis]->imm;
    i.op = store ? Op::SlotStore : Op::SlotLoad;
    i.imm = first_slot_[array] + number;
    i.operands = store ? std::vector<Inst*>{i.operands.back()} : std::vector<Inst*>{};
  }

  ir::Function& f_;
  std::vector<bool> candidates_;     // by array
  std::vector<int64_t> first_slot_;  // by array; -1: stays an array
};

}  // namespace

void promote_local(ir::Function& f) {
  if (!f.arrays.empty()) Promoter(f).run();
}

}  // namespace cuda_device::passes
