// pow(x, e, m) of numbers of 64 bits: products of 128 bits, and their remainders.
#include "frontend/calls/modular_power.h"

#include "frontend/control/variables.h"
#include "frontend/operators/convert.h"

namespace cuda_device::frontend {
namespace {

constexpr ir::Type kU64 = ir::Type::of(ScalarKind::U64);

// Unsigned numbers of 64 bits, and their halves.
class Words {
 public:
  explicit Words(ir::Builder& builder) : e_(builder) {}

  Inst* constant(uint64_t value) { return e_.const_int(kU64, static_cast<int64_t>(value)); }
  Inst* plus(Inst* x, Inst* y) { return e_.op(Op::Add, {x, y}); }
  Inst* minus(Inst* x, Inst* y) { return e_.op(Op::Sub, {x, y}); }
  Inst* times(Inst* x, Inst* y) { return e_.op(Op::Mul, {x, y}); }
  Inst* high(Inst* x) { return e_.op(Op::Shr, {x, constant(32)}); }
  Inst* low(Inst* x) { return e_.op(Op::And, {x, constant(0xffffffff)}); }
  Inst* joined(Inst* high, Inst* low) { return plus(e_.op(Op::Shl, {high, constant(32)}), low); }

  // x * y % m, where x and y are below m. The remainder by m of the product, `high` and `low`, is
  // Knuth's algorithm D with two digits of 32 bits: Warren, Hacker's Delight, figure 9-3.
  Inst* product_modulo(Inst* x, Inst* y, Inst* m) {
    Inst* low = times(x, y);
    Inst* high = high_product(x, y);
    Inst* shift = e_.typed(Op::Convert, kU64, {e_.op(Op::Clz, {m})});
    Inst* rest = minus(constant(64), shift);  // a shift by 64 gives 0
    Inst* divisor = e_.op(Op::Shl, {m, shift});
    Inst* first = e_.op(Op::Or, {e_.op(Op::Shl, {high, shift}), e_.op(Op::Shr, {low, rest})});
    Inst* digits = e_.op(Op::Shl, {low, shift});
    Inst* second = step(first, this->high(digits), divisor);
    return e_.op(Op::Shr, {step(second, this->low(digits), divisor), shift});
  }

 private:
  Inst* high_product(Inst* x, Inst* y) {
    Inst *x1 = high(x), *x0 = low(x), *y1 = high(y), *y0 = low(y);
    Inst* middle = plus(times(x1, y0), high(times(x0, y0)));
    Inst* carry = plus(times(x0, y1), low(middle));
    return plus(plus(times(x1, y1), high(middle)), high(carry));
  }

  // The remainder of (number, digit) by a divisor whose first bit is set, number below it.
  Inst* step(Inst* number, Inst* digit, Inst* divisor) {
    Inst *first = high(divisor), *second = low(divisor);
    Inst* quotient = e_.op(Op::FloorDiv, {number, first});
    Inst* left = minus(number, times(quotient, first));
    // The quotient of the first digits is too large by two at most.
    for (int i = 0; i < 2; ++i) {
      Inst* wide = e_.op(Op::Ge, {quotient, constant(uint64_t{1} << 32)});
      Inst* beyond = e_.op(Op::Gt, {times(quotient, second), joined(left, digit)});
      Inst* again = e_.op(Op::And, {e_.op(Op::Or, {wide, beyond}),
                                    e_.op(Op::Lt, {left, constant(uint64_t{1} << 32)})});
      quotient = e_.op(Op::Select, {again, minus(quotient, constant(1)), quotient});
      left = e_.op(Op::Select, {again, plus(left, first), left});
    }
    return minus(joined(number, digit), times(quotient, divisor));
  }

  ir::Builder& e_;
};

// A number of a 64-bit format: its magnitude, and whether it is negative; null: it never is.
struct Signed {
  Inst *magnitude, *negative;
};

Signed taken_apart(ir::Builder& e, Inst* number, TypeCode code) {
  if (is_unsigned(code)) return {number, nullptr};
  Inst* negative = e.op(Op::Lt, {number, e.const_int(number->type, 0)});
  return {e.typed(Op::Bitcast, kU64, {e.op(Op::Abs, {number})}), negative};
}

}  // namespace

Value modular_power_64(Context& ctx, const std::vector<Value>& v, TypeCode code, const Node* node) {
  ir::Builder& e = ctx.builder;
  Words words(e);
  const auto number = [&](size_t k) { return inst_of(ctx, convert(ctx, v[k], code, node), node); };
  const Signed modulus = taken_apart(e, number(2), code), x = taken_apart(e, number(0), code);
  Inst *zero = words.constant(0), *one = words.constant(1), *m = modulus.magnitude;
  Inst* remainder = e.op(Op::FloorMod, {x.magnitude, m});
  if (x.negative) {
    Inst* turned = e.op(Op::And, {x.negative, e.op(Op::Ne, {remainder, zero})});
    remainder = e.op(Op::Select, {turned, words.minus(m, remainder), remainder});
  }
  const uint32_t base = make_slot(ctx, "", TypeCode::u8),
                 exponent = make_slot(ctx, "", TypeCode::u8),
                 result = make_slot(ctx, "", TypeCode::u8);
  e.slot_store(base, remainder);
  e.slot_store(exponent, taken_apart(e, number(1), code).magnitude);
  e.slot_store(result, e.op(Op::FloorMod, {one, m}));
  Inst* loop = e.control(Op::While, {}, 3);
  ir::Block* outer = &e.block();
  e.set_block(loop->regions[0]);
  e.op(Op::Yield, {e.op(Op::Ne, {e.slot_load(exponent), zero})});
  e.set_block(loop->regions[1]);
  Inst* bits = e.slot_load(exponent);
  Inst* odd = e.op(Op::Ne, {e.op(Op::And, {bits, one}), zero});
  Inst *old = e.slot_load(result), *square = e.slot_load(base);
  e.slot_store(result, e.op(Op::Select, {odd, words.product_modulo(old, square, m), old}));
  e.slot_store(base, words.product_modulo(square, square, m));
  e.slot_store(exponent, e.op(Op::Shr, {bits, one}));
  e.set_block(*outer);
  Inst* found = e.slot_load(result);
  // Python's result has the modulus's sign.
  if (modulus.negative) {
    Inst* turned = e.op(Op::And, {modulus.negative, e.op(Op::Ne, {found, zero})});
    found = e.op(Op::Select, {turned, words.minus(found, m), found});
  }
  const ir::Type type = ir::Type::of(*scalar_of(code));
  return Value::number(code, type == kU64 ? found : e.typed(Op::Bitcast, type, {found}));
}

}  // namespace cuda_device::frontend
