// grid=, block= and shared= of a launch.
#pragma once

#include "abi/kernel_image.h"
#include "bindings/python.h"

namespace cuda_device::bindings {

// The three numbers of a launch, checked against CUDA's limits. Throw LaunchError naming the
// kernel.
void read_grid(PyObject* object, const std::string& kernel, abi::LaunchDims& dims);
void read_block(PyObject* object, const std::string& kernel, abi::LaunchDims& dims);
void read_shared(PyObject* object, const std::string& kernel, abi::LaunchDims& dims);

bool grid_fits_31(const abi::LaunchDims& dims);

}  // namespace cuda_device::bindings
