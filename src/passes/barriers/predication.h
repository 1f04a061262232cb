// Predicates control at block level (analysis/blocks/block_level.h): each thread keeps a flag for
// each construct that says whether it is active there, regions are put under an if on it, jumps
// clear it, and control goes where any thread goes. Two passes share it: one predicates what may
// diverge, the other all there is.
#pragma once

#include <optional>
#include <unordered_set>
#include <vector>

#include "analysis/blocks/block_level.h"
#include "ir/ir.h"

namespace cuda_device::passes {

class Predication {
 public:
  Predication(ir::Function& f, const analysis::BlockLevel& level)
      : f_(f), level_(level), tree_(f) {}
  virtual ~Predication() = default;
  Predication(const Predication&) = delete;
  Predication& operator=(const Predication&) = delete;

  // A block that control at block level is not around.
  void run(ir::Block& b);

 protected:
  using Block = ir::Block;
  using Inst = ir::Inst;

  virtual bool diverges(const Inst& control) const = 0;
  // Whether a thread may be active in what comes next.
  virtual bool may_be_active() const { return true; }
  // Before each thread decides whether it goes on in a loop, or on which side of an if.
  virtual void before_decision(const Inst&, ir::Builder&) {}
  // Whether a region of the control is to be gone through: `flag` are the threads that go there.
  virtual Inst* any(ir::Builder& b, uint32_t flag, const Inst& control, size_t region);
  // What a `for` counts by; only active threads need it.
  virtual void count(ir::Builder& b, uint32_t slot, Inst* value) { b.slot_store(slot, value); }
  virtual uint32_t limit_of(const Inst& loop, ir::Type type);
  virtual void barrier(Inst& i, ir::Builder& b) = 0;
  virtual void leave_kernel(Inst& jump, ir::Builder& b) { if_active(b).insts.push_back(&jump); }

  ir::Function& function() { return f_; }
  // Flags of what is around, from the outermost; empty: all threads are active.
  const std::vector<uint32_t>& flags() const { return active_; }
  bool in_loop() const;
  void push_flag(uint32_t flag) { active_.push_back(flag); }
  void pop_flag() { active_.pop_back(); }
  Inst* active(ir::Builder& b);
  Block& if_active(ir::Builder& b);
  uint32_t set(ir::Builder& b, Inst* value);  // a new flag
  // Loads the variable again: after spill_across_barriers, control reads no other value of a
  // region.
  static Inst* again(Inst& value, ir::Builder& b);
  void block(Block& b);
  static void keep(Inst& i, ir::Builder& b);

 private:
  // What a jump may leave, and how many of `active_` a thread keeps that breaks out of it, or
  // continues with the next iteration.
  struct Frame {
    const Inst* inst;
    size_t left, continued;
  };

  void find_operands(const Block& b);
  static void take_constants(Block& b, std::vector<Inst*>& constants);
  void region(const analysis::Region& r, Block& done);
  void inst(Inst& i, ir::Builder& b);
  void convergent(Inst& i, ir::Builder& b);
  void branch(Inst& i, ir::Builder& b);
  void side(Inst& control, size_t region, uint32_t flag, Block insts, ir::Builder& b);
  void while_loop(Inst& i, ir::Builder& b);
  void for_loop(Inst& i, ir::Builder& b);
  void compute_variable(const Inst& loop, uint32_t own, uint32_t number, Block& body);
  void go_on_if(const Inst& loop, Inst* holds, uint32_t in, std::optional<uint32_t> ended,
                ir::Builder& b);
  void enter_loop(const Inst& i, uint32_t in);
  void leave_loop();
  void iteration(Block& body, uint32_t in);
  std::optional<uint32_t> add_ended_flag(const Block& otherwise, ir::Builder& b);
  Block otherwise(Inst& control, size_t region, Block insts, std::optional<uint32_t> ended);
  void scope(Inst& i, ir::Builder& b);
  void jump(Inst& i, ir::Builder& b);
  const Frame& target_of(const Inst& jump) const;

  ir::Function& f_;
  const analysis::BlockLevel& level_;
  analysis::Tree tree_;
  std::unordered_set<const Inst*> operands_;  // loads of variables for control at block level
  std::vector<uint32_t> active_;
  std::vector<Frame> frames_;
};

}  // namespace cuda_device::passes
