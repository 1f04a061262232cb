// Threads of a warp together: who takes part, who is waited for, and what cannot go on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/interpreter.h"
#include "unit/ir/arguments.h"

namespace cuda_device::ir {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr const char* kHead = R"(kernel "warps"
param @0 "out": array<uint32, 1>
{
  %out = param @0 : array<uint32, 1>
  %lane = lane_id : int32
  %t = thread_idx #0 : uint32
  %all = const 4294967295 : uint32
  %low = const 15 : uint32
  %three = const 3 : int32
  %four = const 4 : int32
  %is_low = lt %lane, %four : bool
  %true = const true : bool
)";

// One block; each thread has an element of out, 7 at first.
std::vector<uint32_t> run(const std::string& body, uint32_t threads = 32) {
  std::vector<uint32_t> out(threads, 7);
  const auto f = parse(kHead + body + "\n}\n");
  interpret(*f, {array_of(out)}, {{1, 1, 1}, {threads, 1, 1}});
  return out;
}

std::string error_of(const std::string& body, uint32_t threads = 32) {
  try {
    run(body, threads);
  } catch (const InterpretError& e) {
    return e.what();
  }
  return "";
}

TEST(Warps, ThreadsOfOneMaskMeetFromBothSidesOfAnIf) {
  const auto out = run(R"(
  if %is_low {
    %a = ballot %all, %is_low : uint32
    store %out, %t, %a
  } else {
    %b = ballot %all, %is_low : uint32
    store %out, %t, %b
  })");
  EXPECT_THAT(out, Each(15));
}

TEST(Warps, ThreadsThatHaveLeftAreNotWaitedFor) {
  const auto out = run(R"(
  if %is_low {
    return
  }
  %a = ballot %all, %true : uint32
  store %out, %t, %a)",
                       40);
  for (uint32_t t = 0; t < 40; ++t) {
    const uint32_t there = t < 32 ? 0xfffffff0 : 0xf0;
    EXPECT_EQ(out[t], t % 32 < 4 ? 7 : there);
  }
}

TEST(Warps, TheActiveLanesAreThoseThatComeThere) {
  const auto out = run(R"(
  if %is_low {
    %a = active_mask : uint32
    store %out, %t, %a
  } else {
    %b = active_mask : uint32
    store %out, %t, %b
  }
  %c = active_mask : uint32
  %d = load %out, %t : uint32
  %e = xor %c, %d : uint32
  store %out, %t, %e)");
  for (uint32_t t = 0; t < 32; ++t) EXPECT_EQ(out[t], t < 4 ? 0xfffffff0 : 15);
}

TEST(Warps, OfALaneThatTakesNoPartAnythingIsRead) {
  const auto out = run(R"(
  if %is_low {
    %a = shuffle %low, %t, %four : uint32
    store %out, %t, %a
  })");
  EXPECT_EQ(out[0], 0x0bad0bad);
}

TEST(Warps, AThreadIsInItsOwnMask) {
  EXPECT_THAT(error_of("warp_sync %low"),
              HasSubstr("a thread is not in its own mask: thread (4, 0, 0) at 'warp_sync"));
}

TEST(Warps, ThreadsThatWaitInVainAreNamed) {
  const std::string error = error_of(R"(
  if %is_low {
    warp_sync %all
  } else {
    %a = ballot %all, %true : uint32
  })");
  EXPECT_THAT(error, HasSubstr("threads of a warp wait for each other in vain: thread (0, 0, 0) at "
                               "'warp_sync"));
  EXPECT_THAT(error, HasSubstr("thread (4, 0, 0) at"));
}

TEST(Warps, ABarrierOfTheBlockIsNoOperationOfTheWarp) {
  EXPECT_THAT(error_of(R"(
  if %is_low {
    barrier
  } else {
    warp_sync %all
  })"),
              HasSubstr("thread (0, 0, 0) at 'barrier'"));
}

}  // namespace
}  // namespace cuda_device::ir
