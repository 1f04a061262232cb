#include "dispatch/kernel.h"

namespace cuda_device::dispatch {

AtomicCounters counters;

Counters AtomicCounters::read() const {
  return {launches.load(),  compilations.load(), cache_hits.load(), specialisations.load(),
          disk_hits.load(), disk_misses.load(),  disk_stores.load()};
}

std::shared_ptr<Kernel::Entry> Kernel::find(const Name& name) const {
  std::shared_lock lock(mutex_);
  auto at = entries_.find(name);
  return at == entries_.end() ? nullptr : at->second;
}

std::shared_ptr<Kernel::Entry> Kernel::entry_for(const Name& name) {
  std::unique_lock lock(mutex_);
  auto& entry = entries_[{std::string(name.key), std::string(name.target)}];
  if (!entry) entry = std::make_shared<Entry>();
  return entry;
}

// What is asked may run Python's code: without the mutex.
Kernel::Turn::Turn(Entry& entry, const std::function<bool()>& ask) : entry_(entry) {
  std::unique_lock lock(entry.mutex);
  const auto is_free = [&] { return entry.compiler.load() == std::thread::id(); };
  while (!entry.is_free.wait_for(lock, runtime::Interrupt::kPeriod, is_free)) {
    lock.unlock();
    if (ask && ask()) return;
    lock.lock();
  }
  entry.compiler = std::this_thread::get_id();
  has_ = true;
}

Kernel::Turn::~Turn() {
  if (!has_) return;
  {
    const std::lock_guard lock(entry_.mutex);
    entry_.compiler = std::thread::id();
  }
  entry_.is_free.notify_one();
}

CompileOutcome Kernel::find_or_compile(std::string_view key, std::string_view target,
                                       const std::function<Specialisation()>& specialise,
                                       const std::function<bool()>* interrupted) {
  const Name name{key, target};
  const std::shared_ptr<Entry> entry = find(name);
  if (!entry || !entry->ready.load(std::memory_order_acquire))
    return compile_new(name, specialise, interrupted);
  counters.cache_hits.fetch_add(1, std::memory_order_relaxed);
  return {entry->compiled, {}};
}

CompileOutcome Kernel::compile_new(const Name& name,
                                   const std::function<Specialisation()>& specialise,
                                   const std::function<bool()>* interrupted) {
  FinishBeforeFork scope;
  std::shared_ptr<Entry> entry = entry_for(name);
  // A handler of a signal may launch what its own thread is about to compile.
  if (entry->compiler == std::this_thread::get_id()) entry = std::make_shared<Entry>();
  const std::function<bool()> ask = asking(interrupted);
  const Turn turn(*entry, ask);
  if (!turn) return {nullptr, {Status::Interrupted, {}, ""}};
  if (entry->ready.load(std::memory_order_acquire)) return {entry->compiled, {}};
  Specialisation specialisation = specialise();
  if (ask) specialisation.interrupted = &ask;
  CompileOutcome result = compile_(specialisation, std::string(name.target));
  if (result.outcome.status == Status::Interrupted) return result;
  if (!result.from_disk) counters.compilations.fetch_add(1, std::memory_order_relaxed);
  if (result.compiled) {
    entry->compiled = result.compiled;
    entry->ready.store(true, std::memory_order_release);
    counters.specialisations.fetch_add(1, std::memory_order_relaxed);
  }
  return result;
}

// A fork may come while a thread that compiles asks whether to go on: what it was about to make is
// made anew.
void Kernel::renew_in_child() {
  leave_behind(mutex_);
  for (auto& [name, entry] : entries_)
    if (!entry->ready.load(std::memory_order_relaxed)) entry = std::make_shared<Entry>();
}

}  // namespace cuda_device::dispatch
