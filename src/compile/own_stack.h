// A compilation's own stack: the compiler walks trees and nested regions by recursion, and a long
// sum or chain of branches lies thousands of levels deep, more than the caller's thread may hold.
#pragma once

#include <functional>

#include "ir/ir.h"
#include "syntax/tree.h"

namespace cuda_device::compile {

// How deep the compiler may get into a program: functions do not call themselves, so each counts
// once; and it goes no deeper than syntax::kMaxNesting.
uint32_t nesting_of(const syntax::Program& program);
// Regions that lie in one another at the deepest place.
uint32_t nesting_of(const ir::Function& f);

// Runs body, which must not throw, on a thread with stack for so many levels; returns when it is
// done. Throws std::runtime_error where the system gives no such thread.
void on_own_stack(uint32_t levels, const std::function<void()>& body);

}  // namespace cuda_device::compile
