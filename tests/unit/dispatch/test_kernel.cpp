// The specialisations of a kernel: each is compiled once, a failure is not kept, a fork finds them
// whole.
#include "dispatch/kernel.h"

#include <thread>
#include <vector>

#include "unit/in_child.h"

namespace cuda_device::dispatch {
namespace {

struct Nothing : Compiled {
  explicit Nothing(std::string target) : target(std::move(target)) {}
  runtime::Error run(const void*, const abi::LaunchDims&, runtime::Interrupt*) const override {
    return target;
  }
  std::string target;
};

std::atomic<int> compilations;
std::atomic<int> failures_left;

CompileOutcome slowly(const Specialisation&, const std::string& target) {
  ++compilations;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  if (failures_left-- > 0) return {nullptr, Outcome{Status::UserError, {}, "refused"}};
  return {std::make_shared<Nothing>(target), {}};
}

const std::function<Specialisation()> specialise = [] { return Specialisation(); };

class KernelTest : public testing::Test {
 protected:
  void SetUp() override { compilations = failures_left = 0; }
  Kernel kernel{&slowly};
};

TEST_F(KernelTest, ManyThreadsCompileEachKeyOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        const std::string key = "key " + std::to_string((i + t) % 10);
        EXPECT_NE(kernel.find_or_compile(key, "a", specialise).compiled, nullptr);
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(compilations, 10);
}

TEST_F(KernelTest, TargetsAndKeysAreKeptApart) {
  const auto run = [&](const char* key, const char* target) {
    return kernel.find_or_compile(key, target, specialise).compiled->run(nullptr, {}, nullptr);
  };
  EXPECT_EQ(run("x", "a"), "a");
  EXPECT_EQ(run("x", "b"), "b");
  EXPECT_EQ(run("x", "a"), "a");
  EXPECT_EQ(compilations, 2);
}

// Where the parameters of the last run lay.
struct Placed : Compiled {
  runtime::Error run(const void* params, const abi::LaunchDims&,
                     runtime::Interrupt*) const override {
    last = reinterpret_cast<uintptr_t>(params);
    return {};
  }
  static inline std::atomic<uintptr_t> last;
};

// Few wait in the launch itself, many on the heap.
TEST(QueuedLaunch, CopiesParametersToAlignedMemory) {
  Kernel kernel([](const Specialisation&, const std::string&) {
    return CompileOutcome{std::make_shared<Placed>(), {}};
  });
  Stream* stream = cd_rt_stream_create();
  for (const uint32_t size : {16u, 256u, 272u, 4000u}) {
    const std::vector<char> params(size);
    LaunchRequest request;
    request.kernel = &kernel;
    request.key = "x";
    request.specialise = &specialise;
    request.params = params.data();
    request.params_size = size;
    request.stream = stream;
    Outcome outcome;
    Placed::last = 1;
    cd_rt_launch(&request, &outcome);
    cd_rt_stream_sync(stream, cd_rt_stream_mark(stream), 20000, &outcome);
    EXPECT_EQ(outcome.status, Status::Ok);
    EXPECT_EQ(Placed::last % abi::kParamsAlign, 0u) << size;
  }
  cd_rt_stream_release(stream);
}

TEST_F(KernelTest, AFailureIsNotKept) {
  failures_left = 1;
  const CompileOutcome first = kernel.find_or_compile("x", "a", specialise);
  EXPECT_EQ(first.compiled, nullptr);
  EXPECT_EQ(first.outcome.text, "refused");
  EXPECT_NE(kernel.find_or_compile("x", "a", specialise).compiled, nullptr);
}

TEST_F(KernelTest, AnExceptionLeavesTheKeyFree) {
  const std::function<Specialisation()> throws = []() -> Specialisation { throw 1; };
  EXPECT_THROW(kernel.find_or_compile("x", "a", throws), int);
  EXPECT_NE(kernel.find_or_compile("x", "a", specialise).compiled, nullptr);
}

TEST_F(KernelTest, AForkFindsEveryKeyUsable) {
  if (!kForksWork) GTEST_SKIP() << "waits for a build without sanitizers";
  std::atomic<bool> stop{false};
  std::atomic<int> latest{0};
  std::thread compiling([&] {
    while (!stop) kernel.find_or_compile("key " + std::to_string(++latest), "a", specialise);
  });
  std::thread launching([&] {
    while (!stop) kernel.find_or_compile("key 1", "a", specialise);
  });
  for (int i = 0; i < 50; ++i)
    EXPECT_EQ(in_child([&] {
                for (int k = 1; k <= latest; ++k) {
                  const std::string key = "key " + std::to_string(k);
                  if (!kernel.find_or_compile(key, "a", specialise).compiled) return 1;
                }
                return kernel.find_or_compile("new", "a", specialise).compiled ? 0 : 2;
              }),
              0);
  stop = true;
  compiling.join();
  launching.join();
}

}  // namespace
}  // namespace cuda_device::dispatch
