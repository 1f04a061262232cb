// Rounding to nearest, denormals kept, nothing trapped, while it lives: other libraries in the
// process (anything linked with -ffast-math) may have left the thread in another mode.
#pragma once

#include <cfenv>

namespace cuda_device::ir {

class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&saved_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t saved_;
};

}  // namespace cuda_device::ir
