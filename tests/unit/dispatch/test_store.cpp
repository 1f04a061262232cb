// The store on disk, with damaged files and other processes that use it.
#include "dispatch/disk/store.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <set>
#include <thread>

#include "dispatch/disk/entry.h"
#include "unit/dispatch/scratch_folder.h"
#include "unit/in_child.h"

namespace cuda_device::dispatch {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kPlenty = 1 << 30;

std::string key_of(int i) { return "key " + std::to_string(i); }
// Each value has a size of its own, so that it is never taken for another's.
std::string value_of(int i) {
  return std::string(static_cast<size_t>(1000 + 10 * i), static_cast<char>('a' + i % 26));
}

class StoreTest : public testing::Test {
 protected:
  std::string file_of(const std::string& key) const { return folder + "/" + entry_name(key); }

  ScratchFolder scratch;
  const std::string folder = scratch / "a/b/cache";
  Store store{folder, kPlenty};
};

TEST_F(StoreTest, GivesBackWhatWasKept) {
  EXPECT_FALSE(store.find("k"));
  EXPECT_FALSE(fs::exists(folder));  // looking makes nothing
  EXPECT_TRUE(store.keep("k", "v"));
  EXPECT_EQ(store.find("k"), "v");
  EXPECT_FALSE(store.find("other"));
  EXPECT_TRUE(store.keep("k", "w"));
  EXPECT_EQ(store.find("k"), "w");
  EXPECT_EQ(Store(folder, kPlenty).find("k"), "w");
  EXPECT_TRUE(store.keep("", ""));
  EXPECT_EQ(store.find(""), "");
}

TEST_F(StoreTest, IsTheUsersOwn) {
  store.keep("k", "v");
  struct stat s;
  for (const std::string& path : {folder, scratch / "a", scratch / "a/b"}) {
    ASSERT_EQ(stat(path.c_str(), &s), 0);
    EXPECT_EQ(s.st_mode & 07777, 0700u) << path;
  }
  ASSERT_EQ(stat(file_of("k").c_str(), &s), 0);
  EXPECT_EQ(s.st_mode & 07777, 0600u);
}

TEST_F(StoreTest, DamagedFilesAreMissesAndGo) {
  store.keep("k", "value");
  const std::string good = contents_of(file_of("k"));
  for (size_t at = 0; at <= good.size(); ++at) {
    std::string flipped = good;
    if (at < good.size()) flipped[at] = static_cast<char>(flipped[at] ^ 0x10);
    for (const std::string& bytes : {flipped, good.substr(0, at), good + good.substr(at)}) {
      overwrite(file_of("k"), bytes);
      EXPECT_EQ(store.find("k").has_value(), bytes == good);
      EXPECT_EQ(fs::exists(file_of("k")), bytes == good);
    }
  }
  EXPECT_TRUE(store.keep("k", "value"));
  EXPECT_EQ(store.find("k"), "value");
}

TEST_F(StoreTest, TheSameNameWithAnotherKeyIsAMiss) {
  store.keep("other", "of the other");
  fs::rename(file_of("other"), file_of("k"));
  EXPECT_FALSE(store.find("k"));
  EXPECT_TRUE(store.keep("k", "v"));
  EXPECT_EQ(store.find("k"), "v");
}

// A pipe must not be waited for, a link not be followed, a huge file not be read.
TEST_F(StoreTest, WhatIsNoPlainFileIsAMiss) {
  store.keep("elsewhere", "v");
  const auto expect_miss = [&](const char* what) {
    EXPECT_EQ(in_child([&] { return store.find("k").has_value(); }), 0) << what;
    fs::remove_all(file_of("k"));
  };
  mkfifo(file_of("k").c_str(), 0600);
  expect_miss("pipe");
  fs::create_directory(file_of("k"));
  EXPECT_FALSE(store.keep("k", "v"));
  expect_miss("folder");
  overwrite(scratch / "outside", entry_bytes("k", "v"));
  fs::create_symlink(scratch / "outside", file_of("k"));
  expect_miss("link");
  overwrite(file_of("k"), "");
  fs::resize_file(file_of("k"), uint64_t{1} << 40);
  expect_miss("hole of a terabyte");
}

TEST_F(StoreTest, FoldersOfOthersAreNotUsed) {
  store.keep("k", "v");
  for (const mode_t mode : {0777, 0755, 0750, 0701, 0720, 0500}) {
    chmod(folder.c_str(), mode);
    EXPECT_FALSE(store.find("k")) << mode;
    EXPECT_FALSE(store.keep("new", "v")) << mode;
    EXPECT_EQ(store.usage().entries, 0u);
    EXPECT_EQ(store.clear().entries, 0u);
    EXPECT_NE(store.refusal().find("chmod 700"), std::string::npos) << store.refusal();
  }
  chmod(folder.c_str(), 02700);  // as made in a folder that hands its group down
  EXPECT_EQ(store.refusal(), "");
  EXPECT_EQ(store.find("k"), "v");
  EXPECT_EQ(store.usage().entries, 1u);
  if (chown(folder.c_str(), 12345, static_cast<gid_t>(-1)) != 0) return;  // root's tests only
  EXPECT_FALSE(store.find("k"));
  EXPECT_FALSE(store.keep("new", "v"));
  EXPECT_NE(store.refusal().find("another user"), std::string::npos) << store.refusal();
}

TEST_F(StoreTest, AFolderThatCannotBeIsLeftOut) {
  overwrite(scratch / "a", "a file");
  EXPECT_FALSE(store.keep("k", "v"));
  EXPECT_FALSE(store.find("k"));
  EXPECT_EQ(store.refusal(), "");
  EXPECT_EQ(store.refusal(true), folder + ": Not a directory");
  Store file(scratch / "a", kPlenty);
  EXPECT_FALSE(file.keep("k", "v"));
  EXPECT_NE(file.refusal().find("no folder"), std::string::npos);
  Store nowhere("", kPlenty);
  EXPECT_FALSE(nowhere.keep("k", "v"));
  EXPECT_EQ(nowhere.refusal(), "");
}

TEST_F(StoreTest, ALinkToAGoodFolderWillDo) {
  store.keep("k", "v");
  fs::create_directory_symlink(folder, scratch / "link");
  EXPECT_EQ(Store(scratch / "link", kPlenty).find("k"), "v");
}

TEST_F(StoreTest, ClearTakesItsOwnFilesOnly) {
  for (int i = 0; i < 5; ++i) store.keep(key_of(i), value_of(i));
  const Usage before = store.usage();
  EXPECT_EQ(before.entries, 5u);
  const std::string stranger = folder + "/notes.kernel";
  overwrite(stranger, "mine");
  const Usage removed = store.clear();
  EXPECT_EQ(removed.entries, 5u);
  EXPECT_EQ(removed.bytes, before.bytes);
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"notes.kernel"});
}

