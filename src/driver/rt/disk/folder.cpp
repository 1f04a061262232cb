#include "driver/rt/disk/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace cuda_device::rt {
namespace {

constexpr mode_t kOwnerOnly = 0700;

void make_with_parents(const std::string& path) {
  for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    mkdir(path.substr(0, end).c_str(), kOwnerOnly);
  mkdir(path.c_str(), kOwnerOnly);
}

std::string octal(mode_t mode) {
  std::string text;
  for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7));
  return text;
}

std::string refusal_of(const struct stat& s, const std::string& path) {
  if (s.st_uid != geteuid()) return path + " belongs to another user";
  if ((s.st_mode & 0777) == kOwnerOnly) return "";  // a parent may have handed down other bits
  return path + " has mode " + octal(s.st_mode) + ": chmod 700 makes it the user's own";
}

}  // namespace

Folder::Folder(const std::string& path, bool make) {
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  fd_ = open(path.c_str(), kFlags);
  if (fd_ < 0 && errno == ENOENT && make) {
    make_with_parents(path);
    fd_ = open(path.c_str(), kFlags);
  }
  struct stat s;
  if (fd_ < 0 && stat(path.c_str(), &s) != 0) return;  // none
  if (fd_ >= 0 && fstat(fd_, &s) != 0) return;
  refusal_ = S_ISDIR(s.st_mode) ? refusal_of(s, path) : path + " is no folder";
  if (refusal_.empty() || fd_ < 0) return;
  close(fd_);
  fd_ = -1;
}

Folder::~Folder() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace cuda_device::rt
