// A forked child that runs a check, for the tests of what a fork leaves.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace cuda_device {

// The sanitizers' own locks do not outlive a fork with other threads: gcc 12's leave a child's new
// threads waiting for the allocator's (SizeClassAllocator64::GetFromAllocator).
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool kForksWork = false;
#else
inline constexpr bool kForksWork = true;
#endif

// What `check` gives in a child: 0 and up as returned, or -signal (-SIGALRM where it hangs).
template <class Check>
int in_child(Check check) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGALRM, SIG_DFL);
    alarm(20);
    _exit(check());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace cuda_device
