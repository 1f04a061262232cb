#include "unit/analysis/random_program.h"

#include <utility>

namespace cuda_device::analysis::testing {
namespace {

using ir::Block;
using ir::Builder;
using ir::Inst;
using ir::Op;
using ir::Type;

constexpr Type kU8 = Type::of(ScalarKind::U8);
constexpr Type kU64 = Type::of(ScalarKind::U64);
constexpr Type kSlotTypes[] = {ir::kI32, ir::kI32, ir::kI32, ir::kI64, ir::kU32, ir::kBool, kU8};
constexpr Type kTypes[] = {ir::kI32, ir::kI32, ir::kI32, ir::kI64, ir::kU32, kU8, kU64};
constexpr std::array<uint32_t, 3> kBlocks[] = {{32, 1, 1}, {64, 1, 1}, {40, 1, 1}, {16, 4, 1},
                                               {10, 3, 1}, {8, 8, 2},  {5, 1, 1},  {60, 2, 1},
                                               {1, 33, 1}, {3, 3, 3},  {4, 8, 2},  {32, 2, 1}};
constexpr int kMaxDepth = 3;
constexpr int64_t kShared = 128;  // elements: of the largest block, a power of two

class Maker {
 public:
  Maker(uint64_t seed, RandomOptions options)
      : random_(seed), options_(options), f_(std::make_unique<ir::Function>()), b_(*f_, f_->body) {}

  RandomProgram run() {
    RandomProgram p;
    header(p.grid);
    if (options_.barriers) {
      may_return_ = chance(50);
      convergent(2);
    } else {
      statements(kMaxDepth);
    }
    results();
    p.function = std::move(f_);
    return p;
  }

 private:
  struct Context {
    bool loop = false;
    int scopes = 0;
    bool jumps = true;  // not in a condition
  };

  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int percent) { return below(100) < percent; }
  template <class T, size_t N>
  const T& any_of(const T (&all)[N]) {
    return all[below(static_cast<int>(N))];
  }

  void header(ir::Grid& grid) {
    f_->name = "random";
    grid.block = any_of(kBlocks);
    grid.grid = {static_cast<uint32_t>(1 + below(3)), static_cast<uint32_t>(1 + below(2)), 1};
    if (chance(80)) f_->launch.block = grid.block;
    f_->launch.grid_fits_31 = chance(70);
    ArrayFacts facts;
    facts.fits_31 = chance(50);
    facts.read_only = facts.no_alias = chance(50);
    f_->params.push_back({"a", Type::array(ScalarKind::I32, 1), facts, {}});
    ArrayFacts written;
    written.no_alias = facts.no_alias;
    written.beyond_cache = facts.no_alias && facts.fits_31;
    f_->params.push_back({"out", Type::array(ScalarKind::I64, 2), written, {}});
    f_->params.push_back({"n", ir::kI32, {}, {}});
    for (Type t : kSlotTypes) f_->slots.push_back({"s", t});
    lanes_ = chance(30);
    input_ = b_.typed(Op::Param, f_->params[0].type, {}, 0);
    output_ = b_.typed(Op::Param, f_->params[1].type, {}, 1);
    own_row();
    scope_values_.assign(1, {});
  }

  // The index of the thread in the launch.
  void own_row() {
    const auto at = [&](Op op, int axis) { return b_.op(op, {}, axis); };
    Inst* row = b_.const_int(ir::kU32, 0);
    for (const auto& [size, index] :
         {std::pair{Op::GridDim, Op::BlockIdx}, {Op::BlockDim, Op::ThreadIdx}}) {
      for (int axis = 2; axis >= 0; --axis) {
        row = b_.op(Op::Add, {b_.op(Op::Mul, {row, at(size, axis)}), at(index, axis)});
      }
    }
    row_ = b_.typed(Op::Convert, ir::kI64, {row});
    if (!options_.barriers) return;
    in_block_ = b_.const_int(ir::kU32, 0);
    threads_ = b_.const_int(ir::kU32, 1);
    for (int axis = 2; axis >= 0; --axis) {
      in_block_ = b_.op(
          Op::Add, {b_.op(Op::Mul, {in_block_, at(Op::BlockDim, axis)}), at(Op::ThreadIdx, axis)});
      threads_ = b_.op(Op::Mul, {threads_, at(Op::BlockDim, axis)});
    }
  }

  void results() {
    for (int k = 0; k < RandomProgram::kResults; ++k) {
      Inst* v = b_.slot_load(static_cast<uint32_t>(below(static_cast<int>(std::size(kSlotTypes)))));
      store(as(v, ir::kI64), k);
    }
  }

