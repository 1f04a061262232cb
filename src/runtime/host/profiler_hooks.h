// Tools that look at compiled code from outside: perf finds the names of kernels in a file, gdb
// gets an object with their lines. Both are requested in the environment:
//
//   CUDA_DEVICE_PERF=map   /tmp/perf-<process>.map, as perf reads it
//   CUDA_DEVICE_GDB=1      GDB's JIT interface
#pragma once

#include <memory>

#include "abi/kernel_image.h"
#include "support/fork.h"

namespace cuda_device::runtime {

bool perf_wanted();
bool gdb_wanted();  // images then should have an object for it

// Code in memory as perf knows it: "kernel [file.py:12]". A forked child says so again, under its
// own number. Code that is gone stays in the file; what comes to lie there later is found first.
class PerfEntry {
 public:
  PerfEntry(const abi::KernelImage& image, const char* base);
  void renew_in_child() const { say(); }

 private:
  void say() const;
  const char* begin_;
  uint32_t bytes_;
  std::string name_;
  ForkHook hook_{this};
};

// The image's object, placed at `base`, known to gdb as long as this lives.
class GdbEntry {
 public:
  GdbEntry(const abi::KernelImage& image, const char* base);
  ~GdbEntry();
  GdbEntry(const GdbEntry&) = delete;
  GdbEntry& operator=(const GdbEntry&) = delete;

 private:
  struct Linked;
  std::unique_ptr<Linked> linked_;
};

// What is wanted of the two for code that was placed.
struct ProfilerHooks {
  ProfilerHooks(const abi::KernelImage& image, const char* base);
  std::unique_ptr<PerfEntry> perf;
  std::unique_ptr<GdbEntry> gdb;
};

}  // namespace cuda_device::runtime
