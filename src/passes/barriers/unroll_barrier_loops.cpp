#include "passes/barriers/unroll_barrier_loops.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ir/effects.h"
#include "ir/float_environment.h"
#include "ir/machine.h"
#include "passes/rewrite.h"
#include "passes/simplify/constants.h"
#include "passes/simplify/simplify.h"
#include "passes/simplify/slot_contents.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Inst;
using ir::Op;

constexpr uint64_t kMostIterations = 64;
constexpr size_t kMostInstructions = 2048;  // of all unrolled loops; constants do not count
constexpr size_t kMostVisits = 8 * kMostInstructions;  // for one loop and those inside of it
constexpr uint64_t kUnrolledLater = 32;  // iterations of a loop inside, by unroll_local or LLVM

// A constant operand makes nothing cheaper. (With constant indices, elements of a thread's own
// array may become variables.)
bool only_moves(const Inst& inst) {
  if (const auto access = ir::access_of(inst))
    return !access->array || access->array->type.space != ir::AddressSpace::Local;
  switch (inst.op) {
    case Op::Add:
    case Op::Sub:
    case Op::Wrap:
    case Op::View:
    case Op::SlotStore:
      return true;
    default:
      return false;
  }
}

// Unrolls in one walk in the order of execution. `now` gives what an instruction has become:
// itself, a value that was known already, or its copy in this iteration of the loops being
// unrolled.
class Unroller {
 public:
  explicit Unroller(ir::Function& f) : f_(f), contents_(f.slots.size()) {}

  void run() { f_.body.insts = walked(f_.body); }

 private:
  // Where a break or continue leads: to a loop that stays, to one being unrolled, or to one being
  // unrolled under a condition that is not known.
  enum class Jumps : uint8_t { ToLoop, ToUnrolled, Perhaps };
  // Why a loop is not unrolled. If it is too much, those around it are not either.
  enum class Failure : uint8_t { None, OfLoop, TooMuch };
  // What follows a part of an iteration.
  enum class Next : uint8_t { Rest, Iteration, Outside };

  bool unrolling() const { return depth_ > 0; }

  Inst* now(Inst* inst) const {
    return inst->id < now_.size() && now_[inst->id] ? now_[inst->id] : inst;
  }
  void becomes(const Inst& inst, Inst* by) {
    if (now_.size() <= inst.id) now_.resize(f_.inst_count());
    now_[inst.id] = by;
  }

  std::vector<Inst*> walked(const Block& block) {
    std::vector<Inst*> to;
    walk(block.insts, to);
    return to;
  }

  void walk(std::span<Inst* const> from, std::vector<Inst*>& to) {
    for (Inst* inst : from) {
      visit(*inst, to);
      if (failure_ != Failure::None || jump_ || ended(to)) return;
    }
  }

  static bool ended(const std::vector<Inst*>& insts) {
    return !insts.empty() && never_falls_through(*insts.back());
  }

  void visit(Inst& inst, std::vector<Inst*>& to) {
    if (unrolling() && ++visits_ > kMostVisits) return fail(Failure::TooMuch);
    const auto slot = static_cast<size_t>(inst.imm);
    switch (inst.op) {
      case Op::SlotLoad:
        if (contents_.of(slot)) return becomes(inst, contents_.of(slot));
        return plain(inst, to);
      case Op::SlotStore:
        plain(inst, to);
        return contents_.stored(slot, to.back()->operands[0]);
      case Op::If:
        return if_(inst, to);
      case Op::Scope:
        return control(inst, to);
      case Op::While:
      case Op::For:
        return loop(inst, to);
      case Op::Break:
      case Op::Continue:
        return jump(inst, to);
      default:
        return plain(inst, to);
    }
  }

  void plain(Inst& inst, std::vector<Inst*>& to) {
    Inst* made = placed(inst);
    Block none;
    ir::Builder builder(f_, none);
    simplify_constant(builder, *made);
    count(inst, *made);
    to.push_back(made);
  }

  // The instruction or its copy, with operands as of now. The caller fills the regions.
  Inst* placed(Inst& inst) {
    Inst* made = &inst;
    if (unrolling()) {
      made = f_.create(inst.op, inst.type, inst.span);
      made->imm = inst.imm;
      made->operands = inst.operands;
      made->regions.resize(inst.regions.size());
    }
    for (Inst*& operand : made->operands) operand = now(operand);
    becomes(inst, made);
    return made;
  }

