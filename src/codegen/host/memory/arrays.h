// Where the elements of an array lie: a parameter's by its descriptor, the kernel's own in the
// worker's arena, a part of another by its view.
#pragma once

#include "codegen/host/lowering/lane_values.h"
#include "codegen/host/memory/arena.h"
#include "codegen/host/memory/memory_form.h"

namespace cuda_device::codegen::host {

struct ArrayBase {
  Element element;
  llvm::Value* pointer = nullptr;              // of the element at index 0, of lane 0
  llvm::SmallVector<llvm::Value*, 4> strides;  // int64, bytes; of a view perhaps vectors
  // What else a lane's element is away, in the units below: values of lanes.
  llvm::SmallVector<const ir::Inst*, 1> offsets;
  uint64_t unit = 1;          // bytes in memory to a byte of the array
  bool own_lines = false;     // of the block alone, from the beginning of one to the end of one
  uint64_t lane_step = 0;     // bytes from a lane's element to that of the next
  bool interleaved = false;   // lanes' elements side by side
  uint64_t record_bytes = 0;  // zero: elements are scalars, or the record is the element
  uint64_t into = 0;          // bytes from the pointer back to the beginning of the record
  // Bytes into the record that is the element to the scalar that is meant.
  std::optional<uint64_t> packed;
  ScalarKind offset = ScalarKind::I64;  // holds every offset in bytes
};

class Arrays {
 public:
  Arrays(EmitContext& context, LaneValues& values, LaunchValues& launch, Arena& arena);
  void create();  // the kernel's own; once

  // int64; of a view perhaps a vector, one number a lane.
  llvm::Value* extent(const ir::Inst& array, unsigned axis);
  llvm::Value* stride(const ir::Inst& array, unsigned axis);  // bytes
  // i1: whether this worker updates the array, or the one that it is a part of, in a table of its
  // own. Null: it never does.
  llvm::Value* in_table(const ir::Inst& array);
  // The base of the scalar that a load or store accesses. For a record of up to eight bytes it may
  // be the record's, as an integer.
  ArrayBase accessed(const ir::Inst& access);
  // The base of the record that a store is the last of.
  ArrayBase accessed_record(const ir::Inst& access);

 private:
  ArrayBase base(const ir::Inst& array);  // its element has no type yet
  ArrayBase parameter(const ir::Inst& array);
  ArrayBase own(const ir::Inst& array);
  llvm::Value* constant(size_t array);
  ArrayBase dynamic_shared(const ir::Inst& array);
  ArrayBase view(const ir::Inst& array);
  llvm::Value* number(const ir::Inst& value);
  void note_scopes(Element& element, size_t scope);
  llvm::MDNode* list(llvm::ArrayRef<llvm::Metadata*> scopes);

  EmitContext& c_;
  LaneValues& values_;
  LaunchValues& launch_;
  Arena& arena_;
  std::vector<uint64_t> offsets_;  // of the kernel's own arrays in the arena
  // A thread's own: elements of the lanes of a gang side by side. Else each lane's lie together, as
  // a view of other elements needs them.
  std::vector<bool> interleaved_;
  // Parameters (null where others may overlap), then the kernel's own, then dynamic shared memory.
  std::vector<llvm::Metadata*> scopes_;
  std::vector<bool> changing_;               // by parameter
  llvm::DenseMap<uint32_t, size_t> tables_;  // of parameters, among KernelSource::tables
};

}  // namespace cuda_device::codegen::host