// --- size ---

void set_used(const std::string& path, time_t when) {
  const timespec times[2] = {{when, 0}, {when, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

time_t used(const std::string& path) {
  struct stat s;
  return stat(path.c_str(), &s) == 0 ? s.st_mtime : 0;
}

TEST_F(StoreTest, UseIsMarkedOnceAnHour) {
  store.keep("k", "v");
  const time_t now = time(nullptr);
  set_used(file_of("k"), now - 1000);
  store.find("k");
  EXPECT_EQ(used(file_of("k")), now - 1000);
  set_used(file_of("k"), now - 5000);
  store.find("k");
  EXPECT_GE(used(file_of("k")), now);
}

TEST_F(StoreTest, NeverGrowsBeyondItsLimit) {
  constexpr uint64_t kLimit = 50000;
  Store small(folder, kLimit);
  for (int i = 0; i < 300; ++i) {
    EXPECT_TRUE(small.keep(key_of(i), value_of(i % 100)));
    EXPECT_LE(small.usage().bytes, kLimit);
  }
  EXPECT_GT(small.usage().bytes, kLimit / 2);
  EXPECT_EQ(small.find(key_of(299)), value_of(99));
}

TEST_F(StoreTest, WhatWasUsedLongestAgoGoesFirst) {
  const time_t now = time(nullptr);
  for (int i = 0; i < 20; ++i) {
    store.keep(key_of(i), std::string(1000, 'x'));
    set_used(file_of(key_of(i)), now - 100000 + 100 * i);
  }
  store.find(key_of(1));
  Store small(folder, store.usage().bytes);
  EXPECT_TRUE(small.keep("one more", std::string(1000, 'x')));
  std::set<int> gone;
  for (int i = 0; i < 20; ++i)
    if (!fs::exists(file_of(key_of(i)))) gone.insert(i);
  EXPECT_EQ(gone, (std::set<int>{0, 2, 3}));  // more than an eighth
  EXPECT_EQ(small.find("one more"), std::string(1000, 'x'));
}

TEST_F(StoreTest, WhatIsTooLargeIsNotKept) {
  Store small(folder, 1000);
  EXPECT_TRUE(small.keep("k", std::string(800, 'x')));
  EXPECT_FALSE(small.keep("large", std::string(1000, 'x')));
  EXPECT_TRUE(small.find("k"));
  Store none(scratch / "none", 0);
  EXPECT_FALSE(none.keep("k", "v"));
}

// --- others at work ---

// Every file is whole, and no unfinished one is left.
void expect_good_files(const std::string& folder, Store& store, int keys) {
  for (int i = 0; i < keys; ++i) {
    const std::optional<std::string> found = store.find(key_of(i));
    EXPECT_EQ(found.value_or(value_of(i)), value_of(i));
  }
  for (const std::string& name : names_in(folder)) EXPECT_TRUE(name.ends_with(".kernel")) << name;
}

TEST_F(StoreTest, ManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int n = 0; n < 100; ++n) {
        const int i = (n + t) % 10;
        const auto found = store.find(key_of(i));
        if (found && *found != value_of(i)) ++wrong;
        if (!found || n % 7 == 0) store.keep(key_of(i), value_of(i));
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  expect_good_files(folder, store, 10);
  EXPECT_EQ(store.usage().entries, 10u);
}

// A limit that the keys do not fit in, so that entries go while others read them.
int read_and_write(const std::string& folder, int seed) {
  Store own(folder, 20000);
  for (int n = 0; n < 300; ++n) {
    const int i = (n * 7 + seed) % 30;
    const auto found = own.find(key_of(i));
    if (found && *found != value_of(i)) return 1;
    if (!found) own.keep(key_of(i), value_of(i));
  }
  return 0;
}

TEST_F(StoreTest, ManyProcessesAtOnce) {
  std::vector<pid_t> children;
  for (int c = 0; c < 8; ++c) {
    const pid_t child = fork();
    if (child == 0) _exit(read_and_write(folder, c));
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  expect_good_files(folder, store, 30);
}

[[noreturn]] void write_for_ever(const std::string& folder) {
  Store own(folder, kPlenty);
  for (int n = 0;; ++n) own.keep(key_of(n % 10), value_of(n % 10));
}

TEST_F(StoreTest, KilledWritersLeaveNothingBad) {
  store.keep("first", "v");
  for (int round = 0; round < 200; ++round) {
    const pid_t child = fork();
    if (child == 0) write_for_ever(folder);
    usleep(static_cast<useconds_t>(100 + 37 * round % 1000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  Store(folder, kPlenty).keep("last", "v");
  EXPECT_EQ(store.find("first"), "v");
  expect_good_files(folder, store, 10);
}

// A writer that is at work keeps its unfinished file.
TEST_F(StoreTest, OnlyWhatWasLeftBehindIsCleanedUp) {
  store.keep("k", "v");
  const std::string at_work = folder + "/0123456789abcdef.tmp",
                    dead = folder + "/00112233445566aa.tmp";
  overwrite(dead, "unfinished");
  const int fd = open(at_work.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(flock(fd, LOCK_EX), 0);
  EXPECT_TRUE(Store(folder, kPlenty).keep("other", "v"));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(at_work));
  close(fd);
  store.clear();
  EXPECT_TRUE(names_in(folder).empty());
}

// --- memory ---

size_t bytes_in_use() { return mallinfo2().uordblks; }

TEST_F(StoreTest, HitsTakeNoMemory) {
  store.keep("k", std::string(5000, 'x'));
  for (int i = 0; i < 100; ++i) store.find("k");
  const size_t before = bytes_in_use();
  for (int i = 0; i < 10000; ++i) ASSERT_TRUE(store.find("k"));
  EXPECT_LE(bytes_in_use(), before + 1000);
}

}  // namespace
}  // namespace cuda_device::dispatch
