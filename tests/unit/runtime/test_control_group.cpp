// The limits of memory that control groups set, in files made for the test.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "runtime/memory/control_group.h"
#include "runtime/memory/pages.h"

namespace cuda_device::runtime {
namespace {

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

class ControlGroup : public testing::Test {
 protected:
  ControlGroup() : root_(testing::TempDir() + "cd_control_group") {
    std::filesystem::remove_all(root_);
  }
  ~ControlGroup() override { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  GroupMemory memory(const std::string& groups) {
    write("/groups", groups);
    return group_memory(root_ + "/groups", root_);
  }

 private:
  const std::string root_;
};

TEST_F(ControlGroup, WithoutLimits) {
  EXPECT_EQ(memory("").limit, kUnlimited);
  EXPECT_EQ(memory("0::/a/b\n").free, kUnlimited);
  write("/a/b/memory.max", "max\n");
  EXPECT_EQ(memory("0::/a/b\n").limit, kUnlimited);
  EXPECT_EQ(group_memory("/no/such/file", "/no").limit, kUnlimited);
}

TEST_F(ControlGroup, LimitsWhatMayBeTaken) {
  write("/a/b/memory.max", "1000000\n");
  write("/a/b/memory.current", "700000\n");
  EXPECT_EQ(memory("0::/a/b\n").limit, 1000000u);
  EXPECT_EQ(memory("0::/a/b\n").free, 300000u);
  write("/a/b/memory.stat", "anon 500000\ninactive_file 200000\nactive_file 7\n");
  EXPECT_EQ(memory("0::/a/b\n").free, 500000u);
  write("/a/b/memory.current", "1300000\n");
  EXPECT_EQ(memory("0::/a/b\n").free, 0u);
}

TEST_F(ControlGroup, GroupsAroundItLimitItToo) {
  write("/a/b/memory.max", "1000\n");
  write("/a/b/memory.current", "100\n");
  write("/a/memory.max", "2000\n");
  write("/a/memory.current", "1900\n");
  EXPECT_EQ(memory("0::/a/b\n").limit, 1000u);
  EXPECT_EQ(memory("0::/a/b\n").free, 100u);
}

// The path is the host's, the files are the container's.
TEST_F(ControlGroup, OfAContainerIsAtTheRoot) {
  write("/memory.max", "5000\n");
  write("/memory.current", "1000\n");
  EXPECT_EQ(memory("0::/docker/1234\n").free, 4000u);
  EXPECT_EQ(memory("0::/\n").free, 4000u);
}

TEST_F(ControlGroup, OfTheFirstVersion) {
  write("/memory/a/memory.limit_in_bytes", "1000\n");
  write("/memory/a/memory.usage_in_bytes", "600\n");
  write("/memory/a/memory.stat", "inactive_file 1\ntotal_inactive_file 50\n");
  EXPECT_EQ(memory("5:cpu,memory:/a\n2:cpuset:/b\n").free, 450u);
  EXPECT_EQ(memory("5:memoryless:/a\n").free, kUnlimited);
}

TEST(Memory, OfTheMachineIsWithinTheGroups) {
  EXPECT_LE(total_bytes(), group_memory().limit);
  EXPECT_LE(free_bytes(), total_bytes());
}

}  // namespace
}  // namespace cuda_device::runtime
