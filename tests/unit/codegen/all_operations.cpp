#include "unit/codegen/all_operations.h"

#include "ir/evaluate.h"
#include "unit/ir/every_op.h"

namespace cuda_device::codegen::test {
namespace {

using ir::Inst;
using ir::Op;
using ir::Type;

Type result_of(Op op, Type operand) {
  switch (ir::info(op).result) {
    case ir::ResultRule::Bool:
      return ir::kBool;
    case ir::ResultRule::I32:
      return ir::kI32;
    case ir::ResultRule::I64:
      return ir::kI64;
    default:
      return operand;
  }
}

bool takes(Op op, Type type) {
  const ir::OpInfo& info = ir::info(op);
  if (info.effect != ir::Effect::Pure || info.operands < 1) return false;
  ir::Function f;
  ir::Builder b(f, f.body);
  f.params.push_back({"x", type, {}, {}});
  const std::vector<Inst*> operands(static_cast<size_t>(info.operands), b.op(Op::Param, {}, 0));
  b.typed(op, result_of(op, type), operands);
  return ir::verify(f).empty();
}

bool wanted(Op op, Which which) {
  if (which == Which::All) return true;
  return ir::is_exact(op) && op != Op::Fmod && op != Op::Remainder;
}

class Maker {
 public:
  explicit Maker(ScalarKind kind)
      : f_(std::make_unique<ir::Function>()), b_(*f_, f_->body), kind_(kind) {
    f_->name = "all_operations";
    for (int k = 0; k < kScalarCount; ++k) add_array(static_cast<ScalarKind>(k));
    thread_ = b_.typed(Op::Convert, ir::kI64, {b_.op(Op::Tid, {}, 0)});
    for (int64_t k = 0; k < kRowOperands; ++k) {
      x_.push_back(b_.op(Op::Load, {arrays_[static_cast<size_t>(kind)], at(kRowOperands, k)}));
    }
  }

  std::unique_ptr<ir::Function> run(Which which) {
    for (Op op : ir::all_ops()) {
      if (takes(op, Type::of(kind_)) && wanted(op, which)) apply(op);
    }
    for (int to = 0; to < kScalarCount; ++to) {
      store(b_.typed(Op::Convert, Type::of(static_cast<ScalarKind>(to)), {x_[0]}));
    }
    if (is_float(kind_)) ldexp();
    return std::move(f_);
  }

 private:
  void add_array(ScalarKind k) {
    const auto index = static_cast<int64_t>(f_->params.size());
    f_->params.push_back({std::string(name_of(k)), Type::array(k, 1), {}, {}});
    f_->params.back().facts.element_aligned = true;
    arrays_.push_back(b_.typed(Op::Param, f_->params.back().type, {}, index));
  }

  Inst* at(int64_t row, int64_t column) {
    return b_.op(Op::Add, {b_.op(Op::Mul, {thread_, b_.const_int(ir::kI64, row)}),
                           b_.const_int(ir::kI64, column)});
  }

  // A row of results begins behind all operands.
  void store(Inst* v) {
    Inst* place = b_.op(Op::Add, {at(kRowResults, next_++), b_.const_int(ir::kI64, 3 * 1024)});
    b_.typed(Op::Store, Type::none(), {arrays_[static_cast<size_t>(v->type.scalar)], place, v});
  }

  void apply(Op op) {
    const auto count = static_cast<std::ptrdiff_t>(ir::info(op).operands);
    store(b_.typed(op, result_of(op, Type::of(kind_)), {x_.begin(), x_.begin() + count}));
  }

  void ldexp() {
    for (int e : {0, 1, -1, 24, -24, 100, -126, -149, -150, 127, 128, -300, 300, 1100, -1100,
                  INT32_MIN, INT32_MAX}) {
      store(b_.op(Op::Ldexp, {x_[0], b_.const_int(ir::kI32, e)}));
    }
  }

  std::unique_ptr<ir::Function> f_;
  ir::Builder b_;
  ScalarKind kind_;
  std::vector<Inst*> arrays_, x_;
  Inst* thread_ = nullptr;
  int64_t next_ = 0;
};

}  // namespace

std::unique_ptr<ir::Function> all_operations(ScalarKind kind, Which which) {
  return Maker(kind).run(which);
}

}  // namespace cuda_device::codegen::test
