// The host as a device: it runs kernels for a GPU of compute capability 9.0 on the CPU.
#pragma once

#include "runtime/device.h"

namespace cuda_device::runtime {

class HostDevice : public Device {
 public:
  int number() const override { return kHostDevice; }
  std::string name() const override { return "host"; }
  std::string uuid() const override;
  int architecture() const override;
  int attribute(const std::string& name) const override;
  std::shared_ptr<Stream> create_stream(const StreamOptions& options) override;
  std::shared_ptr<Stream> default_stream() override;
};

HostDevice& host_device();

}  // namespace cuda_device::runtime
