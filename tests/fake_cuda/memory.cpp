// Memory of the tests' driver: on the host, with owners, kinds, a pool and a capacity that is the
// device's. What is freed on a stream is free for that stream at once, and for others once the
// stream has been waited for.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include "fake.h"

namespace cuda_device::cuda {
namespace {

enum class Kind : uint8_t { Device, Pooled, Pinned, Managed };

struct Block {
  size_t bytes;
  Kind kind;
  CUcontext context;
  ptrdiff_t apart = 0;  // from the host's address to the GPU's
};

struct Memory {
  std::mutex mutex;
  std::map<CUdeviceptr, Block> blocks;
  size_t allocated = 0;                // of the device's capacity
  size_t kept = 0;                     // of it, by the pool, for any stream
  std::map<CUstream, size_t> waiting;  // of it, freed on streams that were not waited for
  uint64_t threshold = 0;
};
Memory& memory() {
  static Memory* const made = new Memory;
  return *made;
}

size_t capacity() { return static_cast<size_t>(number_from("FAKE_CUDA_MEMORY", 1L << 30)); }

size_t taken() {
  size_t bytes = memory().allocated + memory().kept;
  for (const auto& [stream, freed] : memory().waiting) bytes += freed;
  return bytes;
}

constexpr size_t kPage = 4096;

// Memory begins with a byte pattern, so that no test relies on zeros.
CUdeviceptr make(size_t bytes, Kind kind) {
  void* made = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
  std::memset(made, 0xcd, bytes);
  const auto address = reinterpret_cast<CUdeviceptr>(made);
  memory().blocks[address] = {bytes, kind, current_context()};
  return address;
}

// Pages that the host and the GPU reach at addresses of their own.
CUdeviceptr make_at_two_places(size_t bytes) {
  const int file = memfd_create("pinned", 0);
  const bool grown = ftruncate(file, static_cast<off_t>(bytes)) == 0;
  const auto map = [&] {
    return static_cast<char*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, grown ? file : -1, 0));
  };
  char *host = map(), *gpu = map();
  close(file);
  const auto address = reinterpret_cast<CUdeviceptr>(host);
  memory().blocks[address] = {bytes, Kind::Pinned, current_context(), gpu - host};
  memory().blocks[reinterpret_cast<CUdeviceptr>(gpu)] = {bytes, Kind::Device, current_context()};
  return address;
}

CUresult allocate(CUdeviceptr* pointer, size_t bytes, Kind kind) {
  const std::lock_guard lock(memory().mutex);
  if (bytes == 0) return kInvalidValue;
  if (taken() + bytes > capacity()) return kOutOfMemory;
  *pointer = make(bytes, kind);
  memory().allocated += bytes;
  return kSuccess;
}

std::map<CUdeviceptr, Block>::iterator holding(CUdeviceptr at) {
  auto& blocks = memory().blocks;
  auto found = blocks.upper_bound(at);
  if (found == blocks.begin()) return blocks.end();
  --found;
  return at < found->first + found->second.bytes ? found : blocks.end();
}

// Whether the bytes lie in one block of ours, or in none.
bool is_sound(CUdeviceptr at, size_t bytes) {
  const auto found = holding(at);
  if (found != memory().blocks.end()) return at + bytes <= found->first + found->second.bytes;
  auto after = memory().blocks.lower_bound(at);
  return after == memory().blocks.end() || after->first >= at + bytes;
}

void destroy(std::map<CUdeviceptr, Block>::iterator block) {
  if (const Block& b = block->second; b.apart != 0) {
    munmap(reinterpret_cast<void*>(block->first), b.bytes);
    munmap(reinterpret_cast<char*>(block->first) + b.apart, b.bytes);
    memory().blocks.erase(block->first + static_cast<CUdeviceptr>(b.apart));
    memory().blocks.erase(block);
    return;
  }
  std::memset(reinterpret_cast<void*>(block->first), 0xdd, block->second.bytes);
  std::free(reinterpret_cast<void*>(block->first));
  memory().blocks.erase(block);
}

}  // namespace

// As if it were unmapped: a read or write kills the process.
void drop_memory_of(CUcontext context) {
  const std::lock_guard lock(memory().mutex);
  for (const auto& [address, block] : memory().blocks)
    if (block.context == context)
      mprotect(reinterpret_cast<void*>(address), (block.bytes + kPage - 1) / kPage * kPage,
               PROT_NONE);
  std::erase_if(memory().blocks,
                [context](const auto& entry) { return entry.second.context == context; });
}

