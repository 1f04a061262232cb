#include "passes/loops/unroll_local.h"

#include <optional>

#include "ir/clone.h"
#include "ir/effects.h"
#include "ir/machine.h"
#include "ir/visitor.h"
#include "passes/rewrite.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

constexpr uint64_t kMostIterations = 32;
constexpr size_t kMostInstructions = 2048;  // of an unrolled loop

bool indexes_local_array(const Block& b) {
  return ir::any_inst(b, [](const Inst& i) {
    const auto access = ir::access_of(i);
    return access && access->array && access->array->op == Op::Array &&
           access->array->type.space == ir::AddressSpace::Local;
  });
}

// Whether the body jumps out of this loop's iterations, not only of those of a loop inside.
bool has_own_jump(const Block& b) {
  for (const Inst* i : b.insts) {
    if (i->op == Op::Break || i->op == Op::Continue) return true;
    const bool loop = i->op == Op::While || i->op == Op::For;
    for (size_t r = 0; r < i->regions.size(); ++r) {
      const bool is_else = r + 1 == i->regions.size();
      if ((!loop || is_else) && has_own_jump(i->regions[r])) return true;
    }
  }
  return false;
}

class Unroller {
 public:
  explicit Unroller(ir::Function& f) : f_(f) {}

  void block(Block& b) {
    std::vector<Inst*> rebuilt;
    for (Inst* inst : b.insts) {
      for (Block& inside : inst->regions) block(inside);
      const std::optional<uint64_t> trips = worthwhile_trips(*inst);
      if (trips)
        unroll(*inst, *trips, rebuilt);
      else
        rebuilt.push_back(inst);
    }
    b.insts = std::move(rebuilt);
  }

 private:
  std::optional<uint64_t> worthwhile_trips(const Inst& loop) const {
    if (loop.op != Op::For || !indexes_local_array(loop.regions[0])) return std::nullopt;
    for (const Inst* bound : loop.operands)
      if (bound->op != Op::Const) return std::nullopt;
    const uint64_t trips = ir::trip_count(loop.operands[0]->type.scalar(), loop.operands[0]->imm,
                                          loop.operands[1]->imm, loop.operands[2]->imm);
    if (trips > kMostIterations || trips * ir::count_insts(loop.regions[0]) > kMostInstructions)
      return std::nullopt;
    // Nothing may follow a copy that ends in a return, or in a leave of an inlined call.
    if (has_own_jump(loop.regions[0]) || never_falls_through(loop.regions[0])) return std::nullopt;
    return trips;
  }

  void unroll(const Inst& loop, uint64_t trips, std::vector<Inst*>& rebuilt) {
    const ir::Type type = loop.operands[0]->type;
    auto value = static_cast<uint64_t>(loop.operands[0]->imm);
    for (uint64_t k = 0; k < trips; ++k) {
      Inst* counter = f_.create(Op::Const, type, loop.span);
      counter->imm = ir::canonical(type.scalar(), static_cast<int64_t>(value));
      Inst* store = f_.create(Op::SlotStore, {}, loop.span);
      store->imm = loop.imm;
      store->operands = {counter};
      rebuilt.insert(rebuilt.end(), {counter, store});
      append_copy(loop.regions[0], rebuilt);
      value += static_cast<uint64_t>(loop.operands[2]->imm);
    }
    rebuilt.insert(rebuilt.end(), loop.regions[1].insts.begin(), loop.regions[1].insts.end());
  }

  void append_copy(const Block& body, std::vector<Inst*>& rebuilt) {
    ir::Copies copies;
    const std::vector<Inst*> made = clone(f_, body, copies);
    rebuilt.insert(rebuilt.end(), made.begin(), made.end());
  }

  ir::Function& f_;
};

}  // namespace

void unroll_local(ir::Function& f) { Unroller(f).block(f.body); }

}  // namespace cuda_device::passes
