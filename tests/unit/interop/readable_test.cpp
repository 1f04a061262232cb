#include "interop/readable.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cuda_device::interop {
namespace {

constexpr uint64_t kPages = 20;

// Pages of which a test takes the rights, or the memory.
struct Pages {
  Pages()
      : size(static_cast<uint64_t>(sysconf(_SC_PAGESIZE))),
        low(reinterpret_cast<uint64_t>(mmap(nullptr, kPages * size, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Pages() { munmap(at(0), kPages * size); }
  void* at(uint64_t page) const { return reinterpret_cast<void*>(low + page * size); }
  // From a byte of one page to the end of another.
  bool readable(uint64_t first, uint64_t end) const {
    return is_readable(low + first * size + 5, low + end * size);
  }

  uint64_t size, low;
};

TEST(Readable, memoryOfTheProcess) {
  const Pages pages;
  EXPECT_TRUE(pages.readable(0, kPages));
  EXPECT_TRUE(pages.readable(3, 4));
  mprotect(pages.at(2), pages.size, PROT_READ);
  EXPECT_TRUE(pages.readable(0, kPages));
}

TEST(Readable, pagesWithoutRights) {
  const Pages pages;
  mprotect(pages.at(4), pages.size, PROT_NONE);
  EXPECT_FALSE(pages.readable(4, 5));
  EXPECT_FALSE(pages.readable(4, kPages));
  EXPECT_FALSE(pages.readable(0, 5));
  EXPECT_FALSE(pages.readable(2, 6));
  EXPECT_TRUE(pages.readable(0, 4));
  EXPECT_TRUE(pages.readable(5, kPages));
}

TEST(Readable, pagesThatAreNotThere) {
  const Pages pages;
  munmap(pages.at(9), pages.size);
  EXPECT_FALSE(pages.readable(0, kPages));
  EXPECT_FALSE(pages.readable(9, 10));
  EXPECT_TRUE(pages.readable(10, kPages));
  for (const uint64_t address : {uint64_t{1}, uint64_t{1} << 60, ~uint64_t{0} - 16})
    EXPECT_FALSE(is_readable(address, address + 4));
}

TEST(Readable, noBytes) { EXPECT_TRUE(is_readable(7, 7)); }

// What changes meanwhile is not seen, which shows that nothing was asked.
TEST(ReadableMemory, pagesThatWereAskedForAreKnown) {
  const Pages pages;
  ReadableMemory known;
  const uint64_t third = pages.low + 3 * pages.size, fourth = third + pages.size;
  EXPECT_TRUE(known.contains(third + 100, third + 200));
  mprotect(pages.at(3), pages.size, PROT_NONE);
  EXPECT_TRUE(known.contains(third, third + 8));
  EXPECT_TRUE(known.contains(fourth - 8, fourth));
  EXPECT_FALSE(known.contains(third - 1, third + 1));
  EXPECT_FALSE(known.contains(fourth - 1, fourth + 1));
  EXPECT_FALSE(ReadableMemory().contains(third, third + 8));
}

TEST(ReadableMemory, whatIsNotReadableIsNotKept) {
  const Pages pages;
  ReadableMemory known;
  mprotect(pages.at(3), pages.size, PROT_NONE);
  EXPECT_FALSE(known.contains(pages.low + 3 * pages.size, pages.low + 4 * pages.size));
  EXPECT_FALSE(known.contains(pages.low + 3 * pages.size, pages.low + 4 * pages.size));
  EXPECT_TRUE(known.contains(7, 7));
  EXPECT_FALSE(known.contains(7, 8));
}

TEST(ReadableMemory, moreRangesThanAreKept) {
  const Pages pages;
  ReadableMemory known;
  for (int round = 0; round < 2; ++round)
    for (uint64_t page = 0; page < kPages; ++page) {
      const uint64_t at = pages.low + page * pages.size;
      EXPECT_TRUE(known.contains(at, at + 1));
    }
}

}  // namespace
}  // namespace cuda_device::interop
