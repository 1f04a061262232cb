// One launch while it is put together: key, parameter bytes, and what must stay alive.
#pragma once

#include <memory>

#include "abi/array_view.h"
#include "abi/owner.h"
#include "bindings/errors.h"
#include "bindings/launch/facts.h"
#include "bindings/launch/key.h"
#include "bindings/launch/launch_device.h"
#include "bindings/launch/small_vector.h"
#include "bindings/memory/block.h"
#include "bindings/source/function_object.h"
#include "interop/memory_access.h"
#include "interop/refusal.h"

namespace cuda_device::bindings {

// The records that arguments of this process have had: an id is for good. With the GIL.
extern DtypeTable known_dtypes;

// References that a launch needs until it is done; destroyed with the GIL held.
class Owner : public abi::Owner {
 public:
  Owner() = default;
  Owner(const Owner&) = delete;
  ~Owner();
  void keep(PyObject* object);
  // A DLPack tensor: its deleter is called once, at the end.
  void keep(void* tensor, void (*deleter)(void*));

 private:
  struct Tensor {
    void* thing;
    void (*release)(void*);
  };
  SmallVector<PyObject*, 16> objects_;
  SmallVector<Tensor, 16> tensors_;
};

// An argument has a class that the kernel's program was captured without.
struct MissingType {
  nb::object type;
};

class Call {
 public:
  // `variant`: the kernel's, which must outlive the call.
  // `where`: what a LaunchDevice is made of.
  template <class Where>
  Call(const FunctionState& kernel, const Variant& variant, Where where)
      : kernel_(kernel),
        declared_(variant.declared.empty() ? nullptr : &variant.declared),
        types_(variant.types),
        constant_(variant.constant),
        where_(where) {}

  void add_argument(int position, PyObject* object);
  // After the last argument.
  void compare_ranges();

  KeyBuffer key;
  Buffer<512> params;  // aligned to abi::kParamsAlign
  std::unique_ptr<Owner> owner;
  interop::KnownAccess access;  // of other libraries, while arguments are read

  // --- for the files that read one kind of argument each ---
  void add_none();
  void add_bool(bool value);
  // Whether Python's own numbers are of 64 bits in this kernel.
  bool wide_builtins() const { return frontend::has_wide_builtins(kernel_.dialect); }
  // A builtin number of one part or two, each of its 4 or 8 bytes.
  template <class Part, size_t n>
  void add_weak(frontend::ArgumentType::Kind kind, const Part (&parts)[n]) {
    write_plain(key, kind);
    std::memcpy(params.extend(sizeof parts, sizeof(Part)), parts, sizeof parts);
  }
  void add_scalar(DtypeId dtype, const void* bits);
  // `elements`: null where they are plain numbers.
  void add_array(const StridedArray& array, const ElementWord* elements = nullptr) {
    const ArrayKnowledge known = knowledge_of(array, knowing());
    add_array(array, known.facts, known.range.low, known.range.high, elements);
  }
  void add_array(const abi::ArrayView& view, const ElementWord* elements = nullptr) {
    add_array(strided(view), elements);
  }
  // The same of an array that is known already: its facts, and the bytes [low, high) of its
  // elements.
  void add_array(const StridedArray& array, FactBits facts, uintptr_t low, uintptr_t high,
                 const ElementWord* elements = nullptr);
  Knowing knowing() const { return {known_dtypes, beyond_cache_bytes_}; }
  void add_complex(ScalarKind part, const void* bits);  // two parts
  // The place of a class or canonical dtype among the types of the kernel's program. Throws
  // MissingType where it has none.
  uint32_t type_index(PyObject* type) const;
  Owner& owners() {
    if (!owner) owner = std::make_unique_for_overwrite<Owner>();
    return *owner;
  }
  // Its arrays are used when the call of launch() has returned.
  bool asynchronous() const { return where_.has_stream(); }
  const LaunchDevice& where() const { return where_; }
  // Memory of ours that a GPU reaches, of an argument that has it as long as it lives.
  void use(MemoryBlock& block) {
    used_.push_back(&block.last_use());
    where_.note_gpu_reaches();
  }
  // The same of one that may let go of it meanwhile.
  void use(std::shared_ptr<MemoryBlock> block);
  // Memory of a GPU whose library works on the stream of that handle, and knows nothing of us.
  void use_of_producer(int gpu, uint64_t handle);
  template <class Visit>
  void for_each_used(Visit visit) const {
    used_.for_each(visit);
  }
  // An argument that the caller of launch() need not have until it returns.
  void hold(nb::object argument) { held_.push_back(std::move(argument)); }
  // The array being read lives on the host, on GPU `number`, or where both reach it. Fails where
  // the launch runs elsewhere.
  void live_on_host() {
    if (!where_.runs_on(kHostDevice)) settle(kHostDevice);
  }
  void live_on_gpu(int number);
  void live_in_managed(int number) { where_.note_managed(number); }
  void live_in_pinned() { where_.note_pinned(); }
  // The fixed format that an annotation declares for the number being read; null: none.
  const DeclaredFormat* declared() const;
  // Throws LaunchError{code, {place of the argument being read, args...}}.
  [[noreturn]] void fail(DiagCode code, std::vector<std::string> args) const;
  [[noreturn]] void fail(const interop::Refusal& refusal) const;

