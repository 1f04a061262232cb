#include "passes/memory/promote_local.h"

#include <iterator>
#include <map>

#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::passes {
namespace {

using ir::Inst;
using ir::Op;

constexpr int64_t kMostElements = 256;

struct Leaf {
  ScalarKind scalar;
  int64_t first_slot = -1;  // of the array's first element
};

class Promoter {
 public:
  explicit Promoter(ir::Function& f) : f_(f) {}

  void run() {
    find();
    for (auto& [place, leaf] : leaves_)
      if (candidates_[place.first]) make_slots(place.first, leaf);
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
      candidates_.push_back(a.type.space == ir::AddressSpace::Local && !a.lent &&
                            elements(a) <= kMostElements);
    ir::for_each_inst(f_.body, [&](const Inst& i) {
      for (size_t k = 0; k < i.operands.size(); ++k)
        if (i.operands[k]->op == Op::Array && !(k == 0 && is_plain_access(i)))
          candidates_[static_cast<size_t>(i.operands[k]->imm)] = false;
      note_leaf(i);
    });
  }

  // What the elements of an array hold: a scalar, or those of a record that are accessed. Two that
  // overlap are memory.
  void note_leaf(const Inst& i) {
    const bool store = ir::is_plain_store(i);
    if ((!store && !ir::is_plain_load(i)) || i.operands[0]->op != Op::Array) return;
    const auto array = static_cast<size_t>(i.operands[0]->imm);
    const ScalarKind scalar = (store ? i.operands.back()->type : i.type).scalar();
    const auto [at, is_new] = leaves_.try_emplace({array, i.imm}, Leaf{scalar});
    const auto ends_after = [](const auto& before, const auto& next) {
      return before.first.first == next.first.first &&
             before.first.second + bytes_of(before.second.scalar) > next.first.second;
    };
    bool apart = at->second.scalar == scalar;
    if (at != leaves_.begin()) apart &= !ends_after(*std::prev(at), *at);
    if (std::next(at) != leaves_.end()) apart &= !ends_after(*at, *std::next(at));
    if (!apart) candidates_[array] = false;
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

  void make_slots(size_t array, Leaf& leaf) {
    const ir::Allocation& a = f_.arrays[array];
    leaf.first_slot = static_cast<int64_t>(f_.slots.size());
    for (int64_t k = 0; k < elements(a); ++k)
      f_.slots.push_back({a.name, ir::Type::of(leaf.scalar)});
  }

  void rewrite(Inst& i) {
    const bool store = ir::is_plain_store(i);
    if (!store && !ir::is_plain_load(i)) return;
    if (i.operands[0]->op != Op::Array) return;
    const auto array = static_cast<size_t>(i.operands[0]->imm);
    if (!candidates_[array]) return;
    const Leaf& leaf = leaves_.at({array, i.imm});
    const ir::Allocation& a = f_.arrays[array];
    int64_t number = 0;
    for (size_t axis = 0; axis < a.shape.size(); ++axis)
      number = number * a.shape[axis] + i.operands[1 + axis]->imm;
    i.op = store ? Op::SlotStore : Op::SlotLoad;
    i.imm = leaf.first_slot + number;
    i.operands = store ? std::vector<Inst*>{i.operands.back()} : std::vector<Inst*>{};
  }

  ir::Function& f_;
  std::vector<bool> candidates_;                       // by array
  std::map<std::pair<size_t, int64_t>, Leaf> leaves_;  // by array and place in its element
};

}  // namespace

void promote_local(ir::Function& f) {
  if (!f.arrays.empty()) Promoter(f).run();
}

}  // namespace cuda_device::passes
