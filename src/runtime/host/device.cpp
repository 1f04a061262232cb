#include "runtime/host/device.h"

#include <stdexcept>

#include "runtime/host/stream.h"
#include "runtime/host/stream_list.h"
#include "runtime/host/threads.h"
#include "support/targets.h"

namespace cuda_device::runtime {

// The same on every machine: it tells the host from GPUs, not one host from another.
std::string HostDevice::uuid() const { return "00000000-0000-0000-0000-000000000000"; }

int HostDevice::architecture() const { return emulated_sm(); }

int HostDevice::attribute(const std::string& name) const {
  if (name == "multiprocessor_count") return thread_count();
  if (name == "compute_capability_major") return emulated_sm() / 10;
  if (name == "compute_capability_minor") return emulated_sm() % 10;
#define ATTRIBUTE(known, number, host) \
  if (name == #known) return host;
#include "runtime/device_attributes.def"
  throw std::invalid_argument("devices have no attribute '" + name + "'");
}

std::shared_ptr<Stream> HostDevice::create_stream(const StreamOptions& options) {
  auto made = std::make_shared<HostStream>(options.nonblocking ? StreamOrder::Free
                                                               : StreamOrder::BesideDefault);
  list_stream(made);
  return made;
}

// Outlives every thread.
std::shared_ptr<Stream> HostDevice::default_stream() {
  static const auto* const made =
      new std::shared_ptr<HostStream>(std::make_shared<HostStream>(StreamOrder::Default));
  return *made;
}

HostDevice& host_device() {
  static HostDevice* const made = new HostDevice;
  return *made;
}

}  // namespace cuda_device::runtime
