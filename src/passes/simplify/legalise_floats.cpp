#include "passes/simplify/legalise_floats.h"

#include "ir/effects.h"
#include "passes/rewrite.h"
#include "support/check.h"

namespace cuda_device::passes {
namespace {

using ir::Builder;
using ir::Inst;
using ir::Op;
using ir::Type;

// Twice the bits and two more: no second rounding shows.
consteval bool rounds_like_once() {
  for (const ScalarInfo& s : kScalarInfo)
    if (s.stored && info(s.compute).format.significand < 2 * s.format.significand + 2) return false;
  return true;
}
static_assert(rounds_like_once(), "a float is too wide to be computed in the one it names");

// The integers of the same size.
Type bits_type(ScalarKind kind) {
  switch (bytes_of(kind)) {
    case 1:
      return Type::of(ScalarKind::U8);
    case 2:
      return Type::of(ScalarKind::U16);
    case 4:
      return Type::of(ScalarKind::U32);
    default:
      return Type::of(ScalarKind::U64);
  }
}

// Every product of two numbers of the one float is a number of the other.
bool holds_products(ScalarKind wide, ScalarKind kind) {
  const FloatFormat &w = format_of(wide), &f = format_of(kind);
  return w.significand >= 2 * f.significand && w.max_exponent() >= 2 * (f.max_exponent() + 1) &&
         w.min_exponent() - w.fraction() <= 2 * (f.min_exponent() - f.fraction());
}

bool is_computed(const Inst& inst) {
  return ir::computes(inst.op) && !inst.operands.empty() && inst.operands[0]->type.is_stored();
}

class Legalisation {
 public:
  explicit Legalisation(ir::Function& f) : f_(f) {}
  void block(ir::Block& b);

 private:
  Inst* legal(Builder& b, const Inst& inst);
  Inst* moved(Builder& b, const Inst& inst);
  Inst* chosen(Builder& b, const Inst& inst, Op compare);
  Inst* fused(Builder& b, const Inst& inst);
  Inst* computed(Builder& b, const Inst& inst);

  ir::Function& f_;
  Replacements replaced_;
};

Inst* converted(Builder& b, Inst* x, ScalarKind to) {
  return x->type == Type::of(to) ? x : b.typed(Op::Convert, Type::of(to), {x});
}

void Legalisation::block(ir::Block& b) {
  const std::vector<Inst*> before = std::move(b.insts);
  b.insts.clear();
  Builder builder(f_, b);
  for (Inst* inst : before) {
    replaced_.update_operands(*inst);
    if (is_computed(*inst)) {
      builder.set_span(inst->span);
      replaced_.replace(*inst, legal(builder, *inst));
      continue;
    }
    b.insts.push_back(inst);
    for (ir::Block& region : inst->regions) block(region);
  }
}

Inst* Legalisation::legal(Builder& b, const Inst& inst) {
  switch (inst.op) {
    case Op::Neg:
    case Op::Abs:
    case Op::CopySign:
      return moved(b, inst);
    case Op::Min:
      return chosen(b, inst, Op::Lt);
    case Op::Max:
      return chosen(b, inst, Op::Gt);
    case Op::Fma:
      return fused(b, inst);
    default:
      return computed(b, inst);
  }
}

// The sign is a bit.
Inst* Legalisation::moved(Builder& b, const Inst& inst) {
  const ScalarKind kind = inst.type.scalar();
  const Type bits = bits_type(kind);
  const int64_t sign = int64_t{1} << (bits_of(kind) - 1);
  const auto part = [&](Op op, size_t operand, int64_t mask) {
    Inst* x = b.typed(Op::Bitcast, bits, {inst.operands[operand]});
    return b.op(op, {x, b.const_int(bits, mask)});
  };
  Inst* result = inst.op == Op::Neg ? part(Op::Xor, 0, sign) : part(Op::And, 0, sign - 1);
  if (inst.op == Op::CopySign) result = b.op(Op::Or, {result, part(Op::And, 1, sign)});
  return b.typed(Op::Bitcast, inst.type, {result});
}

// The second operand if it is less, or greater, than the first.
Inst* Legalisation::chosen(Builder& b, const Inst& inst, Op compare) {
  const ScalarKind wide = computed_in(inst.type.scalar());
  Inst *first = inst.operands[0], *second = inst.operands[1];
  Inst* condition = b.op(compare, {converted(b, second, wide), converted(b, first, wide)});
  return b.typed(Op::Select, inst.type, {condition, second, first});
}

// The product is exact; a sum that is not takes the neighbour whose last bit is odd, so that the
// rounding that follows is as if there had been none before. The error of the sum is exact too
// (Knuth, TAOCP 2, 4.2.2, theorem B).
Inst* Legalisation::fused(Builder& b, const Inst& inst) {
  const ScalarKind kind = inst.type.scalar();
  const ScalarKind narrow = computed_in(kind);
  const ScalarKind wide = holds_products(narrow, kind) ? narrow : ScalarKind::F64;
  CD_CHECK(holds_products(wide, kind), "no float holds products of " + to_string(inst.type));
  const Type real = Type::of(wide), bits = bits_type(wide);
  Inst* product =
      b.op(Op::Mul, {converted(b, inst.operands[0], wide), converted(b, inst.operands[1], wide)});
  Inst* addend = converted(b, inst.operands[2], wide);
  Inst* sum = b.op(Op::Add, {product, addend});
  Inst* added = b.op(Op::Sub, {sum, product});
  Inst* error = b.op(Op::Add, {b.op(Op::Sub, {product, b.op(Op::Sub, {sum, added})}),
                               b.op(Op::Sub, {addend, added})});

  Inst *zero = b.const_float(real, 0), *one = b.const_int(bits, 1);
  Inst* minus_one = b.const_int(bits, ir::canonical(bits.scalar(), -1));
  Inst *above = b.op(Op::Gt, {error, zero}), *below = b.op(Op::Lt, {error, zero});
  Inst* sum_bits = b.typed(Op::Bitcast, bits, {sum});
  Inst* even = b.op(Op::Eq, {b.op(Op::And, {sum_bits, one}), b.const_int(bits, 0)});
  Inst* wrong = b.op(Op::And, {even, b.op(Op::Or, {above, below})});
  Inst* outwards = b.op(Op::Eq, {below, b.op(Op::Lt, {sum, zero})});
  Inst* step = b.typed(Op::Select, bits, {outwards, one, minus_one});
  Inst* odd = b.op(Op::Add, {sum_bits, step});
  Inst* exact = b.typed(Op::Select, bits, {wrong, odd, sum_bits});
  return converted(b, b.typed(Op::Bitcast, real, {exact}), kind);
}

Inst* Legalisation::computed(Builder& b, const Inst& inst) {
  std::vector<Inst*> operands;
  operands.reserve(inst.operands.size());
  for (Inst* x : inst.operands)
    operands.push_back(x->type.is_stored() ? converted(b, x, computed_in(x->type.scalar())) : x);
  if (!inst.type.is_stored()) return b.typed(inst.op, inst.type, operands, inst.imm);
  const ScalarKind kind = inst.type.scalar();
  Inst* wide = b.typed(inst.op, Type::of(computed_in(kind)), operands, inst.imm);
  return converted(b, wide, kind);
}

}  // namespace

void legalise_floats(ir::Function& f) { Legalisation(f).block(f.body); }

}  // namespace cuda_device::passes
