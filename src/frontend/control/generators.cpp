// Generator expressions: gone through where a loop or a builtin takes their elements.
#include "frontend/control/generators.h"

#include <algorithm>
#include <utility>

#include "frontend/control/assign.h"
#include "frontend/control/control.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"

namespace cuda_device::frontend {
namespace {

// What goes on where a clause has its value.
using Then = std::function<void()>;

// How the clauses are lowered.
struct Way {
  bool straight =
      false;            // only as straight code: else it is `broken`, and what there is is not used
  bool ranges = false;  // those of constant length are unrolled too
  bool broken = false;
};

const syntax::GeneratorExp* node_of(const Value::Generator& g) {
  return syntax::as<syntax::GeneratorExp>(g.node);
}

// Names mean what they mean where the expression stands.
template <class F>
void where_it_stands(Context& ctx, const Value::Generator& g, const F& f) {
  Instance* caller = std::exchange(ctx.instance, g.instance);
  const uint32_t copy = std::exchange(ctx.copy, g.copy);
  f();
  ctx.instance = caller;
  ctx.copy = copy;
}

}  // namespace

// Calls `then` where all conditions from one on hold.
static void where(Context& ctx, const Nodes& conditions, size_t from, Way& way, const Then& then) {
  if (from == conditions.size()) return then();
  const Value test = condition(ctx, conditions[from]);
  if (test.is_unknown()) return;
  if (test.exact()) {
    if (test.exact()->integer != 0) where(ctx, conditions, from + 1, way, then);
    return;
  }
  way.broken |= way.straight;
  if (way.broken) return;
  ctx.at(conditions[from]);
  Inst* branch = ctx.builder.control(Op::If, {test.inst()}, 2);
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(branch->regions[0]);
  where(ctx, conditions, from + 1, way, then);
  ctx.builder.set_block(*outer);
}

// Calls f in the copy of the clause for one element.
template <class F>
static void in_copy(Context& ctx, const Node* clause, size_t element, const F& f) {
  const uint32_t inside =
      ctx.instance->unrolled.copy_of(ctx.place(clause), static_cast<uint32_t>(element));
  const uint32_t outer = std::exchange(ctx.copy, inside);
  f();
  ctx.copy = outer;
}

static std::optional<Iteration> clause_iteration(Context& ctx,
                                                 const syntax::comprehension* clause) {
  const Value sequence = expr(ctx, clause->iter);
  if (sequence.is_unknown()) return std::nullopt;
  ctx.at(clause->iter);
  std::optional<Iteration> it = iteration_of(ctx, sequence, clause->iter);
  if (!it) not_iterable(ctx, clause->iter, sequence);
  if (it && it->length.is_unknown()) return std::nullopt;
  return it;
}

// Whether the clause is unrolled; then its copies are known.
static bool is_unrolled(const Iteration& it, const Way& way) {
  const bool few = it.length.exact() && it.length.exact()->integer <= kMaxTuple;
  return it.unrolled || (way.ranges && few);
}

static size_t copies_of(const Iteration& it) {
  if (it.unrolled) return it.most;
  return static_cast<size_t>(std::max<__int128>(it.length.exact()->integer, 0));
}

static void clauses(Context& ctx, const syntax::GeneratorExp* generator, size_t from, Way& way,
                    const Then& then) {
  if (from == generator->generators.size()) return then();
  auto* clause = syntax::as<syntax::comprehension>(generator->generators[from]);
  const std::optional<Iteration> it = clause_iteration(ctx, clause);
  if (!it) return;
  const auto with_element = [&](const Value& position) {
    assign(ctx, clause->target, it->element(position), clause->iter);
    where(ctx, clause->ifs, 0, way, [&] { clauses(ctx, generator, from + 1, way, then); });
  };
  const bool unrolled = is_unrolled(*it, way);
  way.broken |= way.straight && !(unrolled && it->length.exact());
  if (way.broken) return;
  if (!unrolled) return counted(ctx, it->length, clause->iter, with_element);
  const size_t copies = copies_of(*it);
  if (!knows_copies(ctx, clause, {static_cast<uint32_t>(copies), !it->length.exact()})) return;
  for (size_t i = 0; i < copies && !way.broken && !too_large(ctx, clause->iter); ++i) {
    if_there(ctx, *it, i, clause->iter, [&](const Value& position) {
      in_copy(ctx, clause, i, [&] { with_element(position); });
    });
  }
}

static void go_through(Context& ctx, const Value::Generator& generator, Way& way,
                       const Take& take) {
  const syntax::GeneratorExp* node = node_of(generator);
  where_it_stands(ctx, generator, [&] {
    clauses(ctx, node, 0, way, [&] {
      const Value element = expr(ctx, node->elt);
      if (!element.is_unknown()) take(element);
    });
  });
}

bool has_more(const Value::Generator& generator) {
  const Nodes& clauses = node_of(generator)->generators;
  return clauses.size() > 1 || !syntax::as<syntax::comprehension>(clauses[0])->ifs.empty();
}

std::optional<Iteration> iteration_of_generator(Context& ctx, const Value::Generator& generator) {
  if (has_more(generator)) return std::nullopt;
  const syntax::GeneratorExp* node = node_of(generator);
  auto* clause = syntax::as<syntax::comprehension>(node->generators[0]);
  std::optional<Iteration> it;
  bool known = true;
  where_it_stands(ctx, generator, [&] {
    it = clause_iteration(ctx, clause);
    if (it && it->unrolled)
      known = knows_copies(ctx, clause, {static_cast<uint32_t>(it->most), !it->length.exact()});
  });
  if (!it || !known) return Iteration{};
  Iteration out = *it;
  out.element = [&ctx, generator, node, clause, it = std::move(*it)](const Value& position) {
    Value element;
    const auto evaluate = [&] {
      assign(ctx, clause->target, it.element(position), clause->iter);
      element = expr(ctx, node->elt);
    };
    where_it_stands(ctx, generator, [&] {
      if (!it.unrolled) return evaluate();
      in_copy(ctx, clause, static_cast<size_t>(position.exact()->integer), evaluate);
    });
    return element;
  };
  return out;
}

void each_generated(Context& ctx, const Value::Generator& generator, const Take& take) {
  Way way;
  go_through(ctx, generator, way, take);
}

static std::optional<std::vector<Value>> straight(Context& ctx, const Value::Generator& generator,
                                                  bool ranges) {
  std::vector<Value> elements;
  Way way{true, ranges};
  Captured captured = capture(ctx, [&] {
    go_through(ctx, generator, way, [&](const Value& e) { elements.push_back(e); });
    return Value::unknown();
  });
  if (way.broken) return std::nullopt;
  splice(ctx, captured.block);
  return elements;
}

std::optional<std::vector<Value>> straight_elements(Context& ctx,
                                                    const Value::Generator& generator) {
  return straight(ctx, generator, false);
}

std::optional<std::vector<Value>> all_generated(Context& ctx, const Value::Generator& generator) {
  const uint64_t blamed = ctx.diagnosis.blamed;
  std::optional<std::vector<Value>> elements = straight(ctx, generator, true);
  if (ctx.inference.unrolled || ctx.diagnosis.blamed != blamed) return std::nullopt;
  if (!elements)
    error(ctx, DiagCode::length_not_constant, generator.node, {"a generator expression"});
  return elements;
}

// The elements of one unrolled clause from one on, as `x and y and z`.
static Value chain(Context& ctx, const syntax::GeneratorExp* generator, const Iteration& it,
                   size_t from, bool is_all) {
  if (from == it.most) return Value::boolean(is_all);
  auto* clause = syntax::as<syntax::comprehension>(generator->generators[0]);
  Value first;
  in_copy(ctx, clause, from, [&] {
    const Value position = Value::constant_int(ctx.policy.int_literal(0), static_cast<int>(from));
    assign(ctx, clause->target, it.element(position), clause->iter);
    first = condition(ctx, generator->elt);
  });
  if (first.is_unknown()) return first;
  if (first.exact() && (first.exact()->integer != 0) != is_all) return first;
  if (first.exact()) return chain(ctx, generator, it, from + 1, is_all);
  Captured rest = capture(ctx, [&] { return chain(ctx, generator, it, from + 1, is_all); });
  if (rest.value.exact() && (rest.value.exact()->integer != 0) == is_all) return first;
  return combine(ctx, first, first, is_all, std::move(rest), generator);
}

// Whether each clause but for its elements is straight code.
static std::optional<Value> chained(Context& ctx, const Value::Generator& g, bool is_all) {
  const syntax::GeneratorExp* node = node_of(g);
  auto* clause = syntax::as<syntax::comprehension>(node->generators[0]);
  if (has_more(g)) return std::nullopt;
  std::optional<Value> result;
  where_it_stands(ctx, g, [&] {
    Captured captured = capture(ctx, [&] {
      const std::optional<Iteration> it = clause_iteration(ctx, clause);
      if (!it) return *(result = Value::unknown());
      if (!it->unrolled || !it->length.exact()) return Value::unknown();
      const bool known = knows_copies(ctx, clause, {static_cast<uint32_t>(it->most), false});
      return *(result = known ? chain(ctx, node, *it, 0, is_all) : Value::unknown());
    });
    if (result) splice(ctx, captured.block);
  });
  return result;
}

Value decided(Context& ctx, bool is_all, const Node* node, const Each& each) {
  const auto constant = [&](bool value) { return constant_inst(ctx, ir::kBool, value); };
  const uint32_t result = make_slot(ctx, "", TypeCode::b1);
  ctx.at(node);
  ctx.builder.slot_store(result, constant(is_all));
  Inst* scope = ctx.builder.control(Op::Scope, {}, 1);
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(scope->regions[0]);
  const size_t depth = ctx.open_scopes++;
  each([&](const Value& test) {
    if (test.is_unknown()) return;
    const Value decides = is_all ? negated(ctx, test, node) : test;
    if (decides.exact() && !decides.exact()->integer) return;
    Inst* branch = ctx.builder.control(Op::If, {inst_of(ctx, decides, node)}, 2);
    ir::Block* inside = &ctx.builder.block();
    ctx.builder.set_block(branch->regions[0]);
    ctx.builder.slot_store(result, constant(!is_all));
    leave(ctx, depth);
    ctx.builder.set_block(*inside);
  });
  --ctx.open_scopes;
  ctx.builder.set_block(*outer);
  return Value::number(TypeCode::b1, ctx.builder.slot_load(result));
}

Value decided(Context& ctx, const Value::Generator& generator, bool is_all) {
  if (const std::optional<Value> value = chained(ctx, generator, is_all)) return *value;
  return decided(ctx, is_all, generator.node, [&](const Take& take) {
    each_generated(ctx, generator, [&](const Value& element) {
      take(truth(ctx, element, node_of(generator)->elt));
    });
  });
}

}  // namespace cuda_device::frontend