  void count(const Inst& inst, const Inst& made) {
    if (!unrolling() || is_const(made) || made.op == Op::SlotStore) return;
    size_ += weight_;
    if (size_ > left_) fail(Failure::TooMuch);
    if (only_moves(made)) return;
    for (size_t i = 0; i < inst.operands.size(); ++i)
      gains_ = gains_ || (is_const(*made.operands[i]) && !is_const(*inst.operands[i]));
  }

  void fail(Failure failure) { failure_ = failure; }

  void jump(Inst& inst, std::vector<Inst*>& to) {
    if (jumps_ == Jumps::ToLoop) return plain(inst, to);
    if (jumps_ == Jumps::Perhaps) return fail(Failure::OfLoop);
    jump_ = &inst;
  }

  void if_(Inst& inst, std::vector<Inst*>& to) {
    const Inst& condition = *now(inst.operands[0]);
    if (!is_const(condition)) return control(inst, to);
    gains_ = true;
    walk(inst.regions[condition.imm ? 0 : 1].insts, to);
  }

  // An if or a scope, which stays.
  void control(Inst& inst, std::vector<Inst*>& to) {
    Inst* made = placed(inst);
    count(inst, *made);
    const Jumps outside = std::exchange(jumps_, perhaps(jumps_));
    std::vector<size_t> stored;
    for (size_t r = 0; r < inst.regions.size(); ++r) region(inst, *made, r, stored);
    for (size_t slot : stored) contents_.forget(slot);
    jumps_ = outside;
    to.push_back(made);
  }

  static Jumps perhaps(Jumps outside) {
    return outside == Jumps::ToUnrolled ? Jumps::Perhaps : outside;
  }

  void region(const Inst& inst, Inst& made, size_t r, std::vector<size_t>& stored) {
    const size_t mark = contents_.mark();
    made.regions[r].insts = walked(inst.regions[r]);
    contents_.undo(mark, stored);
  }

  void loop(Inst& inst, std::vector<Inst*>& to) {
    // Where nothing around is being unrolled, loops inside come first: what they need not know
    // of this one need not be unrolled again for each iteration.
    Inst* kept = unrolling() ? nullptr : keep(inst);
    if (ir::holds_barrier(inst) && unroll(inst, to)) return;
    if (failure_ != Failure::None) return;
    to.push_back(kept ? kept : keep(inst));
    contents_.forget_stored(inst);
  }

  Inst* keep(Inst& inst) {
    Inst* made = placed(inst);
    count(inst, *made);
    const size_t mark = contents_.mark(), weight = weight_;
    const Jumps outside = jumps_;
    std::vector<size_t> stored;
    contents_.forget_stored(inst);
    for (size_t r = 0; r < inst.regions.size(); ++r) {
      const bool is_else = r + 1 == inst.regions.size();
      jumps_ = is_else ? perhaps(outside) : Jumps::ToLoop;
      weight_ = is_else ? weight : weight * copies_of(inst);
      region(inst, *made, r, stored);
    }
    jumps_ = outside;
    weight_ = weight;
    contents_.undo(mark, stored);
    return made;
  }

  // Copies that a later pass or LLVM makes of the body of a loop that stays.
  size_t copies_of(const Inst& loop) const {
    if (!unrolling() || loop.op != Op::For || weight_ > kMostInstructions) return 1;
    const std::optional<uint64_t> trips = trips_of(loop);
    return trips && *trips <= kUnrolledLater ? std::max<size_t>(*trips, 1) : 1;
  }

  std::optional<uint64_t> trips_of(const Inst& loop) const {
    const Inst &start = *now(loop.operands[0]), &stop = *now(loop.operands[1]),
               &step = *now(loop.operands[2]);
    if (!is_const(start) || !is_const(stop) || !is_const(step)) return std::nullopt;
    return ir::trip_count(start.type.scalar(), start.imm, stop.imm, step.imm);
  }

