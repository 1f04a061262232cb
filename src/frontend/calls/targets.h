// Target descriptions in kernels: entities that name a set of targets, so they are always known.
#pragma once

#include <optional>
#include <string>

#include "frontend/context.h"
#include "frontend/operators/operators.h"
#include "support/targets.h"

namespace cuda_device::frontend {

// What the name of a description without one of its own begins with; the set follows, as a number.
inline constexpr std::string_view kDescription = "device.TargetDescription ";

// Nothing: the value is no description.
std::optional<TargetSet> target_set(const Value& value);

// a | b and a & b of descriptions; nothing: it is something else.
std::optional<Value> target_operation(BinaryOp op, const Value& a, const Value& b);

// ~a of a description; nothing: it is something else.
std::optional<Value> target_complement(const Value& value);

// A description in place of a condition.
Value description_as_condition(Context& ctx, const Node* node);

// What a condition is in host code, as far as calls of target() in it decide that.
std::optional<bool> answer_on_host(const Context& ctx, const Node* condition);

// While it lives, device-only names may be used if host code never comes here.
class DeadOnHost {
 public:
  DeadOnHost(const Context& ctx, bool dead)
      : instance_(*ctx.instance), outer_(ctx.instance->dead_on_host) {
    instance_.dead_on_host |= dead;
  }
  ~DeadOnHost() { instance_.dead_on_host = outer_; }
  DeadOnHost(const DeadOnHost&) = delete;

 private:
  Instance& instance_;
  bool outer_;
};

}  // namespace cuda_device::frontend
