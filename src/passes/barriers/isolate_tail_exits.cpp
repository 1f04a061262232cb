#include "passes/barriers/isolate_tail_exits.h"

#include <algorithm>
#include <optional>

#include "analysis/analysis.h"
#include "ir/effects.h"
#include "ir/visitor.h"
#include "passes/barriers/jumps.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

// Isolates the tail exits of one scope or loop that holds a barrier.
class Target {
 public:
  Target(ir::Function& f, const analysis::Analysis& a, Inst& target)
      : f_(f), a_(a), loops_(analysis::is_loop(target)) {}

  void settle(Block& body) {
    block(body, 0, false);
    if (!left_) return;
    Block start;
    ir::Builder b(f_, start);
    b.slot_store(*left_, b.const_int(ir::kBool, 0));
    body.insts.insert(body.insts.begin(), start.insts.begin(), start.insts.end());
  }

 private:
  // `depth`: scopes between the block and the target.
  bool is_jump(const Inst& i, int64_t depth, bool in_loop) const {
    if (loops_) return i.op == Op::Continue && !in_loop;
    return i.op == Op::Leave && i.imm == depth;
  }

  // A jump to what is farther out than the target, or after it: all threads of the block take it.
  bool is_foreign(const Inst& i, int64_t depth, bool in_loop) const {
    if (i.op == Op::Break) return !in_loop;
    if (loops_) return i.op == Op::Leave && i.imm >= depth;
    return (i.op == Op::Continue && !in_loop) || (i.op == Op::Leave && i.imm > depth);
  }

  bool needs_all_threads(const Inst& inst, int64_t depth) const {
    if (ir::is_barrier(inst.op) || ir::holds_barrier(inst)) return true;
    bool found = is_foreign(inst, depth, false);
    walk_inside(inst, [&](const Inst& i, int64_t scopes, bool in_loop) {
      found = found || is_foreign(i, depth + scopes, in_loop);
    });
    return found;
  }

  // Isolates jumps after the last thing in a block that needs all threads. `more`: code follows
  // outside of the block. Returns whether there are any.
  bool block(Block& b, int64_t depth, bool more) {
    const auto tail = std::ranges::find_if(b.insts.rbegin(), b.insts.rend(), [&](const Inst* i) {
                        return needs_all_threads(*i, depth);
                      }).base();
    const auto first = static_cast<size_t>(tail - b.insts.begin());
    const bool goes_on = first < b.insts.size();
    bool below = false;
    if (first > 0) below = inside(*b.insts[first - 1], depth, more || goes_on);
    const bool here = diverges_at_jump(b, first, depth);
    if (here) wrap(b, first, depth, more);
    if (below && goes_on) guard(b, first);
    return here || below;
  }

  // Isolates jumps in the regions that end where the holder does.
  bool inside(Inst& holder, int64_t depth, bool more) {
    bool any = false;
    for (size_t r = 0; r < holder.regions.size(); ++r)
      if (!is_iteration(holder, r))
        any |= block(holder.regions[r], depth + (holder.op == Op::Scope), more);
    return any;
  }

  // Whether threads diverge at a jump from there on.
  bool diverges_at_jump(const Block& b, size_t first, int64_t depth) const {
    const auto search = [&](const Block& inner, const auto& self, int64_t scopes, bool in_loop,
                            bool divergent, size_t from) -> bool {
      for (size_t i = from; i < inner.insts.size(); ++i) {
        const Inst& inst = *inner.insts[i];
        if (divergent && is_jump(inst, depth + scopes, in_loop)) return true;
        for (size_t r = 0; r < inst.regions.size(); ++r)
          if (self(inst.regions[r], self, scopes + (inst.op == Op::Scope),
                   in_loop || is_iteration(inst, r), divergent || is_divergent(inst), 0))
            return true;
      }
      return false;
    };
    return search(b, search, 0, false, false, first);
  }

  bool is_divergent(const Inst& i) const {
    if (i.id >= a_.divergent.size()) return true;  // made here
    if (i.op != Op::If) return a_.divergent[i.id];
    return a_.shape(*i.operands[0]).level > analysis::Level::BlockUniform;
  }

  void wrap(Block& b, size_t first, int64_t depth, bool more) {
    const auto tail = b.insts.begin() + static_cast<ptrdiff_t>(first);
    std::vector<Inst*> rest(tail, b.insts.end());
    b.insts.erase(tail, b.insts.end());
    ir::Builder builder(f_, b);
    builder.set_span(rest.front()->span);
    Block& inner = builder.control(Op::Scope, {}, 1)->regions[0];
    inner.insts = std::move(rest);
    retarget(inner, depth, more);
  }

  void retarget(Block& body, int64_t depth, bool more) {
    std::vector<Inst*> jumps;
    walk(body, [&](Inst& i, int64_t scopes, bool in_loop) {
      if (is_jump(i, depth + scopes, in_loop)) {
        i.op = Op::Leave;
        i.imm = scopes;
        jumps.push_back(&i);
      } else if (i.op == Op::Leave && i.imm >= scopes) {
        ++i.imm;
      }
    });
    if (more) set_before(f_, body, jumps, left());
  }

  // Puts the rest of the block into an if, for the threads that have not left.
  void guard(Block& b, size_t first) {
    const auto tail = b.insts.begin() + static_cast<ptrdiff_t>(first);
    std::vector<Inst*> rest(tail, b.insts.end());
    b.insts.erase(tail, b.insts.end());
    ir::Builder builder(f_, b);
    Inst* stays = builder.op(Op::Not, {builder.slot_load(left())});
    builder.control(Op::If, {stays}, 2)->regions[0].insts = std::move(rest);
  }

  uint32_t left() {
    if (!left_) left_ = add_flag(f_);
    return *left_;
  }

  ir::Function& f_;
  const analysis::Analysis& a_;
  bool loops_;
  std::optional<uint32_t> left_;
};

bool has_jump(const ir::Function& f) {
  return ir::any_inst(f.body,
                      [](const Inst& i) { return i.op == Op::Leave || i.op == Op::Continue; });
}

}  // namespace

void isolate_tail_exits(ir::Function& f) {
  if (!ir::has_barrier(f.body) || !has_jump(f)) return;
  const analysis::Analysis a = analysis::analyse(f);
  std::vector<Inst*> targets;
  ir::for_each_inst(f.body, [&](Inst& i) {
    if (i.op == Op::Scope || analysis::is_loop(i)) targets.push_back(&i);
  });
  for (Inst* i : targets) {
    Block& body = i->regions[i->op == Op::While ? 1 : 0];
    if (ir::has_barrier(body)) Target(f, a, *i).settle(body);
  }
}

}  // namespace cuda_device::passes
