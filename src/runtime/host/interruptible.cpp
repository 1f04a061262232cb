#include "runtime/host/interruptible.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <utility>

#include "runtime/host/interrupt.h"
#include "support/fork.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace cuda_device::runtime {

// What a thread is in, and its timers. A timer that has been started fires once, whether the thread
// still is in machine code or not, and is started again by the next code: so short launches in
// great number start it twenty times a second. The second timer fires where the first one's signal
// did not come here: the program may take a signal for itself at any time.
struct InterruptibleThread {
  struct Timer {
    bool made = false;
    timer_t id{};
    void make(int number, InterruptibleThread* thread);
    void set(std::chrono::nanoseconds delay);  // 0: stops it
  };
  static constexpr unsigned kNever = ~0U;

  Interruptible* in = nullptr;
  bool started = false;
  bool missed = false;        // a timer went off where the code could not be left
  unsigned made_in = kNever;  // by fork_count(): a child does not inherit timers
  std::array<Timer, 2> timers;

  ~InterruptibleThread() {
    for (const Timer& timer : timers)
      if (timer.made && made_in == fork_count()) timer_delete(timer.id);
  }
  void start();
  void make_timers();
  void fired();
};

namespace {

thread_local InterruptibleThread thread;

void on_signal(int, siginfo_t* info, void*) {
  if (info->si_code != SI_TIMER) return;
  const int saved = errno;
  static_cast<InterruptibleThread*>(info->si_value.sival_ptr)->fired();
  errno = saved;
}

bool free_to_use(int number) {
  struct sigaction now;
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
}

bool is_ours(int number) {
  struct sigaction now;
  return sigaction(number, nullptr, &now) == 0 && (now.sa_flags & SA_SIGINFO) &&
         now.sa_sigaction == on_signal;
}

bool make_ours(int number) {
  struct sigaction ours = {};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  return sigaction(number, &ours, nullptr) == 0;
}

// SIGURG is ignored by default, so a stray one does no harm, and debuggers let it pass. A process
// with a handler for it gets other signals.
std::array<int, 2> choose_signals() {
  std::array<int, 2> chosen = {};
  size_t count = 0;
  const auto try_one = [&](int number) {
    if (count < chosen.size() && free_to_use(number) && make_ours(number)) chosen[count++] = number;
  };
  try_one(SIGURG);
  for (int number = SIGRTMIN + 4; number <= SIGRTMAX; ++number) try_one(number);
  return chosen;
}

}  // namespace

const std::array<int, 2>& interruption_signals() {
  static constinit MadeOnce<std::array<int, 2>> once;
  return once.get(choose_signals);
}

void InterruptibleThread::Timer::make(int number, InterruptibleThread* thread) {
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = number;
  event.sigev_notify_thread_id = gettid();
  event.sigev_value.sival_ptr = thread;
  made = number != 0 && timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &id) == 0;
}

void InterruptibleThread::Timer::set(std::chrono::nanoseconds delay) {
  itimerspec once = {};
  once.it_value.tv_nsec = delay.count();
  if (made) timer_settime(id, 0, &once, nullptr);
}

void InterruptibleThread::make_timers() {
  made_in = fork_count();
  for (size_t i = 0; i < timers.size(); ++i) timers[i].make(interruption_signals()[i], this);
}

void InterruptibleThread::start() {
  const bool inherited = made_in != fork_count();
  if (started && !inherited) return;
  started = true;
  if (inherited) make_timers();
  std::chrono::nanoseconds delay = Interrupt::kPeriod;
  for (size_t i = 0; i < timers.size(); ++i) {
    if (!is_ours(interruption_signals()[i])) continue;
    timers[i].set(delay);
    delay *= 4;
  }
}

void InterruptibleThread::fired() {
  for (Timer& timer : timers) timer.set(std::chrono::nanoseconds(0));
  started = false;
  Interruptible* const code = std::exchange(in, nullptr);  // the question itself cannot be left
  missed = !code;
  if (!code) return;
  const bool leave = code->leave_(code->asked_);
  if (leave) siglongjmp(code->back_, 1);
  in = code;
  start();
}

namespace {

Interruptible* now_in(Interruptible* code) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Interruptible* const before = std::exchange(thread.in, code);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return before;
}

}  // namespace

// Started last: a timer of earlier code that goes off before it would be lost for this one.
void Interruptible::enter() {
  thread.missed = false;
  now_in(this);
  thread.start();
}

void Interruptible::exit() { now_in(nullptr); }

NotInterruptible::NotInterruptible() : code_(now_in(nullptr)) {}

// A timer that went off meanwhile is made up for here: code may spend nearly all of its time under
// such scopes.
NotInterruptible::~NotInterruptible() {
  now_in(code_);
  if (code_ && thread.missed) thread.fired();
}

}  // namespace cuda_device::runtime
