// What inspect shows, and for which targets.
#pragma once

#include <string>

namespace cuda_device::compile {

// Throws DiagnosticError for a stage that does not exist, and for a target that it is not made for.
void check_stage(const std::string& what, const std::string& target);

}  // namespace cuda_device::compile