namespace {

CUresult free_one(CUdeviceptr pointer, bool pinned) {
  const std::lock_guard lock(memory().mutex);
  const auto found = memory().blocks.find(pointer);
  if (found == memory().blocks.end() || (found->second.kind == Kind::Pinned) != pinned)
    return kInvalidValue;
  if (!pinned) memory().allocated -= found->second.bytes;
  destroy(found);
  return kSuccess;
}

void passed(std::map<CUstream, size_t>::iterator stream) {
  memory().kept += stream->second;
  memory().waiting.erase(stream);
  if (memory().kept > memory().threshold) memory().kept = memory().threshold;
}

void copy_bytes(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
}

bool is_sound_now(CUdeviceptr at, size_t bytes) {
  const std::lock_guard lock(memory().mutex);
  return is_sound(at, bytes);
}

CUresult copy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  if (!is_sound(to, bytes) || !is_sound(from, bytes)) return kInvalidValue;
  copy_bytes(to, from, bytes);
  return kSuccess;
}

template <class Element>
CUresult fill(CUdeviceptr to, Element element, size_t count, CUstream stream) {
  {
    const std::lock_guard lock(memory().mutex);
    const bool ours = holding(to) != memory().blocks.end();
    if (to % sizeof element || !ours || !is_sound(to, count * sizeof element)) return kInvalidValue;
  }
  return enqueue_on(stream, [=] {
    for (size_t i = 0; i < count; ++i)
      std::memcpy(reinterpret_cast<char*>(to) + i * sizeof element, &element, sizeof element);
  });
}

std::vector<std::string>& notes() {
  static auto* const made = new std::vector<std::string>;
  return *made;
}

}  // namespace

void note(const std::string& line) {
  const std::lock_guard lock(memory().mutex);
  notes().push_back(line);
}
void note(const std::string& what, CUstream stream) {
  note(what + " on " + std::to_string(reinterpret_cast<uintptr_t>(stream)));
}

CUresult fake_memory_alloc(CUdeviceptr* pointer, size_t bytes) {
  ENTER("memory_alloc");
  ENDS_CAPTURES;
  NEEDS_CONTEXT;
  return allocate(pointer, bytes, Kind::Device);
}

CUresult fake_memory_free(CUdeviceptr pointer) {
  ENTER("memory_free");
  ENDS_CAPTURES;
  NEEDS_CONTEXT;
  wait_for_all();  // as the real one does
  return free_one(pointer, false);
}

CUresult fake_memory_alloc_async(CUdeviceptr* pointer, size_t bytes, CUstream stream) {
  ENTER("memory_alloc_async");
  NEEDS_CONTEXT;
  NOT_BESIDE_CAPTURES(stream);
  note("memory_alloc_async " + std::to_string(bytes), stream);
  const std::lock_guard lock(memory().mutex);
  if (bytes == 0) return kInvalidValue;
  size_t& mine = memory().waiting[stream];
  const size_t of_mine = std::min(mine, bytes);
  const size_t of_kept = std::min(memory().kept, bytes - of_mine);
  if (taken() + bytes - of_mine - of_kept > capacity()) return kOutOfMemory;
  mine -= of_mine;
  memory().kept -= of_kept;
  *pointer = make(bytes, Kind::Pooled);
  memory().allocated += bytes;
  return kSuccess;
}

CUresult fake_memory_free_async(CUdeviceptr pointer, CUstream stream) {
  ENTER("memory_free_async");
  NEEDS_CONTEXT;
  if (captured(stream)) return against_captures(true);  // it takes what graphs allocate only
  size_t bytes = 0;
  {
    const std::lock_guard lock(memory().mutex);
    const auto found = memory().blocks.find(pointer);
    if (found == memory().blocks.end() || found->second.kind != Kind::Pooled) return kInvalidValue;
    bytes = found->second.bytes;
  }
  // Its bytes go when the stream has come so far.
  const CUresult queued = enqueue_on(stream, [pointer, bytes] {
    std::memset(reinterpret_cast<void*>(pointer), 0xdd, bytes);
    std::free(reinterpret_cast<void*>(pointer));
  });
  if (queued != kSuccess) return queued;
  note("memory_free_async " + std::to_string(bytes), stream);
  const std::lock_guard lock(memory().mutex);
  memory().allocated -= bytes;
  memory().waiting[stream] += bytes;
  memory().blocks.erase(pointer);
  return kSuccess;
}

