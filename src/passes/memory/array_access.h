// What loads and stores have to do with each other: whether two expressions are one value, whether
// two arrays may share memory, what an instruction may do to an array.
#pragma once

#include <functional>

#include "ir/ir.h"

namespace cuda_device::passes {

// Whether both expressions have the same value. `same_load` says it of two loads of one slot. No
// where finding out would take long.
using SameLoad = std::function<bool(const ir::Inst&, const ir::Inst&)>;
bool same_value(const ir::Inst& a, const ir::Inst& b, const SameLoad& same_load);
bool same_value(const ir::Inst& a, const ir::Inst& b);

// Whether the two arrays (values of array type) may share an element.
bool may_overlap(const ir::Function& f, const ir::Inst& a, const ir::Inst& b);

// Whether the instruction, or one in its regions, may change an element of the array, or let
// another thread of the block change one.
bool may_change(const ir::Function& f, const ir::Inst& inst, const ir::Inst& array);

// Whether a store just in front of the instruction may as well stand just behind it: no jump, no
// loop that might not end, no access to what the store changes, no barrier.
bool may_move_behind(const ir::Function& f, const ir::Inst& store, const ir::Inst& inst);

}  // namespace cuda_device::passes
