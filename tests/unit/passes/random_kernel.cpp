#include "random_kernel.h"

#include <cmath>
#include <random>

#include "ir/evaluate.h"

namespace cuda_device::passes {
namespace {

using ir::Block;
using ir::Builder;
using ir::Function;
using ir::Inst;
using ir::Op;
using ir::Type;

constexpr int kExtent = 16;  // of every array
constexpr ScalarKind kKinds[] = {ScalarKind::Bool, ScalarKind::I32, ScalarKind::I64, ScalarKind::U8,
                                 ScalarKind::U32,  ScalarKind::F32, ScalarKind::F64};
constexpr int kSlotsEach = 2;

class Generator {
 public:
  Generator(uint64_t seed, Calls calls)
      : random_(seed), calls_(calls == Calls::Opaque), b_(*f_, f_->body) {}

  std::unique_ptr<Function> run() {
    f_->name = "random";
    if (chance(2)) f_->launch.block = {8, 2, 1};
    for (ScalarKind kind : kKinds) {
      f_->params.push_back({"array", Type::array(kind, 1), {}, {}});
      for (int i = 0; i < kSlotsEach; ++i) f_->slots.push_back({"slot", Type::of(kind)});
    }
    if (calls_) number_threads();
    statements(f_->body, 3);
    for (ScalarKind kind : kKinds) store(kind);
    return std::move(f_);
  }

 private:
  struct Insertion {
    int scopes = 0;
    bool loop = false;
    bool may_return = true;
  };

  int below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool chance(int one_in) { return below(one_in) == 0; }
  ScalarKind some_kind() { return kKinds[below(std::size(kKinds))]; }
  ScalarKind some_kind(bool (*is)(ScalarKind)) {
    ScalarKind kind = some_kind();
    while (!is(kind)) kind = some_kind();
    return kind;
  }

  static int64_t array_of(ScalarKind kind) {
    int64_t i = 0;
    while (kKinds[i] != kind) ++i;
    return i;
  }
  uint32_t slot_of(ScalarKind kind) {
    return static_cast<uint32_t>(array_of(kind) * kSlotsEach + below(kSlotsEach));
  }

  // A value: one that is visible, a slot, a constant, an element, or something computed.
  Inst* value(ScalarKind kind, int depth) {
    if (!visible_.empty() && chance(3)) {
      Inst* candidate = visible_[random_() % visible_.size()];
      if (candidate->type == Type::of(kind)) return candidate;
    }
    Inst* made = depth > 0 && !chance(4) ? computed(kind, depth - 1) : leaf(kind);
    visible_.push_back(made);
    return made;
  }

  Inst* leaf(ScalarKind kind) {
    switch (below(5)) {
      case 0:
        return b_.slot_load(slot_of(kind));
      case 1:
        return position(kind);
      case 2:
        return b_.op(Op::Load, {b_.op(Op::Param, {}, array_of(kind)), index()});
      default:
        return constant(kind);
    }
  }

  Inst* constant(ScalarKind kind) {
    static constexpr double kFloats[] = {0, -0.0, 1, -1, 2, 0.25, 1e30, -3.5, HUGE_VAL};
    static constexpr int64_t kInts[] = {0, 1, -1, 2, 3, 7, 31, 32, 100, INT32_MIN, INT64_MIN};
    if (is_float(kind)) return b_.const_float(Type::of(kind), kFloats[below(std::size(kFloats))]);
    return b_.const_int(Type::of(kind), kInts[below(std::size(kInts))]);
  }

  Inst* position(ScalarKind kind) {
    constexpr Op kAsked[] = {Op::Tid, Op::ThreadIdx, Op::BlockDim, Op::GridDim, Op::BlockIdx};
    return convert(b_.op(kAsked[below(std::size(kAsked))], {}, below(3)), kind);
  }

  Inst* convert(Inst* from, ScalarKind kind) {
    return b_.typed(Op::Convert, Type::of(kind), {from});
  }

  // An index in range of every array.
  Inst* index() {
    Inst* any = chance(2) ? b_.op(Op::Tid, {}, 0) : value(ScalarKind::I32, 1);
    return b_.op(Op::And, {any, b_.const_int(ir::kI32, kExtent - 1)});
  }

  // Any operation with a value of this type, drawn from op.def.
  Inst* computed(ScalarKind kind, int depth) {
    for (;;) {
      const auto op = static_cast<Op>(below(ir::kOpCount));
      if (ir::info(op).kind != ir::OpKind::Scalar) continue;
      if (Inst* made = compute(op, kind, depth)) return made;
    }
  }

