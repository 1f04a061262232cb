// What the threads of a kernel may say: failures, what they print, and where they wait. Messages,
// formats and places are constants of the kernel, which its code names by their numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/dtype.h"

namespace cuda_device {

// The numbers that one thread says at once: as many as CUDA's printf takes.
inline constexpr size_t kMostPrinted = 32;

// A text with the values of a thread in it: see print_format.h.
struct PrintFormat {
  std::string text;
  std::vector<DtypeId> arguments = {};  // scalars, at most kMostPrinted
  friend bool operator==(const PrintFormat&, const PrintFormat&) = default;
};

// A `raise`, or an `assert` that does not hold.
struct Failure {
  std::string raises;      // a builtin exception class of Python, "ValueError"
  PrintFormat message;     // without the place
  bool assertion = false;  // an `assert`
  // Where it stands: the function of the program, and how many lines below that one's definition.
  uint32_t function = 0;
  int32_t line = 0;
  friend bool operator==(const Failure&, const Failure&) = default;
};

// An operation at which a thread may wait for others: its place, as that of a Failure.
struct WaitSite {
  uint32_t function = 0;
  int32_t line = 0;
  friend bool operator==(const WaitSite&, const WaitSite&) = default;
};

// The thread that failed, and how.
struct FailedThread {
  uint32_t failure = 0;
  std::array<uint32_t, 3> block{}, thread{};
  std::array<int64_t, kMostPrinted> values{};  // of the message, in bits as number_text takes them
};

// Threads that wait for each other, and none can go on.
struct Deadlock {
  struct StandingThreads {
    uint32_t site = 0;                          // of the kernel: a WaitSite by its number
    uint64_t threads = 0;                       // how many stand there
    std::array<uint32_t, 3> block{}, thread{};  // one of them
  };
  std::vector<StandingThreads> places;  // one for each site, those of most threads first
  uint64_t not_started = 0;             // blocks for which there was no memory beside the others
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
  std::optional<Deadlock> deadlock;
  PrintedText printed;
};

// "kernel 'k': assertion failed: n > 0 (k.py:12, block (3, 0, 0), thread (17, 0, 0))"
std::string text_of(const std::string& kernel, const Failure& failure, const std::string& place,
                    const FailedThread& thread);

// "its threads wait for each other and none can go on (deadlock): 31 threads at k.py:12
// (block (0, 0, 0), thread (1, 0, 0) is one), 1 thread at k.py:15 (block (0, 0, 0), thread (0, 0,
// 0))". places: of the kernel's sites, "k.py:12"; empty where it is not known.
std::string text_of(const Deadlock& deadlock, const std::vector<std::string>& places);

}  // namespace cuda_device
