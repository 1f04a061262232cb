// An event of a GPU, recorded once.
#pragma once

#include "runtime/cuda/context.h"

namespace cuda_device::cuda {

class GpuEvent : public runtime::Event {
 public:
  GpuEvent(Context& context, CUevent event, bool timing)
      : context_(context), event_(event), timing_(timing) {}
  GpuEvent(const GpuEvent&) = delete;
  GpuEvent& operator=(const GpuEvent&) = delete;
  ~GpuEvent() override { context_.give_event(event_, timing_); }

  int device() const override;
  bool done() const override;
  bool wait(int milliseconds) override;
  void when_done(std::function<void()> then) override;
  double milliseconds_since(const runtime::Event& earlier) const override;
  std::string error() const override { return context_.why_lost(); }
  CUevent handle() const { return event_; }

 private:
  bool ready() const;  // where a question does not end a capture

  Context& context_;
  const CUevent event_;
  const bool timing_;
};

}  // namespace cuda_device::cuda
