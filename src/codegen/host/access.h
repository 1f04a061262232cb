// Loads and stores by the shape of their address.
#pragma once

#include "codegen/host/arrays.h"
#include "codegen/host/lane_values.h"
#include "codegen/host/window.h"

namespace cuda_device::codegen::host {

class Access {
 public:
  Access(EmitContext& context, LaneValues& values, Arrays& arrays);

  void load(const ir::Inst& inst, const Mask& mask);
  void store(const ir::Inst& inst, const Mask& mask);

 private:
  using Value = llvm::Value*;

  struct Term {
    const ir::Inst* index;
    Value stride;
    bool checked = false;  // all lanes, active or not, are known to lie within [0, 2**31)
  };
  // pointer, and for each lane: nothing more, column * s0 + row * s1 bytes, or its offset.
  struct Place {
    Lanes::Kind kind = Lanes::Kind::Uniform;
    Element element;
    ScalarKind offset = ScalarKind::I64;  // holds every offset in bytes
    Value pointer = nullptr;
    Value s0 = nullptr;
    Value s1 = nullptr;
    unsigned period = 0;  // lanes of a row
    Offsets offsets;
  };
  // `checked`: no_lane_is_negative is so.
  Place place(const ir::Inst& inst, size_t indices, bool checked = false);
  bool may_be_checked(const ir::Inst& index) const;
  Value no_lane_is_negative(const ir::Inst& inst, size_t indices);
  template <class Body>
  void in_two_versions(Value condition, Body&& body);
  bool is_one(const Term& term) const;
  bool has_steps(const Term& term, const Place& place);
  unsigned common_period(llvm::ArrayRef<Term> terms) const;
  bool steps_in_int64(const ir::Inst& index, ScalarKind offset) const;
  void add_uniform(Place& place, const Term& term);
  void add_affine(Place& place, const Term& term);
  void add_lanes(Place& place, uint64_t step, bool varying);
  void add_varying(Place& place, const Term& term, bool only);

  Value load_in_two_versions(const ir::Inst& inst, Value condition, const Mask& mask);
  Value load_lanes(const Place& place, const Mask& mask);
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
  std::optional<Window> window_of(const Place& place) const;
  std::vector<RowPiece> runs(const Place& place);
  Offsets offsets_of(const Place& place);
  Value product(Value x, Value y);
  Value sum(Value x, Value y);

  EmitContext& c_;
  LaneValues& values_;
  Arrays& arrays_;
  std::unique_ptr<MemoryForm> memory_;
};

}  // namespace cuda_device::codegen::host
