// What a launch has said, as its user reads it.
#include "dispatch/kernel_messages.h"

#include <gtest/gtest.h>

namespace cuda_device::dispatch {
namespace {

// A kernel at line 10 of k.py, a function at line 100 of h.py, and one that no line is known of.
KernelMessages messages() {
  abi::KernelImage image;
  image.name = "k";
  image.failures = {{"ValueError", {"no", {}}, false, 0, 3}};
  image.sites = {{0, 2}, {1, -1}, {2, 5}};
  const auto at = [](const char* file, uint32_t line) {
    Definition definition;
    definition.file = file;
    definition.line = line;
    return definition;
  };
  return {image, {at("k.py", 10), at("h.py", 100), at("", 0)}};
}

TEST(KernelMessages, ADeadlockNamesLinesOfTheProgram) {
  LaunchReport report;
  report.deadlock.emplace();
  report.deadlock->places = {{1, 31, {0, 0, 0}, {1, 0, 0}}, {0, 1, {0, 0, 0}, {0, 0, 0}}};
  const runtime::Error error = messages().heard(std::move(report), "");
  EXPECT_EQ(error.text,
            "its threads wait for each other and none can go on (deadlock): 31 threads at h.py:99 "
            "(block (0, 0, 0), thread (1, 0, 0) is one), 1 thread at k.py:12 (block (0, 0, 0), "
            "thread (0, 0, 0))");
  EXPECT_EQ(error.raises, "") << "a KernelError, which begins with the kernel's name";
}

TEST(KernelMessages, AFailureComesBeforeADeadlockAndAnErrorBeforeBoth) {
  LaunchReport report;
  report.deadlock.emplace();
  report.failed = FailedThread{0, {1, 0, 0}, {2, 0, 0}};
  const runtime::Error error = messages().heard(report, "");
  EXPECT_EQ(error.text, "kernel 'k': no (k.py:13, block (1, 0, 0), thread (2, 0, 0))");
  EXPECT_EQ(error.raises, "ValueError");
  EXPECT_EQ(messages().heard(report, "out of memory").text, "out of memory");
  EXPECT_TRUE(messages().heard({}, "").empty());
}

}  // namespace
}  // namespace cuda_device::dispatch
