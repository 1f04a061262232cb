// Code that nearly always is where it must not be left is interrupted all the same.
#include "runtime/host/interruptible.h"

#include <gtest/gtest.h>
#include <time.h>

namespace cuda_device::runtime {
namespace {

double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void work_for(double seconds) {
  const double end = cpu_seconds() + seconds;
  while (cpu_seconds() < end) continue;
}

// Each as long as many ticks of the kernel's clock: one of them sees the timer go off.
void work_in_scopes(int* scopes, int most = 100) {
  for (int i = 0; i < most; ++i) {
    const NotInterruptible scope;
    work_for(0.03);
    ++*scopes;
  }
}

TEST(Interruptible, IsLeftAtTheEndOfAScopeThatTheQuestionCameIn) {
  int scopes = 0;
  Interruptible code([](void*) { return true; }, nullptr);
  EXPECT_FALSE(code.run([&] { work_in_scopes(&scopes); }));
  EXPECT_LT(scopes, 10);
}

TEST(Interruptible, GoesOnAfterSuchAQuestion) {
  int scopes = 0, asked = 0;
  const auto second = [](void* count) { return ++*static_cast<int*>(count) == 2; };
  Interruptible code(second, &asked);
  EXPECT_FALSE(code.run([&] { work_in_scopes(&scopes); }));
  EXPECT_EQ(asked, 2);
  EXPECT_LT(scopes, 20);
}

TEST(Interruptible, IsNotLeftAtTheEndOfAnInnerScope) {
  bool whole = false;
  Interruptible code([](void*) { return true; }, nullptr);
  EXPECT_FALSE(code.run([&] {
    const NotInterruptible outer;
    int scopes = 0;
    work_in_scopes(&scopes, 10);
    whole = true;
  }));
  EXPECT_TRUE(whole);
}

TEST(Interruptible, AQuestionThatCameBeforeItIsNotItsOwn) {
  int asked = 0;
  const auto count = [](void* counter) { return ++*static_cast<int*>(counter), false; };
  Interruptible first(count, &asked);
  EXPECT_TRUE(first.run([] {}));
  work_for(0.3);  // the timers that it has started go off
  Interruptible second(count, &asked);
  EXPECT_TRUE(second.run([] { const NotInterruptible scope; }));
  EXPECT_EQ(asked, 0);
}

}  // namespace
}  // namespace cuda_device::runtime
