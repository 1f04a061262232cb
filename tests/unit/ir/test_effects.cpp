// The questions of effects.h, about operations of every kind.
#include "ir/effects.h"

#include <gtest/gtest.h>

#include "every_op.h"
#include "ir/visitor.h"

namespace cuda_device::ir {
namespace {

const Inst& last_of(const Function& f) { return *f.body.insts.back(); }

// An effect that op.def does not state is there.
TEST(Effects, OfWhatSaysNothingAreAll) {
  const Effects unknown;
  EXPECT_EQ(unknown.memory, Memory::ReadsWrites);
  EXPECT_EQ(unknown.where, Where::Anywhere);
  EXPECT_EQ(unknown.order, Order::OrdersAll);
  EXPECT_EQ(unknown.threads, Threads::ConvergesAndWaits);
  EXPECT_EQ(unknown.report, Report::Reports);
  const OpInfo said = {.text = "",
                       .operands = 0,
                       .result = ResultRule::None,
                       .imm = ImmKind::None,
                       .kind = OpKind::Effect,
                       .semantics = ""};
  EXPECT_EQ(said.cost, Cost::Costly);
  EXPECT_EQ(said.accuracy, Accuracy::Approximate);
  EXPECT_EQ(said.width, Width::FullWidth);
  EXPECT_EQ(said.lanes, LaneRule::Varying);
}

TEST(Effects, FollowFromEachOther) {
  for (const Op op : all_ops()) {
    SCOPED_TRACE(std::string(info(op).text));
    const auto f = function_with(op);
    const Inst& inst = last_of(*f);
    if (inst.op != op) continue;  // it ends a block inside of another
    const auto implies = [](bool a, bool b) { return !a || b; };
    EXPECT_TRUE(implies(is_pure(op), may_speculate(op)));
    EXPECT_TRUE(implies(may_speculate(op), may_repeat(inst)));
    EXPECT_TRUE(implies(may_repeat(inst), may_remove(inst)));
    EXPECT_TRUE(implies(may_remove(inst), !has_effect(inst) && may_copy(inst)));
    EXPECT_TRUE(implies(depends_on_threads(inst) || reports(inst), !may_remove(inst)));
    EXPECT_TRUE(implies(reads(inst) || writes(inst), access_of(inst).has_value()));
    EXPECT_EQ(access_of(inst).has_value(), effects_of(inst).where != Where::Nowhere);
  }
}

TEST(Effects, AreToConvergeOrToWaitAsTheColumnSays) {
  const auto with = [](Threads threads) {
    Effects effects = kNoEffects;
    effects.threads = threads;
    return effects;
  };
  EXPECT_FALSE(converges(with(Threads::Alone)) || waits(with(Threads::Alone)));
  EXPECT_TRUE(converges(with(Threads::Converges)) && !waits(with(Threads::Converges)));
  EXPECT_TRUE(converges(with(Threads::MeetsWarp)) && !waits(with(Threads::MeetsWarp)));
  EXPECT_TRUE(!converges(with(Threads::Waits)) && waits(with(Threads::Waits)));
  for (const Threads both : {Threads::ConvergesAndWaits, Threads::MeetsBlock})
    EXPECT_TRUE(converges(with(both)) && waits(with(both)));
}

TEST(Effects, ThatReachArraysWithoutAName) {
  const auto with = [](Memory memory, Where where, Order order) {
    Effects effects = kNoEffects;
    effects.memory = memory;
    effects.where = where;
    effects.order = order;
    return effects;
  };
  const auto none = Order::Unordered;
  EXPECT_TRUE(may_change_any_array(with(Memory::Writes, Where::Anywhere, none)));
  EXPECT_TRUE(may_change_any_array(with(Memory::ReadsWrites, Where::Anywhere, none)));
  EXPECT_TRUE(may_change_any_array(with(Memory::Untouched, Where::Nowhere, Order::OrdersAll)));
  EXPECT_FALSE(may_change_any_array(with(Memory::Reads, Where::Anywhere, none)));
  EXPECT_FALSE(may_change_any_array(with(Memory::Writes, Where::Element, none)));
  EXPECT_FALSE(may_change_any_array(with(Memory::Untouched, Where::Nowhere, Order::OrdersBlock)));
}

TEST(Effects, OfOpaqueAreAll) {
  const auto f = function_with(Op::Opaque);
  const Inst& call = last_of(*f);
  const Effects effects = effects_of(call);
  EXPECT_TRUE(reads(effects) && writes(effects) && orders(effects));
  EXPECT_TRUE(converges(effects) && waits(effects) && reports(effects));
  EXPECT_FALSE(may_remove(call) || may_repeat(call) || may_copy(call) || is_barrier(call.op));
}

// An effect counts without the others.
class OnlyEffect : public testing::Test {
 protected:
  Inst& part(OpaquePart part) {
    f_->body.insts.back()->imm = opaque_identity(part, 0);
    return *f_->body.insts.back();
  }
  const std::unique_ptr<Function> f_ = parse(R"(kernel "k"
param @0 "a": array<float32, 1> no_alias
param @1 "b": array<float32, 1> no_alias
{
  %a = param @0 : array<float32, 1>
  %b = param @1 : array<float32, 1>
  %i = tid #0 : int32
  %l = load %a, %i : float32
  store %b, %i, %l
  %r = opaque 1, %i : int32
})");
  const Inst& load_ = *f_->body.insts[3];
  const Inst& a_ = *load_.operands[0];
};

TEST_F(OnlyEffect, KeepsTheCall) {
  for (int64_t p = 0; p < kOpaqueParts; ++p) {
    const Inst& call = part(static_cast<OpaquePart>(p));
    EXPECT_TRUE(has_effect(call) && !may_remove(call) && !may_repeat(call)) << p;
    EXPECT_FALSE(may_cross(*f_, call, call)) << p;
  }
}

TEST_F(OnlyEffect, OfCallsThatConvergeForbidsCopies) {
  EXPECT_FALSE(may_copy(part(OpaquePart::Vote)));
  for (const OpaquePart p : {OpaquePart::Access, OpaquePart::Fence, OpaquePart::Wait})
    EXPECT_TRUE(may_copy(part(p)));
}

TEST_F(OnlyEffect, OfMemoryOrOrderChangesArrays) {
  for (const OpaquePart p : {OpaquePart::Access, OpaquePart::Fence}) {
    const Inst& call = part(p);
    EXPECT_EQ(changing_arrays(*f_), (std::vector{true, true}));
    EXPECT_TRUE(may_change(*f_, call, a_));
    EXPECT_FALSE(may_cross(*f_, call, load_));
  }
  EXPECT_TRUE(may_change(*f_, part(OpaquePart::Wait), a_));
  EXPECT_FALSE(may_change(*f_, part(OpaquePart::Vote), a_));
  EXPECT_EQ(changing_arrays(*f_), (std::vector{false, true}));
  part(OpaquePart::Access);
  EXPECT_FALSE(acquires(*f_));
  part(OpaquePart::Fence);
  EXPECT_TRUE(acquires(*f_));
}

TEST_F(OnlyEffect, OfThreadsHoldsAccessesBack) {
  for (const OpaquePart p : {OpaquePart::Vote, OpaquePart::Wait}) {
    EXPECT_FALSE(may_cross(*f_, part(p), load_));
    EXPECT_TRUE(depends_on_threads(part(p)));
  }
  part(OpaquePart::Vote);
  EXPECT_TRUE(uses_warps(*f_) && has_convergent(f_->body));
  part(OpaquePart::Wait);
  EXPECT_FALSE(uses_warps(*f_) || has_convergent(f_->body));
}

// A thread that reads an element again sees what others wrote meanwhile.
TEST_F(OnlyEffect, OfAnAtomicLoadIsThatTheElementMayChange) {
  Inst& atomic = part(OpaquePart::AtomicLoad);
  atomic.operands.assign(load_.operands.begin(), load_.operands.end());
  EXPECT_TRUE(may_remove(atomic) && !may_repeat(atomic) && !is_plain_load(atomic));
  EXPECT_EQ(changing_arrays(*f_), (std::vector{true, true}));
  EXPECT_FALSE(may_cross(*f_, atomic, atomic));
  EXPECT_TRUE(may_cross(*f_, atomic, load_));
}

// It may be a part of any array of its space.
TEST_F(OnlyEffect, OfAnArrayOfUnknownOriginIsOnAll) {
  Inst* unknown = f_->create(Op::Select, a_.type, {});
  EXPECT_EQ(whole_array(*unknown), nullptr);
  EXPECT_TRUE(may_overlap(*f_, *unknown, a_) && may_overlap(*f_, a_, *unknown));
  part(OpaquePart::Vote);
  f_->body.insts[4]->operands[0] = unknown;  // the store
  EXPECT_EQ(changing_arrays(*f_), (std::vector{true, true}));
}

// Instructions by their number, and whether two may change places.
class Crossing : public testing::Test {
 protected:
  bool cross(size_t x, size_t y) const {
    const bool may = may_cross(*f_, *at(x), *at(y));
    EXPECT_EQ(may_cross(*f_, *at(y), *at(x)), may);
    return may;
  }
  const Inst* at(size_t n) const { return f_->body.insts[kFirst + n]; }

