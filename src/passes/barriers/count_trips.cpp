#include "passes/barriers/count_trips.h"

#include "passes/loops/canonical_counter.h"

namespace cuda_device::passes {
namespace {

using analysis::BlockLevel;
using ir::Block;
using ir::Inst;
using ir::Op;

class Counter {
 public:
  Counter(ir::Function& f, const BlockLevel& level) : f_(f), level_(level) {}

  void block(Block& b) {
    std::vector<Inst*> rebuilt;
    for (Inst* inst : b.insts) {
      if (inst->op == Op::For && level_.contains(*inst)) loop(*inst, rebuilt);
      rebuilt.push_back(inst);
      for (Block& inside : inst->regions) block(inside);
    }
    b.insts = std::move(rebuilt);
  }

 private:
  void loop(Inst& loop, std::vector<Inst*>& before) {
    if (loop.operands[0]->op == Op::Const && loop.operands[2]->op == Op::Const)
      keep_variable(loop);
    else
      count(loop, before);
  }

  // The loop may go on counting what all threads count.
  void keep_variable(Inst& loop) {
    const auto variable = static_cast<uint32_t>(loop.imm);
    loop.imm = add_counter(f_, loop.operands[0]->type);
    Block head;
    ir::Builder b(f_, head);
    b.set_span(loop.span);
    b.slot_store(variable, b.slot_load(static_cast<uint32_t>(loop.imm)));
    std::vector<Inst*>& body = loop.regions[0].insts;
    body.insert(body.begin(), head.insts.begin(), head.insts.end());
  }

  void count(Inst& loop, std::vector<Inst*>& before) {
    Block made;
    ir::Builder b(f_, made);
    b.set_span(loop.span);
    count_iterations(b, loop, trips_of(b, loop.operands[0], loop.operands[1], loop.operands[2]));
    before.insert(before.end(), made.insts.begin(), made.insts.end());
  }

  ir::Function& f_;
  const BlockLevel& level_;
};

}  // namespace

void count_trips(ir::Function& f, const BlockLevel& level) { Counter(f, level).block(f.body); }

}  // namespace cuda_device::passes