  // Whether the loop was unrolled; if not, all is as before.
  bool unroll(Inst& inst, std::vector<Inst*>& to) {
    if (!unrolling()) visits_ = size_ = 0;
    const size_t start = to.size(), mark = contents_.mark(), size = size_;
    const bool gains = std::exchange(gains_, false);
    const Jumps outside = jumps_;
    ++depth_;
    inst.op == Op::While ? while_(inst, outside, to) : for_(inst, outside, to);
    --depth_;
    jumps_ = outside;
    if (failure_ == Failure::None && gains_) {
      if (!unrolling()) left_ -= size_;
      return true;
    }
    std::vector<size_t> stored;
    contents_.undo(mark, stored);
    to.resize(start);
    size_ = size;
    gains_ = gains;
    jump_ = nullptr;
    if (failure_ == Failure::OfLoop || !unrolling()) failure_ = Failure::None;
    return false;
  }

  void while_(const Inst& loop, Jumps outside, std::vector<Inst*>& to) {
    const std::span<Inst* const> condition(loop.regions[0].insts);
    for (uint64_t trips = 0; goes_on(trips); ++trips) {
      Next next = part(condition.first(condition.size() - 1), to);
      if (next == Next::Rest) {
        const Inst& wanted = *now(condition.back()->operands[0]);
        if (!is_const(wanted)) return fail(Failure::OfLoop);
        if (!wanted.imm) return else_(loop, trips, outside, to);
        next = part(loop.regions[1].insts, to);
      }
      if (next == Next::Outside) return left_after(trips + 1);
    }
  }

  void for_(const Inst& loop, Jumps outside, std::vector<Inst*>& to) {
    const std::optional<uint64_t> trips = trips_of(loop);
    if (!trips || *trips > kMostIterations) return fail(Failure::OfLoop);
    const Inst &start = *now(loop.operands[0]), &step = *now(loop.operands[2]);
    for (uint64_t k = 0; k < *trips && goes_on(k); ++k) {
      const uint64_t value = static_cast<uint64_t>(start.imm) + k * static_cast<uint64_t>(step.imm);
      set_counter(loop, ir::canonical(start.type.scalar(), static_cast<int64_t>(value)), to);
      if (part(loop.regions[0].insts, to) == Next::Outside) return left_after(k + 1);
    }
    if (failure_ == Failure::None) else_(loop, *trips, outside, to);
  }

  void set_counter(const Inst& loop, int64_t value, std::vector<Inst*>& to) {
    Inst* counter = f_.create(Op::Const, loop.operands[0]->type, loop.span);
    counter->imm = value;
    Inst* store = f_.create(Op::SlotStore, {}, loop.span);
    store->imm = loop.imm;
    store->operands = {counter};
    to.insert(to.end(), {counter, store});
    contents_.stored(static_cast<size_t>(loop.imm), counter);
  }

  // Every iteration gains alike, but the first, which may be the one that makes something known.
  bool goes_on(uint64_t trips) {
    if (trips > kMostIterations || (trips == 2 && !gains_)) fail(Failure::OfLoop);
    return failure_ == Failure::None;
  }

  Next part(std::span<Inst* const> insts, std::vector<Inst*>& to) {
    jumps_ = Jumps::ToUnrolled;
    walk(insts, to);
    if (failure_ != Failure::None || ended(to)) return Next::Outside;
    const Inst* jump = std::exchange(jump_, nullptr);
    if (!jump) return Next::Rest;
    return jump->op == Op::Break ? Next::Outside : Next::Iteration;
  }

  void else_(const Inst& loop, uint64_t trips, Jumps outside, std::vector<Inst*>& to) {
    left_after(trips);
    jumps_ = outside;
    walk(loop.regions.back().insts, to);
  }

  // A loop that runs once gains by not being a loop.
  void left_after(uint64_t trips) { gains_ = gains_ || trips <= 1; }

  ir::Function& f_;
  SlotContents contents_;
  std::vector<Inst*> now_;  // by Inst::id; null: itself
  Jumps jumps_ = Jumps::ToLoop;
  const Inst* jump_ = nullptr;  // just taken, to a loop being unrolled
  Failure failure_ = Failure::None;
  bool gains_ = false;  // a constant reached what it can change
  int depth_ = 0;       // of loops being unrolled
  size_t weight_ = 1;   // copies that will be made of what is here
  size_t size_ = 0;     // of the outermost loop being unrolled, so far
  size_t left_ = kMostInstructions;
  size_t visits_ = 0;
};

}  // namespace

void unroll_barrier_loops(ir::Function& f) {
  if (!ir::has_barrier(f.body)) return;
  const ir::DefaultFloatEnvironment environment;
  Unroller(f).run();
}

}  // namespace cuda_device::passes
