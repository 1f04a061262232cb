#include "codegen/thread/counter.h"

#include <algorithm>

namespace cuda_device::codegen::thread {

using analysis::Interval;
using llvm::Value;

Counter::Counter(EmitContext& context, const ir::Inst& loop)
    : c_(context), loop_(loop), own_(loop.operands[0]->type.scalar()), kind_(own_) {
  const Interval reached = reach();
  // ptxas unrolls loops whose counter it follows: not those of 64 bits that are compared in 32.
  for (const ScalarKind narrow : {ScalarKind::U32, ScalarKind::I32})
    if (bits_of(own_) == 64 && reached.within(analysis::full(narrow))) kind_ = narrow;
  overflows_ = !reached.within(analysis::full(kind_));
}

Interval Counter::range(size_t operand) const {
  return analysis::to_interval(c_.analysis.range(*loop_.operands[operand]), own_);
}

// Where it begins, what it does not get to, and, from a last value before that, one step past it.
Interval Counter::reach() const {
  const Interval stop = range(1), step = range(2);
  Interval all = analysis::hull(range(0), stop);
  if (step.hi > 0) all.hi = std::max(all.hi, stop.hi - 1 + step.hi);
  if (step.lo < 0) all.lo = std::min(all.lo, stop.lo + 1 + step.lo);
  return all;
}

Value* Counter::operand(size_t index) const {
  return c_.arithmetic.convert(own_, kind_, c_.operand(loop_, index));
}

Value* Counter::less(Value* x, Value* y) const {
  return is_signed_int(kind_) ? c_.b.CreateICmpSLT(x, y) : c_.b.CreateICmpULT(x, y);
}

void Counter::begin(llvm::AllocaInst* place) {
  place_ = place;
  c_.b.CreateStore(operand(0), place_);
}

Value* Counter::load() const { return c_.b.CreateLoad(type(), place_); }

Value* Counter::value_of(Value* now) const { return c_.arithmetic.convert(kind_, own_, now); }

Value* Counter::before_stop(Value* now) const {
  const Interval step = range(2);
  Value* stop = operand(1);
  if (step.lo > 0) return less(now, stop);
  if (step.hi < 0) return less(stop, now);
  Value* by = c_.operand(loop_, 2);
  Value* zero = llvm::Constant::getNullValue(by->getType());
  Value* rises = is_signed_int(own_) ? c_.b.CreateICmpSGT(by, zero) : c_.b.CreateICmpNE(by, zero);
  Value* up = c_.b.CreateAnd(rises, less(now, stop));
  if (!is_signed_int(own_)) return up;
  return c_.b.CreateOr(up, c_.b.CreateAnd(c_.b.CreateICmpSLT(by, zero), less(stop, now)));
}

Value* Counter::advance() const {
  const bool is_signed = is_signed_int(kind_);
  Value *now = load(), *step = operand(2);
  if (!overflows_) {
    const bool nuw = !is_signed && range(2).non_negative();
    c_.b.CreateStore(c_.b.CreateAdd(now, step, "", nuw, is_signed), place_);
    return nullptr;
  }
  const auto id =
      is_signed ? llvm::Intrinsic::sadd_with_overflow : llvm::Intrinsic::uadd_with_overflow;
  Value* sum = c_.b.CreateBinaryIntrinsic(id, now, step);
  c_.b.CreateStore(c_.b.CreateExtractValue(sum, 0), place_);
  return c_.b.CreateExtractValue(sum, 1);
}

}  // namespace cuda_device::codegen::thread
