// The folder of the cache on disk. Code is run that was read from it, so it is used only while it
// is the user's own and closed to all others.
#pragma once

#include <sys/types.h>

#include <string>

namespace cuda_device::dispatch {

// Opened for one use: a program may close descriptors that are not its own.
class Folder {
 public:
  // `make`: the folder and those it lies in are made where they are missing.
  explicit Folder(const std::string& path, bool make = false);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  bool usable() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  // Why a folder that is there must not be used; empty where it may, or where there is none.
  const std::string& refusal() const { return refusal_; }
  // Why there is none, or none that can be opened, as the system says it.
  const std::string& lack() const { return lack_; }

 private:
  int fd_ = -1;
  std::string refusal_, lack_;
};

}  // namespace cuda_device::dispatch
