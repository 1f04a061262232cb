// Random programs of launches, copies, events and waits over five streams: two free ones, the
// default one, and two that wait for it and it for them. A model does everything at once, in the
// order of the program. What the streams write is plain memory: a thread sanitizer sees any order
// that is not kept, and the model's values tell any that was wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <random>

#include "runtime/host/device.h"
#include "runtime/host/pool.h"
#include "runtime/host/stream.h"

namespace cuda_device::runtime {
namespace {

constexpr uint32_t kBlocks = 4;
constexpr size_t kStreams = 5, kDefault = 2;  // those after the default one stand beside it
using Cells = std::array<uint32_t, kBlocks>;

void step(Cells& cells, uint32_t block, uint32_t by) {
  cells[block] = cells[block] * 2654435761u + by + block;
}
void step(Cells& cells, uint32_t by) {
  for (uint32_t b = 0; b < kBlocks; ++b) step(cells, b, by);
}
void mix(Cells& cells, const Cells& other) {
  for (uint32_t b = 0; b < kBlocks; ++b) cells[b] = cells[b] * 31 ^ other[(b + 1) % kBlocks];
}

// A grid whose block b changes cell b.
struct Launch {
  Cells* cells;
  uint32_t by;
  static void entry(const void* params, const abi::HostContext*, uint64_t first, uint64_t last) {
    const auto* self = static_cast<const Launch*>(params);
    for (uint64_t b = first; b < last; ++b) step(*self->cells, static_cast<uint32_t>(b), self->by);
  }
  std::string operator()() const {
    abi::LaunchDims dims;
    dims.grid = {kBlocks, 1, 1};
    return pool().run(std::make_shared<Job>(&entry, this, dims, 0));
  }
};

// What there is twice: as the streams leave it, and as the model says.
struct Both {
  Cells real{}, model{};
};

// Cells as they were when the event was recorded.
struct Copy : Both {
  std::shared_ptr<EventState> event = std::make_shared<EventState>();
};

class Program {
 public:
  explicit Program(unsigned seed) : random_(seed) {
    for (Queue& q : queues_) q.stream = new_stream(q);
    queues_[kDefault].stream = std::static_pointer_cast<HostStream>(host_device().default_stream());
  }

  void run(int operations) {
    for (int i = 0; i < operations && !testing::Test::HasFailure(); ++i)
      operation(queues_[any(kStreams)]);
    for (Queue& q : queues_) synchronise(q);
    expect_lost();
  }

 private:
  struct Queue : Both {
    std::shared_ptr<HostStream> stream;
    std::vector<std::string> errors;  // since the last synchronisation
  };

  size_t at(const Queue& q) const { return static_cast<size_t>(&q - queues_.data()); }

  std::shared_ptr<HostStream> new_stream(const Queue& q) const {
    const StreamOptions options{at(q) <= kDefault, false, 0};
    return std::static_pointer_cast<HostStream>(host_device().create_stream(options));
  }

  uint32_t any(size_t below) { return static_cast<uint32_t>(random_() % below); }

  void operation(Queue& q) {
    switch (any(14)) {
      case 0:
      case 1:
      case 2:
        return launch(q);
      case 3:
        return launch_now(q);
      case 4:
      case 5:
        return work(q);
      case 6:
      case 7:
        return copy(q);
      case 8:
      case 9:
        return adopt(q);
      case 10:
        return any(2) ? fail(q) : replace(q);
      case 11:
      case 12:
        return meet(q);
      default:
        return any(2) ? synchronise(q) : wait_for_copy();
    }
  }

  void launch(Queue& q) {
    const uint32_t by = any(1000);
    step(q.model, by);
    q.stream->enqueue(Launch{&q.real, by});
  }

  void launch_now(Queue& q) {
    const uint32_t by = any(1000);
    step(q.model, by);
    EXPECT_EQ(q.stream->run_now(Launch{&q.real, by}), "");
    EXPECT_EQ(q.real, q.model);
  }

  void work(Queue& q) {
    const uint32_t by = any(1000);
    step(q.model, by);
    q.stream->enqueue([&q, by] {
      step(q.real, by);
      return std::string();
    });
  }

