#include "unit/codegen/op_cost.h"

#include <sstream>

#include "passes/pipeline.h"

namespace cuda_device::codegen::test {
namespace {

using ir::Inst;
using ir::Op;
using ir::Type;

ScalarKind signed_int_of(int bytes) {
  return bytes == 1   ? ScalarKind::I8
         : bytes == 2 ? ScalarKind::I16
         : bytes == 4 ? ScalarKind::I32
                      : ScalarKind::I64;
}

// Bools are masks that a comparison makes and a choice takes, of lanes as wide as the operand's
// (a bool's: 32 bits). Bytes of an array of bool would be another matter.
ScalarKind lanes_of_masks(const OpCase& c) {
  return is_bool(c.operand) ? ScalarKind::I32 : signed_int_of(bytes_of(c.operand));
}

class Maker {
 public:
  explicit Maker(ScalarKind mask_lanes)
      : f_(std::make_unique<ir::Function>()), b_(*f_, f_->body), mask_lanes_(mask_lanes) {
    f_->name = "cost";
    f_->launch = {{32, 1, 1}, true};
    index_ = b_.typed(Op::Convert, ir::kI64, {b_.op(Op::Tid, {}, 0)});
  }

  void operation(const OpCase& c) {
    std::vector<Inst*> operands;
    for (int i = 0; i < c.operands(); ++i) operands.push_back(value(c.operand_kind(i)));
    store(b_.typed(c.op, Type::of(c.result), operands));
  }

  std::unique_ptr<ir::Function> done() {
    passes::PipelineOptions for_host;
    for_host.lanes = passes::Lanes();
    for_host.own_math = true;
    passes::run_pipeline(*f_, for_host);
    return std::move(f_);
  }

  void copy(ScalarKind kind) { store(load(kind)); }

 private:
  Inst* new_array(ScalarKind kind) {
    ArrayFacts facts;
    facts.unit_inner = facts.element_aligned = facts.fits_31 = facts.no_alias = true;
    const auto number = static_cast<int64_t>(f_->params.size());
    f_->params.push_back({"p" + std::to_string(number), Type::array(kind, 1), facts, {}});
    return b_.typed(Op::Param, f_->params.back().type, {}, number);
  }

  Inst* load(ScalarKind kind) {
    return b_.typed(Op::Load, Type::of(kind), {new_array(kind), index_});
  }

  Inst* value(ScalarKind kind) {
    return is_bool(kind) ? b_.op(Op::Lt, {load(mask_lanes_), load(mask_lanes_)}) : load(kind);
  }

  void store(Inst* v) {
    if (v->type.is_bool()) v = b_.op(Op::Select, {v, load(mask_lanes_), load(mask_lanes_)});
    b_.typed(Op::Store, Type::none(), {new_array(v->type.scalar()), index_, v});
  }

  std::unique_ptr<ir::Function> f_;
  ir::Builder b_;
  ScalarKind mask_lanes_;
  Inst* index_ = nullptr;
};

std::string assembly(const ir::Function& f, MaskForm form) {
  std::string text;
  compile_way(f, {form, true, 32}, {nullptr, nullptr, &text});
  return text;
}

// A plain move between a register and an array: neither a spill nor a constant.
bool moves_element(const std::string& line) {
  auto has = [&](const char* text) { return line.find(text) != std::string::npos; };
  const bool plain = line.starts_with("\tmov") || line.starts_with("\tvmov");
  return plain && has("(") && !has("%rsp") && !has("%rip") && !has("{") && !has("\tmovs") &&
         !has("\tmovz");
}

// Registers of the caller: more arrays need more of them.
bool saves_register(const std::string& line) {
  return line.starts_with("\tpush") || line.starts_with("\tpop");
}

int count_instructions(const std::string& assembly) {
  std::istringstream lines(assembly);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool instruction = line.size() > 1 && line[0] == '\t' && line[1] != '.' && line[1] != '#';
    count += instruction && !moves_element(line) && !saves_register(line);
  }
  return count;
}

int instructions_around(const OpCase& c, MaskForm form) {
  Maker maker(lanes_of_masks(c));
  maker.copy(is_bool(c.result) ? lanes_of_masks(c) : c.result);
  return count_instructions(assembly(*maker.done(), form));
}

// A comparison makes each operand that is a mask, a choice takes the result: one instruction each
// for a register of lanes.
int instructions_of_masks(const OpCase& c, MaskForm form) {
  int masks = is_bool(c.result);
  for (int i = 0; i < c.operands(); ++i) masks += is_bool(c.operand_kind(i));
  const int register_bytes = static_cast<int>(vector_bytes(form));
  return masks * std::max(1, 32 * bytes_of(lanes_of_masks(c)) / register_bytes);
}

}  // namespace

int instructions_of(const ir::Function& f, MaskForm form) {
  return count_instructions(assembly(f, form));
}

std::string assembly_of(const OpCase& c, MaskForm form) {
  Maker maker(lanes_of_masks(c));
  maker.operation(c);
  return assembly(*maker.done(), form);
}

int instructions_of(const OpCase& c, MaskForm form) {
  return count_instructions(assembly_of(c, form)) - instructions_around(c, form) -
         instructions_of_masks(c, form);
}

}  // namespace cuda_device::codegen::test
