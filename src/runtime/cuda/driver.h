// The CUDA driver, found at run time. Everything builds, imports and runs without it.
#pragma once

#include <stdexcept>
#include <string>

#include "runtime/cuda/driver_types.h"

namespace cuda_device::cuda {

struct DriverError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Driver {
#define DRIVER(member, symbol, parameters) CUresult(*member) parameters = nullptr;
#include "runtime/cuda/driver_api.def"
  int version = 0;
  int devices = 0;
  unsigned forks = 0;  // fork_count() when it was initialised

  // Throws DriverError: what was tried, the driver's name and text of the error, what to do.
  void check(CUresult result, const char* what) const;
  // "CUDA_ERROR_UNKNOWN (its text)", and what to do.
  std::string words_for(CUresult error) const;
};

// Throws DriverError with the reason where there is no usable driver or no GPU, and in a child
// forked from a process that had initialised it: CUDA does not work there.
const Driver& driver();
// Empty when usable, else the reason.
std::string why_no_driver();
// The driver for cleaning up: null where driver() throws, or the process ends, which may be at any
// moment while other threads go on. Does not look for a driver.
const Driver* working_driver();
inline bool driver_works() { return working_driver() != nullptr; }
// False in a function of the host that the driver calls: it takes no calls from there.
bool driver_takes_calls();
// Called at the process's end: driver() throws from then on, for the driver may end before our
// objects do. The driver itself releases what the process has of the GPUs. We do not, since memory
// that GPU and host both reach may be looked at until the very end.
void end_driver();

// An error after which no call of this process reaches the GPU.
bool loses_context(CUresult error);

// Makes a context current for a scope, where it is not yet, and puts the caller's own back.
class CurrentContext {
 public:
  explicit CurrentContext(CUcontext context);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  bool pushed_ = false;
};

// While another library captures a graph, in this thread or another, questions, waits and whatever
// may wait inside the driver (memory, images) end the capture, unless the thread that asks is
// allowed them. Does not look for a driver either.
class BesideCaptures {
 public:
  BesideCaptures() noexcept;
  ~BesideCaptures();
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;

 private:
  int mode_ = kCaptureRelaxed;  // then the thread's own
  bool changed_ = false;
};

// Nothing of a stream that is being captured may be asked or waited for, whatever a thread is
// allowed; nor of the legacy one while one that waits for it is. The context is current.
bool captured(CUstream stream);

}  // namespace cuda_device::cuda
