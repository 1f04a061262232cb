// Names this build of the compiler: a digest of its shared object and of the sources of what stands
// around it, made when they are built (cmake/cd_build_digest.cmake).
#pragma once

#include <string_view>

namespace cuda_device::dispatch {

extern const std::string_view kBuildDigest;

}  // namespace cuda_device::dispatch