  // "argument 1 ('a') of kernel 'k'", of the argument being read.
  std::string place() const;
  // The same exception, with a note that names the place: for what the argument's own code raises.
  [[noreturn]] void pass_on(const nb::python_error& error) const;

 private:
  void add_object(PyObject* object);
  bool add_by_protocol(PyObject* object);
  void clear_all_no_alias();
  void add_tuple(PyObject* tuple);
  void add_named(PyObject* object);
  void add_member(PyObject* member);
  void add_vector(PyObject* vector);
  void add_struct(PyObject* instance);
  void add_element(PyObject* element);
  void add_part(PyObject* part);
  void add_parts(PyObject* parts);
  std::string argument_text(int position) const;
  void settle(int device);

  static constexpr size_t kMaxCompared = 32;
  // The arrays that are compared. Numbers in rows of their own: a pair that was just written would
  // be read as one, which waits.
  struct Arrays {
    uintptr_t low[kMaxCompared], high[kMaxCompared];
    uintptr_t sorted_low[kMaxCompared], sorted_high[kMaxCompared];  // without empty ones
    bool writable[kMaxCompared];
    size_t facts_at[kMaxCompared];
    size_t count = 0, sorted_count = 0;
    bool any_overlap = false;
    void sort_in(uintptr_t next_low, uintptr_t next_high);
  };

  const FunctionState& kernel_;
  const DeclaredFormats* const declared_;
  const std::vector<nb::object>& types_;
  const std::vector<bool>& constant_;  // parameters whose arguments are in the program
  const uint64_t beyond_cache_bytes_ = cd_rt_beyond_cache_bytes();
  LaunchDevice where_;
  std::vector<int> path_;  // indices within nested tuples
  int position_ = 0;
  Arrays arrays_;
  SmallVector<LastUse*, 16> used_;
  std::vector<std::shared_ptr<MemoryBlock>> blocks_;  // of those some
  struct ProducerStream {
    int gpu;
    uint64_t handle;
    std::unique_ptr<LastUse> last_use;
  };
  std::vector<ProducerStream> producers_;
  std::vector<nb::object> held_;
};

// Mostly arrays come in the order of their addresses, and none overlaps another. As long as none
// does, one that is clear of its two neighbours is clear of all.
[[gnu::always_inline]] inline void Call::Arrays::sort_in(uintptr_t next_low, uintptr_t next_high) {
  if (next_low == next_high) return;
  size_t at = sorted_count++;
  for (; at > 0 && sorted_low[at - 1] > next_low; --at) {
    sorted_low[at] = sorted_low[at - 1];
    sorted_high[at] = sorted_high[at - 1];
  }
  sorted_low[at] = next_low;
  sorted_high[at] = next_high;
  if (at > 0) any_overlap |= next_low < sorted_high[at - 1];
  if (at + 1 < sorted_count) any_overlap |= sorted_low[at + 1] < next_high;
}

// As abi::ParamSlot says: data, shape, strides.
[[gnu::always_inline]] inline void Call::add_array(const StridedArray& array, FactBits facts,
                                                   uintptr_t low, uintptr_t high,
                                                   const ElementWord* elements) {
  const size_t i = arrays_.count;
  const bool compared = i < kMaxCompared;
  if (compared) facts |= bit(ArrayFact::no_alias);
  const size_t facts_at = write_array(key, array.dtype, array.ndim, facts, known_dtypes);
  if (elements) [[unlikely]]
    write_elements(key, *elements);
  if (compared) [[likely]] {
    arrays_.low[i] = low;
    arrays_.high[i] = high;
    arrays_.writable[i] = !array.read_only;
    arrays_.facts_at[i] = facts_at;
    arrays_.count = i + 1;
    arrays_.sort_in(low, high);
  } else {
    clear_all_no_alias();
  }
  const auto axes = static_cast<size_t>(array.ndim);
  uint8_t* at = params.extend(8 * (1 + 2 * axes), 8);
  const auto put = [at](size_t word, const auto& value) { std::memcpy(at + 8 * word, &value, 8); };
  put(0, array.data);
  for (size_t axis = 0; axis < axes; ++axis) {  // few: a call of memcpy would take longer
    put(1 + axis, array.shape[axis]);
    put(1 + axes + axis, array.strides[axis]);
  }
}

// Kinds of argument; each reports through call.fail.
void add_python_int(Call& call, PyObject* object);
void add_python_float(Call& call, PyObject* object);
void add_python_complex(Call& call, PyObject* object);
void add_numpy_scalar(Call& call, PyObject* object);
void add_ndarray(Call& call, PyObject* object);
// Fails for an array with a mask, which the kernel would not see.
void refuse_masked(const Call& call, PyObject* object);
// False where the object is no Array.
bool add_own_array(Call& call, PyObject* object);
// False where the object's class has no C functions of DLPack for it.
bool add_exchanged(Call& call, PyObject* object);
// False where the object has no __dlpack__.
bool add_dlpack(Call& call, PyObject* object);
// The array that is being read lies in memory of ours that has been freed.
[[noreturn]] void fail_freed(const Call& call);
// False where the object has neither __cuda_array_interface__ nor __sycl_usm_array_interface__.
bool add_interface(Call& call, PyObject* object);
// The array being read lives on a device of DLPack's type and number: the launch has to run there.
void live_on(Call& call, int64_t type, int number);

}  // namespace cuda_device::bindings
