// Generator expressions: gone through where a builtin takes their elements.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

// Calls `take` with each element, evaluated where the context then emits: in loops and under
// conditions, if the clauses say so.
void each_generated(Context& ctx, const Value::Generator& generator,
                    const std::function<void(const Value& element)>& take);
// The elements, if they are straight code: their types need not have anything in common then.
std::optional<std::vector<Value>> straight_elements(Context& ctx,
                                                    const Value::Generator& generator);
// All elements, where their number is a constant. Else reports, and gives nothing.
std::optional<std::vector<Value>> all_generated(Context& ctx, const Value::Generator& generator);
// Whether all elements, or any, are true; those after the first that decides are not evaluated.
Value decided(Context& ctx, const Value::Generator& generator, bool is_all);

}  // namespace cuda_device::frontend
