// Removes the checks of `assert` statements, for targets that do not make them. What a program
// means is then what it would without the statements: it runs before anything follows from their
// conditions. A `raise` stays. What asks whether the threads of a warp are together goes too.
//
//     failure ~0 "AssertionError" ... assertion
//     %2 = lt %0, %1 : bool                     %2 = lt %0, %1 : bool
//     check ~0, %2
#pragma once

#include <span>
#include <vector>

#include "ir/ir.h"

namespace cuda_device::passes {

void drop_assertions(ir::Function& f);

// The operands that every target computes: the values of a failure's message are told, and needed,
// where failures are.
std::span<ir::Inst* const> needed_operands(const ir::Inst& inst);

// The instructions that would be left, by Inst::id, had drop_assertions and dce run: all but those
// whose values reach assertions alone.
std::vector<bool> needed_without_assertions(const ir::Function& f);

}  // namespace cuda_device::passes
