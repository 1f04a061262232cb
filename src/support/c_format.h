// What CUDA's printf is given for a format: one of C's, for print on GPUs.
#pragma once

#include <string>
#include <vector>

#include "support/print_format.h"

namespace cuda_device {

struct CArgument {
  enum class As : uint8_t { Integer, Double, Bool };  // of 64 bits; a bool by %s
  As as;
  size_t value;  // of the format
};

// One format, or one of several by the number that is a value.
struct CFormat {
  std::string text;
  std::vector<CArgument> arguments;
  size_t number = 0;
  std::vector<CFormat> alternatives;
};

struct CPrint {
  CFormat format;
  std::string lacking;  // what C's formats cannot write: "'^'"; empty: nothing
};

CPrint c_print(const PrintFormat& format);

}  // namespace cuda_device
