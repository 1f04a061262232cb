// What the store does with the files of its folder, by descriptor of the folder and name.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuda_device::dispatch {

struct StoredFile {
  std::string name;
  uint64_t bytes = 0;
  timespec used{};
};

// The entries. Removes what writers left behind that were killed.
std::vector<StoredFile> entries_in(int folder);

// A file as it is now, and marked as used; nothing where it is not ours, no plain file or too
// large.
std::optional<std::string> read_file(int folder, const std::string& name);

// False where the disk or a limit does not let it be; then nothing is left of it.
bool write_file(int folder, const std::string& name, std::string_view bytes);

bool remove_file(int folder, const std::string& name);

constexpr uint64_t kLargestEntry = uint64_t{64} << 20;

}  // namespace cuda_device::dispatch
