// Splits indices into a base and what each lane adds to it, to tell whether they can be equal.
#pragma once

#include <vector>

#include "analysis/analysis.h"
#include "passes/lanes.h"

namespace cuda_device::passes {

// The analyses of gangs of every width that code may be made for.
using GangAnalyses = std::vector<analysis::Analysis>;
GangAnalyses analyse_gangs(const ir::Function& f, const Lanes& lanes);

// Whether no two lanes of a gang have the same index.
bool differs_between_lanes(const ir::Inst& index, const GangAnalyses& gangs);

// Whether no lane of a gang has as `a` the index that any lane has as `b`.
bool differ(const ir::Inst& a, const ir::Inst& b, const GangAnalyses& gangs);

}  // namespace cuda_device::passes
