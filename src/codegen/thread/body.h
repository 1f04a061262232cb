// The instructions of a kernel as branches, slots and scalar operations.
#pragma once

#include "codegen/branch_control.h"
#include "codegen/thread/memory.h"
#include "codegen/thread/platform.h"

namespace cuda_device::codegen::thread {

class Body : BranchControl {
 public:
  Body(EmitContext& context, Platform& platform);
  void emit();

 private:
  using Inst = ir::Inst;

  void emit_block(const ir::Block& b) override;
  void inst(const Inst& i);
  llvm::Value* arithmetic(const Inst& i);
  llvm::Value* wrapped(const Inst& i);
  llvm::Value* array_number(const Inst& i);
  void define(const Inst& i, llvm::Value* v);
  void define_read(const Inst& i, llvm::Value* v);
  void call(const Inst& i);

  void make_slots();
  bool narrow_slot(size_t slot) const;
  llvm::Value* load_slot(size_t slot);
  void store_slot(size_t slot, llvm::Value* v);

  llvm::Value* condition(const Inst& i) override;
  void for_loop(const Inst& i) override;
  void leave_function(const Inst& i) override;
  void loop(const Inst& i);
  void begin_iteration(const Inst& i) override;
  void observe(llvm::Value* v, uint64_t where = 0);
  void await(const Inst& read);

  EmitContext& c_;
  Platform& platform_;
  Arrays arrays_;
  Memory memory_;
  std::vector<llvm::AllocaInst*> slots_;
  // A loop around the current instruction that takes turns.
  struct Turns {
    llvm::AllocaInst* state;     // a hash of what an iteration read from memory and kept in slots
    const Inst* read = nullptr;  // of the word that is all that the loop waits for
    llvm::AllocaInst *address = nullptr, *value = nullptr;  // of that word
  };
  std::vector<Turns> turns_;
};

}  // namespace cuda_device::codegen::thread
