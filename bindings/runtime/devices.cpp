#include "bindings/runtime/devices.h"

#include "bindings/launch/launch_device.h"

namespace cuda_device::bindings {
namespace {

// (name, UUID, architecture)
nb::tuple device_info(int device) {
  dispatch::DeviceInfo info;
  dispatch::Outcome outcome;
  cd_rt_device_info(device, &info, &outcome);
  throw_unless_ok(outcome);
  return nb::make_tuple(info.name, info.uuid, info.architecture);
}

int device_attribute(int device, const char* name) {
  dispatch::Outcome outcome;
  const int value = cd_rt_device_attribute(device, name, &outcome);
  throw_unless_ok(outcome);
  return value;
}

int current_device() {
  dispatch::Outcome outcome;
  const int device = cd_rt_current_device(&outcome);
  throw_unless_ok(outcome);
  return device;
}

void set_current_device(int device) {
  dispatch::Outcome outcome;
  cd_rt_set_current_device(device, &outcome);
  throw_unless_ok(outcome);
}

}  // namespace

std::string device_text(int device) {
  return device == kHostDevice ? "the host device" : "GPU " + std::to_string(device);
}

nb::object device_object(int device) {
  nb::object number =
      device == kHostDevice ? nb::object(nb::str("host")) : nb::object(nb::int_(device));
  return nb::module_::import_("cuda.device.core").attr("Device")(number);
}

std::vector<int> used_gpus() {
  std::vector<int> gpus;
  cd_rt_used_gpus(&gpus);
  return gpus;
}

void register_devices(nb::module_& module) {
  module.def("gpu_count", [] { return cd_rt_gpu_count(); });
  module.def("device_info", device_info, nb::arg("device"));
  module.def("device_attribute", device_attribute, nb::arg("device"), nb::arg("name"));
  module.def("device_attributes", [] { return nb::str(cd_rt_device_attributes()); });
  module.def("current_device", current_device);
  module.def("set_current_device", set_current_device, nb::arg("device"));
}

}  // namespace cuda_device::bindings
