// Nothing leaves the C functions as a C++ exception: their callers are Python frames.
#pragma once

#include <stdexcept>
#include <utility>

#include "dispatch/rt_api.h"
#include "runtime/error.h"
#include "runtime/memory/out_of_memory.h"

namespace cuda_device::dispatch {

inline void set_fault(Outcome* outcome, runtime::Error error) {
  outcome->status = error.raises.empty() ? Status::RuntimeFault : Status::KernelFailed;
  outcome->text = std::move(error.text);
  outcome->raises = std::move(error.raises);
  outcome->later = std::move(error.later);
  if (error.left_out > 0) outcome->later.push_back(std::to_string(error.left_out) + " more errors");
}

// What the function throws becomes the outcome, where there is one; then `otherwise` is returned.
template <class F, class R>
R guarded(Outcome* outcome, R otherwise, F function) {
  Outcome ignored;
  if (!outcome) outcome = &ignored;
  try {
    return function();
  } catch (const runtime::OutOfMemory& e) {
    outcome->status = Status::OutOfMemory;
    outcome->text = e.what();
    outcome->shortage = {e.asked, e.free, e.total};
  } catch (const std::invalid_argument& e) {
    *outcome = {Status::BadValue, {}, e.what()};
  } catch (const std::exception& e) {
    set_fault(outcome, e.what());
  }
  return otherwise;
}

template <class F>
void guarded(Outcome* outcome, F function) {
  guarded(outcome, 0, [&] {
    function();
    return 0;
  });
}

}  // namespace cuda_device::dispatch
