// Loads and stores by the shape of their address.
#pragma once

#include "codegen/host/memory/addresses.h"
#include "codegen/host/memory/gang_prefetch.h"
#include "codegen/host/memory/window.h"

namespace cuda_device::codegen::host {

class Access {
 public:
  Access(EmitContext& context, LaneValues& values, Arrays& arrays);

  void load(const ir::Inst& inst, const Mask& mask);
  void store(const ir::Inst& inst, const Mask& mask);
  GangAhead& gang_ahead() { return gang_ahead_; }

 private:
  using Value = llvm::Value*;

  void load_value(const ir::Inst& inst, const Mask& mask);
  template <class Body>
  void in_two_versions(Value condition, Body&& body);
  Value load_in_two_versions(const ir::Inst& inst, Value condition, const Mask& mask);
  Value load_lanes(const Address& address, const Mask& mask);
  void prefetch_next_iteration(const ir::Inst& load, const Address& address);
  void prefetch_page(const ir::Inst& load, const Address& address);
  void prefetch_rows(const Address& address, Value away, bool to_the_last);
  void prefetch_next_gang(const ir::Inst& load, const Address& address);
  void store(const ir::Inst& inst, const Address& address, const Mask& mask);
  void store_lanes(const Address& address, Value value, const Mask& mask);
  void store_nontemporal(const ir::Inst& inst, const Address& address, Value value,
                         const Mask& mask);
  bool fills_lines(const Address& address) const;
  bool begins_lines(const ir::Inst& store, const Address& address) const;
  Value lines_all_on(const ir::Inst& store, const Address& address, const Mask& mask);
  void store_uniform(const Address& address, const ir::Inst& value, const Mask& mask);
  bool is_linear(const Address& address) const;
  bool is_in_rows(const Address& address) const;
  bool is_long_row(const Address& address) const;
  unsigned rows_of(const Address& address) const;
  bool fills_rows(const Address& address) const;
  bool repeats_a_row(const Address& address) const;
  bool is_one_a_row(const Address& address) const;
  Value load_row_once(const Address& address);
  Value load_one_a_row(const Address& address);
  std::vector<RowPiece> pieces(const Address& address);
  std::optional<Window> window_of(const Address& address, bool whole = false) const;
  bool is_vectors(const Address& address) const;
  std::optional<Window> whole_window(const Address& address) const;
  std::vector<RowPiece> runs(const Address& address);
  Offsets offsets_of(const Address& address);

  EmitContext& c_;
  LaneValues& values_;
  Addresses addresses_;
  std::unique_ptr<MemoryForm> memory_;
  const std::vector<std::vector<int64_t>> moves_;
  const std::vector<bool> page_ahead_;
  GangAhead gang_ahead_;
};

}  // namespace cuda_device::codegen::host
