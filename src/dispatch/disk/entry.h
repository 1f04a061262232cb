// A file of the cache on disk: the key in full, the value, and a checksum over every byte.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cuda_device::dispatch {

std::string entry_name(std::string_view key);
std::string entry_bytes(std::string_view key, std::string_view value);

struct EntryContents {
  bool whole = false;                     // undamaged, whosever it is
  std::optional<std::string_view> value;  // where the key is the one asked for; lies in `bytes`
};
EntryContents read_entry(std::string_view bytes, std::string_view key);

}  // namespace cuda_device::dispatch
