// The specialisations of one decorated function: each key is compiled once, by the thread that
// needs it first.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>

#include "dispatch/compiled.h"
#include "support/fork.h"

namespace cuda_device::dispatch {

struct Kernel {
 public:
  using Compile = CompileOutcome (*)(const Specialisation&, const std::string& target);
  explicit Kernel(Compile compile = &compile_for) : compile_(compile) {}

  // The compiled code for this key and target. `specialise` is called, without locks, by the one
  // caller that compiles. `interrupted` is that of a LaunchRequest. A failure is not kept: the next
  // launch tries again (a constant may have changed meanwhile). A fork waits for compilations, so
  // what one thread compiles is whole in a child of another.
  CompileOutcome find_or_compile(std::string_view key, std::string_view target,
                                 const std::function<Specialisation()>& specialise,
                                 const std::function<bool()>* interrupted = nullptr);
  void renew_in_child();

 private:
  struct Entry {
    // Not a timed mutex: the thread sanitizer of gcc 12 does not see those being locked.
    std::mutex mutex;
    std::condition_variable is_free;
    std::atomic<std::thread::id> compiler{};   // which thread compiles; set under the mutex
    std::shared_ptr<const Compiled> compiled;  // set once
    std::atomic<bool> ready{false};
  };
  // This thread's turn to compile an entry. It waits until no other has it, or, with `ask`, until
  // that says so: then it has none.
  class Turn {
   public:
    Turn(Entry& entry, const std::function<bool()>& ask);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const { return has_; }

   private:
    Entry& entry_;
    bool has_ = false;
  };
  // Looked up without a copy of the bytes.
  struct Name {
    std::string_view key, target;
    friend bool operator==(const Name&, const Name&) = default;
  };
  struct OwnName {
    std::string key, target;
    operator Name() const { return {key, target}; }
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Name& name) const {
      const std::hash<std::string_view> hash;
      return hash(name.key) * 31 + hash(name.target);
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(const Name& a, const Name& b) const { return a == b; }
  };
  CompileOutcome compile_new(const Name& name, const std::function<Specialisation()>& specialise,
                             const std::function<bool()>* interrupted);
  std::shared_ptr<Entry> entry_for(const Name& name);
  std::shared_ptr<Entry> find(const Name& name) const;

  const Compile compile_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<OwnName, std::shared_ptr<Entry>, Hash, Equal> entries_;
  ForkHook hook_{this};
};

extern struct AtomicCounters {
  std::atomic<uint64_t> launches, compilations, cache_hits, specialisations;
  std::atomic<uint64_t> disk_hits, disk_misses, disk_stores;
  Counters read() const;
} counters;

}  // namespace cuda_device::dispatch
