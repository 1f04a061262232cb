#include "passes/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace cuda_device::passes {
namespace {

using testing::HasSubstr;

std::vector<std::string_view> names_run(const PipelineOptions& wanted) {
  std::vector<std::string_view> names;
  PipelineOptions options = wanted;
  options.dump = [&](std::string_view pass, const ir::Function&) { names.push_back(pass); };
  ir::Function f;
  run_pipeline(f, options);
  return names;
}

TEST(Pipeline, RunsItsListInOrder) {
  PipelineOptions all;
  all.lanes = Lanes();
  all.own_math = true;
  all.drop_assertions = true;
  std::vector<std::string_view> listed;
  for (const Pass& pass : pipeline()) listed.push_back(pass.name);
  EXPECT_EQ(names_run(all), listed);
  EXPECT_THAT(names_run({}), testing::Not(testing::Contains("expand_math")));
  EXPECT_THAT(names_run({}), testing::Not(testing::Contains("drop_assertions")));
}

TEST(Pipeline, LeavesOutWhatIsSwitchedOff) {
  PipelineOptions all;
  all.lanes = Lanes();
  all.own_math = true;
  size_t heuristics = 0;
  for (const Pass& pass : pipeline()) {
    if (!pass.tuning) continue;
    ++heuristics;
    PipelineOptions without = all;
    without.tuning.switch_off(*pass.tuning);
    EXPECT_THAT(names_run(all), testing::Contains(pass.name));
    EXPECT_THAT(names_run(without), testing::Not(testing::Contains(pass.name)));
    EXPECT_EQ(names_run(without).size() + 1, names_run(all).size()) << pass.name;
  }
  EXPECT_GE(heuristics, 8u);
}

TEST(Pipeline, TimesEveryPass) {
  StageTimes times;
  PipelineOptions options;
  options.times = &times;
  const auto names = names_run(options);
  ASSERT_EQ(times.size(), names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(times[i].name, names[i]);
    EXPECT_GE(times[i].seconds, 0);
  }
}

TEST(Pipeline, VerifiesOnRequest) {
  const auto f = ir::parse("kernel \"k\" { break }");
  PipelineOptions options;
  options.verify = true;
  try {
    run_pipeline(*f, options);
    ADD_FAILURE();
  } catch (const InternalError& e) {
    EXPECT_THAT(e.what(), HasSubstr("invalid IR after the frontend"));
  }
}

// Running it again finds nothing more: no pass undoes another's work.
TEST(Pipeline, IsStableOnItsOwnResult) {
  const auto f = ir::parse(R"(kernel "k"
param @0 "a": array<float32, 1>
slot $0 "v": float32
{
  %a = param @0 : array<float32, 1>
  %i = tid #0 : int32
  %n = extent #0, %a : int64
  %l = convert %i : int64
  %c = ge %l, %n : bool
  if %c {
    return
  }
  %x = load %a, %i : float32
  slot_store $0, %x
  %y = slot_load $0 : float32
  %m = mul %y, %y : float32
  %s = sub %m, %x : float32
  store %a, %i, %s
})");
  run_pipeline(*f);
  const std::string once = ir::print(*f);
  run_pipeline(*f);
  EXPECT_EQ(ir::print(*f), once);
}

}  // namespace
}  // namespace cuda_device::passes
