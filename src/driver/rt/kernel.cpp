#include "driver/rt/kernel.h"

namespace cuda_device::rt {

AtomicCounters counters;

namespace {

std::string full_key_of(std::string_view key, const std::string& target) {
  std::string full;
  full.reserve(target.size() + 1 + key.size());
  full.append(target).push_back('\0');
  full.append(key);
  return full;
}

}  // namespace

std::shared_ptr<Kernel::Entry> Kernel::find(const std::string& full_key) const {
  std::shared_lock lock(mutex_);
  auto at = entries_.find(full_key);
  return at == entries_.end() ? nullptr : at->second;
}

std::shared_ptr<Kernel::Entry> Kernel::entry_for(const std::string& full_key) {
  std::unique_lock lock(mutex_);
  auto& entry = entries_[full_key];
  if (!entry) entry = std::make_shared<Entry>();
  return entry;
}

CompileOutcome Kernel::find_or_compile(std::string_view key, const std::string& target,
                                       const std::function<Specialisation()>& specialise) {
  const std::string full_key = full_key_of(key, target);
  const std::shared_ptr<Entry> entry = find(full_key);
  if (!entry || !entry->ready.load(std::memory_order_acquire))
    return compile_new(full_key, target, specialise);
  counters.cache_hits.fetch_add(1, std::memory_order_relaxed);
  return {entry->compiled, {}};
}

CompileOutcome Kernel::compile_new(const std::string& full_key, const std::string& target,
                                   const std::function<Specialisation()>& specialise) {
  FinishBeforeFork scope;
  const std::shared_ptr<Entry> entry = entry_for(full_key);
  std::lock_guard lock(entry->compiling);
  if (entry->ready.load(std::memory_order_relaxed)) return {entry->compiled, {}};
  CompileOutcome result = compile_(specialise(), target);
  if (!result.from_disk) counters.compilations.fetch_add(1, std::memory_order_relaxed);
  if (result.compiled) {
    entry->compiled = result.compiled;
    entry->ready.store(true, std::memory_order_release);
    counters.specialisations.fetch_add(1, std::memory_order_relaxed);
  }
  return result;
}

}  // namespace cuda_device::rt
