#include "ir/interpreter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <numeric>

#include "ir/float_environment.h"
#include "ir/machine.h"
#include "support/check.h"
#include "unit/ir/arguments.h"

namespace cuda_device::ir {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

// One thread; `out` is an int32 array of 16, `n` an argument. Every `log` in the body appends to
// out.
class Control {
 public:
  std::vector<int32_t> run(const std::string& body, int32_t n = 0) {
    std::vector<int32_t> out(16, -1);
    Argument scalar;
    scalar.scalar = n;
    const auto f = parse(expand(body));
    interpret(*f, {array_of(out), scalar}, {}, 10000);
    out.erase(std::find(out.begin(), out.end(), -1), out.end());
    return out;
  }

 private:
  // `log %x` → store %x at the counter, which is slot 0, and count.
  std::string expand(std::string body) {
    for (size_t at; (at = body.find("log %")) != std::string::npos;) {
      const size_t name = at + 4, end = body.find_first_of(" \n}", name);
      const std::string v = body.substr(name, end - name), id = std::to_string(++logs_);
      body.replace(at, end - at,
                   "%p" + id + " = slot_load $0 : int32 store %out, %p" + id + ", " + v + " %q" +
                       id + " = add %p" + id + ", %1 : int32 slot_store $0, %q" + id);
    }
    return R"(kernel "control"
param @0 "out": array<int32, 1>
param @1 "n": int32
slot $0 "count": int32
slot $1 "i": int32
slot $2 "j": int32
{
  %out = param @0 : array<int32, 1>
  %n = param @1 : int32
  %0 = const 0 : int32
  %1 = const 1 : int32
  %2 = const 2 : int32
  %3 = const 3 : int32
  %9 = const 9 : int32
  %true = const true : bool
)" + body + "\n}\n";
  }

  int logs_ = 0;
};

std::vector<int32_t> run(const std::string& body, int32_t n = 0) { return Control().run(body, n); }

TEST(Interpreter, SlotsStartAtZero) {
  EXPECT_THAT(run("%i = slot_load $1 : int32 log %i"), ElementsAre(0));
}

TEST(Interpreter, SlotsKeepTheLastStore) {
  EXPECT_THAT(run("slot_store $1, %3 slot_store $1, %n %i = slot_load $1 : int32 log %i", 7),
              ElementsAre(7));
}

TEST(Interpreter, If) {
  const char* body = "%c = lt %n, %2 : bool if %c { log %1 } else { log %2 } log %3";
  EXPECT_THAT(run(body, 1), ElementsAre(1, 3));
  EXPECT_THAT(run(body, 2), ElementsAre(2, 3));
}

TEST(Interpreter, For) {
  const char* body = "for $1, %0, %n, %2 { %i = slot_load $1 : int32 log %i } else { log %9 }";
  EXPECT_THAT(run(body, 5), ElementsAre(0, 2, 4, 9));
  EXPECT_THAT(run(body, 4), ElementsAre(0, 2, 9));
  EXPECT_THAT(run(body, 0), ElementsAre(9));
  EXPECT_THAT(run(body, -5), ElementsAre(9));
}

TEST(Interpreter, ForBackwards) {
  EXPECT_THAT(run("%m = neg %2 : int32 for $1, %n, %0, %m { %i = slot_load $1 : int32 log %i }", 5),
              ElementsAre(5, 3, 1));
}

TEST(Interpreter, ForWithStepZeroRunsNothing) {
  EXPECT_THAT(run("for $1, %0, %n, %0 { log %1 } else { log %9 }", 5), ElementsAre(9));
}

// The slot is a variable: it keeps the last value, and a store into it does not move the hidden
// counter.
TEST(Interpreter, ForCountsByItself) {
  EXPECT_THAT(run("for $1, %0, %n, %1 { %i = slot_load $1 : int32 log %i slot_store $1, %9 }"
                  "%l = slot_load $1 : int32 log %l",
                  3),
              ElementsAre(0, 1, 2, 9));
  EXPECT_THAT(run("for $1, %0, %n, %1 { } %l = slot_load $1 : int32 log %l", 3), ElementsAre(2));
  EXPECT_THAT(run("slot_store $1, %9 for $1, %0, %n, %1 { } %l = slot_load $1 : int32 log %l", 0),
              ElementsAre(9));
}

TEST(Interpreter, ForEvaluatesItsBoundsOnce) {
  EXPECT_THAT(run("slot_store $2, %3 %s = slot_load $2 : int32 for $1, %0, %s, %1 {"
                  " slot_store $2, %9 log %1 }"),
              ElementsAre(1, 1, 1));
}