CUresult fake_pinned_alloc(void** pointer, size_t bytes, unsigned flags) {
  ENTER("pinned_alloc");
  ENDS_CAPTURES;
  NEEDS_CONTEXT;
  if (flags != (kPinnedPortable | kPinnedDeviceMap)) return kInvalidValue;
  const std::lock_guard lock(memory().mutex);
  *pointer = reinterpret_cast<void*>(make(bytes, Kind::Pinned));
  return kSuccess;
}

CUresult fake_pinned_free(void* pointer) {
  ENTER("pinned_free");
  NEEDS_CONTEXT;
  ENDS_CAPTURES;
  return free_one(reinterpret_cast<CUdeviceptr>(pointer), true);
}

CUresult fake_pinned_pointer(CUdeviceptr* pointer, void* memory_of_host, unsigned flags) {
  ENTER("pinned_pointer");
  NEEDS_CONTEXT;
  *pointer = reinterpret_cast<CUdeviceptr>(memory_of_host);
  const std::lock_guard lock(memory().mutex);
  const auto found = memory().blocks.find(*pointer);
  const bool pinned = found != memory().blocks.end() && found->second.kind == Kind::Pinned;
  if (flags != 0 || !pinned) return kInvalidValue;
  *pointer += static_cast<CUdeviceptr>(found->second.apart);
  return kSuccess;
}

CUresult fake_memory_alloc_managed(CUdeviceptr* pointer, size_t bytes, unsigned flags) {
  ENTER("memory_alloc_managed");
  ENDS_CAPTURES;
  NEEDS_CONTEXT;
  if (flags != kAttachGlobal) return kInvalidValue;
  return allocate(pointer, bytes, Kind::Managed);
}

CUresult fake_memory_info(size_t* free, size_t* total) {
  ASK("memory_info");
  NEEDS_CONTEXT;
  const std::lock_guard lock(memory().mutex);
  *total = capacity();
  *free = capacity() - taken();
  return kSuccess;
}

CUresult fake_default_pool(CUmemoryPool* pool, CUdevice device) {
  ENTER("default_pool");
  *pool = reinterpret_cast<CUmemoryPool>(uintptr_t{0x9000} + static_cast<uintptr_t>(device));
  return kSuccess;
}

CUresult fake_pool_set_attribute(CUmemoryPool pool, int attribute, void* value) {
  ENTER("pool_set_attribute");
  ENDS_CAPTURES;
  if (!pool || attribute != kReleaseThreshold) return kInvalidValue;
  memory().threshold = *static_cast<uint64_t*>(value);
  return kSuccess;
}

CUresult fake_pool_trim(CUmemoryPool pool, size_t keep) {
  ENTER("pool_trim");
  ENDS_CAPTURES;
  if (!pool) return kInvalidValue;
  const std::lock_guard lock(memory().mutex);
  memory().kept = std::min(memory().kept, keep);
  return kSuccess;
}

CUresult fake_pointer_attributes(unsigned count, int* attributes, void** values, CUdeviceptr at) {
  ASK("pointer_attributes");
  const std::lock_guard lock(memory().mutex);
  const auto found = holding(at);
  const bool known = found != memory().blocks.end();
  for (unsigned i = 0; i < count; ++i) {
    const Kind kind = known ? found->second.kind : Kind::Device;
    switch (attributes[i]) {
      case kPointerMemoryType:
        *static_cast<unsigned*>(values[i]) = !known                 ? 0
                                             : kind == Kind::Pinned ? kMemoryHost
                                                                    : kMemoryDevice;
        break;
      case kPointerIsManaged:
        *static_cast<bool*>(values[i]) = known && kind == Kind::Managed;
        break;
      case kPointerDeviceOrdinal:
        *static_cast<int*>(values[i]) = known ? device_of(found->second.context) : -2;
        break;
      case kPointerRangeStart:
        *static_cast<CUdeviceptr*>(values[i]) = known ? found->first : 0;
        break;
      case kPointerRangeSize:
        *static_cast<size_t*>(values[i]) = known ? found->second.bytes : 0;
        break;
      case kPointerDevicePointer:
        *static_cast<CUdeviceptr*>(values[i]) =
            known ? at + static_cast<CUdeviceptr>(found->second.apart) : 0;
        break;
      default:
        return kInvalidValue;
    }
  }
  return kSuccess;
}

CUresult fake_copy_async(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER("copy_async");
  NEEDS_CONTEXT;
  note("copy_async " + std::to_string(bytes), stream);
  if (!is_sound_now(to, bytes) || !is_sound_now(from, bytes)) return kInvalidValue;
  return enqueue_on(stream, [=] { copy_bytes(to, from, bytes); });
}