  enum : size_t {
    LoadA,
    LoadB,
    StoreA,
    StoreB,
    StoreOwn,
    Barrier,
    Check,
    Print,
    Call,
    Slot,
    Set,
    Sum
  };
  static constexpr size_t kFirst = 7;
  const std::unique_ptr<Function> f_ = parse(R"(kernel "k"
param @0 "a": array<float32, 1> no_alias
param @1 "b": array<float32, 1>
slot $0 "s": int32
array &0 "own": array<float32, 1, local> shape 8 strides 4 align 4
failure ~0 "ValueError" "text" function 0 line 1
format ~0 "{}\x0a" int32
{
  %a = param @0 : array<float32, 1>
  %b = param @1 : array<float32, 1>
  %own = array &0 : array<float32, 1, local>
  %i = tid #0 : int32
  %v = const 1 : float32
  %c = eq %i, %i : bool
  %k = const 3 : int32
  %la = load %a, %i : float32
  %lb = load %b, %i : float32
  store %a, %i, %v
  store %b, %i, %v
  store %own, %k, %v
  barrier
  check ~0, %c
  print ~0, %i
  %r = opaque 1, %i : int32
  %s = slot_load $0 : int32
  slot_store $0, %i
  %t = add %i, %k : int32
})");
};

TEST_F(Crossing, AccessesToOneArrayKeepTheirOrderIfOneWrites) {
  EXPECT_TRUE(cross(LoadA, LoadB));
  EXPECT_FALSE(cross(LoadA, StoreA));
  EXPECT_TRUE(cross(LoadA, StoreB));  // a overlaps nothing
  EXPECT_TRUE(cross(StoreA, StoreB));
  EXPECT_FALSE(cross(StoreB, LoadB));
}

TEST_F(Crossing, NothingThatOthersSeeCrossesABarrierOrACall) {
  for (const size_t one : {size_t{Barrier}, size_t{Call}}) {
    for (const size_t other : {LoadA, StoreB, StoreOwn, Barrier, Check, Print, Call})
      EXPECT_FALSE(cross(one, other)) << one << " " << other;
    for (const size_t other : {Slot, Set, Sum}) EXPECT_TRUE(cross(one, other));
  }
}

TEST_F(Crossing, ReportsKeepTheirOrderAndThatOfStores) {
  EXPECT_FALSE(cross(Check, Print));
  EXPECT_FALSE(cross(Print, StoreA));
  EXPECT_TRUE(cross(Print, LoadA));
}

TEST_F(Crossing, VariablesKeepTheOrderOfTheirStores) {
  EXPECT_FALSE(cross(Slot, Set));
  EXPECT_TRUE(cross(Slot, Slot));
  EXPECT_TRUE(cross(Set, Sum));
}

TEST_F(Crossing, PlainLoadsAndStoresDoNothingElse) {
  for (size_t n = 0; n <= Sum; ++n) {
    EXPECT_EQ(is_plain_load(*at(n)), n == LoadA || n == LoadB) << n;
    EXPECT_EQ(is_plain_store(*at(n)), n == StoreA || n == StoreB || n == StoreOwn) << n;
  }
}

// A local array is touched by those that have it.
TEST_F(Crossing, CallsChangeArraysThatOthersReach) {
  const Inst &call = *at(Call), &a = *at(StoreA)->operands[0], &own = *at(StoreOwn)->operands[0];
  EXPECT_TRUE(may_touch(*f_, call, a));
  EXPECT_FALSE(may_touch(*f_, call, own));
  EXPECT_TRUE(may_change(*f_, call, a));
}

}  // namespace
}  // namespace cuda_device::ir
