#include "passes/memory/index_offsets.h"

#include "passes/memory/same_value.h"

#include <algorithm>

namespace cuda_device::passes {
namespace {

using analysis::Analysis;
using ir::Inst;
using ir::Op;

// An index that is the base plus the constant, modulo 2**bits; without a base the constant.
struct Sum {
  const Inst* base;
  int bits;
  uint64_t constant = 0;
};

// Conversions that keep the value, as a position in memory: they change no bit of the base's width.
bool extends(const Inst& i, const Analysis& a) {
  const Inst& from = *i.operands[0];
  if (i.op == Op::Wrap) return a.range(from).non_negative();
  return i.op == Op::Convert && from.type.is_int() && i.type.is_int() &&
         from.type.bits() <= i.type.bits();
}

Sum split(const Inst& index, const Analysis& a) {
  Sum sum{&index, index.type.bits()};
  while (true) {
    const Inst& i = *sum.base;
    sum.bits = i.type.bits();
    if (i.op == Op::Const) {
      sum.constant += static_cast<uint64_t>(i.imm);
      sum.base = nullptr;
      return sum;
    }
    if (i.op == Op::Wrap || i.op == Op::Convert) {
      if (!extends(i, a)) return sum;
      sum.base = i.operands[0];
    } else if (i.type.is_int() && (i.op == Op::Add || i.op == Op::Sub)) {
      const bool first = i.op == Op::Add && i.operands[0]->op == Op::Const;
      const Inst& constant = *i.operands[first ? 0 : 1];
      if (constant.op != Op::Const) return sum;
      const auto value = static_cast<uint64_t>(constant.imm);
      sum.constant += i.op == Op::Add ? value : -value;
      sum.base = i.operands[first ? 1 : 0];
    } else {
      return sum;
    }
  }
}

uint64_t reduce(uint64_t value, int bits) { return value << (64 - bits) >> (64 - bits); }

// Offsets of the lanes from what they share, modulo 2**bits, in increasing order; none where the
// analysis does not say.
using Offsets = std::vector<uint64_t>;
std::optional<Offsets> offsets(const Sum& sum, int bits, const Analysis& a) {
  const analysis::Shape shape = sum.base ? a.shape(*sum.base) : analysis::Shape();
  if (shape.level == analysis::Level::Varying || !shape.s0.known || !shape.s1.known)
    return std::nullopt;
  const uint32_t period = shape.period_in(a.layout);
  Offsets made;
  for (uint32_t lane = 0; lane < a.layout.width; ++lane) {
    const uint64_t column = lane % period, row = lane / period;
    const uint64_t steps = static_cast<uint64_t>(shape.s0.value) * column +
                           static_cast<uint64_t>(shape.s1.value) * row;
    made.push_back(reduce(sum.constant + steps, bits));
  }
  std::ranges::sort(made);
  return made;
}

bool differs_between_lanes(const Sum& index, const Analysis& a) {
  const auto all = offsets(index, index.bits, a);
  return all && std::ranges::adjacent_find(*all) == all->end();
}

bool differ(const Sum& a, const Sum& b, const Analysis& gang) {
  const bool one_base = a.base && b.base ? same_value(*a.base, *b.base) : a.base == b.base;
  const int bits = std::min(a.bits, b.bits);
  const auto x = offsets(a, bits, gang), y = offsets(b, bits, gang);
  if (!one_base || !x || !y) return false;
  Offsets common;
  std::ranges::set_intersection(*x, *y, std::back_inserter(common));
  return common.empty();
}

}  // namespace

GangAnalyses analyse_gangs(const ir::Function& f, const Lanes& lanes) {
  GangAnalyses gangs;
  for (uint32_t width : lanes.gangs) gangs.push_back(analysis::analyse(f, width, lanes.tuning));
  return gangs;
}

bool differs_between_lanes(const Inst& index, const GangAnalyses& gangs) {
  return std::ranges::all_of(
      gangs, [&](const Analysis& a) { return differs_between_lanes(split(index, a), a); });
}

bool differ(const Inst& a, const Inst& b, const GangAnalyses& gangs) {
  return std::ranges::all_of(
      gangs, [&](const Analysis& gang) { return differ(split(a, gang), split(b, gang), gang); });
}

}  // namespace cuda_device::passes
