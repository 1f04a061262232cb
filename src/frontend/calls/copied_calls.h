// Calls of a function that differ in nothing that is known when compiling: the first one in a pass
// is lowered where it stands, the others are copies of its instructions (docs/decisions/0055, 12).
#pragma once

#include <optional>
#include <vector>

#include "frontend/calls/calls.h"

namespace cuda_device::frontend {

// What the call gives, a copy of an equal one before it; nothing: there is none.
std::optional<Value> copied_call(Context& ctx, Instance& instance, const std::vector<Value>& given);

// A call that is about to be lowered.
struct CallStart {
  explicit CallStart(Context& ctx);

  size_t insts;  // in the block that it stands in
  size_t slots;
  uint32_t inlined_calls;
  uint32_t deepest;
};

// Has calls like this one copied from here on, unless each has something of its own.
void keep_call(Context& ctx, const CallStart& start, const Instance& instance,
               std::vector<Value> given, const Value& result);

}  // namespace cuda_device::frontend
