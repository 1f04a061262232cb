// Keys and values as files of one folder, shared by any number of processes.
//
// A file appears whole, by rename, and is never changed. What cannot be read or does not check is a
// miss, what cannot be written is left out: no state of the disk is an error of the caller's. Files
// used longest ago go first when there are too many bytes.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace cuda_device::dispatch {

struct Usage {
  uint64_t entries = 0, bytes = 0;
};

class Store {
 public:
  // `named`: chosen by the user, so that an unusable folder is reported.
  Store(std::string folder, uint64_t limit, bool named = false)
      : folder_(std::move(folder)), limit_(limit), named_(named) {}

  // Many threads at once.
  std::optional<std::string> find(std::string_view key) const;
  bool keep(std::string_view key, std::string_view value);  // whether it lies there now

  Usage usage() const;
  Usage clear() const;  // what was removed; files that are not of a store stay
  // Why the folder must not be used; empty where it may, or where there is none yet. With
  // `lacking` it is made where it is missing, and the answer is also why it cannot be.
  std::string refusal(bool lacking = false) const;
  const std::string& folder() const { return folder_; }
  uint64_t limit() const { return limit_; }
  bool named() const { return named_; }

 private:
  void make_room(int folder, uint64_t bytes);

  const std::string folder_;
  const uint64_t limit_;
  const bool named_;
  std::mutex looking_;
  uint64_t unseen_ = 0;  // bytes that may be written before the folder is looked through again
};

}  // namespace cuda_device::dispatch
