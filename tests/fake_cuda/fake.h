// What the files of the tests' driver share: what the process has of the devices, and what the test
// wants.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "runtime/cuda/driver_types.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace cuda_device::cuda {

inline constexpr CUresult kNoDevice = 100, kInvalidImage = 200, kInvalidHandle = 400,
                          kNotFound = 500;

// Called where a launch's turn has come, on the stream's own thread.
using OnLaunch = void (*)(const char* kernel, const unsigned* grid_and_block, unsigned shared,
                          void** params);

struct Library {
  std::string image;  // empty: the driver refuses it, at the latest where a function is needed
  char* log;          // where it says why
};
struct Kernel {
  std::string name;
  std::vector<size_t> params;  // bytes of each
  Library* library;
};
// Lazy loading (FAKE_CUDA_LAZY=1) looks at code where a function is needed: an error then.
CUresult need(const Kernel& kernel);

struct State {
  std::mutex mutex;
  std::vector<std::string> calls;
  std::string failing;  // a member of driver_api.def
  int failing_in = 0;   // 1: the next call of it
  CUresult failing_with = 0;
  // After a kernel's fault everything but asking fails with it in its context.
  std::map<CUcontext, CUresult> sticky;
  CUresult sticky_everywhere = 0;
  std::set<CUcontext> destroyed;
  std::map<CUcontext, int> times_destroyed;
  std::string faulty;  // a kernel that fails with:
  CUresult fault = 0;
  std::set<CUlibrary> libraries;
  std::set<CUkernel> kernels;
  std::map<std::pair<CUkernel, CUdevice>, int> shared_limit;
  std::map<CUcontext, size_t> stack_limit;
  std::map<CUdevice, int> retained;
  std::set<CUdevice> retained_by_others;
  OnLaunch on_launch = nullptr;
};
State& state();

CUresult enter(const char* member, bool asks_only = false);
CUresult sticky(CUcontext context);  // without a call
long devices();

// Contexts are numbers that hold their device; those from 0x2000 on are of other libraries.
CUcontext context_of(CUdevice device);
CUdevice device_of(CUcontext context);
CUcontext current_context();  // null: none

// Work in a stream's order; an error where there is no such stream.
CUresult enqueue_on(CUstream stream, std::function<void()> work);
// While a stream is captured, most calls end the capture unless the thread allows itself them.
CUresult against_captures(bool of_captured_stream = false);
bool captured(CUstream stream);
// The legacy stream stands after all blocking ones of its context, captured ones too.
CUresult legacy_beside_capture(CUstream stream);
// All that a context had goes with it, as another library or cudaDeviceReset has it.
void destroy_context(CUcontext context);
void drop_streams_of(CUcontext context);
void drop_memory_of(CUcontext context);
// All that the current context does.
void wait_for_all();
// Memory that was freed on the stream, or on all, is free for all: the stream was waited for.
void memory_passed(CUstream stream, bool all);
// A line about what a call does, for tests of the order of things: "copy_async 64 on 0".
void note(const std::string& what, CUstream stream);
void note(const std::string& line);
// A number from the environment.
long number_from(const char* name, long otherwise);

#define DRIVER(member, symbol, parameters) EXPORT CUresult fake_##member parameters asm(symbol);
#include "runtime/cuda/driver_api.def"

#define ENTER(member) \
  if (const CUresult wrong = enter(member)) return wrong
#define ASK(member) \
  if (const CUresult wrong = enter(member, true)) return wrong
#define ENDS_CAPTURES \
  if (const CUresult wrong = against_captures()) return wrong
#define NOT_BESIDE_CAPTURES(stream) \
  if (const CUresult wrong = legacy_beside_capture(stream)) return wrong
#define NEEDS_CONTEXT \
  if (!current_context()) return kInvalidContext

}  // namespace cuda_device::cuda
