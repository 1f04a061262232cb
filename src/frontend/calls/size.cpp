#include "frontend/calls/size.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "frontend/calls/called.h"
#include "frontend/calls/lent.h"

namespace cuda_device::frontend {
namespace {

// What a call weighs where it stands: its arguments, results and the depth.
constexpr uint64_t kCallWeight = 16;
// Functions are chosen until the kernel is so many times smaller, or none makes it smaller.
constexpr uint64_t kWantedShrink = 4;
constexpr uint64_t kLeastShrink = 2;
// How often a kernel may become too large again: other places are met then.
constexpr uint32_t kMostRounds = 50;
// Tuples of arguments of one function that are told apart. Where there are more, most differ.
constexpr size_t kMostTuples = 64;

bool holds_closure(const Value& value) {
  return value.is<Value::Closure>() || std::ranges::any_of(value.parts(), holds_closure);
}

// The inlined calls of one function with the same abstract arguments.
struct Group {
  const Instance* first;
  uint64_t calls = 0, weight = 0;  // all of them, of one weighing
  bool called = false;

  // How much smaller the kernel is where it is called.
  int64_t gain() const {
    if (called || calls < 2) return 0;
    return static_cast<int64_t>(weight - weight / calls) -
           static_cast<int64_t>(calls * kCallWeight);
  }
  auto place() const {
    const Span &f = first->function->span, &call = first->call.node->span;
    return std::tuple(f.file, f.line, f.column, call.file, call.line, call.column);
  }
};

// What the inlined calls of a pass weigh, an instruction one.
class Weights {
 public:
  explicit Weights(Context& ctx) : session_(ctx.session) {
    for (size_t i = 0; i < session_.allocations.size(); ++i)
      if (session_.allocations[i].type.space == ir::AddressSpace::Shared)
        for (const Instance* in = session_.allocated_in[i]; in; in = in->parent)
          shares_.insert(in->function);
  }

  // All calls, with those of the groups that are called as such.
  uint64_t weigh() {
    for (Group& group : groups_) group.calls = group.weight = 0;
    uint64_t sum = 0;
    session_.for_each_function([&](const Instance& i) { sum += weight_of_calls(i); });
    return sum;
  }
  Group* best() {
    const auto is_worse = [](const Group& a, const Group& b) {
      return a.gain() != b.gain() ? a.gain() < b.gain() : a.place() > b.place();
    };
    const auto at = std::ranges::max_element(groups_, is_worse);
    return at == groups_.end() || at->gain() <= 0 ? nullptr : &*at;
  }
  const std::vector<Group>& groups() const { return groups_; }

 private:
  // A copy of a call has the calls of that one.
  static const auto& calls_of(const Instance& in) {
    return in.copy_of ? in.copy_of->calls : in.calls;
  }
  uint64_t weight_of_calls(const Instance& in) {
    uint64_t sum = 0;
    for (const auto& [key, call] : calls_of(in)) sum += weight_of(*call);
    return sum;
  }

  // In calls on the way to where the kernel became too large only the calls within count.
  uint64_t weight_of(const Instance& i) {
    if (!i.size) return weight_of_calls(i);
    uint64_t own = *i.size;
    for (const auto& [key, call] : calls_of(i))
      own -= std::min<uint64_t>(own, call->size.value_or(0));
    Group* group = group_of(i);
    if (group && group->called && group->calls++ > 0) return kCallWeight;
    const bool is_body = group && group->called;
    const uint64_t weight = own + 1 + weight_of_calls(i);
    group = group_of(i);  // others were added
    if (group && !is_body) ++group->calls;
    if (group) group->weight += weight;
    return is_body ? weight + kCallWeight : weight;
  }

  // Null: it stays inlined. A shared array would become one for all calls.
  Group* group_of(const Instance& i) {
    const auto [at, is_new] = number_.try_emplace(&i, std::nullopt);
    if (is_new && may_be_called(i)) at->second = number_of_group(i);
    return at->second ? &groups_[*at->second] : nullptr;
  }
  bool may_be_called(const Instance& i) const {
    const auto may_be_passed = [](const Value& v) {
      return !v.contains_unknown() && !holds_closure(v);
    };
    return may_be_called_for_size(*i.function) && !i.enclosing && i.is_callable &&
           !shares_.contains(i.function) && std::ranges::all_of(i.arguments, may_be_passed);
  }
  std::optional<size_t> number_of_group(const Instance& i) {
    std::vector<size_t>& of_function = by_function_[i.function];
    for (const size_t number : of_function)
      if (std::ranges::equal(groups_[number].first->arguments, i.arguments, same_abstract))
        return number;
    if (of_function.size() == kMostTuples) return std::nullopt;
    of_function.push_back(groups_.size());
    groups_.push_back({&i});
    return of_function.back();
  }

  Session& session_;
  std::set<const syntax::Function*> shares_;  // with a shared array of their own
  std::unordered_map<const Instance*, std::optional<size_t>> number_;  // of its group
  std::unordered_map<const syntax::Function*, std::vector<size_t>> by_function_;
  std::vector<Group> groups_;
};

}  // namespace

bool call_large_functions(Context& ctx) {
  Session& session = ctx.session;
  const bool has_gangs = session.root->function->options.execution == Execution::Gangs;
  if (has_gangs || session.rounds_of_size == kMostRounds) return false;
  Weights weights(ctx);
  const uint64_t calls = weights.weigh(), all = ctx.function->inst_count() + ctx.inlined_calls;
  const uint64_t rest = all - std::min(all, calls), before = calls + rest;
  uint64_t after = before;
  while (after > before / kWantedShrink) {
    Group* best = weights.best();
    if (!best) break;
    best->called = true;
    after = weights.weigh() + rest;
  }
  if (after > before / kLeastShrink) return false;
  for (const Group& group : weights.groups()) {
    if (!group.called) continue;
    const Instance& i = *group.first;
    new_called_function(ctx, {i.function, i.index}, i.arguments, false).for_size = true;
  }
  ++session.rounds_of_size;
  // What follows in this pass is left out: no type may follow from that.
  ctx.inference.demoted = true;
  return true;
}

bool may_be_called_for_size(const syntax::Function& function) {
  return function.options.inlining == Inlining::Automatic && function.in_library.empty();
}

bool is_called_for_size(const Context& ctx, const Callee& callee) {
  return std::ranges::any_of(ctx.session.called, [&](const auto& one) {
    return one->for_size && one->instance->function == callee.function;
  });
}

bool can_be_returned(const Value& result) {
  return result.is_storable() && !result.contains_unknown() && !holds_closure(result) &&
         !holds_local(result);
}

}  // namespace cuda_device::frontend