TEST(Interpreter, BreakSkipsElse) {
  EXPECT_THAT(run("for $1, %0, %n, %1 { %i = slot_load $1 : int32 %c = eq %i, %2 : bool"
                  " if %c { break } log %i } else { log %9 }",
                  5),
              ElementsAre(0, 1));
}

TEST(Interpreter, Continue) {
  EXPECT_THAT(run("for $1, %0, %n, %1 { %i = slot_load $1 : int32 %c = eq %i, %2 : bool"
                  " if %c { continue } log %i } else { log %9 }",
                  4),
              ElementsAre(0, 1, 3, 9));
}

constexpr const char* kWhile =
    "while { %i = slot_load $1 : int32 log %i %c = lt %i, %n : bool yield %c } do {"
    "  %k = slot_load $1 : int32 %k1 = add %k, %1 : int32 slot_store $1, %k1"
    "  %d = eq %k1, %2 : bool if %d { BODY } } else { log %9 }";

std::string while_with(const std::string& statement) {
  std::string text = kWhile;
  return text.replace(text.find("BODY"), 4, statement);
}

TEST(Interpreter, While) {
  EXPECT_THAT(run(while_with(""), 3), ElementsAre(0, 1, 2, 3, 9));
  EXPECT_THAT(run(while_with(""), 0), ElementsAre(0, 9));
  EXPECT_THAT(run(while_with("break"), 3), ElementsAre(0, 1));
  EXPECT_THAT(run(while_with("continue"), 3), ElementsAre(0, 1, 2, 3, 9));
  EXPECT_THAT(run(while_with("return"), 3), ElementsAre(0, 1));
}

TEST(Interpreter, BreakLeavesTheInnermostLoop) {
  EXPECT_THAT(run("for $1, %0, %2, %1 { for $2, %0, %9, %1 { log %3 break } else { log %9 }"
                  " %i = slot_load $1 : int32 log %i }"),
              ElementsAre(3, 0, 3, 1));
}

TEST(Interpreter, BreakInElseLeavesTheLoopAround) {
  EXPECT_THAT(run("while { yield %true } do { for $2, %0, %1, %1 { log %1 } else { break } log %9 }"
                  " log %2"),
              ElementsAre(1, 2));
}

TEST(Interpreter, LeaveCountsScopes) {
  EXPECT_THAT(
      run("scope { scope { leave 0 } log %1 scope { scope { leave 2 } log %9 } log %9 } log %2"),
      ElementsAre(1, 2));
  EXPECT_THAT(run("scope { scope { leave 1 } log %9 } log %2"), ElementsAre(2));
  EXPECT_THAT(run("scope { for $1, %0, %9, %1 { log %1 leave 0 } else { log %9 } } log %2"),
              ElementsAre(1, 2));
  EXPECT_THAT(run("scope { log %1 } log %2"), ElementsAre(1, 2));
}

TEST(Interpreter, ReturnFromWithin) {
  EXPECT_THAT(run("scope { for $1, %0, %9, %1 { if %true { log %1 return } } } log %2"),
              ElementsAre(1));
}

TEST(TripCount, CannotOverflow) {
  using enum ScalarKind;
  EXPECT_EQ(trip_count(I64, INT64_MIN, INT64_MAX, 1), UINT64_MAX);
  EXPECT_EQ(trip_count(I64, INT64_MAX, INT64_MIN, -1), UINT64_MAX);
  EXPECT_EQ(trip_count(I64, INT64_MAX, INT64_MIN, INT64_MIN), 2u);
  EXPECT_EQ(trip_count(I64, INT64_MIN, INT64_MAX, INT64_MAX), 3u);
  EXPECT_EQ(trip_count(U64, 0, -1, 1), UINT64_MAX);
  EXPECT_EQ(trip_count(U64, 0, -1, INT64_MIN), 2u);  // a step of 2**63
  EXPECT_EQ(trip_count(U64, -1, 0, -1), 0u);         // unsigned steps go up
  EXPECT_EQ(trip_count(I32, 0, 10, 3), 4u);
  EXPECT_EQ(trip_count(I32, 10, 0, -3), 4u);
  EXPECT_EQ(trip_count(I32, 0, 10, 0), 0u);
  EXPECT_EQ(trip_count(I32, 0, 10, -1), 0u);
  EXPECT_EQ(trip_count(I32, 3, 3, 1), 0u);
}

