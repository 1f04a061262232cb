// Every file of tests/ir: IR before a pass (the folder's name) and after it, separated by a line of
// '='. After a wanted change tests/ir/update.py writes the second half anew; it is read before it
// is committed. A pass without a golden fails.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "passes/pipeline.h"

namespace cuda_device::passes {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kWholePipeline = "pipeline";  // the folder of all passes in order
constexpr std::string_view kSeparator = "=====\n";

std::string read(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<fs::path> golden_files() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(CD_TEST_IR_DIR)) {
    if (entry.path().extension() == ".ir") out.push_back(entry.path());
  }
  return out;
}

std::string folder_of(const fs::path& golden) { return golden.parent_path().filename().string(); }

void run_named(const std::string& name, ir::Function& f) {
  if (name == kWholePipeline) return run_pipeline(f);
  for (const Pass& pass : pipeline()) {
    if (pass.name == name) return run_pass(pass, f, Lanes());
  }
  FAIL() << "there is no pass '" << name << "'";
}

TEST(Goldens, StandForEveryPass) {
  std::set<std::string> passes = {std::string(kWholePipeline)}, folders;
  for (const Pass& pass : pipeline()) passes.emplace(pass.name);
  for (const fs::path& golden : golden_files()) folders.insert(folder_of(golden));
  EXPECT_EQ(folders, passes);
}

class Golden : public testing::TestWithParam<fs::path> {};

TEST_P(Golden, IsUnchanged) {
  const std::string text = read(GetParam());
  const size_t separator = std::min(text.find(kSeparator), text.size());
  const auto f = ir::parse(text.substr(0, separator));
  EXPECT_EQ(ir::verify(*f), std::vector<std::string>());
  run_named(folder_of(GetParam()), *f);
  EXPECT_EQ(ir::verify(*f), std::vector<std::string>());
  const std::string golden = text.substr(0, separator) + std::string(kSeparator) + ir::print(*f);
  if (std::getenv("CUDA_DEVICE_UPDATE_GOLDENS")) {
    std::ofstream(GetParam()) << golden;
  } else {
    EXPECT_EQ(text, golden) << GetParam();
  }
}

std::string test_name(const testing::TestParamInfo<fs::path>& info) {
  return folder_of(info.param) + "_" + info.param.stem().string();
}
INSTANTIATE_TEST_SUITE_P(Passes, Golden, testing::ValuesIn(golden_files()), test_name);

}  // namespace
}  // namespace cuda_device::passes
