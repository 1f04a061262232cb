// Loads and stores by the shape of their address.
#pragma once

#include "codegen/host/gang_ahead.h"
#include "codegen/host/places.h"
#include "codegen/host/window.h"

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
  Value load_lanes(const Place& place, const Mask& mask);
  void ask_for_next(const ir::Inst& load, const Place& place);
  void ask_a_page_ahead(const ir::Inst& load, const Place& place);
  void ask_for(const Place& place, Value away, bool to_the_last);
  void ask_for_next_gang(const ir::Inst& load, const Place& place);
  void store(const ir::Inst& inst, const Place& place, const Mask& mask);
  void store_lanes(const Place& place, Value value, const Mask& mask);
  void store_past_cache(const ir::Inst& inst, const Place& place, Value value, const Mask& mask);
  bool fills_lines(const Place& place) const;
  bool begins_lines(const ir::Inst& store, const Place& place) const;
  Value lines_all_on(const ir::Inst& store, const Place& place, const Mask& mask);
  void store_uniform(const Place& place, const ir::Inst& value, const Mask& mask);
  bool is_linear(const Place& place) const;
  bool is_in_rows(const Place& place) const;
  bool is_long_row(const Place& place) const;
  unsigned rows_of(const Place& place) const;
  bool fills_rows(const Place& place) const;
  bool repeats_a_row(const Place& place) const;
  bool is_one_a_row(const Place& place) const;
  Value load_row_once(const Place& place);
  Value load_one_a_row(const Place& place);
  std::vector<RowPiece> pieces(const Place& place);
  std::optional<Window> window_of(const Place& place, bool whole = false) const;
  bool is_vectors(const Place& place) const;
  std::optional<Window> whole_window(const Place& place) const;
  std::vector<RowPiece> runs(const Place& place);
  Offsets offsets_of(const Place& place);

  EmitContext& c_;
  LaneValues& values_;
  Places places_;
  std::unique_ptr<MemoryForm> memory_;
  const std::vector<std::vector<int64_t>> moves_;
  const std::vector<bool> page_ahead_;
  GangAhead gang_ahead_;
};

}  // namespace cuda_device::codegen::host
