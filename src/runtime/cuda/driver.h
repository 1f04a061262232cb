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

  // Throws DriverError: what was tried, the driver's name and text of the error, what to do.
  void check(CUresult result, const char* what) const;
};

// Throws DriverError with the reason where there is no usable driver or no GPU.
const Driver& driver();
// Empty when usable, else the reason.
std::string why_no_driver();

struct Gpu {
  CUdevice device = 0;
  CUcontext context = nullptr;
  int sm = 0;  // 90 for compute capability 9.0
  std::string name;
};
// GPU 0 with its primary context, retained for the life of the process.
const Gpu& gpu0();

// Makes GPU 0's context current for a scope and puts the caller's own back.
class CurrentContext {
 public:
  explicit CurrentContext(const Gpu& gpu);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
};

}  // namespace cuda_device::cuda
