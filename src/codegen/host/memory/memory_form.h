// Vector loads and stores under a mask: by the instructions that a mask form has, or in other ways
// where it has none. An inactive lane is never touched.
#pragma once

#include <memory>

#include "codegen/host/masks/mask_ops.h"
#include "codegen/host/memory/window.h"

namespace cuda_device::codegen::host {

inline constexpr unsigned kLineBytes = 64;  // of the cache

// An element in memory, and what is known of accesses to it.
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

// A row that fills a vector of its own by itself.
inline bool fills_a_vector(const Element& e, unsigned count) {
  return llvm::isPowerOf2_32(count) && count * e.bytes() >= 16;
}

// What needs no masked instructions; each form adds those that it has.
class MemoryForm {
 public:
  static std::unique_ptr<MemoryForm> create(llvm::IRBuilder<>& builder, const Target& target,
                                            unsigned width);
  MemoryForm(llvm::IRBuilder<>& builder, const Target& target, unsigned width)
      : b_(builder), target_(target), masks_(builder, width) {}
  virtual ~MemoryForm() = default;

  const FormInfo& info() const { return target_.info(); }

  // Vectors of an element a lane; zero where the mask is off. A mask that is not known to have all
  // lanes needs a form that masks such elements.
  llvm::Value* load(const Element& e, llvm::Value* pointer, const Mask& mask);
  void store(const Element& e, llvm::Value* value, llvm::Value* pointer, const Mask& mask);
  // Where the form gathers and scatters such elements. Lanes that collide store in lane order.
  virtual llvm::Value* gather(const Element& e, llvm::Value* pointer, const Offsets& offsets,
                              const Mask& mask);
  virtual void scatter(const Element& e, llvm::Value* value, llvm::Value* pointer,
                       const Offsets& offsets, const Mask& mask);
  // A loop over the lanes of the mask, in lane order.
  llvm::Value* load_scalarized(const Element& e, llvm::Value* pointer, const Offsets& offsets,
                               const Mask& mask);
  void store_scalarized(const Element& e, llvm::Value* value, llvm::Value* pointer,
                        const Offsets& offsets, const Mask& mask);
  Offsets consecutive(const Element& e);  // offsets of a run
  // All lanes, at offsets that are constants: an instruction for each, which loads and inserts.
  llvm::Value* load_each(const Element& e, llvm::Value* pointer, const Offsets& constants);

  llvm::Value* load_rows(const Element& e, llvm::ArrayRef<RowPiece> rows, const Mask& mask);
  void store_rows(const Element& e, llvm::Value* value, llvm::ArrayRef<RowPiece> rows,
                  const Mask& mask);

  // All lanes. Reads what lies between them as well, in the same array.
  llvm::Value* load_window(const Element& e, const Window& window, llvm::Value* pointer);
  // Touches the elements of the mask's lanes alone, which are distinct; of a window of whole
  // vectors may write others again.
  void store_window(const Element& e, const Window& window, llvm::Value* value,
                    llvm::Value* pointer, const Mask& mask);

  // All lanes have an element each of several vectors, and those of a lane lie one after the other
  // in memory, lane after lane. Streaming stores want whole lines at the beginning of one.
  enum class Stores : uint8_t { Plain, Streaming };
  void store_interleaved(const Element& e, llvm::ArrayRef<llvm::Value*> vectors,
                         llvm::Value* pointer, Stores kind);

  // Rows of whole lines, each at the beginning of one, by streaming stores.
  void store_lines(const Element& e, llvm::Value* value, llvm::ArrayRef<RowPiece> rows);

  // Into the second cache: what goes to the first waits for one of its few places for lines under
  // way. Any pointer will do.
  void prefetch(llvm::Value* pointer, unsigned bytes);

  llvm::Value* load_one(const Element& e, llvm::Value* pointer);
  llvm::Value* plain_load(const Element& e, unsigned lanes, llvm::Value* pointer);
  void store_one(const Element& e, llvm::Value* value, llvm::Value* pointer);

 protected:
  // A few lanes at once. `mask` may be null: all of them; it is where the form has no masked
  // instructions. `before` may be null; else it has zero where the mask is on, and what is to stay
  // elsewhere.
  virtual llvm::Value* load_part(const Element& e, unsigned lanes, llvm::Value* pointer,
                                 llvm::Value* mask, llvm::Value* before);
  virtual void store_part(const Element& e, llvm::Value* value, llvm::Value* pointer,
                          llvm::Value* mask);
  virtual void store_row(const Element& e, llvm::Value* value, const RowPiece& row,
                         const Mask& mask);

  void streaming_store(const Element& e, llvm::Value* value, llvm::Value* pointer,
                       unsigned alignment);
  void plain_store(const Element& e, llvm::Value* value, llvm::Value* pointer);
  template <class Instruction>
  Instruction* note(const Element& e, Instruction* access);
  llvm::FixedVectorType* vector(const Element& e, unsigned lanes);
  llvm::FixedVectorType* vector(const Element& e) { return vector(e, masks_.width()); }
  llvm::Value* at(llvm::Value* pointer, int64_t bytes);
  llvm::Value* slice(llvm::Value* vector, unsigned first, unsigned count);
  llvm::Value* insert(llvm::Value* whole, llvm::Value* part, unsigned first);

  llvm::IRBuilder<>& b_;
  const Target& target_;
  MaskOps masks_;

 private:
  llvm::Value* load_part_of(const Element& e, const Window& window, size_t part,
                            llvm::Value* pointer);
  llvm::Value* pick(llvm::ArrayRef<llvm::Value*> vectors, llvm::ArrayRef<int> wanted);
  llvm::SmallVector<llvm::Value*, kMostLanes> every(unsigned step, unsigned first,
                                                    llvm::SmallVector<llvm::Value*, kMostLanes> all,
                                                    unsigned lanes);
  llvm::SmallVector<llvm::Value*, kMostLanes> merged(
      unsigned count, llvm::SmallVector<llvm::Value*, kMostLanes> all, unsigned lanes);
  llvm::Value* lanes_stored(const Element& e, const Window& window, size_t part, const Mask& mask);
  llvm::Value* place_of(llvm::Value* pointer, const Offsets& offsets, llvm::Value* numbers,
                        llvm::Value* lane);
  struct Part;
  std::vector<Part> parts_of(const Element& e, const RowPiece& row, const Mask& mask);
};

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
