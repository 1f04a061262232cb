// The questions of effects.h, about operations of every kind.
#include "ir/effects.h"

#include <gtest/gtest.h>

#include "every_op.h"
#include "ir/visitor.h"

namespace cuda_device::ir {
namespace {

// Whoever adds an operation is led through this: an effect that nobody stated is there.
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
    const auto implies = [](bool a, bool b) { return !a || b; };
    EXPECT_TRUE(implies(is_pure(op), may_speculate(op)));
    EXPECT_TRUE(implies(may_speculate(op), may_repeat(op)));
    EXPECT_TRUE(implies(may_repeat(op), may_remove(op)));
    EXPECT_TRUE(implies(may_remove(op), !has_effect(op) && may_copy(op)));
    EXPECT_TRUE(implies(waits(op) || reports(op) || orders(op), !may_remove(op)));
    EXPECT_EQ(access_of(*function_with(op)->body.insts.back()).has_value(),
              reads(op) || writes(op));
  }
}

TEST(Effects, AreToConvergeOrToWaitAsTheColumnSays) {
  for (const Op op : all_ops()) {
    SCOPED_TRACE(std::string(info(op).text));
    const Threads threads = info(op).effects.threads;
    EXPECT_EQ(converges(op), threads != Threads::Alone && threads != Threads::Waits);
    EXPECT_EQ(waits(op), threads != Threads::Alone && threads != Threads::Converges);
  }
}

// No operation has only one of the two.
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
  EXPECT_TRUE(reads(Op::Opaque) && writes(Op::Opaque) && orders(Op::Opaque));
  EXPECT_TRUE(converges(Op::Opaque) && waits(Op::Opaque) && reports(Op::Opaque));
  EXPECT_FALSE(may_remove(Op::Opaque) || may_repeat(Op::Opaque) || may_copy(Op::Opaque));
  EXPECT_FALSE(is_barrier(Op::Opaque));
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