TEST(Interpreter, ForAtTheEndOfItsType) {
  std::vector<int8_t> out(8, -1);
  const auto f = parse(R"(kernel "edge"
param @0 "out": array<int8, 1>
slot $0 "i": int8
slot $1 "at": int8
{
  %out = param @0 : array<int8, 1>
  %start = const 100 : int8
  %stop = const 127 : int8
  %step = const 20 : int8
  %one = const 1 : int8
  for $0, %start, %stop, %step {
    %i = slot_load $0 : int8
    %at = slot_load $1 : int8
    store %out, %at, %i
    %next = add %at, %one : int8
    slot_store $1, %next
  }
})");
  interpret(*f, {array_of(out)}, {}, 1000);
  EXPECT_THAT(out, ElementsAre(100, 120, -1, -1, -1, -1, -1, -1));
}

// Every thread writes what it is told about its place.
std::vector<int64_t> ask(const std::string& op, const Grid& grid) {
  const auto threads = [](const std::array<uint32_t, 3>& v) { return v[0] * v[1] * v[2]; };
  std::vector<int64_t> out(threads(grid.grid) * threads(grid.block));
  const auto f = parse(R"(kernel "ask"
param @0 "out": array<int64, 6>
{
  %out = param @0 : array<int64, 6>
  %bz = block_idx #2 : uint32
  %by = block_idx #1 : uint32
  %bx = block_idx #0 : uint32
  %tz = thread_idx #2 : uint32
  %ty = thread_idx #1 : uint32
  %tx = thread_idx #0 : uint32
  %q = )" + op + R"(
  %v = convert %q : int64
  store %out, %bz, %by, %bx, %tz, %ty, %tx, %v
})");
  Argument a;
  a.array.data = reinterpret_cast<char*>(out.data());
  for (const auto& v : {grid.grid, grid.block}) {
    for (int axis : {2, 1, 0}) a.array.shape.push_back(v[static_cast<size_t>(axis)]);
  }
  a.array.strides.resize(6);
  int64_t stride = 8;
  for (size_t i = 6; i-- > 0; stride *= a.array.shape[i]) a.array.strides[i] = stride;
  interpret(*f, {a}, grid);
  return out;
}

