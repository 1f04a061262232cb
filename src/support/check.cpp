#include "support/check.h"

namespace cuda_device {

void internal_error(const char* file, int line, const std::string& message) {
  std::string name(file);
  if (auto at = name.rfind("/src/"); at != std::string::npos) name = name.substr(at + 5);
  throw InternalError(name + ":" + std::to_string(line) + ": " + message);
}

}  // namespace cuda_device
