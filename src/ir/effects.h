// What instructions do, as questions. Passes, analyses and targets ask these and not for operations
// by name: op.def says what is true of each operation, so a new one is treated rightly everywhere.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "ir/ir.h"

namespace cuda_device::ir {

// ---- an operation, whatever its immediate ----

// A value of its operands, the launch and the thread's place alone. It may be computed by threads
// that do not need it, again, elsewhere, or not at all.
inline bool is_pure(Op op) {
  const OpKind kind = info(op).kind;
  return kind == OpKind::Scalar || kind == OpKind::Given || kind == OpKind::Position;
}
// Computes in the format of its operands. The others of its group move or convert them: they know
// floats that are only stored.
inline bool computes(Op op) {
  return info(op).kind == OpKind::Scalar && op != Op::Select && op != Op::Convert &&
         op != Op::Bitcast;
}
// As long as tens of additions, or a call.
inline bool is_costly(Op op) { return info(op).cost == Cost::Costly; }
// Variables of the thread.
inline bool is_slot(Op op) { return info(op).kind == OpKind::Slot; }
// Names one: it reads or sets the slot Inst::imm.
inline bool names_slot(Op op) { return info(op).imm == ImmKind::Slot; }
// Leaves one other value in the slot Inst::imm. A loop sets its counter's.
inline bool sets_slot(Op op) { return names_slot(op) && op != Op::SlotLoad; }

// Waits for all threads of the block.
inline bool is_barrier(Op op) { return info(op).effects.threads == Threads::MeetsBlock; }
// What a thread says to a barrier that counts votes without changing the answer.
bool neutral_vote(Op barrier);
// Waits for threads of its warp.
inline bool meets_warp(Op op) { return info(op).effects.threads == Threads::MeetsWarp; }
// Whether threads that would not come to it may execute it too.
inline bool may_speculate(Op op) { return is_pure(op) || op == Op::SlotLoad; }

// ---- effects ----

constexpr bool reads(const Effects& e) {
  return e.memory == Memory::Reads || e.memory == Memory::ReadsWrites;
}
constexpr bool writes(const Effects& e) {
  return e.memory == Memory::Writes || e.memory == Memory::ReadsWrites;
}
// No access to memory crosses it.
constexpr bool orders(const Effects& e) { return e.order != Order::Unordered; }
// Threads execute it together.
constexpr bool converges(const Effects& e) {
  return e.threads != Threads::Alone && e.threads != Threads::Waits;
}
// Returns only when another thread has acted, and what that wrote may be seen then.
constexpr bool waits(const Effects& e) {
  return e.threads != Threads::Alone && e.threads != Threads::Converges &&
         e.threads != Threads::MeetsWarp;
}
constexpr bool reports(const Effects& e) { return e.report == Report::Reports; }
// Other threads matter to it, or memory as they leave it.
constexpr bool depends_on_threads(const Effects& e) {
  return orders(e) || converges(e) || waits(e);
}
// It does more than give a value.
constexpr bool has_effect(const Effects& e) {
  return writes(e) || depends_on_threads(e) || reports(e);
}
// One access of it sees what other threads did since the one before.
constexpr bool is_atomic(const Effects& e) { return e.where == Where::AtomicElement; }
// Any array may hold other values after it: it writes to memory that it does not name, or lets
// the thread see what was written elsewhere.
constexpr bool may_change_any_array(const Effects& e) {
  return (writes(e) && e.where == Where::Anywhere) || e.order == Order::OrdersAll;
}
// Whether there may be copies of it for threads to choose from, of which each executes one where it
// executed the original.
constexpr bool may_copy(const Effects& e) { return !converges(e) && !reports(e); }

// ---- an instruction ----

// The columns of op.def, but where the immediate says what the instruction does.
Effects effects_of(const Inst& inst);

inline bool reads(const Inst& i) { return reads(effects_of(i)); }
inline bool writes(const Inst& i) { return writes(effects_of(i)); }
inline bool converges(const Inst& i) { return converges(effects_of(i)); }
inline bool reports(const Inst& i) { return reports(effects_of(i)); }
inline bool depends_on_threads(const Inst& i) { return depends_on_threads(effects_of(i)); }
inline bool has_effect(const Inst& i) { return has_effect(effects_of(i)); }
inline bool may_copy(const Inst& i) { return may_copy(effects_of(i)); }
// Whether nothing is lost where its value is not used. Readers decide it for slots, regions for
// control.
inline bool may_remove(const Inst& i) {
  return may_speculate(i.op) || (info(i.op).kind == OpKind::Effect && !has_effect(i));
}
// Whether a thread may execute it more often, or somewhere else while memory and slots are the
// same: the value is the same.
inline bool may_repeat(const Inst& i) { return may_remove(i) && !is_atomic(effects_of(i)); }

// ---- memory ----

// What an instruction reads or writes, or names without either (prefetch).
struct Access {
  const Inst* array = nullptr;     // null: any memory there is (where: Anywhere)
  std::span<Inst* const> indices;  // of the element, one for each axis
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

// The array that a view is a part of, in the end: a parameter, an array of the function's own,
// dynamic shared memory. Null: it is none of them, and may be a part of any.
const Inst* whole_array(const Inst& array);
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
// By parameter: loads of one element may give different values while the kernel runs.
std::vector<bool> changing_arrays(const Function& f);
// Threads of a warp execute something together, or know their place in it.
bool uses_warps(const Function& f);

}  // namespace cuda_device::ir
