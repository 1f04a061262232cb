// Whose memory an address is, and copies of strided arrays.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <map>
#include <random>
#include <thread>

#include "runtime/memory/memory.h"
#include "runtime/memory/out_of_memory.h"
#include "runtime/memory/registry.h"

namespace cuda_device::runtime {
namespace {

using abi::Allocation;
using abi::kHostDevice;
using abi::MemoryKind;

uint64_t address_of(const void* p) { return reinterpret_cast<uint64_t>(p); }

TEST(Intervals, AreFoundByEveryAddressWithin) {
  Intervals known;
  EXPECT_TRUE(known.add({1000, 10, 0, MemoryKind::Device, true}));
  EXPECT_TRUE(known.add({1010, 1, 1, MemoryKind::Managed, true}));
  EXPECT_FALSE(known.find(999));
  EXPECT_EQ(known.find(1000)->bytes, 10u);
  EXPECT_EQ(known.find(1009)->device, 0);
  EXPECT_EQ(known.find(1010)->kind, MemoryKind::Managed);
  EXPECT_FALSE(known.find(1011));
  EXPECT_FALSE(known.remove(1001));
  EXPECT_EQ(known.remove(1000)->bytes, 10u);
  EXPECT_FALSE(known.find(1005));
}

// 10^5 steps against a list of bytes.
TEST(Intervals, RandomOnesAsAListOfBytesSays) {
  constexpr uint64_t kEnd = 500;
  Intervals known;
  std::vector<uint64_t> owner(kEnd + 50, 0);  // of each byte: its base + 1
  std::mt19937_64 random(5);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t base = random() % kEnd, bytes = random() % 20;
    if (random() % 2) {
      bool free = bytes > 0;
      for (uint64_t a = base; a < base + bytes; ++a) free = free && owner[a] == 0;
      ASSERT_EQ(known.add({base, bytes, 0, MemoryKind::Device, true}), free);
      if (free) std::fill_n(owner.begin() + static_cast<int64_t>(base), bytes, base + 1);
    } else {
      const bool there = owner[base] == base + 1;
      ASSERT_EQ(known.remove(base).has_value(), there);
      if (there) std::replace(owner.begin(), owner.end(), base + 1, uint64_t{0});
    }
    const uint64_t asked = random() % kEnd;
    const auto found = known.find(asked);
    ASSERT_EQ(found ? found->base + 1 : 0, owner[asked]);
  }
}

TEST(Registry, IsAskedWhileOthersAllocate) {
  std::atomic<bool> stop{false};
  std::thread asking([&] {
    while (!stop) {
      const auto found = registry::find(5000);
      if (found) {
        EXPECT_EQ(found->bytes, 100u);
      }
    }
  });
  for (int i = 0; i < 20000; ++i) {
    registry::add({4950, 100, 3, MemoryKind::Device, true});
    EXPECT_EQ(registry::total_of(3).bytes, 100u);
    registry::remove(4950);
  }
  stop = true;
  asking.join();
  EXPECT_EQ(registry::total_of(3).allocations, 0u);
}

TEST(Memory, OfTheHostDeviceIsOursUntilItIsFreed) {
  const registry::Total before = registry::total_of(kHostDevice);
  for (const MemoryKind kind :
       {MemoryKind::Host, MemoryKind::Device, MemoryKind::Pinned, MemoryKind::Managed}) {
    const Memory memory = allocate(kHostDevice, kind, 1000, {});
    ASSERT_NE(memory.address, 0u);
    const Allocation found = find_allocation(memory.address + 999);
    EXPECT_TRUE(found.ours);
    EXPECT_EQ(found.base, memory.address);
    EXPECT_EQ(found.bytes, 1000u);
    EXPECT_EQ(found.kind, kind);
    EXPECT_EQ(registry::total_of(kHostDevice).bytes, before.bytes + 1000);
    EXPECT_FALSE(find_allocation(memory.address + 1000).ours);
    EXPECT_FALSE(release(memory.address + 1, {}));
    EXPECT_TRUE(release(memory.address, {}));
    EXPECT_FALSE(release(memory.address, {}));
    EXPECT_FALSE(find_allocation(memory.address).ours);
  }
  EXPECT_EQ(registry::total_of(kHostDevice).bytes, before.bytes);
}

TEST(Memory, OfNoBytesHasNoAddress) {
  EXPECT_EQ(allocate(kHostDevice, MemoryKind::Device, 0, {}).address, 0u);
  EXPECT_TRUE(release(0, {}));
}

TEST(Memory, ForeignMemoryIsOfTheProcess) {
  const int here = 0;
  const Allocation found = find_allocation(address_of(&here));
  EXPECT_FALSE(found.ours);
  EXPECT_EQ(found.device, kHostDevice);
  EXPECT_EQ(found.kind, MemoryKind::Host);
  EXPECT_EQ(found.base, 0u);
}

TEST(Memory, TooMuchIsAnErrorWithFigures) {
  try {
    allocate(kHostDevice, MemoryKind::Device, uint64_t{1} << 60, {});
    FAIL();
  } catch (const OutOfMemory& e) {
    EXPECT_EQ(e.asked, uint64_t{1} << 60);
    EXPECT_GT(e.free, 0u);
    EXPECT_GE(e.total, e.free);
    EXPECT_NE(std::string(e.what()).find(
                  "out of memory: 1152921504606846976 bytes of memory of the host device were "
                  "requested, "),
              std::string::npos);
  }
}

TEST(Memory, CopiesAndFillsComeInAStreamsOrder) {
  auto stream = std::make_shared<HostStream>();
  std::atomic<bool> go{false};
  stream->enqueue([&] {
    while (!go) std::this_thread::yield();
    return std::string();
  });
  unsigned char a[16] = {}, b[16] = {};
  fill(address_of(a), 0x0201, 2, 8, kHostDevice, {stream});
  copy({address_of(b), address_of(a), 16, {}}, kHostDevice, {stream});
  EXPECT_EQ(b[0], 0);
  go = true;
  stream->wait(-1);
  EXPECT_EQ(b[0], 1);
  EXPECT_EQ(b[15], 2);
  fill(address_of(a), 7, 1, 16, kHostDevice, {});
  EXPECT_EQ(a[15], 7);
  fill(address_of(a), 0x04030201, 4, 4, kHostDevice, {});
  EXPECT_EQ(a[15], 4);
}

// An array somewhere in 2000 bytes, and its elements by the definition of strides.
struct Layout {
  uint64_t first = 0;
  std::vector<int64_t> strides;
};

template <class Random>
Layout random_layout(Random& random, const std::vector<int64_t>& shape, int64_t item,
                     bool broadcast) {
  std::vector<size_t> axes(shape.size());
  for (size_t i = 0; i < axes.size(); ++i) axes[i] = i;
  std::shuffle(axes.begin(), axes.end(), random);
  Layout layout;
  layout.strides.resize(shape.size());
  int64_t step = item;
  for (const size_t axis : axes) {
    if (random() % 3 == 0) step += item * static_cast<int64_t>(random() % 3);
    layout.strides[axis] = step;
    step *= shape[axis];
    if (random() % 4 == 0) {
      layout.first += static_cast<uint64_t>((shape[axis] - 1) * layout.strides[axis]);
      layout.strides[axis] = -layout.strides[axis];
    }
    if (broadcast && random() % 5 == 0) {
      if (layout.strides[axis] < 0)
        layout.first -= static_cast<uint64_t>((shape[axis] - 1) * -layout.strides[axis]);
      layout.strides[axis] = 0;
    }
  }
  return layout;
}

TEST(StridedCopy, AsTheDefinitionOfStridesSays) {
  std::mt19937_64 random(11);
  for (int run = 0; run < 20000; ++run) {
    const int64_t items[] = {1, 2, 4, 8, 16, 3};
    const int64_t item = items[random() % 6];
    std::vector<int64_t> shape(random() % 4);
    for (int64_t& extent : shape) extent = 1 + static_cast<int64_t>(random() % 4);
    const Layout to = random_layout(random, shape, item, false);
    const Layout from = random_layout(random, shape, item, true);
    static unsigned char source[20000], target[20000], wanted[20000];
    for (auto& byte : source) byte = static_cast<unsigned char>(random());
    std::memset(target, 0, sizeof target);
    std::memset(wanted, 0, sizeof wanted);
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    for (int64_t n = 0; n < count; ++n) {
      int64_t left = n, to_at = static_cast<int64_t>(to.first),
              from_at = static_cast<int64_t>(from.first);
      for (size_t axis = shape.size(); axis-- > 0; left /= shape[axis]) {
        to_at += left % shape[axis] * to.strides[axis];
        from_at += left % shape[axis] * from.strides[axis];
      }
      std::memcpy(wanted + to_at, source + from_at, static_cast<size_t>(item));
    }
    copy_on_host(strided_copy(static_cast<uint64_t>(item), shape, address_of(target) + to.first,
                              to.strides, address_of(source) + from.first, from.strides));
    ASSERT_EQ(std::memcmp(target, wanted, sizeof target), 0) << "run " << run;
  }
}

TEST(StridedCopy, RowsWithoutGapsAreOne) {
  const StridedCopy whole = strided_copy(4, {3, 5, 7}, 0, {140, 28, 4}, 1000, {140, 28, 4});
  EXPECT_EQ(whole.bytes, 420u);
  EXPECT_TRUE(whole.axes.empty());
  const StridedCopy pitched = strided_copy(4, {3, 5, 7}, 0, {160, 32, 4}, 1000, {140, 28, 4});
  EXPECT_EQ(pitched.bytes, 28u);
  EXPECT_EQ(pitched.axes.size(), 1u);
  EXPECT_EQ(pitched.axes[0].extent, 15u);
  EXPECT_EQ(strided_copy(4, {3, 0}, 0, {0, 0}, 0, {0, 0}).bytes, 0u);
}

}  // namespace
}  // namespace cuda_device::runtime
