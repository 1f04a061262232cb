// A compiled kernel as plain data: what the compiler hands to the runtime, what the disk cache
// holds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "support/diagnostic.h"
#include "support/dtype.h"
#include "support/report.h"

namespace cuda_device::abi {

// Kernel parameters are one block of bytes, aligned to kParamsAlign and laid out as a C struct: a
// scalar or record takes its size at its alignment (bool: one byte); an array is { void* data;
// int64 shape[ndim]; int64 strides[ndim] (bytes) }, align 8. PTX kernels get the same bytes as
// separate parameters, in order.
inline constexpr uint32_t kParamsAlign = 16;
static_assert(kParamsAlign >= RecordLayout::kMostAlign);
struct ParamSlot {
  bool is_array = false;
  bool read_only = false;  // of an array: the caller's memory may refuse writes
  DtypeId dtype;           // of the value, or of an array's elements
  uint8_t ndim = 0;
  // The rest follows from these: layout_of.
  uint32_t item = 0;  // bytes of the value, or of an array's elements
  uint32_t offset = 0;
  uint32_t size = 0;
};

struct ParamLayout {
  std::vector<ParamSlot> slots;
  uint32_t size = 0;  // a multiple of kParamsAlign
};

struct LaunchDims {
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  uint32_t shared = 0;  // dynamic shared memory, bytes
};

enum class ImageKind : uint8_t { HostCode, Ptx };

// An array that the kernel only updates, by one operation that commutes, and never looks at: each
// worker may do so in a table of its own (runtime/host/worker_tables.h).
struct WorkerTable {
  enum class Merge : uint8_t { Add, And, Or, Xor, Max, Min };
  uint32_t param = 0;
  Merge merge = Merge::Add;
  ScalarKind element = ScalarKind::I32;  // that is updated: an integer of 32 or 64 bits
};
inline constexpr size_t kMostWorkerTables = 8;

// A symbol the runtime must provide: its address is written into the image at `offset` (8 bytes)
// before it is sealed.
struct Import {
  std::string name;
  uint32_t offset = 0;
};

struct KernelImage {
  ImageKind kind = ImageKind::HostCode;
  std::string name;    // of the Python kernel
  std::string target;  // "x86-64/avx512", "sm_90"
  DtypeTable dtypes;   // the records that dtypes below name
  ParamLayout params;
  // HostCode: bytes [0, text_size) are executed, position independent; [text_size rounded up to
  // 4096, end) are constants and the import table, readable once sealed. Ptx: the text,
  // NUL-terminated.
  std::vector<uint8_t> code;
  uint32_t text_size = 0;
  uint32_t entry = 0;      // offset of the entry point
  std::string entry_name;  // Ptx: symbol
  std::vector<Import> imports;
  uint32_t static_shared = 0;
  bool dynamic_shared = false;  // whether it uses the block's dynamic shared memory
  uint8_t counted_axes =
      0;               // a bit for each axis whose threads tid() or grid_size() count in int32
  uint32_t arena = 0;  // bytes of worker memory a block needs
  uint8_t width = 32;  // lanes of a gang
  // HostCode: its threads run one by one, each on a stack of its own; the entry is a
  // HostThreadEntry (abi/host_thread.h).
  bool threads = false;
  // HostCode: its threads run with subnormal numbers taken for zero (x86: FTZ and DAZ).
  bool flush_subnormals = false;
  std::vector<WorkerTable> tables = {};  // at most kMostWorkerTables
  // Bytes of stack that such code takes itself, without the functions that it calls. Ptx whose
  // functions call themselves has the bytes that each call takes, as far as that is known before it
  // is assembled.
  uint32_t stack = 0;
  // Ptx whose functions call themselves: how many calls are nested at most; 0: none do.
  uint32_t nested_calls = 0;
  // What its threads may say; code names them by their numbers here.
  std::vector<Failure> failures;
  std::vector<PrintFormat> formats;
  // Where its threads may wait for each other.
  std::vector<WaitSite> sites;
  // For whoever launches it first.
  std::vector<Warning> warnings;
  // For people and their tools; the code runs without.
  std::string source;  // "file.py:12", of the definition; may be empty
  // HostCode, on request: the ELF object that the code was linked from, with its symbol and lines.
  // Sections that are in the image have its offsets as addresses; no other is to be loaded.
  std::vector<uint8_t> debug_object;
};

// Entry of HostCode. Runs blocks [first, last) of the grid, numbered x fastest, then y, then z, in
// increasing order; returns at once where a thread has reported a failure.
inline constexpr uint32_t kArenaAlign = 1024;  // the most that an array of a block asks for
struct HostContext {
  LaunchDims dims;
  void* arena = nullptr;  // aligned to kArenaAlign
  void* shared = nullptr;
  void* report = nullptr;  // runtime/host/report.h; null: the kernel says nothing
  // For each of KernelImage::tables, where the array's data pointer points to in this worker's
  // table; the pointer itself: it has none. Null: it has no table at all.
  void* const* tables = nullptr;
};
using HostEntry = void (*)(const void* params, const HostContext* context, uint64_t first,
                           uint64_t last);

// Layout of the parameters by the rule above; both halves use it.
ParamLayout layout_of(const std::vector<ParamSlot>& without_offsets, const DtypeTable& dtypes = {});

}  // namespace cuda_device::abi
