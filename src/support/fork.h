// What a fork leaves of a process with threads, and how it is made usable.
//
// The child has the forking thread only. A lock that another thread held stays locked there for
// ever, and what it guarded may be half changed. One handler (pthread_atfork) applies three
// remedies:
//
// - ForkMutex guards data for a moment: fork waits until it is free, so the child finds the lock
//   free and the data whole.
// - FinishBeforeFork is longer work on shared data, such as a compilation: fork waits until it is
//   over.
// - ForkHook is an object whose threads or waiters are gone: it is made anew in the child.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <new>

namespace cuda_device {

// How many forks lie between the first process and this one: another number means that the caller's
// other threads are gone.
unsigned fork_count();

// A thread that holds one takes no other lock but may make and destroy objects with hooks. Static
// storage only.
class ForkMutex {
 public:
  ForkMutex();
  ForkMutex(const ForkMutex&) = delete;
  ForkMutex& operator=(const ForkMutex&) = delete;
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  friend struct ForkHandlers;
  std::mutex mutex_;
  ForkMutex* const next_;
};

// A scope that a fork of another thread waits for. It must not wait for what the forking thread may
// hold (Python's GIL). Scopes may nest.
class FinishBeforeFork {
 public:
  FinishBeforeFork();
  ~FinishBeforeFork();
  FinishBeforeFork(const FinishBeforeFork&) = delete;
  FinishBeforeFork& operator=(const FinishBeforeFork&) = delete;
};

// Longer work that a FinishBeforeFork hands to another thread: made in the scope, ended wherever
// the work ends, which may be after the scope.
class UnfinishedWork {
 public:
  UnfinishedWork();
  ~UnfinishedWork();
  UnfinishedWork(const UnfinishedWork&) = delete;
  UnfinishedWork& operator=(const UnfinishedWork&) = delete;
};

// Within a FinishBeforeFork, where the thread may have to wait for Python's GIL: a fork does not
// wait for it meanwhile. What the scope guards has to be such that a child can do without.
class ForkMeanwhile {
 public:
  ForkMeanwhile();
  ~ForkMeanwhile();
  ForkMeanwhile(const ForkMeanwhile&) = delete;
  ForkMeanwhile& operator=(const ForkMeanwhile&) = delete;

 private:
  const int depth_;
};

// Calls object->renew_in_child() in a forked child, before anything else runs there. The last
// member of its object: only a complete object is called.
class ForkHook {
 public:
  template <class T>
  explicit ForkHook(T* object)
      : ForkHook(object, [](void* p) { static_cast<T*>(p)->renew_in_child(); }) {}
  ~ForkHook();
  ForkHook(const ForkHook&) = delete;
  ForkHook& operator=(const ForkHook&) = delete;

 private:
  friend struct ForkHandlers;
  ForkHook(void* object, void (*renew)(void*));
  void* const object_;
  void (*const renew_)(void*);
  ForkHook* previous_;
  ForkHook* next_;
};

// Makes, in the child, a new object in the place of one that threads of the parent were using. What
// that one held is leaked, since its state is unknown.
template <class T>
void leave_behind(T& object) {
  ::new (static_cast<void*>(std::addressof(object))) T;
}

// A value made at its first use, by one thread; it lives as long as the process. What `make` throws
// passes through, and the next caller tries again.
template <class T>
class MadeOnce {
 public:
  template <class Make>
  const T& get(Make make) {
    if (const T* made = if_made()) return *made;
    FinishBeforeFork scope;
    std::lock_guard lock(making_);
    const T* made = made_.load(std::memory_order_relaxed);
    if (!made) made_.store(made = new T(make()), std::memory_order_release);
    return *made;
  }

  // Null: not yet.
  const T* if_made() const { return made_.load(std::memory_order_acquire); }

 private:
  std::atomic<const T*> made_{nullptr};
  std::mutex making_;
};

}  // namespace cuda_device
