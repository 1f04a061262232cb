// Two arrays that should hold the same.
#pragma once

#include <optional>
#include <string>

#include "unit/codegen/host_run.h"

namespace cuda_device::codegen::test {

// The first place where they differ, margins included, or nothing. Floats: a NaN equals any NaN,
// and numbers may be `ulps` apart.
std::optional<std::string> first_difference(const TestArray& actual, const TestArray& expected,
                                            uint64_t ulps = 0);

}  // namespace cuda_device::codegen::test
