// The store on a disk that is full, or read-only, and under limits of the process.
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "dispatch/disk/store.h"
#include "unit/dispatch/scratch_folder.h"
#include "unit/in_child.h"

namespace cuda_device::dispatch {
namespace {

constexpr int kCannotMount = 77;
constexpr uint64_t kPlenty = 1 << 30;

bool write_text(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.close();
  return file.good();
}

// Mounts, in a child, a small file system of its own, as root or as a user with the right to make
// namespaces.
bool mount_small(const std::string& folder, const char* options) {
  const std::string user = std::to_string(geteuid());
  if (unshare(CLONE_NEWNS) != 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    if (!write_text("/proc/self/uid_map", user + " " + user + " 1")) return false;
  }
  mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
  return mount("none", folder.c_str(), "tmpfs", 0, options) == 0;
}

int on_small_disk(const ScratchFolder& scratch, const char* options, auto check) {
  return in_child([&] { return mount_small(scratch.path(), options) ? check() : kCannotMount; });
}

TEST(Disk, FullWhileAnEntryIsWritten) {
  const ScratchFolder scratch;
  const int result = on_small_disk(scratch, "size=64k,mode=700", [&] {
    Store store(scratch / "cache", kPlenty);
    if (!store.keep("small", "v")) return 1;
    if (store.keep("large", std::string(100000, 'x'))) return 2;
    if (names_in(scratch / "cache").size() != 1) return 3;  // nothing half written
    if (store.find("large") || store.find("small") != "v") return 4;
    return 0;
  });
  if (result == kCannotMount) GTEST_SKIP() << "waits for a machine where mounts are allowed";
  EXPECT_EQ(result, 0);
}

TEST(Disk, WithoutRoomForAFolder) {
  const ScratchFolder scratch;
  const int result = on_small_disk(scratch, "nr_inodes=1,mode=700", [&] {
    Store store(scratch / "cache", kPlenty);
    return store.keep("k", "v") || store.find("k") || !store.refusal().empty() ? 1 : 0;
  });
  if (result == kCannotMount) GTEST_SKIP() << "waits for a machine where mounts are allowed";
  EXPECT_EQ(result, 0);
}

TEST(Disk, ReadOnlyGivesWhatItHas) {
  const ScratchFolder scratch;
  const int result = on_small_disk(scratch, "size=64k,mode=700", [&] {
    Store store(scratch / "cache", kPlenty);
    if (!store.keep("k", "v")) return 1;
    if (mount("none", scratch.path().c_str(), nullptr, MS_REMOUNT | MS_RDONLY, "size=64k") != 0)
      return 2;
    if (store.keep("other", "v") || store.find("other")) return 3;
    if (store.find("k") != "v") return 4;
    if (store.clear().entries != 0) return 5;
    Store none(scratch / "none", kPlenty);
    return none.keep("k", "v") || !none.refusal().empty() ? 6 : 0;
  });
  if (result == kCannotMount) GTEST_SKIP() << "waits for a machine where mounts are allowed";
  EXPECT_EQ(result, 0);
}

// A write beyond the limit sends SIGXFSZ, which ends a program that does not ignore it.
TEST(Disk, ALimitOfTheProcessIsNotRunInto) {
  const ScratchFolder scratch;
  EXPECT_EQ(in_child([&] {
              Store store(scratch / "cache", kPlenty);
              if (!store.keep("small", "v")) return 1;
              const rlimit limit{4096, 4096};
              setrlimit(RLIMIT_FSIZE, &limit);
              if (store.keep("large", std::string(5000, 'x'))) return 2;
              return store.find("small") == "v" && names_in(scratch / "cache").size() == 1 ? 0 : 3;
            }),
            0);
}

TEST(Disk, WithoutDescriptorsNothingIsFound) {
  const ScratchFolder scratch;
  EXPECT_EQ(in_child([&] {
              Store store(scratch / "cache", kPlenty);
              if (!store.keep("k", "v")) return 1;
              const rlimit limit{3, 3};
              setrlimit(RLIMIT_NOFILE, &limit);
              return store.keep("other", "v") || store.find("k") ? 2 : 0;
            }),
            0);
}

}  // namespace
}  // namespace cuda_device::dispatch
