// How a thread that waits without the GIL hears of Ctrl-C.
#pragma once

#include <functional>

namespace cuda_device::bindings {

// A function to call about every 50 ms while a call waits, without the GIL: it lets Python's
// handlers of signals run, and is true where one raised. The exception stays set. Null for threads
// that run no handlers.
const std::function<bool()>* interrupted();

}  // namespace cuda_device::bindings
