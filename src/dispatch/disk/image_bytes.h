// A compiled kernel as bytes, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "abi/kernel_image.h"

namespace cuda_device::dispatch {

std::string bytes_of(const abi::KernelImage& image);

// Nothing where the bytes are not those of an image that can be placed: every number is checked.
std::optional<abi::KernelImage> image_of(std::string_view bytes);

}  // namespace cuda_device::dispatch
