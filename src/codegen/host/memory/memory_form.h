// Vectors from and to memory, some lanes left out: what a mask form has instructions for, and ways
// around what it has not. A lane that is left out is never touched.
#pragma once

#include <memory>

#include "codegen/host/masks/mask_ops.h"
#include "codegen/host/memory/access_notes.h"
#include "codegen/host/memory/window.h"

namespace cuda_device::codegen::host {

inline constexpr unsigned kLineBytes = 64;  // of the cache
inline constexpr std::string_view kRun = "consecutive elements";

// An element in memory, and what may be said of accesses to it.
struct Element {
  llvm::Type* type = nullptr;  // in memory
  llvm::Align align;
  llvm::MDNode* scope = nullptr;
  llvm::MDNode* no_alias = nullptr;
  bool invariant = false;
  unsigned bytes() const { return type->getScalarSizeInBits() / 8; }
};

// Lanes [first, first + count) of a gang lie contiguous in memory, the first of them at `pointer`.
struct RowPiece {
  unsigned first = 0;
  unsigned count = 0;
  llvm::Value* pointer = nullptr;
};

// Bytes from a pointer, lane by lane: number (int32 or int64) times scale (1, 2, 4 or 8).
struct Offsets {
  llvm::Value* numbers = nullptr;
  unsigned scale = 1;
};

// The ways that need no masked instructions; each form overrides what it can do better.
class MemoryForm {
 public:
  using Value = llvm::Value*;
  static std::unique_ptr<MemoryForm> create(llvm::IRBuilder<>& builder, const Target& target,
                                            unsigned width, AccessNotes& notes);
  MemoryForm(llvm::IRBuilder<>& builder, const Target& target, unsigned width, AccessNotes& notes)
      : b_(builder), target_(target), masks_(builder, width), notes_(notes) {}
  virtual ~MemoryForm() = default;

  // Vectors of an element a lane; zero where the mask is off.
  virtual Value load(const Element& e, Value pointer, const Mask& mask);
  virtual void store(const Element& e, Value value, Value pointer, const Mask& mask);
  virtual Value gather(const Element& e, Value pointer, const Offsets& offsets, const Mask& mask);
  // Lanes that collide store in lane order.
  virtual void scatter(const Element& e, Value value, Value pointer, const Offsets& offsets,
                       const Mask& mask);

  // Whether rows of so many lanes are better than a gather.
  virtual bool takes_rows(const Element& e, unsigned count, const Mask& mask) const;
  Value load_rows(const Element& e, llvm::ArrayRef<RowPiece> rows, const Mask& mask);
  void store_rows(const Element& e, Value value, llvm::ArrayRef<RowPiece> rows, const Mask& mask);

  // How many elements a vector of a window has; 0: this form has no use for windows of them.
  virtual unsigned lanes_of_window(const Element&) const { return 0; }
  // Whether a window is better than a gather, or than a scatter.
  virtual bool takes_load(const Element&, const Window&) const { return false; }
  virtual bool takes_store(const Element&, const Window&) const { return false; }
  // Whether one shuffle takes a run out of two neighbouring vectors. It is better than a load that
  // touches two lines, and that waits where a store of one of them is under way.
  virtual bool joins_vectors() const { return false; }
  // All lanes. Reads what lies between them as well, in the same array.
  Value load_window(const Element& e, const Window& window, Value pointer);
  // Touches the elements of the mask's lanes alone, which are distinct; of a window of whole
  // vectors may write others again.
  void store_window(const Element& e, const Window& window, Value value, Value pointer,
                    const Mask& mask);

  // Rows of whole lines, each at the beginning of one, to memory past the cache.
  void store_lines(const Element& e, Value value, llvm::ArrayRef<RowPiece> rows);

  // Into the second cache: what goes to the first waits for one of its few places for lines under
  // way. Any pointer will do.
  void prefetch(Value pointer, unsigned bytes);

