// Whether two expressions are one value.
#pragma once

#include <functional>

#include "ir/ir.h"

namespace cuda_device::passes {

// `same_load` answers for two loads of one slot. False where finding out would take long.
using SameLoad = std::function<bool(const ir::Inst&, const ir::Inst&)>;
bool same_value(const ir::Inst& a, const ir::Inst& b, const SameLoad& same_load);
bool same_value(const ir::Inst& a, const ir::Inst& b);

}  // namespace cuda_device::passes
