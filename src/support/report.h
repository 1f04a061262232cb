// What the threads of a kernel may say: failures, and what they print. Messages and formats
// are constants of the kernel, which its code names by their numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/dtype.h"

namespace cuda_device {

// A `raise`, or an `assert` that does not hold.
struct Failure {
  std::string raises;      // a builtin exception class of Python, "ValueError"
  std::string text;        // without the place
  bool assertion = false;  // an `assert`
  // Where it stands: the function of the program, and how many lines below that one's definition.
  uint32_t function = 0;
  int32_t line = 0;
  friend bool operator==(const Failure&, const Failure&) = default;
};

// What a print writes: see print_format.h.
struct PrintFormat {
  std::string text;
  std::vector<DtypeId> arguments;  // scalars
  friend bool operator==(const PrintFormat&, const PrintFormat&) = default;
};

// The thread that failed, and how.
struct FailedThread {
  uint32_t failure = 0;
  std::array<uint32_t, 3> block{}, thread{};
};

// The output of a kernel, up to a limit.
class PrintedText {
 public:
  static constexpr size_t kMostBytes = 1 << 20;

  // `pieces`: of the text, so many prints. Once one was left out, all are.
  void append(std::string_view text, uint64_t pieces = 1);
  // All of it, with a last line about what was left out.
  std::string take();

 private:
  std::string text_;
  uint64_t dropped_ = 0;
};

// What a launch has said.
struct LaunchReport {
  std::optional<FailedThread> failed;  // the first
  PrintedText printed;
};

// "kernel 'k': assertion failed: n > 0 (k.py:12, block (3, 0, 0), thread (17, 0, 0))"
std::string text_of(const std::string& kernel, const Failure& failure, const std::string& place,
                    const FailedThread& thread);

}  // namespace cuda_device
