// The analysis for people: layout, slots, and every instruction where lanes matter, with the
// reason.
#include "analysis/blocks/block_runs.h"
#include "analysis/lanes/guards.h"
#include "ir/effects.h"

namespace cuda_device::analysis {
namespace {

using ir::Inst;
using ir::Op;

const char* name_of(Level level) {
  constexpr const char* kNames[] = {"launch-uniform", "block-uniform", "gang-uniform", "affine",
                                    "varying"};
  return kNames[static_cast<int>(level)];
}

std::string text(Step s) { return s.known ? std::to_string(s.value) : "?"; }

std::string text(const Shape& s, const LaneLayout& layout) {
  std::string out = name_of(s.level);
  if (!s.affine()) return out;
  const std::string period = std::to_string(s.period_in(layout));
  if (s.s0 != Step{}) out += " " + text(s.s0) + "*(lane%" + period + ")";
  if (s.s1 != Step{}) out += " " + text(s.s1) + "*(lane/" + period + ")";
  return out;
}

std::string text(const Range& r) {
  const bool above = r.unsigned_overflow || r.hi == INT64_MAX;
  return "[" + (r.lo == INT64_MIN ? "-inf" : std::to_string(r.lo)) + ", " +
         (above ? "inf" : std::to_string(r.hi)) + "]";
}

std::string text(const LaneLayout& l) {
  std::string out = l.width == kWarpWidth ? "" : std::to_string(l.width) + " a gang, ";
  out += l.kind == LaneLayout::Kind::Linear ? "linear" : "rows";
  if (l.kind == LaneLayout::Kind::Rows) {
    out += l.period < l.width ? " of " + std::to_string(l.period) + ", " +
                                    std::to_string(l.rows_per_gang) + " in a gang"
                              : " in pieces of " + std::to_string(l.width);
  }
  return out + (l.gangs != 0 ? ", " + std::to_string(l.gangs) + " gangs in a block"
                             : ", block shape unknown");
}

std::string text(const BlockRuns& runs) {
  if (runs.blocks == 1) return "";
  return ", runs of " + std::to_string(runs.blocks) + " adjacent blocks";
}

class Describer {
 public:
  Describer(const ir::Function& f, const Analysis& a, const std::vector<std::string>& accesses)
      : f_(f), a_(a), accesses_(accesses), guards_(find_guards(f, a)) {}

  std::string run() {
    out_ = "lanes: " + text(a_.layout) + text(block_runs(f_, a_)) + "\n";
    for (size_t i = 0; i < f_.params.size(); ++i) param(f_.params[i]);
    for (const ir::Allocation& array : f_.arrays) own_array(array);
    for (size_t i = 0; i < f_.slots.size(); ++i) slot(i);
    ir::PrintOptions options;
    options.note = [this](const Inst& i) { return note(i); };
    return out_ + ir::print(f_, options);
  }

 private:
  void param(const ir::Param& p) {
    if (!p.type.is_array()) return;
    const ArrayFacts& facts = p.facts;
    const std::pair<bool, const char*> all[] = {
#define ARRAY_FACT(name, words) {facts.name, words},
#include "support/facts.def"
    };
    std::string known;
    for (const auto& [holds, name] : all) {
      if (holds) known += (known.empty() ? "" : ", ") + std::string(name);
    }
    out_ += "array " + p.name + ": " + (known.empty() ? "nothing known" : known) + "\n";
  }

  void own_array(const ir::Allocation& a) {
    out_ += std::string(ir::kind_of(a)) + " array " + a.name + ": " + ir::to_string(a.type) + ", " +
            std::to_string(a.bytes()) + " bytes\n";
  }

  void slot(size_t i) {
    const ir::Slot& s = f_.slots[i];
    out_ += "slot $" + std::to_string(i) + " " + s.name + ": " + text(a_.slot_shapes[i], a_.layout);
    if (s.type.is_int()) out_ += " " + text(a_.slot_ranges[i]);
    out_ += "\n";
  }

  std::string note(const Inst& i) const {
    if (!i.regions.empty()) return control(i);
    if (i.op == Op::SlotStore)
      return a_.store_blends[i.id] ? "blends: inactive lanes read it later" : "";
    if (i.op == Op::Const || i.op == Op::Param || i.type.is_array()) return "";
    if (i.type.is_none()) return access(i);
    std::string out = text(a_.shape(i), a_.layout);
    if (i.type.is_int() && !ir::reads(i)) out += " " + text(a_.range(i));
    if (a_.narrow(i)) out += ", in 32 bits";
    return access(i).empty() ? out : out + ", " + access(i);
  }

  std::string control(const Inst& i) const {
    std::string out = a_.divergent[i.id] ? "divergent" : "convergent";
    if (guards_[i.id] != Guard::None) out += ", a guard";
    if (i.op == Op::For && a_.store_blends[i.id]) out += "; its counter blends";
    return out;
  }

  std::string access(const Inst& i) const { return i.id < accesses_.size() ? accesses_[i.id] : ""; }

  const ir::Function& f_;
  const Analysis& a_;
  const std::vector<std::string>& accesses_;
  std::vector<Guard> guards_;
  std::string out_;
};

}  // namespace

std::string describe(const ir::Function& f, const Analysis& a,
                     const std::vector<std::string>& accesses) {
  return Describer(f, a, accesses).run();
}

}  // namespace cuda_device::analysis
