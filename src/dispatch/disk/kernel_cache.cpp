#include "dispatch/disk/kernel_cache.h"

#include <atomic>
#include <fstream>
#include <sstream>

#include "dispatch/disk/build_digest.h"
#include "dispatch/disk/image_bytes.h"
#include "dispatch/disk/machine.h"
#include "dispatch/disk/settings.h"
#include "dispatch/kernel.h"
#include "support/bytes.h"
#include "support/fork.h"
#include "support/log.h"
#include "support/sha256.h"

namespace cuda_device::dispatch {
namespace {

// The file, wherever it lies, is part of the code that it is linked into.
std::string digest_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return hex(sha256(bytes.view()));
}

Store* open_store() {
  const CacheSettings settings = cache_settings();
  return settings.off.empty() ? new Store(settings.folder, settings.limit, settings.named)
                              : nullptr;
}

void count(std::atomic<uint64_t>& counter) { counter.fetch_add(1, std::memory_order_relaxed); }

}  // namespace

std::string cache_key(const Specialisation& s, const compile::CompileRequest& request) {
  // The object for debuggers is not kept.
  if (s.identity.empty() || request.lines || !process_cache()) return "";
  const frontend::Request& source = request.source;
  // Tells GPUs from the host, too.
  const std::string machine = source.target.device ? "gpu" : machine_identity();
  if (machine.empty()) return "";
  ByteWriter key;
  key.text(kBuildDigest);
  key.text(source.target.architecture);
  key.number(source.target.emulated);
  key.text(machine);
  key.text(request.libdevice.empty() ? "" : digest_of_file(request.libdevice));
  key.number(request.ptx_version);
  key.number(source.dialect);
  key.number(source.checks);
  key.number(request.tuning.off());
  key.text(s.identity);
  return key.take();
}

Store* process_cache() {
  static constinit MadeOnce<Store*> once;
  return once.get(open_store);
}

std::optional<abi::KernelImage> cached_image(const std::string& key) try {
  if (key.empty()) return std::nullopt;
  Store* const store = process_cache();
  if (!store) return std::nullopt;
  log::Event event(log::Topic::Cache);
  const std::optional<std::string> bytes = store->find(key);
  std::optional<abi::KernelImage> image = bytes ? image_of(*bytes) : std::nullopt;
  count(image ? counters.disk_hits : counters.disk_misses);
  event.fact("event", image ? "hit" : "miss");
  if (image) event.fact("target", image->target).fact("bytes", bytes->size());
  event.write(image ? image->name : "?");  // what is not there has no name yet
  return image;
} catch (const std::exception&) {
  return std::nullopt;
}

void keep_image(const std::string& key, const abi::KernelImage& image) {
  if (!key.empty()) keep_code(key, bytes_of(image), image.name, image.target);
}

std::string key_beside(const std::string& key, const std::string& what) {
  if (key.empty()) return "";
  ByteWriter beside;
  beside.text("beside");
  beside.text(key);
  beside.text(what);
  return beside.take();
}

std::optional<std::string> cached_code(const std::string& key, const std::string& name) try {
  Store* const store = key.empty() ? nullptr : process_cache();
  if (!store) return std::nullopt;
  log::Event event(log::Topic::Cache);
  std::optional<std::string> code = store->find(key);
  count(code ? counters.disk_hits : counters.disk_misses);
  event.fact("event", code ? "hit" : "miss");
  if (code) event.fact("bytes", code->size());
  event.write(name);
  return code;
} catch (const std::exception&) {
  return std::nullopt;
}

void keep_code(const std::string& key, const std::string& code, const std::string& name,
               const std::string& target) try {
  Store* const store = key.empty() ? nullptr : process_cache();
  if (!store) return;
  log::Event event(log::Topic::Cache);
  const bool stored = store->keep(key, code);
  if (stored) count(counters.disk_stores);
  event.fact("event", stored ? "store" : "no store").fact("target", target);
  event.fact("bytes", code.size());
  const std::string refusal = event && !stored ? store->refusal(true) : "";
  if (!refusal.empty()) event.fact("error", refusal);
  event.write(name);
} catch (const std::exception&) {
}

std::string cache_warning() try {
  static std::atomic<bool> said{false};
  Store* const store = process_cache();
  if (!store || said.load(std::memory_order_relaxed)) return "";
  const std::string refusal = store->refusal(store->named());
  if (refusal.empty() || said.exchange(true)) return "";
  return "the cache of compiled kernels is not used: " + refusal;
} catch (const std::exception&) {
  return "";
}

}  // namespace cuda_device::dispatch