  void store(Inst* value, int64_t column) {
    b_.typed(Op::Store, Type::none(), {output_, row_, b_.const_int(ir::kI64, column), value});
  }

  void statements(int depth) {
    scope_values_.emplace_back();
    for (int n = 2 + below(4); n > 0 && !ended_; --n) statement(depth);
    scope_values_.pop_back();
  }

  void region(Block& into, int depth) {
    Block& outer = b_.block();
    b_.set_block(into);
    ended_ = false;
    statements(depth);
    b_.set_block(outer);
    ended_ = false;
  }

  // ---- control of the whole block ----

  void convergent(int depth) {
    scope_values_.emplace_back();
    for (int n = 2 + below(3); n > 0; --n) one_convergent(depth);
    scope_values_.pop_back();
  }

  void one_convergent(int depth) {
    switch (depth > 0 ? below(10) : below(5)) {
      case 0:
      case 1:
        b_.op(Op::Barrier, {});
        return;
      case 2:
      case 3:
        return divergent();
      case 4:
        return exchange();
      case 5:
        return uniform_if(depth);
      case 6:
        return uniform_for(depth);
      case 7:
        return uniform_while(depth);
      case 8:
        return uniform_scope(depth);
      default:
        keep(b_.op(Op::BarrierCount, {condition()}));
    }
  }

  void divergent() {
    scope_values_.emplace_back();
    for (int n = 1 + below(3); n > 0; --n) one_divergent();
    scope_values_.pop_back();
  }

  void one_divergent() {
    switch (below(6)) {
      case 0:
        return branch(2);
      case 1:
        return while_loop(1);
      case 2:
        return for_loop(1);
      case 3:
        return scope(1);
      default: {
        const bool jumps = std::exchange(context_.jumps, false);
        statement(0);
        context_.jumps = jumps;
      }
    }
  }

  Inst* block_uniform() {
    switch (below(4)) {
      case 0:
        return b_.op(Op::BarrierOr, {condition()});
      case 1:
        return b_.op(Op::BarrierAnd, {condition()});
      case 2:
        return b_.op(Op::Lt,
                     {b_.typed(Op::Param, ir::kI32, {}, 2), b_.const_int(ir::kI32, below(9))});
      default:
        return b_.op(Op::Eq, {b_.op(Op::BlockIdx, {}, 0), b_.const_int(ir::kU32, below(2))});
    }
  }

  template <class Body>
  void within(Block& into, Body&& body) {
    Block& outer = b_.block();
    const Context around = std::exchange(context_, {});
    b_.set_block(into);
    scope_values_.emplace_back();
    body();
    scope_values_.pop_back();
    b_.set_block(outer);
    context_ = around;
    ended_ = false;
  }

  void uniform_if(int depth) {
    Inst* i = b_.control(Op::If, {block_uniform()}, 2);
    within(i->regions[0], [&] { convergent(depth - 1); });
    if (chance(50)) within(i->regions[1], [&] { convergent(depth - 1); });
  }

  void uniform_for(int depth) {
    Inst *start = b_.const_int(ir::kI32, below(3)), *step = b_.const_int(ir::kI32, 1 + below(2));
    Inst* stop = b_.const_int(ir::kI32, start->imm + below(5));
    Inst* i = b_.control(Op::For, {start, stop, step}, 2, below(3));
    within(i->regions[0], [&] { iteration(depth); });
    if (chance(30)) within(i->regions[1], [&] { convergent(depth - 1); });
  }

  void uniform_while(int depth) {
    const auto fuel = static_cast<uint32_t>(f_->slots.size());
    f_->slots.push_back({"fuel", ir::kI32});
    b_.slot_store(fuel, b_.const_int(ir::kI32, 0));
    Inst* i = b_.control(Op::While, {}, 3);
    within(i->regions[0], [&] {
      context_.jumps = false;
      if (chance(30)) statement(0);
      Inst* more = b_.op(Op::Lt, {b_.slot_load(fuel), b_.const_int(ir::kI32, below(4))});
      if (chance(40)) more = b_.op(Op::And, {more, block_uniform()});
      b_.op(Op::Yield, {more});
    });
    within(i->regions[1], [&] {
      b_.slot_store(fuel, b_.op(Op::Add, {b_.slot_load(fuel), b_.const_int(ir::kI32, 1)}));
      iteration(depth);
    });
    if (chance(30)) within(i->regions[2], [&] { convergent(depth - 1); });
  }