  void copy(Queue& q) {
    Copy& c = copies_.emplace_back();
    c.model = q.model;
    q.stream->enqueue([&q, &c] {
      c.real = q.real;
      return std::string();
    });
    q.stream->record(c.event);
  }

  void adopt(Queue& q) {
    if (copies_.empty()) return;
    const Copy& c = copies_[any(copies_.size())];
    mix(q.model, c.model);
    q.stream->wait_for(c.event);
    q.stream->enqueue([&q, &c] {
      mix(q.real, c.real);
      return std::string();
    });
  }

  // Reads another stream's cells where the two wait for each other without events.
  void meet(Queue& q) {
    const size_t beside = kDefault + 1 + any(kStreams - kDefault - 1);
    if (at(q) < kDefault) return;
    Queue& other = queues_[at(q) == kDefault ? beside : kDefault];
    mix(q.model, other.model);
    const auto mixes = [&q, &other] { mix(q.real, other.real); };
    if (any(2)) return q.stream->enqueue(mixes);
    q.stream->run_now([mixes] {
      mixes();
      return std::string();
    });
    EXPECT_EQ(q.real, q.model);
  }

  void fail(Queue& q) {
    const std::string text = "error " + std::to_string(any(1000));
    q.errors.push_back(text);
    q.stream->enqueue([text]() -> std::string {
      if (text.size() % 2) throw std::runtime_error(text);
      return text;
    });
  }

  // The new stream goes on where the old one, which has no other holder, will have ended. Its
  // errors are reported to the next wait for the device.
  void replace(Queue& q) {
    if (at(q) == kDefault) return;
    lost_.insert(lost_.end(), q.errors.begin(), q.errors.end());
    q.errors.clear();
    auto end = std::make_shared<EventState>();
    q.stream->record(end);
    q.stream = new_stream(q);
    q.stream->wait_for(end);
  }

  void synchronise(Queue& q) {
    ASSERT_TRUE(q.stream->wait(60000));
    expect_errors(q.stream->take_error(), std::exchange(q.errors, {}));
    EXPECT_EQ(q.real, q.model);
  }

  static void expect_errors(const Error& found, const std::vector<std::string>& expected) {
    ASSERT_EQ(found.empty(), expected.empty());
    if (expected.empty()) return;
    EXPECT_EQ(found, expected[0]);
    const size_t told = std::min(expected.size() - 1, Error::kMost);
    EXPECT_EQ(found.later, std::vector(expected.begin() + 1, expected.begin() + 1 + told));
    EXPECT_EQ(found.left_out, expected.size() - 1 - told);
  }

  // Streams go in any order, each a moment after its last work.
  void expect_lost() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    Error found;
    size_t count = 0;
    do {
      found.add(take_lost_error());
      count = found.empty() ? 0 : 1 + found.later.size() + found.left_out;
    } while (count < lost_.size() && std::chrono::steady_clock::now() < end);
    EXPECT_EQ(count, lost_.size());
    std::vector<std::string> messages = found.later;
    if (!found.empty()) messages.push_back(found.text);
    for (const std::string& text : messages)
      EXPECT_NE(std::ranges::find(lost_, text), lost_.end()) << text;
  }

  void wait_for_copy() {
    if (copies_.empty()) return;
    const Copy& c = copies_[any(copies_.size())];
    ASSERT_TRUE(c.event->wait(60000));
    EXPECT_EQ(c.real, c.model);
  }

  std::mt19937 random_;
  std::array<Queue, kStreams> queues_;
  std::deque<Copy> copies_;
  std::vector<std::string> lost_;  // the errors of streams that are gone
};

// CUDA_DEVICE_LONG_TESTS=1 runs a hundred thousand.
TEST(HostStreams, RandomProgramsLeaveWhatAModelLeaves) {
  take_lost_error();  // of the tests before
  const unsigned programs = std::getenv("CUDA_DEVICE_LONG_TESTS") ? 100000 : 10000;
  for (unsigned seed = 0; seed < programs; ++seed) {
    Program(seed).run(30);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace cuda_device::runtime
