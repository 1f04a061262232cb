// The thread of a compilation, with a stack of its own: the compiler walks trees and nested regions
// by recursion, and a long sum or chain of branches lies thousands of levels deep, more than the
// caller's thread may hold.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

#include "ir/ir.h"
#include "syntax/tree.h"

namespace cuda_device::compile {

// How deep the compiler may get into a program: functions do not call themselves, so each counts
// once; and it goes no deeper than syntax::kMaxNesting.
uint32_t nesting_of(const syntax::Program& program);
// Regions that lie in one another at the deepest place.
uint32_t nesting_of(const ir::Function& f);

// Runs body, which must not throw, on a thread with stack for so many levels. True when it is done.
// False once `interrupted` returns true, which is called about every 50 ms on the calling thread
// (null: never): then the body is told to stop and goes on by itself until it does, so it owns all
// that it uses. `held` is released when all else of it is over. Throws std::runtime_error where the
// system gives no such thread.
bool on_compiler_thread(uint32_t levels, std::function<void(const std::stop_token&)> body,
                        const std::function<bool()>* interrupted = nullptr,
                        std::shared_ptr<const void> held = nullptr);

// Waits for the threads that were told to stop. Before the process ends: LLVM's tables go with it.
void finish_stopping();

}  // namespace cuda_device::compile