  // All threads break out of a loop, or none; after the last barrier each continues by itself.
  void iteration(int depth) {
    convergent(depth - 1);
    if (chance(30)) jump_if(block_uniform(), Op::Break);
    if (chance(50)) convergent(depth - 1);
    if (chance(30)) jump_if(condition(), Op::Continue);
    if (chance(50)) divergent();
  }

  // Each thread leaves by itself, after the last barrier.
  void uniform_scope(int depth) {
    Inst* i = b_.control(Op::Scope, {}, 1);
    within(i->regions[0], [&] {
      convergent(depth - 1);
      if (chance(60)) jump_if(condition(), Op::Leave);
      if (chance(60)) divergent();
    });
  }

  void jump_if(Inst* when, Op jump) {
    Inst* i = b_.control(Op::If, {when}, 2);
    within(i->regions[0], [&] {
      if (chance(50)) statement(0);
      if (!ended_) b_.control(jump, {}, 0);
    });
  }

  // An exchange through shared memory: each thread stores to its element and loads another's.
  // Threads that have left would leave theirs as it was.
  void exchange() {
    if (may_return_) return;
    if (f_->arrays.empty())
      f_->arrays.push_back({"shared",
                            Type::array(ScalarKind::I32, 1, ir::AddressSpace::Shared),
                            {kShared},
                            {4},
                            4,
                            {}});
    Inst* array = b_.op(Op::Array, {}, 0);
    Inst* mask = b_.const_int(ir::kU32, kShared - 1);
    Inst* own = b_.op(Op::And, {in_block_, mask});
    Inst* other = b_.op(Op::And, {b_.op(Op::Add, {own, b_.const_int(ir::kU32, below(9))}), mask});
    b_.op(Op::Barrier, {});
    b_.typed(Op::Store, Type::none(), {array, own, as(value(), ir::kI32)});
    if (options_.opaque && chance(50)) opaque();
    b_.op(Op::Barrier, {});
    Inst* in_use = b_.op(Op::Lt, {other, threads_});
    keep(b_.op(Op::Select, {in_use, b_.op(Op::Load, {array, other}), b_.const_int(ir::kI32, 0)}));
    if (options_.opaque && chance(50)) opaque();
    b_.op(Op::Barrier, {});
  }

  // ---- what each thread does ----

  void opaque() {
    std::vector<Inst*> operands{row_};
    for (int n = below(3); n > 0; --n) operands.push_back(value());
    const auto part = static_cast<ir::OpaquePart>(chance(50) ? 0 : below(ir::kOpaqueParts));
    keep(b_.typed(Op::Opaque, ir::kI32, operands, ir::opaque_identity(part, identity_++)));
  }

  void statement(int depth) {
    if (options_.opaque && chance(20)) return opaque();
    const int what = below(100);
    if (depth > 0 && what < 14) return branch(depth);
    if (depth > 0 && what < 20) return while_loop(depth);
    if (depth > 0 && what < 28) return for_loop(depth);
    if (depth > 0 && what < 33) return scope(depth);
    if (depth < kMaxDepth && what < 41) return jump();
    if (what < 45) return store(as(value(), ir::kI64), below(RandomProgram::kResults));
    const auto slot = static_cast<uint32_t>(below(static_cast<int>(std::size(kSlotTypes))));
    b_.slot_store(slot, as(value(), kSlotTypes[slot]));
  }

  void branch(int depth) {
    Inst* i = b_.control(Op::If, {condition()}, 2);
    region(i->regions[0], depth - 1);
    if (chance(50)) region(i->regions[1], depth - 1);
  }

  uint32_t int32_slot() { return static_cast<uint32_t>(below(3)); }

  // What a variable held before it starts anew: a loop that stores it depends on more than the
  // variables it is entered with.
  Inst* former_value() {
    const uint32_t slot = int32_slot();
    Inst* value = b_.slot_load(slot);
    b_.slot_store(slot, b_.const_int(ir::kI32, 0));
    return value;
  }

  // A hidden slot counts the iterations, before anything in the body can continue.
  void while_loop(int depth) {
    const auto fuel = static_cast<uint32_t>(f_->slots.size());
    f_->slots.push_back({"fuel", ir::kI32});
    b_.slot_store(fuel, b_.const_int(ir::kI32, 0));
    Inst* former = chance(30) ? former_value() : nullptr;
    Inst* i = b_.control(Op::While, {}, 3);
    Block& outer = b_.block();
    const Context around = std::exchange(context_, {.loop = false, .scopes = 0, .jumps = false});
    b_.set_block(i->regions[0]);
    scope_values_.emplace_back();
    if (chance(20)) statement(0);
    Inst* more = b_.op(Op::Lt, {b_.slot_load(fuel), b_.const_int(ir::kI32, 1 + below(4))});
    if (chance(60)) more = b_.op(Op::And, {more, condition()});
    b_.op(Op::Yield, {more});
    scope_values_.pop_back();
    context_ = around;
    b_.set_block(i->regions[1]);
    b_.slot_store(fuel, b_.op(Op::Add, {b_.slot_load(fuel), b_.const_int(ir::kI32, 1)}));
    if (former) b_.slot_store(int32_slot(), former);
    b_.set_block(outer);
    body(i->regions[1], depth);
    if (chance(30)) region(i->regions[2], depth - 1);
  }

