#include "dispatch/disk/store.h"

#include <algorithm>

#include "dispatch/disk/entry.h"
#include "dispatch/disk/files.h"
#include "dispatch/disk/folder.h"

namespace cuda_device::dispatch {
namespace {

bool used_before(const StoredFile& a, const StoredFile& b) {
  if (a.used.tv_sec != b.used.tv_sec) return a.used.tv_sec < b.used.tv_sec;
  if (a.used.tv_nsec != b.used.tv_nsec) return a.used.tv_nsec < b.used.tv_nsec;
  return a.name < b.name;
}

uint64_t bytes_of(const std::vector<StoredFile>& files) {
  uint64_t bytes = 0;
  for (const StoredFile& file : files) bytes += file.bytes;
  return bytes;
}

// Removes what was used longest ago until at most so many bytes are left; how many are.
uint64_t evict(int folder, std::vector<StoredFile> files, uint64_t most) {
  std::sort(files.begin(), files.end(), used_before);
  uint64_t bytes = bytes_of(files);
  for (const StoredFile& file : files) {
    if (bytes <= most) break;
    if (remove_file(folder, file.name)) bytes -= file.bytes;
  }
  return bytes;
}

}  // namespace

std::optional<std::string> Store::find(std::string_view key) const {
  const Folder folder(folder_);
  if (!folder.usable()) return std::nullopt;
  const std::string name = entry_name(key);
  const std::optional<std::string> bytes = read_file(folder.fd(), name);
  if (!bytes) return std::nullopt;
  const EntryContents contents = read_entry(*bytes, key);
  if (!contents.whole) remove_file(folder.fd(), name);
  if (!contents.value) return std::nullopt;
  return std::string(*contents.value);
}

bool Store::keep(std::string_view key, std::string_view value) {
  const Folder folder(folder_, true);
  const std::string bytes = entry_bytes(key, value);
  if (!folder.usable() || bytes.size() > std::min(limit_, kLargestEntry)) return false;
  make_room(folder.fd(), bytes.size());
  return write_file(folder.fd(), entry_name(key), bytes);
}

// Scanning a large folder takes as long as a small compilation. So it is done at a process's first
// entry, and again when it has written a sixteenth of the limit or might go beyond it; what other
// processes write meanwhile may exceed the limit by as much each.
void Store::make_room(int folder, uint64_t bytes) {
  std::lock_guard lock(looking_);
  if (bytes > unseen_) {
    std::vector<StoredFile> files = entries_in(folder);
    uint64_t there = bytes_of(files);
    if (there + bytes > limit_)
      there = evict(folder, std::move(files), std::min(limit_ - bytes, limit_ / 8 * 7));
    unseen_ = std::max(bytes, std::min(limit_ / 16, limit_ - std::min(limit_, there)));
  }
  unseen_ -= bytes;
}

Usage Store::usage() const {
  const Folder folder(folder_);
  if (!folder.usable()) return {};
  const std::vector<StoredFile> files = entries_in(folder.fd());
  return {files.size(), bytes_of(files)};
}

Usage Store::clear() const {
  Usage removed;
  const Folder folder(folder_);
  if (!folder.usable()) return removed;
  for (const StoredFile& file : entries_in(folder.fd())) {
    if (!remove_file(folder.fd(), file.name)) continue;
    ++removed.entries;
    removed.bytes += file.bytes;
  }
  return removed;
}

std::string Store::refusal(bool lacking) const {
  const Folder folder(folder_, lacking);
  return lacking && folder.refusal().empty() ? folder.lack() : folder.refusal();
}

}  // namespace cuda_device::dispatch
