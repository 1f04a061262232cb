#include "runtime/host/leavable.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <utility>

#include "runtime/host/interrupt.h"
#include "support/fork.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

namespace cuda_device::runtime {

// What a thread is in, and its timer. A timer that has been started fires once, whether the thread
// still is in machine code or not, and is started again by the next code: so short launches in
// great number start it twenty times a second.
struct LeavableThread {
  Leavable* in = nullptr;
  bool started = false;
  bool has_timer = false;
  unsigned made_in = 0;  // by fork_count(): a child does not inherit timers
  timer_t timer{};

  ~LeavableThread() {
    if (has_timer && made_in == fork_count()) timer_delete(timer);
  }
  void start();
  void make_timer();
  void fired();
};

namespace {

thread_local LeavableThread thread;

void on_signal(int, siginfo_t* info, void*) {
  if (info->si_code != SI_TIMER) return;
  const int saved = errno;
  static_cast<LeavableThread*>(info->si_value.sival_ptr)->fired();
  errno = saved;
}

bool free_to_use(int number) {
  struct sigaction now;
  return sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
}

// SIGURG is ignored by default, so a stray one does no harm, and debuggers let it pass. Who has a
// handler for it gets another signal.
int choose_signal() {
  int number = SIGURG;
  if (!free_to_use(number))
    for (number = SIGRTMIN + 4; !free_to_use(number); ++number)
      if (number == SIGRTMAX) return 0;
  struct sigaction ours = {};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_NODEFER;
  return sigaction(number, &ours, nullptr) == 0 ? number : 0;
}

bool handler_is_ours(int number) {
  struct sigaction now;
  return sigaction(number, nullptr, &now) == 0 && now.sa_sigaction == on_signal;
}

}  // namespace

int signal_of_leavable() {
  static constinit MadeOnce<int> once;
  return once.get(choose_signal);
}

void LeavableThread::make_timer() {
  made_in = fork_count();
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signal_of_leavable();
  event.sigev_notify_thread_id = gettid();
  event.sigev_value.sival_ptr = this;
  has_timer = event.sigev_signo != 0 && timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) == 0;
}

void LeavableThread::start() {
  const bool inherited = made_in != fork_count();
  if (started && !inherited) return;
  started = true;
  if (inherited || !has_timer) make_timer();
  if (!has_timer || !handler_is_ours(signal_of_leavable())) return;
  itimerspec once = {};
  once.it_value.tv_nsec = std::chrono::nanoseconds(Interrupt::kPeriod).count();
  timer_settime(timer, 0, &once, nullptr);
}

void LeavableThread::fired() {
  started = false;
  Leavable* const code = std::exchange(in, nullptr);  // the question itself cannot be left
  if (!code) return;
  const bool leave = code->leave_(code->asked_);
  if (leave) siglongjmp(code->back_, 1);
  in = code;
  start();
}

namespace {

Leavable* now_in(Leavable* code) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  Leavable* const before = std::exchange(thread.in, code);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return before;
}

}  // namespace

void Leavable::enter() {
  thread.start();
  now_in(this);
}

void Leavable::exit() { now_in(nullptr); }

NotLeavable::NotLeavable() : code_(now_in(nullptr)) {}

NotLeavable::~NotLeavable() {
  if (code_) thread.start();  // the timer may have gone off meanwhile
  now_in(code_);
}

}  // namespace cuda_device::runtime