  void body(Block& into, int depth) {
    const bool outer = std::exchange(context_.loop, true);
    region(into, depth - 1);
    context_.loop = outer;
  }

  // A loop of a few iterations: start, start + at most 4 * step.
  // From the thread's index, in steps about as wide as the block: trip counts differ by one.
  void strided_loop() {
    const int64_t step = int64_t{8} << below(4);
    Inst* start = as(b_.op(Op::ThreadIdx, {}, 0), ir::kI32);
    Inst* stop = b_.const_int(ir::kI32, step + below(static_cast<int>(2 * step)));
    Inst* i = b_.control(Op::For, {start, stop, b_.const_int(ir::kI32, step)}, 2, int32_slot());
    within(i->regions[0], [&] {
      if (options_.opaque && chance(70)) opaque();
      store(as(value(), ir::kI64), below(RandomProgram::kResults));
    });
  }

  void for_loop(int depth) {
    if (chance(20)) return strided_loop();
    Inst* start = as(value(), ir::kI32);
    if (chance(40)) start = b_.const_int(ir::kI32, below(4));
    Inst* step = chance(80) ? b_.const_int(ir::kI32, chance(70) ? 1 : below(7) - 3)
                            : b_.op(Op::And, {as(value(), ir::kI32), b_.const_int(ir::kI32, 3)});
    Inst* trips = chance(50) ? b_.const_int(ir::kI32, below(5))
                             : b_.op(Op::And, {as(value(), ir::kI32), b_.const_int(ir::kI32, 3)});
    Inst* stop = b_.op(Op::Add, {start, b_.op(Op::Mul, {step, trips})});
    const auto slot = static_cast<uint32_t>(below(3));
    Inst* i = b_.control(Op::For, {start, stop, step}, 2, slot);
    body(i->regions[0], depth);
    if (chance(30)) region(i->regions[1], depth - 1);
  }

  void scope(int depth) {
    Inst* i = b_.control(Op::Scope, {}, 1);
    ++context_.scopes;
    region(i->regions[0], depth - 1);
    --context_.scopes;
  }

  void jump() {
    if (!context_.jumps) return;
    const int what = below(10);
    if (context_.loop && what < 4) {
      b_.control(Op::Break, {}, 0);
    } else if (context_.loop && what < 7) {
      b_.control(Op::Continue, {}, 0);
    } else if (context_.scopes > 0 && what < 9) {
      b_.control(Op::Leave, {}, 0, below(context_.scopes));
    } else if (what == 9 && may_return_) {
      b_.control(Op::Return, {}, 0);
    } else {
      return;
    }
    ended_ = true;
  }

  Inst* keep(Inst* v) {
    scope_values_.back().push_back(v);
    return v;
  }

  Inst* value() {
    if (chance(35)) {
      const auto& from =
          scope_values_[static_cast<size_t>(below(static_cast<int>(scope_values_.size())))];
      if (!from.empty()) return from[static_cast<size_t>(below(static_cast<int>(from.size())))];
    }
    return keep(chance(45) ? leaf() : operation());
  }

  Inst* leaf() {
    if (options_.opaque && chance(8))
      return b_.op(Op::Load,
                   {output_, row_, b_.const_int(ir::kI64, below(RandomProgram::kResults))});
    const int axis = below(3);
    switch (below(12)) {
      case 0:
      case 1:
        return b_.op(Op::Tid, {}, axis / 2);
      case 2:
        return b_.op(Op::ThreadIdx, {}, axis);
      case 3:
        return b_.op(Op::BlockIdx, {}, axis);
      case 4:
        return b_.op(chance(50) ? Op::BlockDim : Op::GridSize, {}, axis);
      case 5:
        return lanes_ ? b_.op(Op::LaneId, {}) : b_.op(Op::Tid, {}, 0);
      case 6:
        return b_.typed(Op::Param, ir::kI32, {}, 2);
      case 7:
        return load();
      case 8:
        return b_.op(Op::Extent, {input_}, 0);
      case 9:
      case 10:
        return b_.slot_load(static_cast<uint32_t>(below(static_cast<int>(f_->slots.size()))));
      default: {
        constexpr int64_t kSome[] = {0, 1, 2, 3, -1, 5, 16, 31, 32, 100, 200, INT32_MAX, INT32_MIN};
        return b_.const_int(ir::kI32, any_of(kSome));
      }
    }
  }

