#include "unit/codegen/op_cases.h"

#include "ir/effects.h"
#include "ir/evaluate.h"
#include "passes/simplify/legalise_floats.h"
#include "unit/ir/every_op.h"

namespace cuda_device::codegen::test {

using ir::Inst;
using ir::Op;
using ir::Type;

namespace {

std::vector<ScalarKind> all_kinds() {
  std::vector<ScalarKind> kinds;
  for (int k = 0; k < kScalarCount; ++k) kinds.push_back(static_cast<ScalarKind>(k));
  return kinds;
}

std::vector<ScalarKind> results_of(Op op, ScalarKind operand) {
  switch (ir::info(op).result) {
    case ir::ResultRule::Bool:
      return {ScalarKind::Bool};
    case ir::ResultRule::I32:
      return {ScalarKind::I32};
    case ir::ResultRule::I64:
      return {ScalarKind::I64};
    case ir::ResultRule::Explicit:
      return op == Op::Convert || op == Op::Bitcast ? all_kinds() : std::vector{operand};
    default:
      return {operand};
  }
}

bool is_on_numbers(Op op) { return ir::info(op).kind == ir::OpKind::Scalar; }

bool is_valid(const OpCase& c) {
  return ir::verify(*kernel_of({c}, OperandShape::Varying)).empty();
}

class Maker {
 public:
  explicit Maker(ScalarKind operand) : f_(std::make_unique<ir::Function>()), b_(*f_, f_->body) {
    f_->name = "ops";
    f_->launch.grid_fits_31 = true;
    for (const char* name : {"x", "y", "z"}) add_param(name, operand);
    add_param("c", ScalarKind::Bool);
    add_param("e", ScalarKind::I32);
    add_param("w", ScalarKind::I64);
  }

  std::unique_ptr<ir::Function> run(const OpCases& cases, OperandShape shape) {
    for (const OpCase& c : cases) add_param(c.name(), c.result);
    Inst* number =
        shape == OperandShape::Varying ? b_.op(Op::Tid, {}, 0) : b_.op(Op::BlockIdx, {}, 0);
    index_ = b_.typed(Op::Convert, ir::kI64, {number});
    Inst* inside = b_.op(Op::Lt, {index_, b_.op(Op::Extent, {array(0)}, 0)});
    b_.set_block(b_.control(Op::If, {inside}, 2)->regions[0]);
    for (size_t p = 0; p < kOperandArrays; ++p) loaded_.push_back(load(p));
    for (size_t k = 0; k < cases.size(); ++k) store(kOperandArrays + k, value_of(cases[k]));
    return std::move(f_);
  }

 private:
  static constexpr size_t kOperandArrays = 6;

  void add_param(const std::string& name, ScalarKind kind) {
    ArrayFacts facts;
    facts.unit_inner = facts.element_aligned = facts.fits_31 = facts.no_alias = true;
    f_->params.push_back({name, Type::array(kind, 1), facts, {}});
  }

  Inst* array(size_t p) {
    return b_.typed(Op::Param, f_->params[p].type, {}, static_cast<int64_t>(p));
  }

  Inst* load(size_t p) {
    return b_.typed(Op::Load, Type::of(f_->params[p].type.scalar()), {array(p), index_});
  }

  void store(size_t p, Inst* value) {
    b_.typed(Op::Store, Type::none(), {array(p), index_, value});
  }

  Inst* operand(const OpCase& c, int index) {
    const ScalarKind kind = c.operand_kind(index);
    if (kind == c.operand) return loaded_[static_cast<size_t>(index)];
    return loaded_[kind == ScalarKind::Bool ? 3 : kind == ScalarKind::I32 ? 4 : 5];
  }

  // A number from 1 to 2, or half of that where x is negative; NaN where n is, or where it is
  // infinite.
  Inst* unit(Inst& x, Inst& n) {
    Inst* one_to_two = b_.op(Op::Significand, {b_.op(Op::Abs, {&x})});
    Inst* half = b_.op(Op::Mul, {one_to_two, b_.const_float(n.type, 0.5)});
    Inst* negative = b_.op(Op::Lt, {&x, b_.const_float(n.type, 0)});
    Inst* rest = b_.op(Op::Sub, {&n, &n});
    return b_.op(Op::Add, {b_.op(Op::Select, {negative, half, one_to_two}), rest});
  }

  Inst* whole(Inst& n) {
    Inst* low = b_.op(Op::Max, {b_.op(Op::Rint, {&n}), b_.const_float(n.type, -1000)});
    return b_.op(Op::Min, {low, b_.const_float(n.type, 1000)});
  }

  Inst* value_of(const OpCase& c) {
    std::vector<Inst*> operands;
    for (int i = 0; i < c.operands(); ++i) operands.push_back(operand(c, i));
    if (c.op == Op::ScaleUnit && is_float(c.operand))
      operands = {unit(*operands[0], *operands[1]), whole(*operands[1])};
    return b_.typed(c.op, Type::of(c.result), operands);
  }

  std::unique_ptr<ir::Function> f_;
  ir::Builder b_;
  Inst* index_ = nullptr;
  std::vector<Inst*> loaded_;
};

}  // namespace

std::string OpCase::name() const {
  const std::string text = std::string(ir::info(op).text) + " " + std::string(name_of(operand));
  const bool says_result = op == Op::Convert || op == Op::Bitcast;
  return says_result ? text + " " + std::string(name_of(result)) : text;
}

ScalarKind OpCase::operand_kind(int index) const {
  if (op == Op::Select && index == 0) return ScalarKind::Bool;
  if (op == Op::Ldexp && index == 1) return ScalarKind::I32;
  if (op == Op::Wrap && index == 1) return ScalarKind::I64;
  return operand;
}

OpCases all_op_cases() {
  OpCases cases;
  for (Op op : ir::all_ops()) {
    if (!is_on_numbers(op)) continue;
    for (ScalarKind operand : all_kinds())
      for (ScalarKind result : results_of(op, operand))
        if (OpCase c{op, operand, result}; is_valid(c)) cases.push_back(c);
  }
  return cases;
}

bool is_for_targets(const OpCase& c) { return !is_storage_only(c.operand) || !ir::computes(c.op); }

std::unique_ptr<ir::Function> legalised(const ir::Function& f) {
  std::unique_ptr<ir::Function> copy = ir::parse(ir::print(f));
  passes::legalise_floats(*copy);
  return copy;
}

OpCases op_cases_of(ScalarKind operand, const std::function<bool(Op)>& wanted) {
  OpCases cases;
  for (const OpCase& c : all_op_cases())
    if (c.operand == operand && wanted(c.op)) cases.push_back(c);
  return cases;
}

bool is_exact_everywhere(Op op) {
  return ir::is_exact(op) && op != Op::Fmod && op != Op::Remainder;
}

std::unique_ptr<ir::Function> kernel_of(const OpCases& cases, OperandShape shape) {
  return Maker(cases.front().operand).run(cases, shape);
}

}  // namespace cuda_device::codegen::test
