// The memory instructions of each mask form.
#pragma once

#include "codegen/host/memory/memory_form.h"

namespace cuda_device::codegen::host {

// Mask registers: everything but gathers and scatters of 8- and 16-bit elements.
class Avx512Memory : public MemoryForm {
 public:
  using MemoryForm::MemoryForm;
  llvm::Value* gather(const Element& e, llvm::Value* pointer, const Offsets& offsets,
                      const Mask& mask) override;
  void scatter(const Element& e, llvm::Value* value, llvm::Value* pointer, const Offsets& offsets,
               const Mask& mask) override;

 protected:
  llvm::Value* load_part(const Element& e, unsigned lanes, llvm::Value* pointer, llvm::Value* mask,
                         llvm::Value* before) override;
  void store_part(const Element& e, llvm::Value* value, llvm::Value* pointer,
                  llvm::Value* mask) override;
};

// Sign masks: loads, stores and gathers of 32- and 64-bit elements.
class Avx2Memory : public MemoryForm {
 public:
  using MemoryForm::MemoryForm;
  llvm::Value* gather(const Element& e, llvm::Value* pointer, const Offsets& offsets,
                      const Mask& mask) override;

 protected:
  llvm::Value* load_part(const Element& e, unsigned lanes, llvm::Value* pointer, llvm::Value* mask,
                         llvm::Value* before) override;
  void store_part(const Element& e, llvm::Value* value, llvm::Value* pointer,
                  llvm::Value* mask) override;
  void store_row(const Element& e, llvm::Value* value, const RowPiece& row,
                 const Mask& mask) override;

 private:
  llvm::Value* sign_mask(const Element& e, llvm::Value* mask);
};

// No masked memory at all.
class Sse4Memory : public MemoryForm {
 public:
  using MemoryForm::MemoryForm;
};

}  // namespace cuda_device::codegen::host
