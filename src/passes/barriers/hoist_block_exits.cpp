#include "passes/barriers/hoist_block_exits.h"

#include <algorithm>

#include "ir/effects.h"
#include "passes/barriers/jumps.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

// One way out of a control instruction, as it is named in the instruction's block.
struct Exit {
  Op op;
  int64_t imm;
  std::vector<Inst*> jumps;
};

bool leads_out(const Inst& i, int64_t scopes, bool in_loop) {
  if (i.op == Op::Leave) return i.imm >= scopes;
  return (i.op == Op::Break || i.op == Op::Continue) && !in_loop;
}

std::vector<Exit> exits_of(const Inst& control) {
  std::vector<Exit> exits;
  walk_inside(control, [&](Inst& i, int64_t scopes, bool in_loop) {
    if (!leads_out(i, scopes, in_loop)) return;
    const int64_t imm = i.op == Op::Leave ? i.imm - scopes : i.imm;
    const auto same = [&](const Exit& e) { return e.op == i.op && e.imm == imm; };
    auto found = std::ranges::find_if(exits, same);
    if (found == exits.end()) found = exits.insert(exits.end(), {i.op, imm, {}});
    found->jumps.push_back(&i);
  });
  return exits;
}

// Whether all threads that enter a side take the jump at its end.
bool is_plain(const Inst& control, const std::vector<Exit>& exits) {
  if (control.op != Op::If || exits.size() != 1 || exits[0].jumps.size() != 1) return false;
  const Inst* jump = exits[0].jumps[0];
  return std::ranges::any_of(control.regions, [&](const Block& side) {
    return !side.empty() && side.insts.back() == jump;
  });
}

class Jumps {
 public:
  explicit Jumps(ir::Function& f) : f_(f) {}

  void block(Block& b) {
    for (size_t i = 0; i < b.insts.size(); ++i) {
      if (analysis::is_loop(*b.insts[i])) i = move_else_after(b, i);
      Inst& inst = *b.insts[i];
      if (ir::holds_barrier(inst)) {
        for (Block& region : inst.regions) block(region);
        continue;
      }
      const std::vector<Exit> exits = exits_of(inst);
      if (!exits.empty() && !is_plain(inst, exits)) i = lift(b, i, exits);
    }
  }

 private:
  // Replaces the i-th instruction; returns the number of the last one of its replacement.
  static size_t put(Block& b, size_t i, const Block& instead) {
    b.insts.erase(b.insts.begin() + static_cast<ptrdiff_t>(i));
    b.insts.insert(b.insts.begin() + static_cast<ptrdiff_t>(i), instead.insts.begin(),
                   instead.insts.end());
    return i + instead.insts.size() - 1;
  }

  size_t lift(Block& b, size_t i, const std::vector<Exit>& exits) {
    Inst& inst = *b.insts[i];
    Block instead;
    ir::Builder builder(f_, instead);
    builder.set_span(inst.span);
    std::vector<uint32_t> flags;
    for (const Exit& exit : exits) {
      flags.push_back(add_flag(f_));
      builder.slot_store(flags.back(), builder.const_int(ir::kBool, 0));
      for (Block& region : inst.regions) set_before(f_, region, exit.jumps, flags.back());
    }
    walk_inside(inst, [](Inst& jump, int64_t scopes, bool in_loop) {
      if (!leads_out(jump, scopes, in_loop)) return;
      jump.op = Op::Leave;
      jump.imm = scopes;
    });
    builder.control(Op::Scope, {}, 1)->regions[0].insts = {&inst};
    for (size_t e = 0; e < exits.size(); ++e) jump_if(builder, flags[e], exits[e]);
    return put(b, i, instead);
  }

  void jump_if(ir::Builder& builder, uint32_t flag, const Exit& exit) {
    Inst* branch = builder.control(Op::If, {builder.slot_load(flag)}, 2);
    ir::Builder inside(f_, branch->regions[0]);
    inside.set_span(exit.jumps[0]->span);
    inside.control(exit.op, {}, 0, exit.imm);
  }

  // Returns the number of the loop.
  size_t move_else_after(Block& b, size_t i) {
    Inst& loop = *b.insts[i];
    const size_t last = loop.regions.size() - 1;
    const auto iterations = std::span(loop.regions).first(last);
    if (std::ranges::any_of(iterations, ir::has_barrier) || !ir::has_barrier(loop.regions[last]))
      return i;
    std::vector<Inst*> breaks;
    for (size_t r = 0; r < last; ++r)
      walk(loop.regions[r], [&](Inst& inst, int64_t, bool in_loop) {
        if (inst.op == Op::Break && !in_loop) breaks.push_back(&inst);
      });
    std::vector<Inst*> rest = std::move(loop.regions[last].insts);
    loop.regions[last].insts.clear();
    Block instead;
    ir::Builder builder(f_, instead);
    builder.set_span(loop.span);
    if (breaks.empty()) {
      instead.insts = {&loop};
      instead.insts.insert(instead.insts.end(), rest.begin(), rest.end());
      put(b, i, instead);
      return i;
    }
    const uint32_t broke = add_flag(f_);
    builder.slot_store(broke, builder.const_int(ir::kBool, 0));
    const size_t before = instead.insts.size();
    for (size_t r = 0; r < last; ++r) set_before(f_, loop.regions[r], breaks, broke);
    instead.insts.push_back(&loop);
    Inst* stayed = builder.op(Op::Not, {builder.slot_load(broke)});
    builder.control(Op::If, {stayed}, 2)->regions[0].insts = std::move(rest);
    put(b, i, instead);
    return i + before;
  }

  ir::Function& f_;
};

}  // namespace

void hoist_block_exits(ir::Function& f) {
  if (ir::has_barrier(f.body)) Jumps(f).block(f.body);
}

}  // namespace cuda_device::passes