CUresult fake_copy_2d_async(const Copy2D* request, CUstream stream) {
  ENTER("copy_2d_async");
  NEEDS_CONTEXT;
  const Copy2D& r = *request;
  note("copy_2d_async " + std::to_string(r.width_bytes) + "x" + std::to_string(r.height), stream);
  if (r.from_type != kMemoryUnified || r.to_type != kMemoryUnified) return kInvalidValue;
  if (r.from_pitch < r.width_bytes || r.to_pitch < r.width_bytes) return kInvalidValue;
  const auto to = [r](size_t row) { return r.to + (r.to_y + row) * r.to_pitch + r.to_x_bytes; };
  const auto from = [r](size_t row) {
    return r.from + (r.from_y + row) * r.from_pitch + r.from_x_bytes;
  };
  for (size_t row = 0; row < r.height; ++row)
    if (!is_sound_now(to(row), r.width_bytes) || !is_sound_now(from(row), r.width_bytes))
      return kInvalidValue;
  return enqueue_on(stream, [=] {
    for (size_t row = 0; row < r.height; ++row) copy_bytes(to(row), from(row), r.width_bytes);
  });
}

CUresult fake_fill_8_async(CUdeviceptr to, unsigned char element, size_t count, CUstream stream) {
  ENTER("fill_8_async");
  NEEDS_CONTEXT;
  return fill(to, element, count, stream);
}

CUresult fake_fill_16_async(CUdeviceptr to, unsigned short element, size_t count, CUstream stream) {
  ENTER("fill_16_async");
  NEEDS_CONTEXT;
  return fill(to, element, count, stream);
}

CUresult fake_fill_32_async(CUdeviceptr to, unsigned element, size_t count, CUstream stream) {
  ENTER("fill_32_async");
  NEEDS_CONTEXT;
  return fill(to, element, count, stream);
}

CUresult fake_copy_to_device(CUdeviceptr to, const void* from, size_t bytes) {
  ENTER("copy_to_device");
  NEEDS_CONTEXT;
  ENDS_CAPTURES;
  NOT_BESIDE_CAPTURES(nullptr);
  const std::lock_guard lock(memory().mutex);
  if (holding(to) == memory().blocks.end()) return kInvalidValue;
  return copy(to, reinterpret_cast<CUdeviceptr>(from), bytes);
}

CUresult fake_copy_to_host(void* to, CUdeviceptr from, size_t bytes) {
  ENTER("copy_to_host");
  NEEDS_CONTEXT;
  ENDS_CAPTURES;
  NOT_BESIDE_CAPTURES(nullptr);
  const std::lock_guard lock(memory().mutex);
  if (holding(from) == memory().blocks.end()) return kInvalidValue;
  return copy(reinterpret_cast<CUdeviceptr>(to), from, bytes);
}

// --- for the driver's other files ---

void memory_passed(CUstream stream, bool all) {
  const std::lock_guard lock(memory().mutex);
  auto& waiting = memory().waiting;
  for (auto at = waiting.begin(); at != waiting.end();) {
    const auto next = std::next(at);
    if (all || at->first == stream) passed(at);
    at = next;
  }
}

// --- what the test asks ---

namespace {
size_t count_of(bool pinned) {
  const std::lock_guard lock(memory().mutex);
  size_t count = 0;
  for (const auto& [address, block] : memory().blocks)
    count += (block.kind == Kind::Pinned) == pinned;
  return count;
}
}  // namespace

// Pinned memory of another library, in the calling thread's context.
EXPORT void* fake_pinned_memory(size_t bytes, bool at_two_places) {
  const std::lock_guard lock(memory().mutex);
  return reinterpret_cast<void*>(at_two_places ? make_at_two_places(bytes)
                                               : make(bytes, Kind::Pinned));
}
EXPORT size_t fake_allocations() { return count_of(false); }
EXPORT size_t fake_pinned() { return count_of(true); }
// What the calls did, a line each, of those that have a stream; forgets them.
EXPORT const char* fake_take_notes() {
  static thread_local std::string text;
  const std::lock_guard lock(memory().mutex);
  text.clear();
  for (const std::string& line : notes()) text += line + "\n";
  notes().clear();
  return text.c_str();
}
EXPORT size_t fake_pool_bytes() {
  const std::lock_guard lock(memory().mutex);
  return memory().kept;
}

}  // namespace cuda_device::cuda
