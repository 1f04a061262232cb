#include "driver/rt/streams.h"

#include "support/fork.h"

namespace cuda_device::rt {
namespace {

using Streams = std::vector<std::shared_ptr<runtime::HostStream>>;

// Made by the first stream, which may come before other objects of this library; outlives all.
class Known {
 public:
  void add(const std::shared_ptr<runtime::HostStream>& stream) {
    std::lock_guard lock(mutex());
    if (streams_.size() >= room_) {
      std::erase_if(streams_, [](const auto& s) { return s.expired(); });
      room_ = 2 * streams_.size() + 16;
    }
    streams_.push_back(stream);
  }
  Streams living() {
    Streams found;
    std::lock_guard lock(mutex());
    for (const auto& weak : streams_)
      if (auto stream = weak.lock()) found.push_back(std::move(stream));
    return found;
  }

 private:
  static ForkMutex& mutex() {
    static ForkMutex made;
    return made;
  }
  std::vector<std::weak_ptr<runtime::HostStream>> streams_;
  size_t room_ = 16;  // then those that are gone are looked for
};

Known& known() {
  static Known* const made = new Known;
  return *made;
}

}  // namespace

Stream::Stream() : stream(std::make_shared<runtime::HostStream>()) { known().add(stream); }

Streams all_streams() { return known().living(); }

}  // namespace cuda_device::rt
