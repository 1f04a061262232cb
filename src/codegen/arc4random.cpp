// LLVM names temporary files with arc4random, which glibc has since 2.36 only: with one of our own,
// which is not shown outside of the compiler's object, a wheel runs on glibc 2.35 (Ubuntu 22.04).
#include <sys/random.h>

#include <cstdint>

extern "C" std::uint32_t arc4random() noexcept {
  std::uint32_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return number;
}
