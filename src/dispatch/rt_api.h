// C interface of libcuda_device_rt.so: C functions over plain C++ data (both sides are built
// together). No Python here. Every function may be called from any thread, without the GIL; none
// throws.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "abi/kernel_image.h"
#include "abi/owner.h"
#include "abi/stream_options.h"
#include "frontend/request.h"
#include "support/diagnostic.h"

namespace cuda_device::dispatch {

struct Kernel;  // specialisations of one decorated function
class Compiled;
struct Stream;  // FIFO of a device
class Event;

enum class Status : uint8_t {
  Ok,
  UserError,      // diagnostics
  CompilerFault,  // text: a bug of ours
  RuntimeFault,   // text: a kernel or the system failed (device lost, out of memory, assembler)
  KernelFailed,   // text: of a thread of a kernel, by `assert` or `raise`; raises
  Timeout,        // of the wait functions
  BadValue,       // text: a value that the device does not have
  Interrupted,    // LaunchRequest::interrupted, ::warn or Specialisation::interrupted said so
  OutOfMemory,    // text, shortage
};

struct Shortage {
  uint64_t asked = 0, free = 0, total = 0;  // bytes
};

struct Outcome {
  Status status = Status::Ok;
  std::vector<Diagnostic> diagnostics;
  std::string text;
  std::string warning{};             // of a launch, for the user, whatever the status
  std::string raises{};              // of KernelFailed: the builtin exception class of Python
  Shortage shortage{};               // of OutOfMemory
  std::vector<std::string> later{};  // what else failed before the first error was reported
};

// Where a function of a program is defined.
struct Definition {
  std::string file;
  uint32_t line = 0;  // 0: not known
};

// What the compiler needs; made only when a key is new.
struct Specialisation {
  std::shared_ptr<const syntax::Program> program;
  frontend::Request request{};  // of that program; the compiling call adds the target
  // Both as bytes, by which another process knows them: the same bytes, the same code. Empty: such
  // a specialisation is compiled in every process.
  std::string identity{};
  std::vector<Definition> functions{};  // of the program, by their numbers
  // Called on the calling thread, without locks, about every 50 ms while the compiler works: true
  // means to give up. Null: never called.
  const std::function<bool()>* interrupted = nullptr;
};

struct LaunchRequest {
  Kernel* kernel = nullptr;
  // Everything the compiled code depends on but the target, as bytes: program id, argument types,
  // facts, block shape, dialect, checks.
  std::string_view key;
  // The code for that key and the host's target, where the caller has kept it from an earlier
  // launch: then it is taken. Else it is set, where the launch succeeds. Null: not asked for.
  std::shared_ptr<const Compiled>* code = nullptr;
  // Called without locks, at most once per new key.
  const std::function<Specialisation()>* specialise = nullptr;
  // Packed by abi::layout_of's rule over the flattened arguments. Copied.
  const void* params = nullptr;
  uint32_t params_size = 0;
  abi::LaunchDims dims;
  // Null: on the default stream, and the call returns when the kernel is done.
  Stream* stream = nullptr;
  // Kept until the launch is done, then handed out by cd_rt_take_finished; the caller's if the
  // outcome is not Ok. May be null. Ignored where the call itself waits (stream == null): the
  // caller keeps its own references then.
  abi::Owner* owner = nullptr;
  // Where the call itself waits, for the compiler too: asked on the calling thread, without locks,
  // about every 50 ms. Once it says yes, blocks that have not begun are left out; the call returns
  // when the others are done.
  const std::function<bool()>* interrupted = nullptr;
  // Called on the calling thread before the launch (which may end the process), once for a
  // specialisation each: with what the compiler has doubts about, and with nothing where the kernel
  // uses dynamic shared memory and `dims.shared` was not given. False: there is to be no launch.
  // Null: never called.
  const std::function<bool(const std::vector<Warning>&)>* warn = nullptr;
  bool gives_shared = false;  // or says that there is none
};

// What a launch would cost: see cd_rt_stats.
struct StatsRequest {
  const Specialisation* specialisation = nullptr;
  std::string target;  // as cd_rt_inspect takes it, with machine code
  std::array<uint32_t, 3> grid{};
  bool has_grid = false;
  uint32_t shared = 0;  // bytes of dynamic shared memory
};

// A device for people. Numbers of devices: -1 is the host, GPUs count from 0.
struct DeviceInfo {
  std::string name, uuid;
  int architecture = 0;  // 90: compute capability 9.0
};

// Counters for tests and `info`.
struct Counters {
  uint64_t launches = 0, compilations = 0, cache_hits = 0, specialisations = 0;
  uint64_t disk_hits = 0, disk_misses = 0, disk_stores = 0;
};

}  // namespace cuda_device::dispatch

