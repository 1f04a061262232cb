#include "dispatch/disk/folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace cuda_device::dispatch {
namespace {

constexpr mode_t kOwnerOnly = 0700;

// The first error but for what is there already, which the others follow from; 0 where none is.
int make_with_parents(const std::string& path) {
  int error = 0;
  const auto make = [&](const std::string& folder) {
    if (mkdir(folder.c_str(), kOwnerOnly) != 0 && errno != EEXIST && error == 0) error = errno;
  };
  for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    make(path.substr(0, end));
  make(path);
  return error;
}

std::string octal(mode_t mode) {
  std::string text;
  for (int shift = 6; shift >= 0; shift -= 3) text += static_cast<char>('0' + (mode >> shift & 7));
  return text;
}

std::string lack_of(const std::string& path, int error) {
  struct stat s;
  const bool link = lstat(path.c_str(), &s) == 0 && S_ISLNK(s.st_mode);
  if (link && error == ENOENT) return path + " is a link to what is not there";
  return path + ": " + std::generic_category().message(error);
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
  int error = errno;
  if (fd_ < 0 && error == ENOENT && make) {
    const int unmade = make_with_parents(path);
    fd_ = open(path.c_str(), kFlags);
    error = unmade != 0 ? unmade : errno;
  }
  struct stat s;
  if (fd_ < 0 && stat(path.c_str(), &s) != 0) {
    lack_ = lack_of(path, error);
    return;
  }
  if (fd_ >= 0 && fstat(fd_, &s) != 0) return;
  refusal_ = S_ISDIR(s.st_mode) ? refusal_of(s, path) : path + " is no folder";
  if (refusal_.empty() || fd_ < 0) return;
  close(fd_);
  fd_ = -1;
}

Folder::~Folder() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace cuda_device::dispatch
