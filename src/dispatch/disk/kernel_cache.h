// Images of compiled kernels, kept on disk: a second process runs them without the compiler
// (docs/decisions/0019).
#pragma once

#include <optional>
#include <string>

#include "compile/jit_api.h"
#include "dispatch/disk/store.h"
#include "dispatch/rt_api.h"

namespace cuda_device::dispatch {

// All that the image depends on. Empty: nothing is kept, for the cache is off or what it depends on
// is not known.
std::string cache_key(const Specialisation& specialisation, const compile::CompileRequest& request);

// The process's cache, as the environment says at the first use; null where it is off.
Store* process_cache();

// None of these throws. With an empty key they do nothing.
std::optional<abi::KernelImage> cached_image(const std::string& key);
void keep_image(const std::string& key, const abi::KernelImage& image);

// The same for code that was made of an image and lies beside it: the reader of a value checks its
// bytes. `name`, `target`: for the log.
std::string key_beside(const std::string& key, const std::string& what);
std::optional<std::string> cached_code(const std::string& key, const std::string& name);
void keep_code(const std::string& key, const std::string& code, const std::string& name,
               const std::string& target);

// Why the cache lies idle though it is wanted, in words for the user; once in a process.
std::string cache_warning();

}  // namespace cuda_device::dispatch