  Inst* load() {
    Inst* extent = b_.op(Op::Extent, {input_}, 0);
    Inst* index =
        b_.op(Op::FloorMod, {as(value(), ir::kI64), b_.const_int(ir::kI64, RandomProgram::kInput)});
    if (chance(30)) {
      index = b_.op(Op::Sub, {index, b_.const_int(ir::kI64, RandomProgram::kInput)});
      index = b_.op(Op::Wrap, {index, extent});
    }
    return b_.op(Op::Load, {input_, index});
  }

  Inst* as(Inst* v, Type t) { return v->type == t ? v : b_.typed(Op::Convert, t, {v}); }

  Inst* operation() {
    constexpr Op kBinary[] = {Op::Add, Op::Add,      Op::Add,      Op::Sub, Op::Sub, Op::Mul,
                              Op::Mul, Op::FloorDiv, Op::FloorMod, Op::Min, Op::Max, Op::And,
                              Op::Or,  Op::Xor,      Op::Shl,      Op::Shr};
    constexpr Op kUnary[] = {Op::Neg, Op::Not, Op::Abs};
    constexpr Op kBits[] = {Op::Popc, Op::Clz, Op::Ffs};
    const Type t = any_of(kTypes);
    switch (below(10)) {
      case 0:
        return b_.op(any_of(kUnary), {as(value(), t)});
      case 1:
        return b_.op(any_of(kBits), {as(value(), t)});
      case 2:
        return b_.op(Op::Select, {condition(), as(value(), t), as(value(), t)});
      case 3:
        return b_.typed(Op::Convert, t, {value()});
      case 4:
        return b_.op(Op::Wrap, {as(value(), t), as(value(), ir::kI64)});
      default:
        return b_.op(any_of(kBinary), {as(value(), t), operand(t)});
    }
  }

  Inst* operand(Type t) { return chance(30) ? b_.const_int(t, below(9)) : as(value(), t); }

  Inst* condition() {
    constexpr Op kCompare[] = {Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne};
    if (chance(10)) return b_.op(chance(50) ? Op::And : Op::Or, {compare(), compare()});
    if (chance(10)) return b_.op(Op::Not, {compare()});
    if (chance(15)) return beside_a_warps_end(any_of(kCompare));
    const Type t = any_of(kTypes);
    return chance(10) ? as(value(), ir::kBool)
                      : b_.op(any_of(kCompare), {as(value(), t), operand(t)});
  }

  // A position, moved a little, against about as many lanes as gangs have.
  Inst* beside_a_warps_end(Op compare) {
    const Type t = chance(50) ? ir::kI32 : ir::kU32;
    const int64_t moved = chance(50) ? 0 : below(9);
    const int64_t limit = 8 * (1 + below(8)) + (chance(50) ? 0 : below(3) - 1) - moved;
    Inst* at = as(b_.op(chance(50) ? Op::ThreadIdx : Op::Tid, {}, 0), t);
    if (moved > 0) at = b_.op(Op::Sub, {at, b_.const_int(t, moved)});
    Inst* with = b_.const_int(t, limit);
    return chance(50) ? b_.op(compare, {at, with}) : b_.op(compare, {with, at});
  }

  Inst* compare() {
    return b_.op(chance(50) ? Op::Lt : Op::Ge, {as(value(), ir::kI32), operand(ir::kI32)});
  }

  std::mt19937_64 random_;
  const RandomOptions options_;
  std::unique_ptr<ir::Function> f_;
  Builder b_;
  Context context_;
  bool ended_ = false;
  bool lanes_ = false;
  Inst* input_ = nullptr;
  Inst* output_ = nullptr;
  Inst* row_ = nullptr;
  Inst *in_block_ = nullptr, *threads_ = nullptr;  // with barriers
  int64_t identity_ = 0;
  bool may_return_ = true;
  std::vector<std::vector<Inst*>> scope_values_;  // that statements here may use, by nesting
};

}  // namespace

RandomProgram random_program(uint64_t seed, RandomOptions options) {
  return Maker(seed, options).run();
}

}  // namespace cuda_device::analysis::testing