  Value load_one(const Element& e, Value pointer);
  Value load_whole(const Element& e, unsigned lanes, Value pointer) {
    return plain_load(e, lanes, pointer);
  }
  void store_one(const Element& e, Value value, Value pointer);

 protected:
  // A few lanes at once. `mask` may be null: all of them. `before` may be null; else it has zero
  // where the mask is on, and what is to stay elsewhere. Only asked for where takes_rows said yes.
  virtual Value load_part(const Element& e, unsigned lanes, Value pointer, Value mask,
                          Value before);
  virtual void store_part(const Element& e, Value value, Value pointer, Value mask);
  virtual void store_row(const Element& e, Value value, const RowPiece& row, const Mask& mask);

  // Whether a load a lane takes less time than a gather does.
  bool is_faster_by_loads(const Offsets& offsets, const Mask& mask) const;
  Value load_each(const Element& e, Value pointer, const Offsets& constants);

  // Code for where a condition holds, and for where it does not.
  template <class Yes, class No>
  void branch(Value condition, Yes&& yes, No&& no);

  template <class Instruction>
  Instruction* note(const Element& e, Instruction* access);
  llvm::FixedVectorType* vector(const Element& e, unsigned lanes);
  llvm::FixedVectorType* vector(const Element& e) { return vector(e, masks_.width()); }
  Value at(Value pointer, int64_t bytes);
  Value slice(Value vector, unsigned first, unsigned count);
  Value insert(Value whole, Value part, unsigned first);
  bool is_whole_part(const Element& e, unsigned count) const;

  llvm::IRBuilder<>& b_;
  const Target& target_;
  MaskOps masks_;
  AccessNotes& notes_;

 private:
  Value plain_load(const Element& e, unsigned lanes, Value pointer);
  void plain_store(const Element& e, Value value, Value pointer);
  Offsets lane_offsets(const Element& e);
  void say_window(const Window& window);
  void say_rows(llvm::ArrayRef<RowPiece> rows);
  Value load_part_of(const Element& e, const Window& window, size_t part, Value pointer);
  Value pick(llvm::ArrayRef<Value> vectors, llvm::ArrayRef<int> wanted);
  Value lanes_stored(const Element& e, const Window& window, size_t part, const Mask& mask);
  Value place_of(Value pointer, const Offsets& offsets, Value numbers, Value lane);
  template <class Body>
  void for_each_lane(const Mask& mask, Body&& body);
  template <class Full, class Partial>
  void if_all_lanes(const Mask& mask, Full&& full, Partial&& partial);
  struct Part;
  std::vector<Part> parts_of(const Element& e, const RowPiece& row, const Mask& mask);
};

template <class Yes, class No>
void MemoryForm::branch(Value condition, Yes&& yes, No&& no) {
  llvm::Function* function = b_.GetInsertBlock()->getParent();
  auto block = [&](const char* name) {
    return llvm::BasicBlock::Create(b_.getContext(), name, function);
  };
  llvm::BasicBlock *on_yes = block("yes"), *on_no = block("no"), *done = block("done");
  b_.CreateCondBr(condition, on_yes, on_no);
  b_.SetInsertPoint(on_yes);
  yes();
  b_.CreateBr(done);
  b_.SetInsertPoint(on_no);
  no();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

template <class Instruction>
Instruction* MemoryForm::note(const Element& e, Instruction* access) {
  if (e.scope) access->setMetadata(llvm::LLVMContext::MD_alias_scope, e.scope);
  if (e.no_alias) access->setMetadata(llvm::LLVMContext::MD_noalias, e.no_alias);
  if (e.invariant && llvm::isa<llvm::LoadInst>(access))
    access->setMetadata(llvm::LLVMContext::MD_invariant_load,
                        llvm::MDNode::get(b_.getContext(), {}));
  return access;
}

}  // namespace cuda_device::codegen::host
