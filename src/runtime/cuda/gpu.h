// NVIDIA's GPUs as devices: found at first use, their primary contexts retained when they are
// needed.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/cuda/driver.h"
#include "runtime/device.h"
#include "support/fork.h"

namespace cuda_device::cuda {

class Context;

class Gpu : public runtime::Device {
 public:
  static constexpr int kMost = 64;

  explicit Gpu(int number);  // throws DriverError
  int number() const override { return number_; }
  std::string name() const override { return name_; }
  std::string uuid() const override;
  int architecture() const override { return sm_; }
  int attribute(const std::string& name) const override;
  std::shared_ptr<runtime::Stream> create_stream(const runtime::StreamOptions& options) override;
  std::shared_ptr<runtime::Stream> default_stream() override;

  CUdevice device() const { return device_; }
  // What kernels are compiled for: the same for GPUs that run the same code.
  const std::string& target() const { return target_; }
  uint32_t most_shared() const { return most_shared_; }  // bytes of a block, static and dynamic
  // The primary context, retained at the first call.
  Context& context();

 private:
  const int number_;
  CUdevice device_ = 0;
  int sm_ = 0;
  uint32_t most_shared_ = 0;
  std::string name_, target_;
  MadeOnce<Context*> context_;
};

int gpu_count();       // 0 where there is no usable driver
Gpu& gpu(int number);  // throws DriverError where there is none
inline Gpu& gpu0() { return gpu(0); }

}  // namespace cuda_device::cuda
