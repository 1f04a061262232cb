// How many columns of a terminal a text takes.
#pragma once

#include <string_view>

namespace cuda_device {

// The columns of the character of UTF-8 that begins there: 0 for marks that are set above the one
// before, 2 for the wide ones of East Asia and for pictures, else 1.
int display_width(std::string_view text, size_t at);

}  // namespace cuda_device