#pragma GCC visibility push(default)
extern "C" {
cuda_device::dispatch::Kernel* cd_rt_kernel_create();
void cd_rt_kernel_release(cuda_device::dispatch::Kernel*);

// Compiles where the key is new (several callers at once: one compiles, the others wait), then runs
// or enqueues.
void cd_rt_launch(const cuda_device::dispatch::LaunchRequest* request,
                  cuda_device::dispatch::Outcome* outcome);

// The owners of the launches that finished since the last call, linked; null: none.
cuda_device::abi::Owner* cd_rt_take_finished();

cuda_device::dispatch::Stream* cd_rt_stream_create();
cuda_device::dispatch::Stream* cd_rt_default_stream();  // its first holder never lets go of it
void cd_rt_stream_retain(cuda_device::dispatch::Stream*);
void cd_rt_stream_release(cuda_device::dispatch::Stream*);  // queued work still runs
// All that have a handle, or work to do: new handles, for the caller to release.
void cd_rt_all_streams(std::vector<cuda_device::dispatch::Stream*>* streams, int device = -1);
uint64_t cd_rt_stream_handle(const cuda_device::dispatch::Stream*);
int cd_rt_stream_device(const cuda_device::dispatch::Stream*);
void cd_rt_stream_options(const cuda_device::dispatch::Stream*,
                          cuda_device::abi::StreamOptions* options,
                          cuda_device::dispatch::Outcome* outcome);
// Names what the stream's work stands in, to be compared while it is held: what comes to two
// handles with one queue is in one order.
const void* cd_rt_stream_queue(const cuda_device::dispatch::Stream*);
// Whether what comes to the stream becomes part of another library's graph, or would end its
// capture.
bool cd_rt_stream_captured(const cuda_device::dispatch::Stream*);
bool cd_rt_stream_query(cuda_device::dispatch::Stream*);  // true: nothing queued or running
// A number for what is queued now, to wait for.
uint64_t cd_rt_stream_mark(cuda_device::dispatch::Stream*);
// The last mark, at the process's end: without the launches that another thread waits for by
// itself.
uint64_t cd_rt_stream_last_mark(cuda_device::dispatch::Stream*);
// Waits at most `milliseconds` (-1: for ever) for what came before the mark. Reports and clears the
// stream's error slot.
void cd_rt_stream_sync(cuda_device::dispatch::Stream*, uint64_t mark, int milliseconds,
                       cuda_device::dispatch::Outcome* outcome);

// Whether launches that are done have printed something, and all of it so far, in UTF-8, for a
// caller that waits for output and writes it.
bool cd_rt_has_printed();
void cd_rt_take_printed(std::string* text);

// The first error, since the last call, of a stream that was destroyed before its error was taken.
void cd_rt_take_lost_error(cuda_device::dispatch::Outcome* outcome);

cuda_device::dispatch::Event* cd_rt_event_create();
void cd_rt_event_release(cuda_device::dispatch::Event*);
void cd_rt_event_record(cuda_device::dispatch::Event*, cuda_device::dispatch::Stream*,
                        bool timing = true, cuda_device::dispatch::Outcome* outcome = nullptr);
bool cd_rt_event_query(cuda_device::dispatch::Event*);
void cd_rt_event_sync(cuda_device::dispatch::Event*, int milliseconds,
                      cuda_device::dispatch::Outcome* outcome);
void cd_rt_stream_wait(cuda_device::dispatch::Stream*, cuda_device::dispatch::Event*,
                       cuda_device::dispatch::Outcome* outcome = nullptr);
// Milliseconds between two events that are done; text in the outcome where there are none.
double cd_rt_event_difference(const cuda_device::dispatch::Event* later,
                              const cuda_device::dispatch::Event* earlier,
                              cuda_device::dispatch::Outcome* outcome);
// The device of its last record; `otherwise` before.
int cd_rt_event_device(const cuda_device::dispatch::Event*, int otherwise);

// --- devices. Null and an outcome that is not Ok where there is none, or the driver fails. ---
int cd_rt_gpu_count();
bool cd_rt_device_info(int device, cuda_device::dispatch::DeviceInfo* info,
                       cuda_device::dispatch::Outcome* outcome);
int cd_rt_device_attribute(int device, const char* name, cuda_device::dispatch::Outcome* outcome);
const char* cd_rt_device_attributes();  // their names, comma-separated
int cd_rt_current_device(cuda_device::dispatch::Outcome* outcome);
void cd_rt_set_current_device(int device, cuda_device::dispatch::Outcome* outcome);
cuda_device::dispatch::Stream* cd_rt_device_stream(int device,
                                                   const cuda_device::abi::StreamOptions* options,
                                                   cuda_device::dispatch::Outcome* outcome);
// The stream of launches without one; stays: its first holder never releases it.
cuda_device::dispatch::Stream* cd_rt_device_default_stream(int device,
                                                           cuda_device::dispatch::Outcome* outcome);
// The stream of another library; 0, 1 and 2 are default streams of the current context.
cuda_device::dispatch::Stream* cd_rt_foreign_stream(uint64_t handle,
                                                    cuda_device::dispatch::Outcome* outcome);
// Whether it is destroyed with its last handle: not one of another library, no default stream.
bool cd_rt_stream_own(const cuda_device::dispatch::Stream*);
// GPUs with a context of this process that can be waited for, or that was lost and not yet
// reported.
void cd_rt_used_gpus(std::vector<int>* gpus);
// False in a function of the host that the CUDA driver calls: nothing can be asked of GPUs there.
bool cd_rt_gpus_take_calls();
// Waits for all work of a GPU, other libraries' too; not interruptible.
void cd_rt_gpu_sync(int device, cuda_device::dispatch::Outcome* outcome);

// Target of launches of this thread: "" = best host form, "avx512", "avx2", "sse4" (with "x8",
// "x16", "x32" or "x64" at the end: so many lanes a gang, which have to fill a vector),
// "emulated-avx512" (by instructions of AVX2), "interpreter" ("interpreter-seed7": threads in a
// random order), "ptx" (assembled for every architecture, then interpreted), "sm_75" (one of them),
// "cuda" (arrays copied to GPU 0 and back). False if this machine cannot.
bool cd_rt_set_target(const char* target);
const char* cd_rt_target();
const char* cd_rt_targets();  // comma-separated list of the above that this machine can run

// Text in outcome->text; `lines`: with the lines of Python as comments.
void cd_rt_inspect(const cuda_device::dispatch::Specialisation* specialisation, const char* what,
                   const char* target, bool lines, cuda_device::dispatch::Outcome* outcome);

// Compiles; text: lines of key=value. target, threads, gang, lanes, arena_bytes, shared_bytes,
// code_bytes, stack_bytes; of PTX, where ptxas is found, registers, spill_store_bytes,
// spill_load_bytes, stack_bytes, call_stack_bytes, blocks_per_multiprocessor; stage, more than
// once: seconds and name; hint, more than once: what might be better, in words. A figure that is
// not known is left out.
void cd_rt_stats(const cuda_device::dispatch::StatsRequest* request,
                 cuda_device::dispatch::Outcome* outcome);

int cd_rt_thread_count();  // workers: affinity, cgroup, CUDA_DEVICE_NUM_THREADS
// Bytes from which on an array has the fact beyond_cache.
uint64_t cd_rt_beyond_cache_bytes();
void cd_rt_set_beyond_cache_bytes(uint64_t bytes);  // for tests; 0: what this machine's caches say
void cd_rt_counters(cuda_device::dispatch::Counters* counters);
// key=value lines: llvm version, forms, threads, libdevice, ptxas, driver, ... for `python -m
// cuda.device info`.
void cd_rt_info(cuda_device::dispatch::Outcome* outcome);
// Lines of the same kind about the cache on disk, and about what was removed when it was emptied.
void cd_rt_cache_info(cuda_device::dispatch::Outcome* outcome);
void cd_rt_cache_clear(cuda_device::dispatch::Outcome* outcome);
// Folders where CUDA's wheels may lie (site-packages); searched for libdevice and ptxas after the
// usual places.
void cd_rt_add_search_path(const char* folder);
// Runs what is queued, joins the workers. Launches afterwards run on the calling thread, those with
// a stream too.
void cd_rt_shutdown();
}
#pragma GCC visibility pop
