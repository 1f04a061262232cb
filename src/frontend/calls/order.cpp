// Builtins that compare elements: min, max, sorted.
#include <algorithm>

#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/calls/sequences.h"
#include "frontend/choices.h"
#include "frontend/control/control.h"
#include "frontend/control/generators.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/operators.h"
#include "frontend/operators/tuples.h"
#include "frontend/records/enumerations.h"
#include "frontend/texts/texts.h"

namespace cuda_device::frontend {
namespace {

// An element and what it is compared by.
struct Candidate {
  Value key, element;
};

// A call of one of them.
struct Call {
  Context& ctx;
  const Arguments& a;
  std::string name;
  Op op = Op::Min;                        // of min and max
  const Value* key = nullptr;             // the function; null: elements are compared themselves
  const Value* otherwise = nullptr;       // default=
  Value reverse = Value::boolean(false);  // of sorted

  const Node* node() const { return a.node; }
  bool is_keyed() const { return key != nullptr; }
};

// The element's candidate; `number`: of the place where the key function is called.
Candidate candidate(const Call& call, const Value& element, size_t number) {
  if (!call.key || element.is_unknown()) return {element, element};
  return {call_nth(call.ctx, *call.key, {element}, call.a.node, number), element};
}

std::vector<Candidate> candidates(const Call& call, const std::vector<Value>& elements) {
  std::vector<Candidate> out;
  out.reserve(elements.size());
  for (size_t k = 0; k < elements.size(); ++k) out.push_back(candidate(call, elements[k], k));
  return out;
}

// Whether one of two such values can be chosen at run time.
bool is_choosable(const Value& v) {
  if (v.is_aggregate()) return std::ranges::all_of(v.parts(), is_choosable);
  return v.is_number() || is_text(v) || !alternatives_of(v).empty();
}

// What Python has an order for.
bool is_ordered(const Value& v) {
  if (v.is_aggregate()) return std::ranges::all_of(v.parts(), is_ordered);
  return v.is_number() || is_text(v);
}

// Members of an IntEnum whose class orders them in its own way.
bool has_own_order(const Value& v) {
  const RecordRef cls = v.enumeration();
  const auto defines = [&](const char* name) { return cls->decl->attributes.contains(name); };
  return cls && (defines("__lt__") || defines("__gt__"));
}

// Whether the better of the two is a number: one of two members of one class stays a member, and so
// does one that is known to be the better.
bool are_plain_numbers(const Value& a, const Value& b) {
  if (!a.is_number() || !b.is_number() || has_own_order(a) || has_own_order(b)) return false;
  if (a.exact() && b.exact()) return !a.enumeration() && !b.enumeration();
  return !a.enumeration() || a.enumeration() != b.enumeration();
}

bool is_known(const Candidate& c) {
  return !c.key.contains_unknown() && !c.element.contains_unknown();
}

}  // namespace

static bool read_key(Call& call, const Value& key, const Node* node) {
  if (key.is_none()) return true;
  const bool callable = key.is_function() || key.is<Value::Entity>() || key.is<Value::Class>() ||
                        key.is<Value::BoundMethod>() || key.is_unknown();
  if (!callable) error(call.ctx, DiagCode::key_not_callable, node, {call.name, type_text(key)});
  call.key = &key;
  return callable;
}

// Reads the keywords, of which each of them has two.
static bool read_keywords(Call& call, std::string_view second) {
  for (size_t k = 0; k < call.a.named.size(); ++k) {
    const auto& [name, value] = call.a.named[k];
    const Node* node = call.a.named_sources[k];
    if (name == "key") {
      if (!read_key(call, value, node)) return false;
    } else if (name != second) {
      error(call.ctx, DiagCode::unexpected_keyword, call.node(),
            {call.name, name, "its keywords are key and " + std::string(second)});
      return false;
    } else if (name == "default") {
      call.otherwise = &value;
    } else {
      call.reverse = truth(call.ctx, value, node);
      if (call.reverse.is_unknown()) return false;
    }
  }
  return true;
}

// The type of a choice among integers: one that has both, if there is one.
static TypeCode holding_both(const Context& ctx, const Value& a, const Value& b, TypeCode common) {
  if (!is_int(common)) return common;
  for (const TypeCode code : {common, ctx.policy.int_literal(0), TypeCode::i8})
    if (is_within(limits_of(a), limits_of(code)) && is_within(limits_of(b), limits_of(code)))
      return code;
  return common;
}

// What two values that are compared have in common, none of whose integers wraps around in it.
static std::optional<Value> join_of_compared(const Context& ctx, const Value& a, const Value& b) {
  std::optional<Value> joined = join(ctx, a, b);
  if (!joined || joined->exact() || joined->is_complex()) return joined;
  if (joined->is_number()) {
    const TypeCode code = holding_both(ctx, a, b, joined->code());
    return code == joined->code() ? joined : Value::number(code, nullptr, true);
  }
  if (!joined->is_tuple()) return joined;
  std::vector<Value> parts;
  parts.reserve(joined->parts().size());
  for (size_t k = 0; k < joined->parts().size(); ++k) {
    std::optional<Value> part = join_of_compared(ctx, a.parts()[k], b.parts()[k]);
    if (!part) return std::nullopt;
    parts.push_back(std::move(*part));
  }
  return joined->with_parts(std::move(parts));
}

// --- min and max ---

// `then` where the test holds, in the type that both have in common.
static Value chosen(const Call& call, const Value& test, const Value& then,
                    const Value& otherwise) {
  Context& ctx = call.ctx;
  const Value a = abstract_of(then), b = abstract_of(otherwise);
  const std::optional<Value> joined = join_of_compared(ctx, a, b);
  if (!joined)
    return error(ctx, DiagCode::no_common_choice, call.node(), {type_text(b), type_text(a)});
  if (!is_choosable(*joined))
    return error(ctx, DiagCode::not_chosen, call.node(), {call.name, type_text(*joined)});
  if (is_selectable(*joined)) return select(ctx, test, then, otherwise, *joined, call.node());
  if (!joined->is_aggregate())
    return element_at(ctx, {otherwise, then}, convert(ctx, test, TypeCode::u4, call.node()),
                      call.node(), "");
  std::vector<Value> parts;
  parts.reserve(joined->parts().size());
  for (size_t k = 0; k < joined->parts().size(); ++k)
    parts.push_back(chosen(call, test, then.parts()[k], otherwise.parts()[k]));
  return joined->with_parts(std::move(parts));
}

// The first one where neither is better.
static Candidate better_of(const Call& call, const Candidate& best, const Candidate& x) {
  if (!is_known(best) || !is_known(x)) return {};
  if (!call.is_keyed() && are_plain_numbers(best.element, x.element)) {
    const Value number = min_max(call.ctx, best.element, x.element, call.op, call.node());
    return {number, number};
  }
  const CompareOp op = call.op == Op::Min ? CompareOp::Lt : CompareOp::Gt;
  const Value better = compare(call.ctx, op, x.key, best.key, call.node());
  if (better.is_unknown()) return {};
  if (better.exact()) return better.exact()->integer ? x : best;
  const Value element = chosen(call, better, x.element, best.element);
  return {call.is_keyed() ? chosen(call, better, x.key, best.key) : element, element};
}

// Whether elements that are not compared by a key can be compared at all.
static bool is_comparable(const Call& call, const Value& element, const Node* node) {
  if (call.is_keyed() || is_ordered(element)) return true;
  return require_number(call.ctx, element, node, call.name + "()");
}

static Value empty_sequence(const Call& call, const Node* node) {
  if (call.otherwise) return *call.otherwise;
  return error(call.ctx, DiagCode::empty_sequence, node,
               {call.name, "give it one element at least, or default="});
}

// What a loop found, which may have had no element.
static Value found_or_default(const Call& call, const Value& found, uint32_t met,
                              const Iteration* it) {
  const bool some = it && it->length.exact() && it->length.exact()->integer > 0;
  if (found.contains_unknown() || some) return found;
  const Value test = Value::number(TypeCode::b1, call.ctx.builder.slot_load(met));
  if (call.otherwise && call.otherwise->is_none())
    return error(call.ctx, DiagCode::default_none, call.node(), {call.name, type_text(found)});
  if (call.otherwise) return chosen(call, test, found, *call.otherwise);
  if (call.ctx.policy.can_fail)
    fail_unless(call.ctx, test, call.node(),
                {"ValueError", {call.name + "() arg is an empty sequence"}});
  return found;
}

// The best of what a loop gives.
static Value best_of_loop(const Call& call, const Value& sequence, const Iteration* it,
                          const Node* node) {
  Context& ctx = call.ctx;
  Hidden best(ctx, call.a, call.name);  // the element, or the key and the element
  const auto keep = [&](const Candidate& c) {
    if (is_known(c)) best.set(call.is_keyed() ? Value::tuple({c.key, c.element}) : c.element);
  };
  const uint32_t met = make_slot(ctx, "", TypeCode::b1);
  ctx.at(call.node());
  ctx.builder.slot_store(met, constant_inst(ctx, ir::kBool, 0));
  size_t number = 0;
  each(ctx, sequence, it, node, [&](const Value& element) {
    if (!is_comparable(call, element, node)) return;
    const Candidate x = candidate(call, element, number++);
    const Value old = best.get();
    if (old.contains_unknown() || !is_known(x)) return keep(x);
    const Candidate before =
        call.is_keyed() ? Candidate{old.elements()[0], old.elements()[1]} : Candidate{old, old};
    const Candidate better = better_of(call, before, x);
    if (!is_known(better)) return;
    const Value test = Value::number(TypeCode::b1, ctx.builder.slot_load(met));
    const Value kept = chosen(call, test, better.element, x.element);
    keep({call.is_keyed() ? chosen(call, test, better.key, x.key) : kept, kept});
    ctx.builder.slot_store(met, constant_inst(ctx, ir::kBool, 1));
  });
  const Value found = best.get();
  const bool pair = call.is_keyed() && !found.is_unknown();
  return found_or_default(call, pair ? found.elements()[1] : found, met, it);
}

// Warns of elements that were rounded and are compared with one of 64 bits.
static void warn_of_elements(const Call& call, const std::vector<Value>& values) {
  if (!std::ranges::all_of(values, &Value::is_number)) return;
  TypeCode common = values[0].code();
  for (const Value& v : values) common = call.ctx.policy.unify(common, v.code()).value_or(common);
  for (size_t k = 0; k < values.size(); ++k)
    warn_of_precision(call.ctx, values[k], common, argument_node(call.a, k));
}

static Value best_of(const Call& call, const std::vector<Value>& values) {
  for (size_t k = 0; k < values.size(); ++k)
    if (!is_comparable(call, values[k], argument_node(call.a, k))) return Value::unknown();
  if (!call.is_keyed()) warn_of_elements(call, values);
  const std::vector<Candidate> all = candidates(call, values);
  Candidate best = all[0];
  for (size_t k = 1; k < all.size(); ++k) best = better_of(call, best, all[k]);
  return best.element;
}

Value call_min_max(Context& ctx, const Arguments& a, const Intrinsic& i) {
  Call call{ctx, a, i.short_name(), i.op};
  if (!read_keywords(call, "default")) return Value::unknown();
  if (a.positional.size() > 1) {
    if (call.otherwise) return error(ctx, DiagCode::default_of_several, a.node, {call.name});
    return best_of(call, a.positional);
  }
  const Node* node = argument_node(a, 0);
  const std::optional<Reduced> given = reduced(ctx, a.positional[0], node);
  if (!given) return Value::unknown();
  if (!given->elements)
    return best_of_loop(call, a.positional[0], given->it ? &*given->it : nullptr, node);
  if (given->elements->empty()) return empty_sequence(call, node);
  return best_of(call, *given->elements);
}

// --- sorted ---

namespace {

// A pair costs two instructions; compilation takes as long as for any code of some 1,000.
constexpr size_t kMostSorted = 32;

using Exchange = std::function<void(size_t, size_t)>;

// Neighbours only, so that equal elements keep their order: an insertion sort without its tests.
void exchange_neighbours(size_t size, const Exchange& exchange) {
  for (size_t last = 1; last < size; ++last)
    for (size_t i = last; i > 0; --i) exchange(i - 1, i);
}

// Batcher's merge exchange (Knuth, The Art of Computer Programming 5.2.2, algorithm M), for
// elements that are the same where they are equal.
void exchange_by_merges(size_t size, const Exchange& exchange) {
  size_t top = 1;
  while (2 * top < size) top *= 2;
  for (size_t p = top; p > 0; p /= 2) {
    size_t distance = p, rest = 0;
    for (size_t q = top;; distance = q - p, q /= 2, rest = p) {
      for (size_t i = 0; i + distance < size; ++i)
        if ((i & p) == rest) exchange(i, i + distance);
      if (q == p) break;
    }
  }
}

}  // namespace

// The value as one of the type that all have in common.
static Value in_common(const Call& call, const Value& v, const Value& common) {
  Context& ctx = call.ctx;
  if (v.is_number() || v.is_complex()) {
    const bool whole = v.is_number() && !v.exact() && !is_float(v.code()) && is_int(common.code());
    if (whole && !is_within(limits_of(v), limits_of(common.code())))
      return error(ctx, DiagCode::sorted_types, call.node(), {type_text(common), type_text(v)});
    const Value converted = implicitly_converted(ctx, v, common.code(), call.node());
    const RecordRef members = common.is_number() ? common.enumeration() : nullptr;
    return members ? member_of(members, converted) : converted;
  }
  if (!v.is_aggregate()) return v;
  std::vector<Value> parts;
  parts.reserve(v.parts().size());
  for (size_t i = 0; i < v.parts().size(); ++i)
    parts.push_back(in_common(call, v.parts()[i], common.parts()[i]));
  return common.with_parts(std::move(parts));
}

// All in the type that they have in common; nothing after an error.
static std::optional<std::vector<Value>> in_one_type(const Call& call,
                                                     const std::vector<Value>& values) {
  Value common = abstract_of(values[0]);
  for (const Value& v : values) {
    std::optional<Value> joined = join_of_compared(call.ctx, common, abstract_of(v));
    if (!joined) {
      error(call.ctx, DiagCode::no_common_choice, call.node(),
            {type_text(common), type_text(abstract_of(v))});
      return std::nullopt;
    }
    common = std::move(*joined);
  }
  std::vector<Value> out;
  out.reserve(values.size());
  for (const Value& v : values) out.push_back(in_common(call, v, common));
  if (std::ranges::any_of(out, &Value::contains_unknown)) return std::nullopt;
  return out;
}

// Whether b belongs in front of a.
static Value is_wrong(const Call& call, const Value& a, const Value& b) {
  const auto less = [&](const Value& x, const Value& y) {
    return compare(call.ctx, CompareOp::Lt, x, y, call.node());
  };
  if (const Exact* reverse = call.reverse.exact())
    return reverse->integer ? less(a, b) : less(b, a);
  const Value up = less(b, a), down = less(a, b);
  if (up.is_unknown() || down.is_unknown()) return Value::unknown();
  return select(call.ctx, call.reverse, down, up, Value::number(TypeCode::b1, nullptr),
                call.node());
}

// Puts two in order. False: they are not known, or cannot be compared, which is reported.
static bool exchange(const Call& call, Candidate& a, Candidate& b) {
  const bool numbers = !call.is_keyed() && are_plain_numbers(a.key, b.key);
  if (numbers && call.reverse.exact()) {
    const bool down = call.reverse.exact()->integer != 0;
    const Value first = min_max(call.ctx, a.key, b.key, down ? Op::Max : Op::Min, call.node());
    const Value second = min_max(call.ctx, b.key, a.key, down ? Op::Min : Op::Max, call.node());
    a = {first, first};
    b = {second, second};
    return is_known(a) && is_known(b);
  }
  const Value wrong = is_wrong(call, a.key, b.key);
  if (wrong.is_unknown()) return false;
  if (wrong.exact()) {
    if (wrong.exact()->integer) std::swap(a, b);
    return true;
  }
  const auto swapped = [&](Value& x, Value& y) {
    const Value first = chosen(call, wrong, y, x);
    y = chosen(call, wrong, x, y);
    x = first;
  };
  swapped(a.element, b.element);
  if (call.is_keyed())
    swapped(a.key, b.key);
  else
    a.key = a.element, b.key = b.element;
  return is_known(a) && is_known(b);
}

// Candidates of one type each, unless all keys are known now: then nothing is chosen at run time.
static std::optional<std::vector<Candidate>> sortable(const Call& call,
                                                      const std::vector<Value>& elements) {
  std::vector<Candidate> all = candidates(call, elements);
  if (!std::ranges::all_of(all, is_known)) return std::nullopt;
  const auto constant = [](const Candidate& c) { return c.key.is_constant_expression(); };
  if (call.reverse.exact() && std::ranges::all_of(all, constant)) return all;
  if (!call.is_keyed()) warn_of_elements(call, elements);
  std::vector<Value> keys;
  keys.reserve(all.size());
  for (const Candidate& c : all) keys.push_back(c.key);
  const auto made = in_one_type(call, elements);
  const auto made_keys = call.is_keyed() && made ? in_one_type(call, keys) : made;
  if (!made || !made_keys) return std::nullopt;
  for (size_t k = 0; k < all.size(); ++k) all[k] = {(*made_keys)[k], (*made)[k]};
  return all;
}

// The elements of the sequence; nothing after an error.
static std::optional<std::vector<Value>> few_elements(const Call& call, const Node* node) {
  Context& ctx = call.ctx;
  const Value& sequence = call.a.positional[0];
  const auto too_long = [&](__int128 size) {
    error(ctx, DiagCode::sorted_too_long, node, {to_text(size), std::to_string(kMostSorted)});
    return std::nullopt;
  };
  if (!sequence.is<Value::Generator>()) {
    const std::optional<Iteration> it = iteration_of(ctx, sequence, node);
    if (it && !it->length.is_unknown() && !it->length.exact()) {
      error(ctx, DiagCode::sorted_length, node, {type_text(sequence)});
      return std::nullopt;
    }
    if (it && it->length.exact() && it->length.exact()->integer > __int128{kMostSorted})
      return too_long(it->length.exact()->integer);
  }
  auto elements = all_elements(ctx, sequence, node);
  if (elements && elements->size() > kMostSorted)
    return too_long(static_cast<__int128>(elements->size()));
  return elements;
}

Value call_sorted(Context& ctx, const Arguments& a, const Intrinsic& i) {
  Call call{ctx, a, i.short_name()};
  if (!read_keywords(call, "reverse")) return Value::unknown();
  const Node* node = argument_node(a, 0);
  const auto elements = few_elements(call, node);
  if (!elements) return Value::unknown();
  if (elements->empty()) return Value::tuple({});
  auto all = sortable(call, *elements);
  if (!all) return Value::unknown();
  const auto whole = [](const Candidate& c) {
    return c.key.is_number() && !is_float(c.key.code()) && !c.key.enumeration();
  };
  const bool alike = !call.is_keyed() && std::ranges::all_of(*all, whole);
  bool fine = true;
  (alike ? exchange_by_merges : exchange_neighbours)(all->size(), [&](size_t p, size_t q) {
    fine = fine && exchange(call, (*all)[p], (*all)[q]);
  });
  if (!fine) return Value::unknown();
  std::vector<Value> sorted;
  sorted.reserve(all->size());
  for (Candidate& c : *all) sorted.push_back(std::move(c.element));
  return tuple_of(ctx, std::move(sorted), a.node);
}

}  // namespace cuda_device::frontend
