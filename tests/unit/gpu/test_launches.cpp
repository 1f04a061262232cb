// Launches on a GPU's stream: what is kept for them, and what they cost in calls of the driver.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <sstream>
#include <thread>

#include "runtime/cuda/gpu.h"
#include "runtime/cuda/gpu_kernel.h"
#include "runtime/cuda/gpu_stream.h"
#include "runtime/owners.h"

namespace cuda_device::cuda {
namespace {

std::shared_ptr<const GpuKernel> kernel() {
  abi::KernelImage image;
  image.kind = abi::ImageKind::Ptx;
  image.name = image.entry_name = "empty";
  const std::string text = ".version 8.0\n.entry empty()\n";
  image.code.assign(text.begin(), text.end() + 1);
  FatImage code;
  code.add({Code::Kind::Ptx, 80, std::string(text.begin(), text.end() + 1)});
  return std::make_shared<const GpuKernel>(image, code, 90);
}

std::shared_ptr<GpuStream> stream() {
  return std::static_pointer_cast<GpuStream>(gpu0().create_stream({}));
}

// How often a member of the driver was called since this was asked last.
int calls(const std::string& member) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  const auto take = reinterpret_cast<const char* (*)()>(dlsym(library, "fake_take_calls"));
  std::stringstream all(take());
  int count = 0;
  for (std::string call; all >> call;) count += call == member;
  return count;
}

// The next call of a member fails, or the one with this number.
void fail(const char* member, int which, int error) {
  static void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  reinterpret_cast<void (*)(const char*, int, int)>(dlsym(library, "fake_fail"))(member, which,
                                                                                 error);
}

void launch(GpuStream& on, const std::shared_ptr<const GpuKernel>& what, abi::Owner* owner) {
  const CurrentContext current(on.context().handle());
  on.launch(what, nullptr, {}, owner);
}

int finished() {
  int count = 0;
  for (abi::Owner* owner = runtime::take_finished_owners(); owner; owner = owner->next) ++count;
  return count;
}

TEST(GpuLaunches, AnEventServesForManyOfThem) {
  const auto what = kernel();
  const auto on = stream();
  launch(*on, what, nullptr);
  ASSERT_TRUE(on->wait(20000));
  calls("");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 5000; ++i) launch(*on, what, nullptr);
  const auto microseconds =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  const int events = calls("event_record");
  EXPECT_GE(events, 5000 / 64);
  EXPECT_LE(events, microseconds / 20 + 5000 / 64 + 1);
  if (microseconds < 5000 * 10) {
    EXPECT_LT(events, 3000);
  }
  ASSERT_TRUE(on->wait(20000));
}

TEST(GpuLaunches, OwnersComeBackAtLatestAtAWait) {
  const auto what = kernel();
  const auto on = stream();
  std::vector<abi::Owner> owners(1000);
  std::mutex mutex;
  mutex.lock();
  on->call([&] { const std::lock_guard lock(mutex); });
  for (abi::Owner& owner : owners) launch(*on, what, &owner);
  EXPECT_EQ(finished(), 0);
  EXPECT_GT(what.use_count(), 1000);
  mutex.unlock();
  ASSERT_TRUE(on->wait(20000));
  EXPECT_EQ(finished(), 1000);
  EXPECT_EQ(what.use_count(), 1);
}

TEST(GpuLaunches, WhatAStreamLeavesBehindIsLetGoOfByOthers) {
  const auto what = kernel();
  abi::Owner owner;
  {
    const auto gone = stream();
    launch(*gone, what, &owner);
  }
  const auto on = stream();
  int back = finished();
  for (int i = 0; i < 20000 && back == 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    launch(*on, what, nullptr);
    back = finished();
  }
  EXPECT_EQ(back, 1);
}

// Launches nothing until all that it is given comes back; false where it never does.
bool come_back(GpuStream& on, int wanted) {
  const auto what = kernel();
  int back = finished();
  for (int i = 0; i < 10000 && back < wanted; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    launch(on, what, nullptr);
    back += finished();
  }
  return back == wanted;
}

TEST(GpuLaunches, WhatHasNoEventComesBackByALaterOne) {
  const auto what = kernel();
  const auto on = stream();
  std::mutex mutex;
  mutex.lock();
  on->call([&] { const std::lock_guard lock(mutex); });
  abi::Owner first, second;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  fail("event_record", 1, 999);
  launch(*on, what, &first);
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  launch(*on, what, &second);
  EXPECT_EQ(finished(), 0);
  mutex.unlock();
  EXPECT_TRUE(come_back(*on, 2));
}

TEST(GpuLaunches, WhatHasNoEventKeepsNothingOfOtherStreams) {
  const auto what = kernel();
  std::vector<abi::Owner> owners(20);
  for (abi::Owner& owner : owners) {
    const auto gone = stream();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (&owner == &owners[0]) fail("event_record", 1, 999);
    launch(*gone, what, &owner);
  }
  const auto on = stream();
  EXPECT_TRUE(come_back(*on, 19));
  on->context().synchronize();
  EXPECT_EQ(finished(), 1);
}

TEST(GpuLaunches, AnOwnerStaysTheCallersWhereTheLaunchFails) {
  const auto what = kernel();
  const auto on = stream();
  abi::Owner owner;
  abi::LaunchDims dims;
  dims.shared = 1U << 20U;
  const CurrentContext current(on->context().handle());
  fail("launch_kernel", 1, 1);
  EXPECT_THROW(on->launch(what, nullptr, dims, &owner), DriverError);
  ASSERT_TRUE(on->wait(20000));
  EXPECT_EQ(finished(), 0);
}

}  // namespace
}  // namespace cuda_device::cuda
