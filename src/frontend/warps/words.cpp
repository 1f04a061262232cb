#include "frontend/warps/words.h"

#include <algorithm>

namespace cuda_device::frontend {
namespace {

unsigned bits_in_word(const ir::Type& type) {
  return type.is_bool() ? 8 : static_cast<unsigned>(type.bits());
}

ir::Type unsigned_of(unsigned bits) {
  if (bits <= 8) return ir::Type::of(ScalarKind::U8);
  if (bits <= 16) return ir::Type::of(ScalarKind::U16);
  return bits <= 32 ? ir::kU32 : ir::Type::of(ScalarKind::U64);
}

Inst* as_type(Context& ctx, Inst* v, const ir::Type& type, Op op) {
  return v->type == type ? v : ctx.builder.typed(op, type, {v});
}

// Floats that are only stored go as their bits.
Inst* alone(Context& ctx, Inst* scalar) {
  if (!scalar->type.is_stored()) return scalar;
  return as_type(ctx, scalar, unsigned_of(bits_in_word(scalar->type)), Op::Bitcast);
}

}  // namespace

Words::Words(Context& ctx, const std::vector<Inst*>& scalars, unsigned most)
    : ctx_(ctx), scalars_(scalars) {
  const bool one_each = !ctx.session.request.target.device;
  for (size_t k = 0; k < scalars.size(); ++k) {
    const unsigned bits = bits_in_word(scalars[k]->type);
    const auto has_room = [&](const Word& word) { return !one_each && word.bits + bits <= most; };
    auto word = std::ranges::find_if(words_, has_room);
    if (word == words_.end()) word = words_.insert(word, Word{});
    word->scalars.push_back(k);
    word->bits += bits;
  }
}

Inst* Words::pack(const Word& word) const {
  if (word.scalars.size() == 1) return alone(ctx_, scalars_[word.scalars[0]]);
  const ir::Type type = unsigned_of(std::max(word.bits, 32U));
  Inst* all = nullptr;
  int64_t first = 0;
  for (const size_t k : word.scalars) {
    Inst* scalar = scalars_[k];
    const unsigned size = bits_in_word(scalar->type);
    if (!scalar->type.is_bool()) scalar = as_type(ctx_, scalar, unsigned_of(size), Op::Bitcast);
    Inst* bits = as_type(ctx_, scalar, type, Op::Convert);
    if (all) bits = ctx_.builder.op(Op::Shl, {bits, ctx_.builder.const_int(type, first)});
    all = all ? ctx_.builder.op(Op::Or, {all, bits}) : bits;
    first += size;
  }
  return all;
}

Inst* Words::unpack(const Word& word, Inst* bits, size_t scalar, unsigned first) const {
  const ir::Type type = scalars_[scalar]->type;
  if (word.scalars.size() == 1) return as_type(ctx_, bits, type, Op::Bitcast);
  if (first)
    bits = ctx_.builder.op(Op::Shr, {bits, ctx_.builder.const_int(bits->type, int64_t{first})});
  const ir::Type own = unsigned_of(bits_in_word(type));
  bits = as_type(ctx_, bits, own, Op::Convert);
  if (type.is_bool()) return ctx_.builder.op(Op::Ne, {bits, ctx_.builder.const_int(own, 0)});
  return as_type(ctx_, bits, type, Op::Bitcast);
}

std::vector<Inst*> Words::packed() const {
  std::vector<Inst*> all;
  all.reserve(words_.size());
  for (const Word& word : words_) all.push_back(pack(word));
  return all;
}

std::vector<Inst*> Words::moved(const std::function<Inst*(Inst*)>& f) const {
  std::vector<Inst*> results(scalars_.size());
  for (const Word& word : words_) {
    Inst* bits = f(pack(word));
    unsigned first = 0;
    for (const size_t k : word.scalars) {
      results[k] = unpack(word, bits, k, first);
      first += bits_in_word(scalars_[k]->type);
    }
  }
  return results;
}

}  // namespace cuda_device::frontend
