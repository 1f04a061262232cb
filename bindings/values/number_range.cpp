#include "bindings/values/number_range.h"

#include "support/float_format.h"
#include "support/print_format.h"

namespace cuda_device::bindings {

bool fits(__int128 value, ScalarKind format) {
  const __int128 one = 1;
  const int bits = bits_of(format);
  if (is_signed_int(format)) return value >= -(one << (bits - 1)) && value < one << (bits - 1);
  return value >= 0 && value < one << bits;
}

std::string range_of(ScalarKind format) {
  if (is_float(format)) {
    // The fewest digits that a narrow format reads as its largest number may be beyond it.
    const double limit = largest(format_of(format));
    const ScalarKind written = bits_of(format) < 32 ? ScalarKind::F64 : format;
    const std::string most = number_text(written, float_bits(written, limit));
    return "-" + most + " to " + most;
  }
  const int bits = bits_of(format) - (is_signed_int(format) ? 1 : 0);
  const uint64_t highest = UINT64_MAX >> (64 - bits);
  const std::string lowest =
      is_signed_int(format) ? std::to_string(-static_cast<int64_t>(highest) - 1) : "0";
  return lowest + " to " + std::to_string(highest);
}

}  // namespace cuda_device::bindings
