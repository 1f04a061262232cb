// The memory instructions of each mask form.
#pragma once

#include "codegen/host/memory/memory_form.h"

namespace cuda_device::codegen::host {

// Mask registers: everything but gathers and scatters of 8- and 16-bit elements.
class Avx512Memory : public MemoryForm {
 public:
  using MemoryForm::MemoryForm;
  Value load(const Element& e, Value pointer, const Mask& mask) override;
  void store(const Element& e, Value value, Value pointer, const Mask& mask) override;
  Value gather(const Element& e, Value pointer, const Offsets& offsets, const Mask& mask) override;
  void scatter(const Element& e, Value value, Value pointer, const Offsets& offsets,
               const Mask& mask) override;
  bool takes_rows(const Element& e, unsigned count, const Mask& mask) const override;
  unsigned lanes_of_window(const Element& e) const override;
  bool joins_vectors() const override { return true; }
  bool takes_load(const Element& e, const Window& window) const override;
  bool takes_store(const Element& e, const Window& window) const override;

 protected:
  Value load_part(const Element& e, unsigned lanes, Value pointer, Value mask,
                  Value before) override;
  void store_part(const Element& e, Value value, Value pointer, Value mask) override;
};

// Sign masks: loads, stores and gathers of 32- and 64-bit elements.
class Avx2Memory : public MemoryForm {
 public:
  using MemoryForm::MemoryForm;
  Value load(const Element& e, Value pointer, const Mask& mask) override;
  void store(const Element& e, Value value, Value pointer, const Mask& mask) override;
  Value gather(const Element& e, Value pointer, const Offsets& offsets, const Mask& mask) override;
  bool takes_rows(const Element& e, unsigned count, const Mask& mask) const override;
  unsigned lanes_of_window(const Element& e) const override;
  bool takes_load(const Element& e, const Window& window) const override;
  bool takes_store(const Element& e, const Window& window) const override;

 protected:
  Value load_part(const Element& e, unsigned lanes, Value pointer, Value mask,
                  Value before) override;
  void store_part(const Element& e, Value value, Value pointer, Value mask) override;
  void store_row(const Element& e, Value value, const RowPiece& row, const Mask& mask) override;

 private:
  Value sign_mask(const Element& e, Value mask);
};

// No masked memory at all.
class Sse4Memory : public MemoryForm {
 public:
  using MemoryForm::MemoryForm;
};

}  // namespace cuda_device::codegen::host
