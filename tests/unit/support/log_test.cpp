// CUDA_DEVICE_LOG: what its words ask for, and how a line looks. What is logged when is tested from
// Python, in processes of their own (tests/interop/test_log.py).
#include "support/log.h"

#include <gtest/gtest.h>

namespace cuda_device::log {
namespace {

using std::chrono::nanoseconds;

uint8_t bits(Topic topic) { return static_cast<uint8_t>(topic); }

TEST(Log, WordsNameTopics) {
  std::string unknown;
  EXPECT_EQ(topics_named("", unknown), 0);
  EXPECT_EQ(topics_named("launch", unknown), bits(Topic::Launch));
  EXPECT_EQ(topics_named(" cache ,compile,", unknown), bits(Topic::Cache) | bits(Topic::Compile));
  EXPECT_EQ(unknown, "");
}

TEST(Log, OtherWordsAreNamed) {
  std::string unknown;
  EXPECT_EQ(topics_named("launches,compile,all of it", unknown), bits(Topic::Compile));
  EXPECT_EQ(unknown, "launches, \"all of it\"");
}

TEST(Log, TimesHaveThreeDigits) {
  EXPECT_EQ(time_text(nanoseconds(940)), "0.94us");
  EXPECT_EQ(time_text(nanoseconds(31'240)), "31.2us");
  EXPECT_EQ(time_text(nanoseconds(9'314'000)), "9.31ms");
  EXPECT_EQ(time_text(nanoseconds(842'000'000)), "842ms");
  EXPECT_EQ(time_text(nanoseconds(2'040'000'000)), "2.04s");
}

// Standard error of one event.
std::string line_of(Topic topic, void (*facts)(Event&), std::string_view subject) {
  const uint8_t before = topics.exchange(bits(Topic::Launch));
  testing::internal::CaptureStderr();
  Event event(topic);
  facts(event);
  event.write(subject);
  topics.store(before);
  return testing::internal::GetCapturedStderr();
}

TEST(Log, ALineIsWordsAndStaysALine) {
  const std::string line = line_of(
      Topic::Launch,
      [](Event& event) {
        event.fact("grid", std::array<uint32_t, 3>{4, 1, 1}).fact("shared", 64);
        event.fact("error", "a \"bad\"\nthing").fact("none", "");
      },
      "vec_add");
  const std::string begin =
      "cuda.device launch vec_add grid=4,1,1 shared=64 error=\"a \\\"bad\\\" thing\" none=\"\" "
      "time=";
  EXPECT_EQ(line.substr(0, begin.size()), begin);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(Log, NothingOfTopicsThatNobodyAskedFor) {
  EXPECT_EQ(line_of(Topic::Cache, [](Event& event) { event.fact("key", 1); }, "x"), "");
}

TEST(Log, ALongLineIsCut) {
  const std::string line = line_of(Topic::Launch, [](Event&) {}, std::string(10'000, 'x'));
  EXPECT_EQ(line.size(), 4096U);
  EXPECT_TRUE(line.ends_with("...\n"));
}

}  // namespace
}  // namespace cuda_device::log
