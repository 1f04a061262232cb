// What CUDA_DEVICE_LOG asks for: a line for each event on standard error.
//
//   CUDA_DEVICE_LOG=compile,launch python program.py
//   cuda.device compile vec_add target=x86-64/avx512 block=256,1,1 gang=32 code=1418 time=9.31ms
//   cuda.device launch vec_add target=x86-64/avx512 grid=4,1,1 block=256,1,1 time=31.2us
//
// Without logging the cost is the read of a byte.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace cuda_device::log {

enum class Topic : uint8_t { Compile = 1, Launch = 2, Cache = 4 };

// Topics that the words of a comma-separated list name, as bits; words that name none go to
// `unknown`.
uint8_t topics_named(std::string_view list, std::string& unknown);

constexpr uint8_t kUnread = 0x80;
extern std::atomic<uint8_t> topics;  // bits, or kUnread until they are first needed
uint8_t read_topics();               // the environment, once; warns of unknown words

inline bool wanted(Topic topic) {
  const uint8_t asked = topics.load(std::memory_order_relaxed);
  if (asked == 0) return false;
  return ((asked == kUnread ? read_topics() : asked) & static_cast<uint8_t>(topic)) != 0;
}

// One event that begins where it is made. Nothing is done or kept where its topic is not wanted.
class Event {
 public:
  explicit Event(Topic topic) : topic_(topic), wanted_(wanted(topic)) {
    if (wanted_) begin_ = Clock::now();
  }
  explicit operator bool() const { return wanted_; }

  // Facts stand in the line in the order in which they come. A value with blanks is put in quotes.
  Event& fact(std::string_view name, std::string_view value);
  Event& fact(std::string_view name, uint64_t value);
  Event& fact(std::string_view name, const std::array<uint32_t, 3>& values);
  // Ends the event and writes its line, by one call of the system: lines of several threads and
  // processes do not mix. `subject`: the name of a kernel, or what the event is about.
  void write(std::string_view subject);

 private:
  using Clock = std::chrono::steady_clock;
  Topic topic_;
  bool wanted_;
  Clock::time_point begin_;
  std::string facts_;
};

// A line of its own, whatever is logged. For what is wrong with the environment, said once.
void warn(const std::string& text);

std::string time_text(std::chrono::nanoseconds time);  // "31.2us", "9.31ms", "2.04s"

}  // namespace cuda_device::log
