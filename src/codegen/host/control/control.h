// Structured control flow over masks: what lanes agree on becomes branches, what they do not
// becomes masks, with branches around what no lane enters.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "analysis/lanes/guards.h"
#include "codegen/host/control/exits.h"
#include "codegen/host/control/join.h"
#include "codegen/host/control/reports.h"
#include "codegen/host/lowering/position.h"
#include "codegen/host/lowering/warp_ops.h"
#include "codegen/host/memory/access.h"
#include "codegen/host/memory/slots.h"

namespace cuda_device::codegen::host {

class Counter;
struct LaneEmitter;
class ScalarizedLoop;

struct Parts {  // of the emitter, that control hands instructions to
  EmitContext& context;
  LaneValues& values;
  PureOps& pure;
  Position& position;
  Slots& slots;
  Access& access;
  Reports& reports;
  WarpOps& warps;
  LaunchValues& launch;
  Arrays& arrays;
  Prefetcher& prefetcher;
  const std::vector<Exits>& exits;
  const std::vector<analysis::Guard>& guards;
  const std::vector<bool>& scalarized_loops;  // loops, by Inst::id
};

class Control {
 public:
  explicit Control(const Parts& parts) : c_(parts.context), parts_(parts) {}

  // Instructions that one gang runs from the first to the last, with the lanes of `mask`. The lanes
  // that get to the end: those whose thread has not left the kernel.
  // `before` and `after` are called with the number of each.
  using OnInst = std::function<void(uint32_t)>;
  Mask emit_region(std::span<ir::Inst* const> insts, const Mask& mask, const OnInst& before,
                   const OnInst& after);

 private:
  using Inst = ir::Inst;

  // An instruction that an exit may leave.
  struct Frame {
    const Inst* inst = nullptr;
    bool divergent = false;
    Join* exit = nullptr;
    Join* latch = nullptr;  // of a loop: where an iteration ends
    llvm::AllocaInst* left =
        nullptr;  // divergent: lanes that broke out, or left; null where not needed
    llvm::AllocaInst* continued = nullptr;
  };

  // A condition by its conjuncts, those that all lanes share apart.
  struct Condition {
    llvm::Value* shared = nullptr;  // i1; null: none
    llvm::Value* lanes = nullptr;   // a vector; null: none
    // Where all lanes ask: whether any of `lanes` holds, and whether each does. Null: to be seen
    // from the lanes.
    llvm::Value *some = nullptr, *each = nullptr;
  };

  // The lanes after something; nothing where control never gets there.
  using Remaining = std::optional<Mask>;

  // `dead` is where to go when no lane is left: the end of the innermost region entered under a
  // mask of its own.
  void emit_block(const ir::Block& block, const Mask& mask, Join& end, Join& dead);
  Remaining emit_insts(const ir::Block& block, const Mask& mask, Join& dead) {
    return emit_insts(std::span<Inst* const>(block.insts), mask, dead);
  }
  Remaining emit_insts(std::span<Inst* const> insts, Mask mask, Join& dead,
                       const OnInst* before = nullptr, const OnInst* after = nullptr);
  Remaining emit_inst(const Inst& inst, const Mask& mask, Join& dead);
  Remaining emit_if(const Inst& inst, const Mask& mask, Join& dead);
  Remaining emit_uniform_if(const Inst& inst, const Mask& mask, Join& dead);
  Remaining emit_guard(const Inst& inst, const Mask& mask, Join& dead);
  Remaining emit_divergent_if(const Inst& inst, const Mask& mask);
  Mask emit_sides(const Inst& inst, const Condition& condition, const Mask& mask);
  Mask emit_side(const ir::Block& side, Mask mask);
  Remaining emit_scope(const Inst& inst, const Mask& mask, Join& dead);
  Remaining emit_exit(const Inst& inst, const Mask& mask);
  Frame& target_of(const Inst& exit);
  bool divergent(const Inst& inst) const { return c_.analysis().divergent[inst.id]; }
  analysis::Guard guard(const Inst& inst) const { return parts_.guards[inst.id]; }
  const Exits& exits(const Inst& inst) const { return parts_.exits[inst.id]; }