  Inst* compute(Op op, ScalarKind kind, int depth) {
    const Type type = Type::of(kind);
    const auto operand = [&](ScalarKind k) { return value(k, depth); };
    if (op == Op::Convert) return b_.typed(op, type, {operand(some_kind())});
    if (op == Op::Select)
      return b_.op(op, {operand(ScalarKind::Bool), operand(kind), operand(kind)});
    if (op == Op::Wrap && kind == ScalarKind::I64) {
      return b_.op(op, {operand(some_kind(is_int)), operand(kind)});
    }
    if (op == Op::Ldexp && is_float(kind)) {
      return b_.op(op, {operand(kind), operand(ScalarKind::I32)});
    }
    if (op == Op::Bitcast || op == Op::Ldexp || op == Op::Wrap || op == Op::ScaleUnit)
      return nullptr;
    const ScalarKind from = operand_kind(op, kind);
    if (!ir::evaluator(op, from, kind) || result_kind(op, from) != kind) return nullptr;
    std::vector<Inst*> operands;
    for (int i = 0; i < ir::info(op).operands; ++i) operands.push_back(operand(from));
    return b_.typed(op, type, operands);
  }

  ScalarKind operand_kind(Op op, ScalarKind result) {
    const ir::ResultRule rule = ir::info(op).result;
    const bool other = rule == ir::ResultRule::Bool || rule == ir::ResultRule::I32;
    return other ? some_kind() : result;
  }

  static ScalarKind result_kind(Op op, ScalarKind operand) {
    switch (ir::info(op).result) {
      case ir::ResultRule::Bool:
        return ScalarKind::Bool;
      case ir::ResultRule::I32:
        return ScalarKind::I32;
      default:
        return operand;
    }
  }

  void store(ScalarKind kind) {
    Inst* array = b_.op(Op::Param, {}, array_of(kind));
    Inst* at = index();
    b_.op(Op::Store, {array, at, value(kind, 2)});
  }

  // Values made inside are not visible outside, nor is the builder's place.
  template <class Action>
  void inside(Block& block, Action&& action) {
    Block& outer = b_.block();
    const size_t visible = visible_.size();
    const Insertion place = place_;
    b_.set_block(block);
    action();
    b_.set_block(outer);
    visible_.resize(visible);
    place_ = place;
  }

  void statements(Block& block, int depth) {
    inside(block, [&] {
      for (int n = below(4) + 1; n > 0; --n) statement(depth);
      if (depth < 3 && chance(4)) jump();
    });
  }

  // The number of the thread in the launch, as run_kernel makes it.
  void number_threads() {
    const auto at = [&](Op op, int axis) { return b_.op(op, {}, axis); };
    Inst* row = b_.op(Op::Add, {b_.op(Op::Mul, {at(Op::ThreadIdx, 1), at(Op::BlockDim, 0)}),
                                at(Op::ThreadIdx, 0)});
    thread_ =
        b_.op(Op::Add, {b_.op(Op::Mul, {at(Op::BlockIdx, 0), b_.const_int(ir::kU32, 16)}), row});
  }

  void opaque() {
    std::vector<Inst*> operands{thread_};
    const auto is_whole = [](ScalarKind kind) { return !is_float(kind); };
    for (int n = below(3); n > 0; --n) operands.push_back(value(some_kind(is_whole), 2));
    const auto part = static_cast<ir::OpaquePart>(chance(2) ? 0 : below(ir::kOpaqueParts));
    const int64_t identity = ir::opaque_identity(part, identity_++);
    visible_.push_back(b_.typed(Op::Opaque, ir::kI32, operands, identity));
  }

  void statement(int depth) {
    if (calls_ && chance(4)) return opaque();
    switch (depth > 0 ? below(8) : below(4)) {
      case 0:
        return store(some_kind());
      case 4:
      case 5:
        return if_(depth - 1);
      case 6:
        return chance(2) ? for_(depth - 1) : while_(depth - 1);
      case 7:
        return scope(depth - 1);
      default: {
        const ScalarKind kind = some_kind();
        b_.slot_store(slot_of(kind), value(kind, 3));
      }
    }
  }

  void jump() {
    switch (below(4)) {
      case 0:
        if (place_.loop) b_.op(Op::Break, {});
        return;
      case 1:
        if (place_.loop) b_.op(Op::Continue, {});
        return;
      case 2:
        if (place_.scopes > 0) b_.op(Op::Leave, {}, below(place_.scopes));
        return;
      default:
        if (place_.may_return && chance(3)) b_.op(Op::Return, {});
    }
  }

  void if_(int depth) {
    Inst* condition = value(ScalarKind::Bool, 2);
    if (chance(3)) return store_in_both(condition, depth);
    Inst* inst = b_.control(Op::If, {condition}, 2);
    statements(inst->regions[0], depth);
    if (chance(2)) statements(inst->regions[1], depth);
  }

  // Both sides store to one array, often to one element, sometimes with more after it.
  void store_in_both(Inst* condition, int depth) {
    const ScalarKind kind = some_kind();
    Inst* outside = chance(2) ? b_.op(Op::Tid, {}, 0) : value(ScalarKind::I32, 1);
    Inst* inst = b_.control(Op::If, {condition}, 2);
    for (Block& side : inst->regions) {
      if (chance(2)) statements(side, depth);
      if (!side.empty() && ir::ends_block(side.insts.back()->op)) continue;
      inside(side, [&] {
        Inst* at = chance(4) ? value(ScalarKind::I32, 1) : outside;
        at = b_.op(Op::And, {at, b_.const_int(ir::kI32, kExtent - 1)});
        b_.op(Op::Store, {b_.op(Op::Param, {}, array_of(kind)), at, value(kind, 2)});
        if (chance(3)) statement(depth);
        if (chance(8)) jump();
      });
    }
  }

