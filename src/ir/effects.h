// What instructions do, as questions. Passes, analyses and targets ask these and not for operations
// by name: op.def says what is true of each operation, and a new one is treated rightly where
// nobody has thought of it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/ir.h"

namespace cuda_device::ir {

// ---- an operation ----

// A value of its operands, the launch and the thread's place alone. It may be computed by threads
// that do not need it, again, elsewhere, or not at all.
inline bool is_pure(Op op) {
  const OpKind kind = info(op).kind;
  return kind == OpKind::Scalar || kind == OpKind::Given || kind == OpKind::Position;
}
// As long as tens of additions, or a call.
inline bool is_costly(Op op) { return info(op).cost == Cost::Costly; }
// Variables of the thread.
inline bool is_slot(Op op) { return info(op).kind == OpKind::Slot; }
// Names one: it reads or sets the slot Inst::imm.
inline bool names_slot(Op op) { return info(op).imm == ImmKind::Slot; }
// Leaves one other value in the slot Inst::imm. A loop sets its counter's.
inline bool sets_slot(Op op) { return names_slot(op) && op != Op::SlotLoad; }

constexpr bool reads(Memory memory) {
  return memory == Memory::Reads || memory == Memory::ReadsWrites;
}
constexpr bool writes(Memory memory) {
  return memory == Memory::Writes || memory == Memory::ReadsWrites;
}
inline bool reads(Op op) { return reads(info(op).effects.memory); }
inline bool writes(Op op) { return writes(info(op).effects.memory); }
// No access to memory crosses it.
inline bool orders(Op op) { return info(op).effects.order != Order::Unordered; }
// Threads execute it together.
inline bool converges(Op op) {
  const Threads threads = info(op).effects.threads;
  return threads == Threads::Converges || threads == Threads::ConvergesAndWaits ||
         threads == Threads::MeetsBlock;
}
// Returns only when another thread has acted.
inline bool waits(Op op) {
  const Threads threads = info(op).effects.threads;
  return threads == Threads::Waits || threads == Threads::ConvergesAndWaits ||
         threads == Threads::MeetsBlock;
}
// A barrier of the block.
inline bool is_barrier(Op op) { return info(op).effects.threads == Threads::MeetsBlock; }
inline bool reports(Op op) { return info(op).effects.report == Report::Reports; }
// It does more than give a value or set a variable; control aside.
inline bool has_effect(Op op) {
  return writes(op) || orders(op) || converges(op) || waits(op) || reports(op);
}
// Other threads matter to it, or memory as they leave it.
inline bool hangs_on_threads(Op op) { return orders(op) || converges(op) || waits(op); }

// Whether nothing is lost where its value is not used. (Of slots and control others decide: their
// readers, their regions.)
inline bool may_remove(Op op) {
  const OpKind kind = info(op).kind;
  return is_pure(op) || op == Op::SlotLoad || (kind == OpKind::Effect && !has_effect(op));
}
// Whether a thread may execute it more often, or somewhere else while memory and slots are the
// same: the value is the same. Not an atomic access: memory may change between two of them.
inline bool may_repeat(Op op) {
  return may_remove(op) && info(op).effects.where != Where::AtomicElement;
}
// Whether threads that would not come to it may execute it too.
inline bool may_speculate(Op op) { return is_pure(op) || op == Op::SlotLoad; }
// Whether there may be copies of it for threads to choose from, of which each executes one where it
// executed the original.
inline bool may_copy(Op op) { return !converges(op) && !reports(op); }

// ---- memory ----

// What an instruction reads or writes.
struct Access {
  const Inst* array = nullptr;     // null: any memory there is (where: Anywhere)
  std::span<Inst* const> indices;  // of the element, one for each axis
  uint32_t bytes = 0;              // of the element; 0: not known
  bool reads = false;
  bool writes = false;
  bool atomic = false;  // in one step, for other threads
  bool plain_read() const { return array && reads && !writes && !atomic; }
  bool plain_write() const { return array && writes && !reads && !atomic; }
};
std::optional<Access> access_of(const Inst& inst);
// All that it does is to give the value of an element.
bool is_plain_load(const Inst& inst);
// All that it does is to set an element, to its last operand.
bool is_plain_store(const Inst& inst);

// What a view is a part of, in the end: a parameter, an array of the function's own, dynamic shared
// memory.
const Inst& whole_array(const Inst& array);
// Whether elements of the two may lie at one place.
bool may_overlap(const Function& f, const Inst& a, const Inst& b);
// Whether the instruction (without its regions) may read or write elements of the array.
bool may_touch(const Function& f, const Inst& inst, const Inst& array);
// Whether the instruction or one in its regions may leave other values in the array, or let others'
// be seen.
bool may_change(const Function& f, const Inst& inst, const Inst& array);
// Whether it makes no difference which of the two a thread executes first. The operands are for the
// caller.
bool may_cross(const Function& f, const Inst& a, const Inst& b);
// Likewise with all that is in the regions of `b`. Never across a loop or a jump.
bool may_cross_all(const Function& f, const Inst& a, const Inst& b);

// ---- a function ----

bool has_barrier(const Block& block);     // in it or in a region inside
bool holds_barrier(const Inst& control);  // in a region of it
// Threads execute something in it together.
bool has_convergent(const Block& block);
// Memory may come to be as threads outside of the block left it, while the kernel runs.
bool acquires(const Function& f);
// Any array may hold other values after it: it writes to memory that it does not name, or lets
// the thread see what was written elsewhere.
constexpr bool may_change_any_array(const Effects& effects) {
  const bool writes_anywhere = writes(effects.memory) && effects.where == Where::Anywhere;
  return writes_anywhere || effects.order == Order::OrdersAll;
}
// By parameter: elements may change while the kernel runs.
std::vector<bool> changing_arrays(const Function& f);
// Threads of a warp execute something together, or know their place in it.
bool uses_warps(const Function& f);

}  // namespace cuda_device::ir
