// Generator expressions: gone through where a loop or a builtin takes their elements.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "frontend/control/iteration.h"

namespace cuda_device::frontend {

using Take = std::function<void(const Value& element)>;
// Calls what it is given with each of some values.
using Each = std::function<void(const Take& take)>;

// Whether it has conditions or several loops.
bool has_more(const Value::Generator& generator);
// One that has not, as loops and zip() go through it; nothing: it has more.
std::optional<Iteration> iteration_of_generator(Context& ctx, const Value::Generator& generator);
// Calls `take` with each element, evaluated where the context then emits: in loops and under
// conditions, if the clauses say so.
void each_generated(Context& ctx, const Value::Generator& generator, const Take& take);
// The elements, if they are straight code: their types need not have anything in common then.
std::optional<std::vector<Value>> straight_elements(Context& ctx,
                                                    const Value::Generator& generator);
// All elements, where their number is a constant. Else reports, and gives nothing.
std::optional<std::vector<Value>> all_generated(Context& ctx, const Value::Generator& generator);
// Whether all tests of `each`, or any, are true; nothing is evaluated after the first that decides.
Value decided(Context& ctx, bool is_all, const Node* node, const Each& each);
// Whether all elements, or any, are true; those after the first that decides are not evaluated.
Value decided(Context& ctx, const Value::Generator& generator, bool is_all);

}  // namespace cuda_device::frontend
