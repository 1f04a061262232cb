#include "analysis/blocks/describe_blocks.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "analysis/blocks/block_level.h"
#include "analysis/blocks/region_slots.h"
#include "ir/effects.h"
#include "ir/visitor.h"
#include "support/launch_limits.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

std::string in_line(const Inst& i) {
  return i.span.known() ? " in line " + std::to_string(i.span.line) : "";
}

std::string name_of(const Inst& i) {
  if (ir::is_barrier(i.op)) return "the barrier" + in_line(i);
  if (i.op == Op::If) return "the if" + in_line(i);
  if (i.op == Op::Scope) return "the call" + in_line(i);
  if (!i.regions.empty()) return "the loop" + in_line(i);
  return "the " + std::string(ir::info(i.op).text) + in_line(i);
}

// The start of a region of control.
std::string start_of(const Inst& i, size_t region) {
  if (i.op == Op::If) return (region == 0 ? "the start of " : "the else of ") + name_of(i);
  if (i.op == Op::While && region == 0) return "the condition of " + name_of(i);
  if (i.op != Op::Scope && region + 1 == i.regions.size()) return "the else of " + name_of(i);
  return "the start of " + name_of(i);
}

struct Bounded {
  Region region;
  std::string from, to;
};

// The regions with what bounds them, in order.
class Bounds {
 public:
  Bounds(const ir::Function& f, const BlockLevel& level) : level_(level) {
    block(f.body, "the start of the kernel", "the end of the kernel");
  }
  std::vector<Bounded> take() { return std::move(found_); }

 private:
  void block(const ir::Block& b, std::string from, const std::string& end) {
    bool open = false;
    for_each_part(
        b, level_,
        [&](const Region& r) {
          found_.push_back({r, from, end});
          open = true;
        },
        [&](const Inst& i) {
          if (std::exchange(open, false)) found_.back().to = name_of(i);
          for (size_t r = 0; r < i.regions.size(); ++r)
            block(i.regions[r], start_of(i, r), "the end of " + name_of(i));
          from = i.regions.empty() ? name_of(i) : "the end of " + name_of(i);
        });
  }

  const BlockLevel& level_;
  std::vector<Bounded> found_;
};

// Why a value is not computed again where it is used.
std::string why_saved(const Inst& value) {
  if (ir::is_barrier(value.op)) return "the answer of a barrier";
  if (value.op == Op::SlotLoad) return "the variable may change before it is read";
  if (ir::reads(value)) return "loaded from memory";
  if (value.type.is_float()) return "floating point is not computed twice";
  if (ir::is_costly(value.op)) return "divisions are not computed twice";
  if (!ir::is_pure(value.op)) return "read from a variable";
  for (const Inst* operand : value.operands)
    if (!ir::is_pure(operand->op) || operand->type.is_float())
      return "computed from what is spilled or loaded";
  return "too many operations to compute it twice";
}

class Describer {
 public:
  Describer(const ir::Function& f, const Analysis& a)
      : f_(f),
        a_(a),
        level_(f),
        live_(f),
        crossing_(level_.has_barrier() ? crossing_slots(f, level_) : SlotSet(f.slots.size())),
        regions_(Bounds(f, level_).take()),
        numbers_(f.inst_count()) {
    for (size_t r = 0; r < regions_.size(); ++r) number(regions_[r].region, r + 1);
    ir::for_each_inst(f.body, [&](const Inst& i) {
      if (i.op == Op::SlotStore && f.slots[static_cast<size_t>(i.imm)].name.empty())
        stored_[i.imm] = i.operands[0];
      if (i.op == Op::For) loops_[i.imm] = &i;
      if (level_.contains(i) || i.op == Op::Yield)
        for (const Inst* operand : i.operands)
          if (operand->op == Op::SlotLoad) asked_.insert(operand->imm);
      if (!i.type.is_none() && i.op != Op::Const) values_.push_back(&i);
    });
  }

  std::string run() {
    if (!level_.has_barrier()) return "";
    for (size_t r = 0; r < regions_.size(); ++r) region(r);
    crossing_.for_each([&](size_t slot) { spilled(slot); });
    for (const Bounded& b : regions_) recomputed(b.region);
    return std::move(out_);
  }

 private:
  void number(const Region& r, size_t number) {
    for (const Inst* inst : r.insts()) {
      numbers_[inst->id] = number;
      ir::for_each_inside(*inst, [&](const Inst& i) { numbers_[i.id] = number; });
    }
  }

  void region(size_t r) {
    const Bounded& b = regions_[r];
    const RegionSlots slots = slots_of(live_, b.region, crossing_);
    slots.in.for_each([&](size_t slot) { readers_[slot].push_back(r + 1); });
    out_ += "region " + std::to_string(r + 1) + ": from " + b.from + " to " + b.to;
    out_ += slots.effects ? "\n" : "; left out, nothing in it is used\n";
  }

  // ---- what is spilled ----

  uint64_t gangs() const {
    const uint32_t known = a_.layout.gangs;
    return known != 0 ? known : (kMostThreadsOfBlock + a_.layout.width - 1) / a_.layout.width;
  }

  // Bytes in the worker's arena, where each variable begins at a multiple of 64.
  uint64_t bytes(size_t slot) const {
    const ir::Slot& s = f_.slots[slot];
    const Shape& shape = a_.slot_shapes[slot];
    const bool small = s.type.is_int() && s.type.bits() == 64 && a_.slot_ranges[slot].fits_i32();
    uint64_t one = small ? 4 : static_cast<uint64_t>(bytes_of(s.type.scalar()));
    const auto cells = [&](uint64_t size) { return (gangs() * size + 63) / 64 * 64; };
    if (shape.uniform()) return cells(one);
    if (shape.affine()) return cells(one) * (1u + !shape.s0.known + !shape.s1.known);
    if (s.type.is_bool()) one = 4;  // a mask is kept as lanes of 32 bits
    return cells(one * a_.layout.width);
  }

