// The size from which an array counts as beyond the cache.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "runtime/host/cache.h"

namespace cuda_device::runtime {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;

TEST(Cache, BeyondIsAsLargeAsTheCache) {
  EXPECT_EQ(beyond_cache_bytes(32 * kMiB, 16), 32 * kMiB);
  EXPECT_EQ(beyond_cache_bytes(96 * kMiB, 64), 96 * kMiB);
}

TEST(Cache, AFewCpusDoNotHaveTheCacheOfASocket) {
  EXPECT_EQ(beyond_cache_bytes(260 * kMiB, 2), 16 * kMiB);
  EXPECT_EQ(beyond_cache_bytes(260 * kMiB, 1), 8 * kMiB);
}

TEST(Cache, NoNumberIsTakenAtItsWord) {
  EXPECT_EQ(beyond_cache_bytes(0, 16), 32 * kMiB) << "unknown";
  EXPECT_EQ(beyond_cache_bytes(2 * kMiB, 16), 8 * kMiB) << "a second level";
  EXPECT_EQ(beyond_cache_bytes(0, 0), 8 * kMiB);
}

class Folder {
 public:
  Folder() : path_(std::filesystem::path(testing::TempDir()) / "caches_of_a_cpu") {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void add(const char* index, const char* type, const char* size) {
    std::filesystem::create_directories(path_ / index);
    std::ofstream(path_ / index / "type") << type << "\n";
    std::ofstream(path_ / index / "size") << size << "\n";
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Cache, AsLinuxDescribesIt) {
  Folder folder;
  EXPECT_EQ(last_level_cache_in(folder.path()), 0u);
  folder.add("index0", "Data", "48K");
  folder.add("index1", "Instruction", "999M");
  EXPECT_EQ(last_level_cache_in(folder.path()), 0u);
  folder.add("index3", "Unified", "36864K");
  folder.add("index2", "Unified", "2048K");
  EXPECT_EQ(last_level_cache_in(folder.path()), 36 * kMiB);
  folder.add("index4", "Unified", "64M");
  EXPECT_EQ(last_level_cache_in(folder.path()), 64 * kMiB);
  folder.add("index5", "Unified", "nonsense");
  EXPECT_EQ(last_level_cache_in(folder.path()), 64 * kMiB);
}

TEST(Cache, OfThisMachine) {
  EXPECT_GE(beyond_cache_bytes(), 16 * kMiB);
  EXPECT_EQ(beyond_cache_bytes(), beyond_cache_bytes());
}

}  // namespace
}  // namespace cuda_device::runtime