  void for_(int depth) {
    const ScalarKind kind = some_kind(is_int);
    const Type type = Type::of(kind);
    const int64_t start = below(5), count = below(4);
    const bool down = is_signed_int(kind) && chance(2);
    Inst* inst = b_.control(
        Op::For,
        {b_.const_int(type, start), b_.const_int(type, down ? start - count : start + count),
         b_.const_int(type, down ? -1 : below(3))},
        2, slot_of(kind));
    loop_regions(*inst, 0, depth);
  }

  // Counts in a slot of its own.
  void while_(int depth) {
    const auto counter = static_cast<uint32_t>(f_->slots.size());
    f_->slots.push_back({"counter", ir::kI32});
    b_.slot_store(counter, b_.const_int(ir::kI32, 0));
    Inst* inst = b_.control(Op::While, {}, 3);
    inside(inst->regions[0], [&] {
      place_ = {.scopes = 0, .loop = false, .may_return = false};
      if (depth > 0 && chance(2)) statement(depth);
      Inst* count = b_.slot_load(counter);
      b_.slot_store(counter, b_.op(Op::Add, {count, b_.const_int(ir::kI32, 1)}));
      Inst* more = b_.op(Op::Lt, {count, b_.const_int(ir::kI32, below(4))});
      if (chance(2)) more = b_.op(Op::And, {more, value(ScalarKind::Bool, 2)});
      b_.op(Op::Yield, {more});
    });
    loop_regions(*inst, 1, depth);
  }

  void loop_regions(Inst& inst, size_t body, int depth) {
    const bool around = place_.loop;
    place_.loop = true;
    statements(inst.regions[body], depth);
    place_.loop = around;
    if (chance(2)) statements(inst.regions[body + 1], depth);
  }

  void scope(int depth) {
    Inst* inst = b_.control(Op::Scope, {}, 1);
    ++place_.scopes;
    statements(inst->regions[0], depth);
    --place_.scopes;
  }

  std::mt19937_64 random_;
  const bool calls_;
  Inst* thread_ = nullptr;
  int64_t identity_ = 0;
  std::unique_ptr<Function> f_ = std::make_unique<Function>();
  Builder b_;
  std::vector<Inst*> visible_;
  Insertion place_;
};

int64_t element(ScalarKind kind, std::mt19937_64& random) {
  const auto bits = static_cast<int64_t>(random());
  if (!is_float(kind)) return ir::canonical(kind, bits >> (bits & 63));
  return ir::float_bits(
      kind, std::ldexp(static_cast<double>(bits), static_cast<int>(random() % 80) - 90));
}

// Makes all NaNs one: which NaN an operation gives is not part of its meaning.
void unify_nans(ScalarKind kind, std::vector<char>& data) {
  for (size_t at = 0; is_float(kind) && at < data.size();
       at += static_cast<size_t>(bytes_of(kind))) {
    int64_t bits = 0;
    std::copy_n(&data[at], bytes_of(kind), reinterpret_cast<char*>(&bits));
    if (std::isnan(ir::float_of_bits(kind, bits))) std::fill_n(&data[at], bytes_of(kind), '\x7f');
  }
}

}  // namespace

std::unique_ptr<Function> random_kernel(uint64_t seed, Calls calls) {
  return Generator(seed, calls).run();
}

Outcome run_kernel(const Function& f, uint64_t seed) {
  Outcome out;
  std::mt19937_64 random(seed);
  std::vector<ir::Argument> arguments(std::size(kKinds));
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    const auto size = static_cast<size_t>(bytes_of(kKinds[i]));
    std::vector<char>& data = out.arrays.emplace_back(kExtent * size);
    for (size_t at = 0; at < data.size(); at += size) {
      const int64_t bits = element(kKinds[i], random);
      std::copy_n(reinterpret_cast<const char*>(&bits), size, &data[at]);
    }
    arguments[i].array = {data.data(), {kExtent}, {static_cast<int64_t>(size)}};
  }
  std::vector<char>& touched = out.arrays[1];  // of int32
  ir::OpaqueTrace trace([&](int64_t thread, int64_t number) {
    const auto value = static_cast<int32_t>(number);
    std::copy_n(reinterpret_cast<const char*>(&value), sizeof value,
                &touched[static_cast<size_t>(thread % kExtent) * sizeof value]);
  });
  ir::interpret(f, arguments, {{2, 1, 1}, {8, 2, 1}}, 100000, nullptr,
                [&](int64_t identity, std::span<const int64_t> operands) {
                  return trace.call(identity, operands);
                });
  out.calls = trace.calls();
  for (size_t i = 0; i < std::size(kKinds); ++i) unify_nans(kKinds[i], out.arrays[i]);
  return out;
}

}  // namespace cuda_device::passes
