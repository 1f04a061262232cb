// What must hold of every Function, between any two passes. docs/ir.md lists the rules.
#include <algorithm>
#include <bit>

#include "ir/ir.h"
#include "ir/type_rules.h"
#include "support/check.h"

namespace cuda_device::ir {
namespace {

// What a block may leave: each region starts from that of the instruction that holds it.
struct Location {
  bool condition = false;  // the block is a while's condition: it ends in its yield
  bool loop = false;       // break and continue have a target
  int64_t scopes = 0;      // that leave can reach
  bool may_return = true;
};

Location inside(const Inst& inst, size_t region, Location outer) {
  outer.condition = false;
  switch (inst.op) {
    case Op::While:
      // A condition is left by its yield alone, so that it can be evaluated for all lanes at once.
      if (region == 0) return {.condition = true, .may_return = false};
      outer.loop |= region == 1;
      return outer;
    case Op::For:
      outer.loop |= region == 0;
      return outer;
    case Op::Scope:
      ++outer.scopes;
      return outer;
    default:
      return outer;
  }
}

class Verifier {
 public:
  explicit Verifier(const Function& f)
      : function_(f), visible_(f.inst_count()), seen_(f.inst_count()) {}

  std::vector<std::string> run() {
    header();
    called();
    block(function_.body, {});
    return std::move(errors_);
  }

 private:
  void header() {
    for (const Slot& slot : function_.slots) {
      if (!slot.type.is_scalar()) errors_.push_back("slot \"" + slot.name + "\" is no scalar");
    }
    for (const Param& p : function_.params) {
      if (p.type.is_none()) errors_.push_back("parameter \"" + p.name + "\" has no type");
    }
    for (const Allocation& a : function_.arrays) {
      if (std::string wrong = array_error(a); !wrong.empty()) {
        errors_.push_back("array \"" + a.name + "\" " + wrong);
      }
    }
  }

  // What a function that is called has to do with its module.
  void called() {
    if (!function_.kernel) {
      if (!function_.results.empty()) errors_.push_back("a kernel gives no results");
      if (!function_.lent.empty()) errors_.push_back("a kernel is lent no arrays");
      return;
    }
    const Function& kernel = *function_.kernel;
    const size_t shared = kernel.params.size();
    if (function_.params.size() < shared || function_.arrays.size() != kernel.arrays.size() ||
        function_.failures != kernel.failures || function_.formats != kernel.formats)
      errors_.push_back("the function has not what all functions of its module have");
    for (size_t i = shared; i < function_.params.size(); ++i) {
      if (!function_.params[i].type.is_scalar())
        errors_.push_back("parameter \"" + function_.params[i].name + "\" is no scalar");
    }
    for (const uint32_t array : function_.lent) {
      if (array >= function_.arrays.size() || !function_.arrays[array].lent)
        errors_.push_back("array &" + std::to_string(array) + " is not lent");
    }
    if (function_.too_deep >= function_.failures.size())
      errors_.push_back("the function has no failure for calls that are nested too deep");
    const bool returns = !function_.body.empty() && function_.body.insts.back()->op == Op::Return;
    if (!function_.results.empty() && !returns)
      errors_.push_back("the function does not end in return");
  }

  static std::string array_error(const Allocation& a) {
    if (!a.type.is_array()) return "is no array";
    if (!a.is_constant() && !a.contents.empty()) return "is constant, but not in global memory";
    if (a.shape.size() != a.type.ndim || a.strides.size() != a.type.ndim) {
      return "has not one extent and one stride for each axis";
    }
    if (a.lent && a.type.space != AddressSpace::Local) return "is lent, but not local";
    const auto negative = [](int64_t n) { return n < 0; };
    if (std::ranges::any_of(a.shape, negative) || std::ranges::any_of(a.strides, negative)) {
      return "has a negative extent or stride";
    }
    if (a.is_constant() && a.contents.empty() && a.bytes() > 0)
      return "is neither shared nor local nor constant";
    if (a.is_constant() && a.contents.size() != a.bytes()) return "does not hold all its bytes";
    const bool holds_elements = a.align >= a.type.element_align();
    return std::has_single_bit(a.align) && holds_elements ? ""
                                                          : "has no alignment for its elements";
  }

  void block(const Block& b, const Location& place) {
    for (const Inst* inst : b.insts) {
      if (!owned(inst)) return;
      instruction(*inst, place, inst == b.insts.back());
      visible_[inst->id] = true;
    }
    const bool yields = !b.empty() && b.insts.back()->op == Op::Yield;
    if (place.condition && !yields) errors_.push_back("a condition region does not end in yield");
    for (const Inst* inst : b.insts) visible_[inst->id] = false;
  }

  // Ids index side tables: an instruction from elsewhere, or twice in the function, corrupts them.
  bool owned(const Inst* inst) {
    if (!inst || inst->id >= seen_.size()) {
      errors_.push_back("a block holds an instruction that is not of this function");
      return false;
    }
    if (seen_[inst->id]) {
      complain(*inst, "stands in the function twice");
      return false;
    }
    seen_[inst->id] = true;
    return true;
  }

  void instruction(const Inst& inst, const Location& place, bool last) {
    std::string wrong = type_error(function_, inst);
    if (wrong.empty()) wrong = operands_error(inst);
    if (wrong.empty()) wrong = place_error(inst, place);
    if (wrong.empty() && ends_block(inst.op) && !last) wrong = "an instruction follows it";
    if (wrong.empty() && inst.regions.size() != region_names(inst.op).size()) {
      wrong = std::to_string(inst.regions.size()) + " regions, expected " +
              std::to_string(region_names(inst.op).size());
    }
    if (!wrong.empty()) complain(inst, wrong);
    for (size_t i = 0; i < inst.regions.size(); ++i) {
      block(inst.regions[i], inside(inst, i, place));
    }
  }

  std::string operands_error(const Inst& inst) const {
    for (size_t i = 0; i < inst.operands.size(); ++i) {
      const uint32_t id = inst.operands[i]->id;
      if (id >= visible_.size() || !visible_[id]) {
        return "operand " + std::to_string(i) + " is not defined before it in an enclosing block";
      }
    }
    return "";
  }

  static std::string place_error(const Inst& inst, const Location& place) {
    switch (inst.op) {
      case Op::Yield:
        return place.condition ? "" : "outside of a condition region";
      case Op::Break:
      case Op::Continue:
        return place.loop ? "" : "outside of a loop";
      case Op::Leave:
        return inst.imm >= 0 && inst.imm < place.scopes ? "" : "there is no such enclosing scope";
      case Op::Return:
        return place.may_return ? "" : "inside a condition region";
      default:
        return "";
    }
  }

  void complain(const Inst& inst, const std::string& what) {
    errors_.push_back(print_line(function_, inst) + ": " + what);
  }

  const Function& function_;
  std::vector<bool> visible_;
  std::vector<bool> seen_;
  std::vector<std::string> errors_;
};

}  // namespace

std::vector<std::string> verify(const Function& f) {
  std::vector<std::string> errors;
  for (const Function* one : functions_of(f)) {
    for (const std::string& error : Verifier(*one).run())
      errors.push_back(one == &f ? error : "function \"" + one->name + "\": " + error);
  }
  return errors;
}

void verify_or_throw(const Function& f, const char* after) {
  const std::vector<std::string> errors = verify(f);
  if (errors.empty()) return;
  std::string message = std::string("invalid IR after ") + after;
  for (const std::string& error : errors) message += "\n  " + error;
  CD_UNREACHABLE(message + "\n" + print(f));
}

}  // namespace cuda_device::ir
