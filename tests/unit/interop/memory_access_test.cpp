#include "interop/memory_access.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

namespace cuda_device::interop {
namespace {

constexpr uint64_t kPages = 20;

Access access_to(uint64_t low, uint64_t high, Access wanted) {
  return KnownAccess().to(low, high, wanted);
}

// Pages of which a test takes the rights, or the memory.
struct Pages {
  Pages()
      : size(static_cast<uint64_t>(sysconf(_SC_PAGESIZE))),
        low(reinterpret_cast<uint64_t>(mmap(nullptr, kPages * size, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Pages() { munmap(at(0), kPages * size); }
  void* at(uint64_t page) const { return reinterpret_cast<void*>(low + page * size); }
  // From a byte of one page to the end of another, by mappings and by pages.
  bool readable(uint64_t first, uint64_t end) const {
    const Access found = access_to(low + first * size + 5, low + end * size, Access::Read);
    EXPECT_EQ(found, access_by_pages(low + first * size + 5, low + end * size, Access::Read));
    return found == Access::Read;
  }

  uint64_t size, low;
};

TEST(Access, memoryOfTheProcess) {
  const Pages pages;
  EXPECT_TRUE(pages.readable(0, kPages));
  EXPECT_TRUE(pages.readable(3, 4));
  mprotect(pages.at(2), pages.size, PROT_READ);
  EXPECT_TRUE(pages.readable(0, kPages));
}

TEST(Access, pagesWithoutRights) {
  const Pages pages;
  mprotect(pages.at(4), pages.size, PROT_NONE);
  EXPECT_FALSE(pages.readable(4, 5));
  EXPECT_FALSE(pages.readable(4, kPages));
  EXPECT_FALSE(pages.readable(0, 5));
  EXPECT_FALSE(pages.readable(2, 6));
  EXPECT_TRUE(pages.readable(0, 4));
  EXPECT_TRUE(pages.readable(5, kPages));
}

TEST(Access, pagesThatAreNotThere) {
  const Pages pages;
  munmap(pages.at(9), pages.size);
  EXPECT_FALSE(pages.readable(0, kPages));
  EXPECT_FALSE(pages.readable(9, 10));
  EXPECT_TRUE(pages.readable(10, kPages));
  for (const uint64_t address : {uint64_t{1}, uint64_t{1} << 60, ~uint64_t{0} - 16})
    EXPECT_EQ(access_to(address, address + 4, Access::Write), Access::None);
}

TEST(Access, noBytes) { EXPECT_EQ(access_to(7, 7, Access::Write), Access::Write); }

TEST(Access, pagesThatMayNotBeWrittenTo) {
  for (const auto ask : {access_to, access_by_pages}) {
    const Pages pages;
    auto* const word = static_cast<uint32_t*>(pages.at(2));
    *word = 0x80000001;  // less than every number that a futex compares with
    const auto of = [&](uint64_t first, uint64_t end, Access wanted) {
      return ask(pages.low + first * pages.size + 5, pages.low + end * pages.size, wanted);
    };
    EXPECT_EQ(of(0, 4, Access::Write), Access::Write);
    EXPECT_EQ(of(0, kPages, Access::Write), Access::Write);
    mprotect(pages.at(2), pages.size, PROT_READ);
    EXPECT_EQ(of(0, 3, Access::Write), Access::Read);
    EXPECT_EQ(of(2, 4, Access::Write), Access::Read);
    EXPECT_EQ(of(2, 3, Access::Write), Access::Read);
    EXPECT_EQ(of(3, 4, Access::Write), Access::Write);
    EXPECT_EQ(*word, 0x80000001);
    mprotect(pages.at(3), pages.size, PROT_NONE);
    EXPECT_EQ(of(0, 4, Access::Write), Access::None);
  }
}

TEST(Access, filesThatEndBeforeTheirMapping) {
  char name[] = "/tmp/cuda_device_access_XXXXXX";
  const int file = mkstemp(name);
  unlink(name);
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  ASSERT_EQ(ftruncate(file, static_cast<off_t>(page)), 0);
  void* const at = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const auto low = reinterpret_cast<uint64_t>(at);
  for (const auto ask : {access_to, access_by_pages}) {
    EXPECT_EQ(ask(low, low + page, Access::Write), Access::Write);
    EXPECT_EQ(ask(low, low + page + 1, Access::Write), Access::None);
  }
  munmap(at, 2 * page);
  close(file);
}

// A child's mappings are its own.
TEST(Access, forkedChildren) {
  const Pages pages;
  EXPECT_EQ(access_to(pages.low, pages.low + 8, Access::Write), Access::Write);
  const pid_t child = fork();
  if (child == 0) {
    mprotect(pages.at(0), pages.size, PROT_READ);
    _exit(access_to(pages.low, pages.low + 8, Access::Write) == Access::Read ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(access_to(pages.low, pages.low + 8, Access::Write), Access::Write);
}

// What changes meanwhile is not seen, which shows that nothing was asked.
TEST(KnownAccess, pagesThatWereAskedForAreKnown) {
  const Pages pages;
  KnownAccess known;
  const uint64_t third = pages.low + 3 * pages.size, fourth = third + pages.size;
  EXPECT_EQ(known.to(third + 100, third + 200, Access::Read), Access::Read);
  mprotect(pages.at(3), pages.size, PROT_NONE);
  EXPECT_EQ(known.to(third, third + 8, Access::Read), Access::Read);
  EXPECT_EQ(known.to(fourth - 8, fourth, Access::Read), Access::Read);
  EXPECT_EQ(KnownAccess().to(third, third + 8, Access::Read), Access::None);
}

TEST(KnownAccess, whatIsNotReadableIsNotKept) {
  const Pages pages;
  KnownAccess known;
  mprotect(pages.at(3), pages.size, PROT_NONE);
  EXPECT_EQ(known.to(pages.low + 3 * pages.size, pages.low + 4 * pages.size, Access::Read),
            Access::None);
  EXPECT_EQ(known.to(pages.low + 3 * pages.size, pages.low + 4 * pages.size, Access::Read),
            Access::None);
  EXPECT_EQ(known.to(7, 7, Access::Read), Access::Read);
  EXPECT_EQ(known.to(7, 8, Access::Read), Access::None);
}

TEST(KnownAccess, whatIsReadMayBeAskedForAgainToWrite) {
  const Pages pages;
  KnownAccess known;
  const uint64_t at = pages.low;
  EXPECT_EQ(known.to(at, at + 1, Access::Read), Access::Read);
  EXPECT_EQ(known.to(at, at + 1, Access::Write), Access::Write);
  KnownAccess other;
  mprotect(pages.at(1), pages.size, PROT_READ);
  for (const Access wanted : {Access::Read, Access::Write, Access::Read})
    EXPECT_EQ(other.to(at + pages.size, at + pages.size + 1, wanted), Access::Read);
}

TEST(KnownAccess, moreRangesThanAreKept) {
  const Pages pages;
  KnownAccess known;
  for (int round = 0; round < 2; ++round)
    for (uint64_t page = 0; page < kPages; ++page) {
      const uint64_t at = pages.low + page * pages.size;
      EXPECT_EQ(known.to(at, at + 1, Access::Read), Access::Read);
    }
}

}  // namespace
}  // namespace cuda_device::interop
