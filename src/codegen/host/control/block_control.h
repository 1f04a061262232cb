// The body of a kernel for one block: barrier regions as loops over gangs, and around them, as
// branches of the whole block, the control that contains barriers.
#pragma once

#include "analysis/blocks/block_runs.h"
#include "codegen/branch_control.h"
#include "codegen/host/control/control.h"
#include "codegen/host/memory/spill_slots.h"

namespace cuda_device::codegen::host {

class BlockControl : BranchControl {
 public:
  BlockControl(const Parts& parts, Arena& arena);

  void create();  // places of variables; once, in the entry block
  // For the block at `first`, or a run of so many from there on along x.
  void emit(const std::array<llvm::Value*, 3>& first, llvm::Value* count,
            const analysis::BlockRuns& runs);

 private:
  using Inst = ir::Inst;

  void one_block();
  void run_of_blocks(const std::array<llvm::Value*, 3>& first, llvm::Value* count,
                     const analysis::BlockRuns& runs);
  void begin_block();
  void emit_block(const ir::Block& b) override;
  llvm::Value* condition(const Inst& i) override;
  void for_loop(const Inst& i) override;
  void leave_function(const ir::Inst&) override { go_to(end_); }
  void inst(const Inst& i);
  void barrier(const Inst& i);

  void region(const analysis::Region& r);
  void gang_of_region(const analysis::Region& r, const analysis::RegionSlots& slots,
                      llvm::Value* gang);
  template <class Body>
  void for_each_gang(Body&& body);
  llvm::Value* hidden(llvm::Value* number);
  template <class Body>
  void count_to(llvm::Value* count, const char* name, Body&& body);  // at least 1
  Mask enter_gang(llvm::Value* gang);  // the lanes that have a thread which has not left the kernel
  void leave_gang(const Mask& mask, llvm::Value* gang);
  // Else goes on after it; `body` runs where a lane is active.
  template <class Body>
  void if_any(const Mask& mask, Body&& body);

  void define_operands(const Inst& i);
  void define_for_block(const Inst& load);
  void set_everywhere(uint32_t slot, const Lanes& value);

  EmitContext& c_;
  Parts parts_;
  Arena& arena_;
  analysis::BlockLevel level_;
  analysis::SlotSet crossing_;
  analysis::SlotSet cleared_;            // crossing, and read before they are stored to
  analysis::RangeLiveness live_before_;  // of regions
  SpillSlots spill_slots_;
  bool threads_leave_ = false;  // before others meet at a barrier
  bool many_regions_ = false;
  Arena::Cells live_;  // where threads leave: by gang, its threads that have not
  llvm::AllocaInst* anyone_ = nullptr;
  llvm::BasicBlock* end_ = nullptr;
};

}  // namespace cuda_device::codegen::host
