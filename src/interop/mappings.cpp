#include "interop/mappings.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>

#include "support/fork.h"

namespace cuda_device::interop {
namespace {

// struct procmap_query of <linux/fs.h>, which older headers do not have.
struct Query {
  uint64_t size = sizeof(Query), query_flags = 0, address = 0;                       // asked
  uint64_t low = 0, high = 0, flags = 0, page_bytes = 0, file_offset = 0, file = 0;  // answered
  uint32_t device_major = 0, device_minor = 0, name_bytes = 0, build_id_bytes = 0;
  uint64_t name = 0, build_id = 0;
};
static_assert(sizeof(Query) == 104);
constexpr uint64_t kReadable = 1, kWritable = 2;
#define CD_PROCMAP_QUERY _IOWR('f', 17, Query)

ForkMutex opening;

// The descriptor of /proc/self/maps, which in a forked child is still that of the parent. -1: there
// is none.
int maps_of_this_process() {
  static int file = -1;
  static std::optional<unsigned> opened_in;
  std::lock_guard lock(opening);
  if (opened_in == fork_count()) return file;
  if (file >= 0) close(file);
  file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  opened_in = fork_count();
  return file;
}

}  // namespace

std::optional<Mapping> mapping_at(uint64_t address) {
  const int maps = maps_of_this_process();
  if (maps < 0) return std::nullopt;
  Query query;
  query.address = address;
  if (ioctl(maps, CD_PROCMAP_QUERY, &query) != 0)
    return errno == ENOENT ? std::optional(Mapping{}) : std::nullopt;
  return Mapping{query.low, query.high, (query.flags & kReadable) != 0,
                 (query.flags & kWritable) != 0, query.file != 0};
}

}  // namespace cuda_device::interop
