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

}  // namespace
}  // namespace cuda_device::interop
