// NumPy's C interface; its table of functions is filled by import_numpy() when the module starts.
#pragma once

#include "bindings/python.h"
// python.h first.
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL cuda_device_numpy_api
#ifndef CD_FILLS_NUMPY_TABLE
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include <optional>

#include "support/scalar.h"

namespace cuda_device::bindings {

void import_numpy();

// The scalar that a NumPy type number stands for, in native byte order; none for what kernels do
// not take yet.
std::optional<ScalarKind> scalar_of_type_number(int type_number);

// The scalar that NumPy calls by a letter, of "biuf", and its bytes; none for others.
std::optional<ScalarKind> scalar_of_kind(char letter, int bytes);

// The dtype of a format, NumPy's or ml_dtypes'; it lives as long as the process.
nb::handle dtype_of_scalar(ScalarKind scalar);

// A dtype that kernels will take one day; those of ml_dtypes are known by name.
bool is_planned_format(nb::handle dtype);

// NumPy scalar such as np.float32(1): its type number, or -1.
int type_number_of_scalar(PyObject* object);

// A device.WarpMask: an int32 to NumPy, with operators of its own.
bool is_warp_mask(PyObject* object);

// Copies the value of such a scalar, of that format.
void copy_scalar(PyObject* object, ScalarKind format, void* to);

}  // namespace cuda_device::bindings