  // loops.cpp
  struct LaneSets;
  Remaining emit_uniform_while(const Inst& inst, const Mask& mask, Join& dead);
  Remaining emit_divergent_while(const Inst& inst, const Mask& mask);
  Remaining emit_uniform_for(const Inst& inst, const Mask& mask, Join& dead);
  Remaining emit_divergent_for(const Inst& inst, const Mask& mask);
  void emit_lane(const Inst& inst, const ScalarizedLoop& loop, LaneEmitter& one, Join& dead);
  Remaining emit_scalarized(const Inst& inst, Mask mask);
  bool may_run_in_full(const Inst& inst) const;
  void iterate_in_full(const Inst& inst, const Mask& mask, Counter& counter, LaneSets& sets,
                       llvm::BasicBlock* head, Join& exit);
  LaneSets open_sets(const Inst& inst, const ir::Block& else_block, const Mask& mask);
  void next_iteration(Mask mask, LaneSets& sets, llvm::BasicBlock* head, Join& exit);
  void iterate_where(llvm::Value* condition, Mask mask, LaneSets& sets, llvm::BasicBlock* head,
                     Join& exit);
  void go_on_if(llvm::Value* condition, const Mask& mask, LaneSets& sets, Join& exit);
  Remaining finish_divergent_loop(const Inst& inst, const ir::Block& else_block, const Mask& mask,
                                  const LaneSets& sets);
  bool goes_on_together(Join& latch, const Mask& mask, Join& dead);
  Remaining finish_uniform_loop(const Inst& inst, const ir::Block& else_block, const Mask& mask,
                                Join& finished, Join& exit, Join& dead);

  llvm::AllocaInst* lane_set(const char* name);  // empty
  void add(llvm::AllocaInst* set, const Mask& mask);
  void assign(llvm::AllocaInst* set, const Mask& mask);
  Mask read(llvm::AllocaInst* set);
  void require_any(Mask& mask, Join& otherwise);

  // checks.cpp
  void emit_check(const Inst& inst, const Mask& mask);
  // Whether an `if` is emitted as a check: it does nothing but fail, after it has computed the
  // message.
  bool emit_failing_if(const Inst& inst, const Mask& mask);
  void emit_warp_check(const Inst& inst, const Mask& mask);
  llvm::Value* enter_failing(const Inst& condition, bool holds, const Mask& mask,
                             llvm::BasicBlock* passed);
  llvm::Value* failing_lanes(const Inst& condition, bool holds, const Mask& mask);
  bool ask_ends(const Inst& condition, bool holds, const Mask& mask, llvm::BasicBlock* passed);
  void branch_if_likely(llvm::Value* condition, llvm::BasicBlock* to);

  // conditions.cpp
  // How a comparison bounds its affine operand by the other one, which all lanes share. Above: it
  // holds in lane 0 if in any, in the last lane if in each; Below: the other way round.
  enum class Bound : uint8_t { None, Above, Below };
  Bound bound_of(const Inst& value) const;
  Condition condition_of(const Inst& value);
  Condition lanes_of(const Inst& value);
  llvm::Value* all_lanes_have(const Inst& value, bool truth);
  void split(const Inst& value, bool truth, Condition& parts);

  EmitContext& c_;
  Parts parts_;
  std::vector<Frame> frames_;
  Join* done_ = nullptr;  // after the last instruction
  Mask gang_mask_;
  llvm::AllocaInst* returned_ = nullptr;  // lanes that left the kernel; null: nobody asks
  int guards_passed_ = 0;                 // by all lanes of the version that is being emitted
};

}  // namespace cuda_device::codegen::host
