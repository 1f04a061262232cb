// The specialisations of one decorated function: each key is compiled once, whoever asks first.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <unordered_map>

#include "driver/rt/compiled.h"

namespace cuda_device::rt {

struct Kernel {
 public:
  explicit Kernel(std::string name) : name_(std::move(name)) {}

  // The compiled code for this key and target. `specialise` is called, without locks, by the one
  // caller that compiles. A failure is not kept: the next launch tries again (a constant may have
  // changed meanwhile).
  CompileOutcome find_or_compile(std::string_view key, const std::string& target,
                                 const std::function<Specialisation()>& specialise);
  bool ready(std::string_view key, const std::string& target) const;

 private:
  struct Entry {
    std::mutex compiling;
    std::shared_ptr<const Compiled> compiled;  // set once
    std::atomic<bool> ready{false};
  };
  std::shared_ptr<Entry> entry_for(const std::string& full_key);
  std::shared_ptr<Entry> find(const std::string& full_key) const;

  const std::string name_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
};

extern struct AtomicCounters {
  std::atomic<uint64_t> launches, compilations, cache_hits, specialisations;
} counters;

}  // namespace cuda_device::rt
