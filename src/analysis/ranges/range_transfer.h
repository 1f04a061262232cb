// The interval of one instruction's value from those of its operands.
#pragma once

#include <functional>

#include "analysis/ranges/interval.h"

namespace cuda_device::analysis {

using RangeOf = std::function<Interval(const ir::Inst&)>;

// The interval of an integer or bool value that no slot holds; `of` gives the operands'.
Interval interval_of(const ir::Inst& inst, const ir::Function& f, const RangeOf& of);

// The values that the counter of a `for` takes.
Interval counter_interval(const ir::Inst& loop, const RangeOf& of);

}  // namespace cuda_device::analysis
