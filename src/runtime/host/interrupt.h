// How the thread that launches and waits is told to give up.
#pragma once

#include <chrono>
#include <functional>

namespace cuda_device::runtime {

// A question that the waiting thread asks now and then, without locks: true means to stop. The
// answer yes is kept, and not asked for again. May be null: never interrupted.
class Interrupt {
 public:
  static constexpr auto kPeriod = std::chrono::milliseconds(50);

  explicit Interrupt(const std::function<bool()>& ask) : ask_(ask) {}
  bool asked() {
    happened_ = happened_ || ask_();
    return happened_;
  }
  bool happened() const { return happened_; }

 private:
  const std::function<bool()>& ask_;
  bool happened_ = false;
};

// The error of a launch that waited while its own thread forked (in a signal's handler): in the
// child its other threads are gone.
inline constexpr const char* kForkedMeanwhile = "the process was forked while this launch ran";

}  // namespace cuda_device::runtime