TEST(Interpreter, Positions) {
  const Grid line{{2, 1, 1}, {3, 1, 1}};
  EXPECT_THAT(ask("thread_idx #0 : uint32", line), ElementsAre(0, 1, 2, 0, 1, 2));
  EXPECT_THAT(ask("block_idx #0 : uint32", line), ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_THAT(ask("tid #0 : int32", line), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(ask("tid #1 : int32", line), testing::Each(0));
  const Grid solid{{1, 2, 1}, {2, 2, 2}};
  EXPECT_THAT(ask("thread_idx #1 : uint32", solid),
              ElementsAre(0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1));
  EXPECT_THAT(ask("thread_idx #2 : uint32", solid),
              ElementsAre(0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1));
  EXPECT_THAT(ask("tid #1 : int32", solid),
              ElementsAre(0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3));
  EXPECT_THAT(ask("block_dim #2 : uint32", solid), testing::Each(2));
  EXPECT_THAT(ask("grid_dim #1 : uint32", solid), testing::Each(2));
  EXPECT_THAT(ask("grid_size #1 : int32", solid), testing::Each(4));
}

TEST(Interpreter, LanesCountThroughTheBlock) {
  const auto lanes = ask("lane_id : int32", {{1, 1, 1}, {5, 3, 3}});
  ASSERT_EQ(lanes.size(), 45u);
  for (size_t i = 0; i < 45; ++i) EXPECT_EQ(lanes[i], static_cast<int64_t>(i % 32));
}

TEST(Interpreter, TidWraps) {
  const auto f = parse(R"(kernel "wrap"
param @0 "out": array<int32, 1>
{
  %out = param @0 : array<int32, 1>
  %zero = const 0 : int32
  %tid = tid #0 : int32
  store %out, %zero, %tid
})");
  std::vector<int32_t> out(1);
  const StepCode code = flatten(*f, {0});
  const std::vector<Argument> arguments = {array_of(out)};
  const Launch launch{code, arguments, {{0x7fffffff, 1, 1}, {1024, 1, 1}}};
  Thread thread(launch, {0x200000, 0, 0}, {5, 0, 0});
  EXPECT_EQ(advance(launch, thread, 100), Outcome::Finished);
  EXPECT_EQ(out[0], INT32_MIN + 5);
}

TEST(Interpreter, StridesAreBytesAndMayBeNegative) {
  std::vector<int32_t> data = {1, 2, 3, 4, 5, 6};
  const auto f = parse(R"(kernel "scale"
param @0 "a": array<int32, 2>
{
  %a = param @0 : array<int32, 2>
  %i = tid #0 : int32
  %j = tid #1 : int32
  %v = load %a, %i, %j : int32
  %n = extent #1, %a : int64
  %s = stride #0, %a : int64
  %sum = add %n, %s : int64
  %k = convert %sum : int32
  %w = mul %v, %k : int32
  store %a, %i, %j, %w
})");
  Argument reversed;  // data[::-1].reshape(2, 3)
  reversed.array = {reinterpret_cast<char*>(&data[5]), {2, 2}, {-12, -4}};
  interpret(*f, {reversed}, {{1, 1, 1}, {2, 2, 1}});
  const int32_t k = 2 - 12;
  EXPECT_THAT(data, ElementsAre(1, 2 * k, 3 * k, 4, 5 * k, 6 * k));
}

TEST(Interpreter, ElementsOfEveryType) {
  for (int i = 0; i < kScalarCount; ++i) {
    const auto kind = static_cast<ScalarKind>(i);
    const std::string type(name_of(kind));
    const auto f =
        parse("kernel \"copy\"\nparam @0 \"a\": array<" + type + ", 1>\nparam @1 \"x\": " + type +
              "\n{ %a = param @0 : array<" + type + ", 1> %x = param @1 : " + type +
              " %0 = const 0 : int8 %1 = const 1 : uint64 %2 = const 2 : int64\n"
              "%v = load %a, %0 : " +
              type + " store %a, %1, %v store %a, %2, %x }");
    std::vector<unsigned char> data(3 * static_cast<size_t>(bytes_of(kind)), 0);
    const auto size = static_cast<size_t>(bytes_of(kind));
    std::iota(data.begin(), data.begin() + static_cast<long>(size), 0x81);
    Argument a, x;
    a.array = {reinterpret_cast<char*>(data.data()), {3}, {static_cast<int64_t>(size)}};
    x.scalar = is_bool(kind) ? 5 : 0x1122334455667788;
    interpret(*f, {a, x}, {});
    std::vector<unsigned char> first(data.begin(), data.begin() + static_cast<long>(size));
    std::vector<unsigned char> second(data.begin() + static_cast<long>(size),
                                      data.begin() + static_cast<long>(2 * size));
    if (is_bool(kind)) {
      EXPECT_EQ(second[0], 1) << "a bool element is byte != 0";
      EXPECT_EQ(data[2], 1) << "a bool argument is any but 0";
    } else {
      EXPECT_EQ(first, second) << type;
      EXPECT_EQ(data[2 * size], 0x88) << type;
    }
  }
}

TEST(Interpreter, ThreadsRunInOrder) {
  const auto f = parse(R"(kernel "last"
param @0 "a": array<int32, 1>
{
  %a = param @0 : array<int32, 1>
  %0 = const 0 : int32
  %2 = const 2 : int32
  %i = tid #0 : int32
  %v = load %a, %0 : int32
  %w = mul %v, %2 : int32
  %x = add %w, %i : int32
  store %a, %0, %x
})");
  std::vector<int32_t> a = {1};
  interpret(*f, {array_of(a)}, {{2, 1, 1}, {2, 1, 1}});
  EXPECT_EQ(a[0], 16 + 0 * 8 + 1 * 4 + 2 * 2 + 3);
}

TEST(Interpreter, EmptyGridsRunNothing) {
  const auto f = parse("kernel \"k\" { while { %t = const true : bool yield %t } do { } }");
  interpret(*f, {}, {{0, 1, 1}, {1, 1, 1}});
}

std::string error_of(const Function& f, const std::vector<Argument>& arguments,
                     const Grid& grid = {}) {
  try {
    interpret(f, arguments, grid, 1000);
  } catch (const InterpretError& e) {
    return e.what();
  }
  return "no error";
}

constexpr const char* kStore = R"(kernel "put"
param @0 "a": array<int32, 1> FACTS
{
  %a = param @0 : array<int32, 1>
  %i = tid #0 : int32
  store %a, %i, %i
})";

std::string store_kernel(const std::string& facts) {
  std::string text = kStore;
  return text.replace(text.find("FACTS"), 5, facts);
}

TEST(Interpreter, ReportsIndicesOutOfRange) {
  std::vector<int32_t> a(2, 9);
  EXPECT_EQ(error_of(*parse(store_kernel("")), {array_of(a)}, {{2, 1, 1}, {2, 1, 1}}),
            "block (1, 0, 0), thread (0, 0, 0): index 2 on axis 0 is out of range for extent 2: "
            "store %0, %1, %1");
  EXPECT_THAT(a, ElementsAre(0, 1));
}

TEST(Interpreter, NegativeIndicesAreOutOfRange) {
  std::vector<int32_t> a(2, 9);
  const auto f = parse(
      "kernel \"k\"\nparam @0 \"a\": array<int32, 1>\n{ %a = param @0 : array<int32, 1>"
      " %i = const -1 : int32 %v = load %a, %i : int32 store %a, %i, %v }");
  EXPECT_THAT(error_of(*f, {array_of(a)}), HasSubstr("index -1 on axis 0"));
}

TEST(Interpreter, ReportsStoresIntoReadOnlyArrays) {
  std::vector<int32_t> a(1, 9);
  EXPECT_THAT(error_of(*parse(store_kernel("read_only")), {array_of(a)}),
              HasSubstr("the array is read-only: store %0, %1, %1"));
  EXPECT_EQ(a[0], 9);
}

TEST(Interpreter, StopsEndlessThreads) {
  const auto f = parse("kernel \"k\" { while { %t = const true : bool yield %t } do { } }");
  EXPECT_EQ(error_of(*f, {}), "more than 1000 steps in one thread");
}

TEST(Interpreter, RefusesWhatCannotBeRun) {
  std::vector<int32_t> a(1);
  auto f = parse(store_kernel(""));
  EXPECT_THROW(interpret(*f, {}, {}), InternalError);
  EXPECT_THROW(interpret(*f, {Argument{}}, {}), InternalError);
  f->launch.block = {32, 1, 1};
  EXPECT_THROW(interpret(*f, {array_of(a)}, {{1, 1, 1}, {1, 1, 1}}), InternalError);
  EXPECT_THROW(interpret(*parse("kernel \"k\" { break }"), {}, {}), InternalError);
}

// A thread can stop after any step, within any nesting, and go on later: here all threads of a
// block advance by one step in turn, and find what they would have found alone.
TEST(Interpreter, ThreadsCanBeInterleaved) {
  const auto f = parse(R"(kernel "nest"
param @0 "out": array<int32, 1>
slot $0 "i": int32
slot $1 "sum": int32
{
  %out = param @0 : array<int32, 1>
  %zero = const 0 : int32
  %one = const 1 : int32
  %me = tid #0 : int32
  %n = mul %me, %me : int32
  scope {
    while {
      %s = slot_load $1 : int32
      %c = lt %s, %n : bool
      yield %c
    } do {
      for $0, %zero, %me, %one {
        %i = slot_load $0 : int32
        %t = slot_load $1 : int32
        %ti = add %t, %i : int32
        %u = add %ti, %one : int32
        slot_store $1, %u
        %over = gt %u, %n : bool
        if %over {
          leave 0
        }
      }
    }
  }
  %r = slot_load $1 : int32
  store %out, %me, %r
})");
  std::vector<int32_t> alone(12, -1), together(12, -1);
  interpret(*f, {array_of(alone)}, {{1, 1, 1}, {12, 1, 1}}, 10000);
  const StepCode code = flatten(*f, {0});
  const std::vector<Argument> arguments = {array_of(together)};
  const Launch launch{code, arguments, {{1, 1, 1}, {12, 1, 1}}};
  std::vector<Thread> threads;
  for (uint32_t i = 0; i < 12; ++i)
    threads.emplace_back(launch, std::array<uint32_t, 3>{}, std::array<uint32_t, 3>{i, 0, 0});
  int rounds = 0;
  for (bool running = true; running; ++rounds) {
    running = false;
    for (Thread& t : threads) running |= advance(launch, t, 1) == Outcome::OutOfSteps;
  }
  EXPECT_GT(rounds, 100);
  EXPECT_THAT(together, ElementsAreArray(alone));
}

TEST(Interpreter, HasItsOwnFloatEnvironment) {
  const auto f = parse(R"(kernel "third"
param @0 "out": array<float32, 1>
{
  %out = param @0 : array<float32, 1>
  %zero = const 0 : int32
  %one = const 1.0 : float32
  %three = const 3.0 : float32
  %third = div %one, %three : float32
  store %out, %zero, %third
})");
  std::vector<float> out(1);
  std::fesetround(FE_UPWARD);
  interpret(*f, {array_of(out)}, {});
  const int after = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(after, FE_UPWARD);
  EXPECT_EQ(out[0], 0.333333343f);
  EXPECT_NE(out[0], std::nextafter(0.333333343f, 1.0f));
}

}  // namespace
}  // namespace cuda_device::ir
