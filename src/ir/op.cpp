#include "ir/op.h"

namespace cuda_device::ir {
namespace {

#define GIVEN_AS(group, name, t, count, rule, immediate, threads, words) \
  {.text = t,                                                            \
   .operands = count,                                                    \
   .result = ResultRule::rule,                                           \
   .imm = ImmKind::immediate,                                            \
   .kind = OpKind::group,                                                \
   .semantics = words,                                                   \
   .cost = Cost::Cheap,                                                  \
   .accuracy = Accuracy::Exact,                                          \
   .lanes = LaneRule::threads,                                           \
   .effects = kNoEffects},

constexpr OpInfo kOpInfo[] = {
#define SCALAR(name, t, count, rule, time, bits, bound, words) \
  {.text = t,                                                  \
   .operands = count,                                          \
   .result = ResultRule::rule,                                 \
   .imm = ImmKind::None,                                       \
   .kind = OpKind::Scalar,                                     \
   .semantics = words,                                         \
   .cost = Cost::time,                                         \
   .accuracy = Accuracy::bits,                                 \
   .width = Width::bound,                                      \
   .lanes = LaneRule::OfOperands,                              \
   .effects = kNoEffects},
#define GIVEN(...) GIVEN_AS(Given, __VA_ARGS__)
#define POSITION(...) GIVEN_AS(Position, __VA_ARGS__)
#define SLOT(name, t, count, rule, words) \
  {.text = t,                             \
   .operands = count,                     \
   .result = ResultRule::rule,            \
   .imm = ImmKind::Slot,                  \
   .kind = OpKind::Slot,                  \
   .semantics = words,                    \
   .cost = Cost::Cheap,                   \
   .accuracy = Accuracy::Exact,           \
   .effects = kNoEffects},
#define EFFECT(name, t, count, rule, immediate, touches, place, ordering, others, says, threads_, \
               words)                                                                             \
  {.text = t,                                                                                     \
   .operands = count,                                                                             \
   .result = ResultRule::rule,                                                                    \
   .imm = ImmKind::immediate,                                                                     \
   .kind = OpKind::Effect,                                                                        \
   .semantics = words,                                                                            \
   .accuracy = Accuracy::Exact,                                                                   \
   .lanes = LaneRule::threads_,                                                                   \
   .effects = {Memory::touches, Where::place, Order::ordering, Threads::others, Report::says}},
#define CONTROL(name, t, count, rule, immediate, holds, words) \
  {.text = t,                                                  \
   .operands = count,                                          \
   .result = ResultRule::rule,                                 \
   .imm = ImmKind::immediate,                                  \
   .kind = OpKind::Control,                                    \
   .semantics = words,                                         \
   .accuracy = Accuracy::Exact,                                \
   .effects = kNoEffects,                                      \
   .regions = Regions::holds},
#include "ir/op.def"
};

// What no operation can say of itself.
consteval bool makes_sense(const OpInfo& op) {
  const Effects& e = op.effects;
  const bool element = e.where == Where::Element || e.where == Where::AtomicElement;
  return (e.memory == Memory::Untouched || e.where != Where::Nowhere) &&
         !(e.memory == Memory::Untouched && e.where == Where::Anywhere) &&
         !(element && op.operands < 0) && !(op.result == ResultRule::Element && !element) &&
         !(e.threads == Threads::MeetsBlock && e.order == Order::Unordered);
}
consteval bool all_make_sense() {
  for (const OpInfo& op : kOpInfo)
    if (!makes_sense(op)) return false;
  return true;
}
static_assert(all_make_sense());

}  // namespace

const OpInfo& info(Op op) { return kOpInfo[static_cast<size_t>(op)]; }

}  // namespace cuda_device::ir