  std::string place(size_t slot) const {
    const Shape& shape = a_.slot_shapes[slot];
    if (shape.level <= Level::BlockUniform) return "once for the block, in a register";
    const std::string kept = shape.uniform()  ? "one for each gang"
                             : shape.affine() ? "a base for each gang"
                                              : "one for each thread";
    return kept + ", " + std::to_string(bytes(slot)) + " bytes of the arena";
  }

  void spilled(size_t slot) {
    const std::string& name = f_.slots[slot].name;
    const auto index = static_cast<int64_t>(slot);
    const auto value = stored_.find(index);
    const auto loop = loops_.find(index);
    std::string what = "variable " + name, why = "a variable of the kernel";
    if (name.empty() && loop != loops_.end()) {
      what = "counter of " + name_of(*loop->second);
      why = "one for all threads";
    } else if (name.empty() && value != stored_.end()) {
      what = "value of " + source_of(*value->second) + in_line(*value->second);
      why = why_saved(*value->second);
      if (asked_.contains(index)) why = "the control of the block asks for it";
    }
    out_ += "spilled $" + std::to_string(slot) + ", " + what + ": " + place(slot) + "; " + why +
            readers(slot) + "\n";
  }

  std::string source_of(const Inst& value) const {
    if (value.op != Op::SlotLoad) return std::string(ir::info(value.op).text);
    return "variable " + f_.slots[static_cast<size_t>(value.imm)].name;
  }

  std::string readers(size_t slot) const {
    const auto found = readers_.find(slot);
    if (found == readers_.end() || asked_.contains(static_cast<int64_t>(slot))) return "";
    std::string text = found->second.size() == 1 ? ", read in region " : ", read in regions ";
    for (size_t i = 0; i < found->second.size(); ++i)
      text += (i ? ", " : "") + std::to_string(found->second[i]);
    return text;
  }

  // ---- what is computed again ----

  // Copies of values of other regions stand at the start of a region. Equal expressions elsewhere
  // were made one before barriers were looked at.
  void recomputed(const Region& r) {
    for (const Inst* inst : r.insts()) {
      if (inst->op == Op::SlotLoad) continue;
      const Inst* original = inst->type.is_none() ? nullptr : original_of(*inst);
      if (!original) return;
      originals_[inst] = original;
      if (inst->type.is_array()) continue;
      out_ += "computed again in region " + std::to_string(numbers_[inst->id]) + ": " +
              std::string(ir::info(inst->op).text) + in_line(*original) + " of region " +
              std::to_string(numbers_[original->id]) + ", cheaper than saving it\n";
    }
  }

  const Inst* original_of(const Inst& copy) const {
    const auto found = std::ranges::find_if(values_, [&](const Inst* value) {
      return numbers_[value->id] != numbers_[copy.id] && value->id < copy.id &&
             value->op == copy.op && value->type == copy.type && value->imm == copy.imm &&
             value->span == copy.span && same_operands(*value, copy);
    });
    return found == values_.end() ? nullptr : *found;
  }

  bool same_operands(const Inst& value, const Inst& copy) const {
    return std::ranges::equal(value.operands, copy.operands, [&](const Inst* x, const Inst* y) {
      if (x == y || x->op == Op::SlotLoad) return true;
      if (const auto known = originals_.find(y); known != originals_.end())
        return known->second == x;
      const auto stored = y->op == Op::SlotLoad ? stored_.find(y->imm) : stored_.end();
      return stored != stored_.end() && stored->second == x;
    });
  }

  const ir::Function& f_;
  const Analysis& a_;
  const BlockLevel level_;
  RangeLiveness live_;
  const SlotSet crossing_;
  const std::vector<Bounded> regions_;
  std::vector<size_t> numbers_;  // by Inst::id: of its region; 0: of none
  std::vector<const Inst*> values_;
  std::map<int64_t, const Inst*> stored_;          // by slot of no name
  std::set<int64_t> asked_;                        // slots that control of the block reads
  std::map<int64_t, const Inst*> loops_;           // by the slot they count in
  std::map<size_t, std::vector<size_t>> readers_;  // by slot: regions that take it in
  std::map<const Inst*, const Inst*> originals_;   // of copies
  std::string out_;
};

}  // namespace

std::string describe_blocks(const ir::Function& f, const Analysis& a) {
  return Describer(f, a).run();
}

std::string describe_lost_arrays(const ir::Function& asked, const ir::Function& f) {
  std::vector<bool> used(asked.arrays.size());
  ir::for_each_inst(asked.body, [&](const Inst& i) {
    for (const Inst* operand : i.operands)
      if (operand->op == Op::Array) used[static_cast<size_t>(operand->imm)] = true;
  });
  std::string out;
  for (size_t k = 0; k < asked.arrays.size(); ++k) {
    const ir::Allocation& array = asked.arrays[k];
    const auto same = [&](const ir::Allocation& left) { return left.name == array.name; };
    if (std::ranges::any_of(f.arrays, same)) continue;
    const bool local = array.type.space == ir::AddressSpace::Local;
    out += std::string(ir::kind_of(array)) + " array " + array.name + ": " +
           (used[k] && local ? "its elements are variables\n" : "not used\n");
  }
  return out;
}

}  // namespace cuda_device::analysis
