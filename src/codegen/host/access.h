// Loads and stores by the shape of their address.
#pragma once

#include "codegen/host/lane_values.h"
#include "codegen/host/launch_values.h"
#include "codegen/host/memory_form.h"

namespace cuda_device::codegen::host {

class Access {
 public:
  Access(EmitContext& context, LaneValues& values, LaunchValues& launch);

  void load(const ir::Inst& inst, const Mask& mask);
  void store(const ir::Inst& inst, const Mask& mask);

 private:
  using Value = llvm::Value*;

  // pointer, and for each lane: nothing more, column * s0 + row * s1 bytes, or its offset.
  struct Place {
    Lanes::Kind kind = Lanes::Kind::Uniform;
    Element element;
    uint32_t param = 0;
    Value pointer = nullptr;
    Value s0 = nullptr;
    Value s1 = nullptr;
    Offsets offsets;
  };
  Place place(const ir::Inst& inst, size_t indices);
  bool steps_in_int64(const ir::Inst& index, uint32_t param) const;
  void add_uniform(Place& place, const ir::Inst& index, Value stride);
  void add_affine(Place& place, const ir::Inst& index, Value stride);
  void add_varying(Place& place, const ir::Inst& index, Value stride, bool only);
  ScalarKind offset_kind(uint32_t param) const;
  Element element_of(uint32_t param);
  llvm::MDNode* scope_list(const std::vector<uint32_t>& params);

  Value load_lanes(const Place& place, const Mask& mask);
  void store_lanes(const Place& place, Value value, const Mask& mask);
  void store_uniform(const Place& place, const ir::Inst& value, const Mask& mask);
  bool is_linear(const Place& place) const;
  bool is_in_rows(const Place& place) const;
  std::vector<RowPiece> pieces(const Place& place);
  Offsets offsets_of(const Place& place);
  Value product(Value x, Value y);
  Value sum(Value x, Value y);

  EmitContext& c_;
  LaneValues& values_;
  LaunchValues& launch_;
  std::unique_ptr<MemoryForm> memory_;
  std::vector<llvm::MDNode*> scopes_;  // by parameter; null where others may overlap
  std::vector<bool> written_;          // by parameter
};

}  // namespace cuda_device::codegen::host
