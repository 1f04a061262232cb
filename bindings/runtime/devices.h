// Devices for cuda.device.core: their names and limits, and which one is current.
#pragma once

#include <string>
#include <vector>

#include "bindings/python.h"

namespace cuda_device::bindings {

// What core.Device gives for the number of a device.
nb::object device_object(int device);

// "GPU 0", "the host device".
std::string device_text(int device);

std::vector<int> used_gpus();

void register_devices(nb::module_& module);

}  // namespace cuda_device::bindings
