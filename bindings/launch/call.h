// One launch while it is put together: key, parameter bytes, and what must stay alive.
#pragma once

#include <memory>

#include "abi/array_view.h"
#include "abi/owner.h"
#include "bindings/errors.h"
#include "bindings/launch/facts.h"
#include "bindings/launch/key.h"
#include "bindings/launch/place.h"
#include "bindings/source/function_object.h"
#include "interop/refusal.h"

namespace cuda_device::bindings {

class MemoryBlock;

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
  struct Entry {
    void* thing;
    void (*release)(void*);
  };
  static constexpr size_t kInline = 6;
  Entry few_[kInline];
  size_t count_ = 0;
  std::vector<Entry> more_;
};

class Call {
 public:
  // `declared`: of the kernel's variant, which must outlive the call.
  // `where`: what a Place is made of.
  template <class Where>
  Call(const FunctionState& kernel, const DeclaredFormats& declared, Where where)
      : kernel_(kernel), declared_(declared.empty() ? nullptr : &declared), where_(where) {}

  void add_argument(int position, PyObject* object);
  // After the last argument.
  void compare_ranges();

  KeyBuffer key;
  Buffer<512> params;
  std::unique_ptr<Owner> owner;

  // --- for the files that read one kind of argument each ---
  void add_none();
  void add_bool(bool value);
  void add_weak_int(int32_t value);
  void add_weak_float(float value);
  void add_scalar(ScalarKind scalar, const void* bits);
  void add_array(const abi::ArrayView& view);
  Owner& owners();
  // Its arrays are used when the call of launch() has returned.
  bool asynchronous() const { return where_.has_stream(); }
  const Place& where() const { return where_; }
  // Memory of ours that a GPU reaches.
  void use(std::shared_ptr<MemoryBlock> block) {
    blocks_.push_back(std::move(block));
    where_.note_gpu_reaches();
  }
  const std::vector<std::shared_ptr<MemoryBlock>>& blocks() const { return blocks_; }
  // The array being read lives on the host, on GPU `number`, or where both reach it. Fails where
  // the launch runs elsewhere.
  void live_on_host() {
    if (!where_.runs_on(kHostDevice)) settle(kHostDevice);
  }
  void live_on_gpu(int number);
  void live_in_managed(int number) { where_.note_managed(number); }
  void live_in_pinned() { where_.note_pinned(); }
  // The fixed format that the annotation of the parameter being read declares.
  std::optional<ScalarKind> declared() const;
  // Throws LaunchError{code, {place of the argument being read, args...}}.
  [[noreturn]] void fail(DiagCode code, std::vector<std::string> args) const;
  [[noreturn]] void fail(const interop::Refusal& refusal) const;

 private:
  void add_object(PyObject* object);
  void add_tuple(PyObject* tuple);
  std::string place() const;
  std::string argument_text(int position) const;
  void settle(int device);

  static constexpr size_t kMaxCompared = 32;
  // Of the arrays that are compared; apart, since comparing is most of it.
  struct Arrays {
    uintptr_t low[kMaxCompared], high[kMaxCompared];
    bool writable[kMaxCompared];
    size_t facts_at[kMaxCompared];
    size_t count = 0;
    bool any_before_overlaps(size_t i) const;
  };

  const FunctionState& kernel_;
  const DeclaredFormats* const declared_;
  Place where_;
  std::vector<int> path_;  // indices within nested tuples
  int position_ = 0;
  Arrays arrays_;
  std::vector<std::shared_ptr<MemoryBlock>> blocks_;
};

// Kinds of argument; each reports through call.fail.
void add_python_int(Call& call, PyObject* object);
void add_python_float(Call& call, PyObject* object);
void add_numpy_scalar(Call& call, PyObject* object);
void add_ndarray(Call& call, PyObject* object);
// False where the object is no Array.
bool add_own_array(Call& call, PyObject* object);
// False where the object has no __dlpack__.
bool add_dlpack(Call& call, PyObject* object);
// The array being read lives on a device of DLPack's type and number: the launch has to run there.
void live_on(Call& call, int64_t type, int number);

}  // namespace cuda_device::bindings
