// How many threads there are: what the user wants, and quotas of control groups as the system's
// files give them.
#include "runtime/host/threads.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace cuda_device::runtime {
namespace {

namespace fs = std::filesystem;

class Threads : public ::testing::Test {
 protected:
  Threads() : root_(fs::temp_directory_path() / ("threads_" + std::to_string(getpid()))) {
    fs::remove_all(root_);
    write("proc/self/cgroup", "");
  }
  ~Threads() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  int cpus() const { return cgroup_cpus(root_.string()); }

 private:
  fs::path root_;
};

constexpr int kPlenty = 100000;

TEST_F(Threads, WithoutAQuota) {
  EXPECT_GT(cpus(), kPlenty) << "no group";
  write("proc/self/cgroup", "0::/a\n");
  EXPECT_GT(cpus(), kPlenty) << "no file";
  write("sys/fs/cgroup/a/cpu.max", "max 100000\n");
  EXPECT_GT(cpus(), kPlenty);
  write("sys/fs/cgroup/a/cpu.max", "nonsense");
  EXPECT_GT(cpus(), kPlenty);
}

TEST_F(Threads, OfTheGroupOrOneAroundIt) {
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/cpu.max", "350000 100000\n");
  EXPECT_EQ(cpus(), 4) << "rounded up";
  write("sys/fs/cgroup/a/cpu.max", "200000 100000\n");
  EXPECT_EQ(cpus(), 2);
  write("sys/fs/cgroup/cpu.max", "10000 100000\n");
  EXPECT_EQ(cpus(), 1) << "a container's own group is the root";
}

TEST_F(Threads, OfVersionOne) {
  write("proc/self/cgroup", "12:cpuset:/a\n4:cpu,cpuacct:/a/b\n1:name=systemd:/x\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n");
  EXPECT_GT(cpus(), kPlenty);
  write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "300000\n");
  write("sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpus(), 3);
}

TEST(AskedThreads, AreWholeNumbers) {
  EXPECT_EQ(asked_threads("1"), 1);
  EXPECT_EQ(asked_threads("4096"), 4096);
  for (const char* other : {"", "0", "-3", "abc", "2x", " 2", "4097", "99999999999", "1.5"})
    EXPECT_EQ(asked_threads(other), 0) << other;
}

}  // namespace
}  // namespace cuda_device::runtime
