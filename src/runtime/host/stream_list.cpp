#include "runtime/host/stream_list.h"

#include <mutex>
#include <utility>

#include "runtime/host/stream.h"
#include "support/fork.h"

namespace cuda_device::runtime {
namespace {

ForkMutex mutex;

// Made by the first stream, which may come before other objects of this library; outlives all.
struct List {
  std::vector<std::weak_ptr<HostStream>> streams;
  size_t room = 16;  // then those that are gone are looked for
};
List& list() {
  static List* const made = new List;
  return *made;
}

}  // namespace

void list_stream(const std::shared_ptr<HostStream>& stream) {
  const std::lock_guard lock(mutex);
  auto& [streams, room] = list();
  if (streams.size() >= room) {
    std::erase_if(streams, [](const auto& s) { return s.expired(); });
    room = 2 * streams.size() + 16;
  }
  streams.push_back(stream);
}

std::vector<std::shared_ptr<HostStream>> listed_streams() {
  std::vector<std::shared_ptr<HostStream>> found;
  const std::lock_guard lock(mutex);
  for (const auto& weak : list().streams)
    if (auto stream = weak.lock()) found.push_back(std::move(stream));
  return found;
}

}  // namespace cuda_device::runtime
