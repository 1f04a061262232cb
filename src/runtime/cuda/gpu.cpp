#include "runtime/cuda/gpu.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "runtime/cuda/context.h"
#include "runtime/cuda/gpu_stream.h"
#include "support/fork.h"

namespace cuda_device::cuda {
namespace {

// Objects stay as long as the process.
constinit std::array<MadeOnce<Gpu*>, Gpu::kMost> gpus;

std::string number_text(int number) { return "GPU " + std::to_string(number); }

int attribute_of(CUdevice device, int attribute, const char* doing) {
  int value = 0;
  driver().check(driver().device_attribute(&value, attribute, device), doing);
  return value;
}

}  // namespace

Gpu::Gpu(int number) : number_(number) {
  const Driver& d = driver();
  const std::string self = number_text(number);
  char name[256] = "";
  d.check(d.device_get(&device_, number), ("opening " + self).c_str());
  d.check(d.device_name(name, sizeof name, device_), ("asking for the name of " + self).c_str());
  const char* const doing = "asking for the compute capability";
  const int major = attribute_of(device_, kComputeCapabilityMajor, doing);
  const int minor = attribute_of(device_, kComputeCapabilityMinor, doing);
  most_shared_ = static_cast<uint32_t>(
      attribute_of(device_, kMaxSharedPerBlockOptIn, "asking for the limit of shared memory"));
  sm_ = major * 10 + minor;
  target_ = "gpu sm_" + std::to_string(sm_);
  name_ = name;
}

std::string Gpu::uuid() const {
  CUuuid id{};
  driver().check(driver().device_uuid(&id, device_), "asking for the UUID");
  const char* const digits = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < sizeof id.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits[id.bytes[i] >> 4U];
    text += digits[id.bytes[i] & 15U];
  }
  return text;
}

int Gpu::attribute(const std::string& name) const {
#define ATTRIBUTE(known, number, host) \
  if (name == #known) return attribute_of(device_, number, "asking for the attribute " #known);
#include "runtime/device_attributes.def"
  throw std::invalid_argument("devices have no attribute '" + name + "'");
}

Context& Gpu::context() {
  return *context_.get([this] {
    const BesideCaptures allowed;
    CUcontext primary = nullptr;
    driver().check(driver().primary_context_retain(&primary, device_),
                   ("opening the context of " + number_text(number_)).c_str());
    return &context_of(primary, *this, true);
  });
}

std::shared_ptr<runtime::Stream> Gpu::create_stream(const runtime::StreamOptions& options) {
  return context().create_stream(options);
}

std::shared_ptr<runtime::Stream> Gpu::default_stream() {
  return context().stream_of(kLegacyStream);
}

int gpu_count() { return why_no_driver().empty() ? driver().devices : 0; }

Gpu& gpu(int number) {
  const Driver& d = driver();
  if (number < 0 || number >= std::min(d.devices, Gpu::kMost))
    throw DriverError("there is no " + number_text(number) + ": the CUDA driver sees " +
                      std::to_string(d.devices));
  return *gpus[static_cast<size_t>(number)].get([number] { return new Gpu(number); });
}

}  // namespace cuda_device::cuda
