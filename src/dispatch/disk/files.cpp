#include "dispatch/disk/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

namespace cuda_device::dispatch {
namespace {

constexpr std::string_view kEntrySuffix = ".kernel", kUnfinishedSuffix = ".tmp";
constexpr size_t kEntryLetters = 64, kUnfinishedLetters = 16;

class File {
 public:
  File(int folder, const std::string& name, int flags, mode_t mode = 0)
      : fd_(openat(folder, name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, mode)) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  explicit operator bool() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  // A network's file system may find out here that the disk is full.
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

bool is_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_named(std::string_view name, size_t letters, std::string_view suffix) {
  return name.size() == letters + suffix.size() && name.ends_with(suffix) &&
         is_hex(name.substr(0, letters));
}

std::string unfinished_name() {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    number = static_cast<uint64_t>(now.tv_nsec) << 32 ^ static_cast<uint64_t>(getpid());
  }
  std::string name(kUnfinishedLetters, '0');
  for (char& letter : name) {
    letter = "0123456789abcdef"[number & 15];
    number >>= 4;
  }
  return name.append(kUnfinishedSuffix);
}

// A writer holds a lock on its file until it closes it; the lock of a killed writer is gone.
bool is_left_behind(int folder, const std::string& name) {
  const File file(folder, name, O_RDONLY | O_NONBLOCK);
  return file && flock(file.fd(), LOCK_SH | LOCK_NB) == 0;
}

bool read_all(int fd, std::string& bytes) {
  size_t got = 0;
  while (got < bytes.size()) {
    const ssize_t n = read(fd, bytes.data() + got, bytes.size() - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    got += static_cast<size_t>(n);
  }
  return true;
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return true;
}

// Beyond this limit of the process a write sends a signal that would end it.
bool within_file_limit(uint64_t bytes) {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

// Once an hour is enough to tell what was used long ago.
void mark_used(int fd, const struct stat& s) {
  constexpr time_t kHour = 3600;
  if (time(nullptr) - s.st_mtime > kHour) futimens(fd, nullptr);
}

}  // namespace

std::vector<StoredFile> entries_in(int folder) {
  std::vector<StoredFile> found;
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return found;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(fdopendir(again), closedir);
  if (!listing) {
    close(again);
    return found;
  }
  while (const dirent* next = readdir(listing.get())) {
    const std::string name = next->d_name;
    struct stat s;
    if (is_named(name, kUnfinishedLetters, kUnfinishedSuffix) && is_left_behind(folder, name))
      remove_file(folder, name);
    if (!is_named(name, kEntryLetters, kEntrySuffix)) continue;
    if (fstatat(folder, name.c_str(), &s, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(s.st_mode))
      found.push_back({name, static_cast<uint64_t>(s.st_size), s.st_mtim});
  }
  return found;
}

std::optional<std::string> read_file(int folder, const std::string& name) {
  const File file(folder, name, O_RDONLY | O_NONBLOCK);  // a pipe must not be waited for
  struct stat s;
  if (!file || fstat(file.fd(), &s) != 0) return std::nullopt;
  const bool ours = S_ISREG(s.st_mode) && s.st_uid == geteuid();
  if (!ours || static_cast<uint64_t>(s.st_size) > kLargestEntry) return std::nullopt;
  std::string bytes(static_cast<size_t>(s.st_size), '\0');
  if (!read_all(file.fd(), bytes)) return std::nullopt;
  mark_used(file.fd(), s);
  return bytes;
}

bool write_file(int folder, const std::string& name, std::string_view bytes) {
  if (!within_file_limit(bytes.size())) return false;
  const std::string unfinished = unfinished_name();
  File file(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (!file) return false;
  flock(file.fd(), LOCK_EX | LOCK_NB);
  const bool written = write_all(file.fd(), bytes);
  if (written && renameat(folder, unfinished.c_str(), folder, name.c_str()) == 0) {
    if (file.close()) return true;
    remove_file(folder, name);
    return false;
  }
  remove_file(folder, unfinished);
  return false;
}

bool remove_file(int folder, const std::string& name) {
  return unlinkat(folder, name.c_str(), 0) == 0;
}

}  // namespace cuda_device::dispatch
