// match: the cases one after the other, each as a test, names that take parts of the value, a
// guard and a body. What is known of the value when compiling decides its test.
#include "frontend/calls/calls.h"
#include "frontend/complex/complex.h"
#include "frontend/control/control.h"
#include "frontend/control/iteration.h"
#include "frontend/control/scopes.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/operators.h"
#include "frontend/operators/ranges.h"
#include "frontend/records/records.h"
#include "frontend/texts/texts.h"

namespace cuda_device::frontend {
namespace {

// The length of a range that is matched as a tuple: what a star takes has a known length then.
constexpr int kMostNumbers = 64;

// What a name in a pattern takes.
struct Taken {
  const Node* name;
  Value value;
};
using Takings = std::vector<Taken>;

// Whether two values may be equal. Python compares anything; what differs in kind is not equal.
bool is_comparable(const Value& a, const Value& b) {
  if (is_any_number(a) || is_any_number(b)) return is_any_number(a) && is_any_number(b);
  if (is_text(a) && is_text(b)) return true;  // where one is made at run time: an error
  return a.alternatives().index() == b.alternatives().index() && !a.is_array();
}

bool is_star(const Node* pattern) { return pattern->kind == syntax::NodeKind::MatchStar; }

}  // namespace

static Value matches(Context& ctx, const Node* pattern, const Value& value, Takings& taken);
static Value matches_sequence(Context& ctx, const syntax::MatchSequence* pattern,
                              const Value& value, Takings& taken);

static Value matches_value(Context& ctx, const syntax::MatchValue* pattern, const Value& value) {
  const Value wanted = expr(ctx, pattern->value);
  if (wanted.is_unknown()) return wanted;
  if (wanted.is<Value::Object>())
    return wrong_kind(ctx, DiagCode::foreign_object, pattern, wanted, {});
  // A reference to what is accessed atomically: the error says that it has to be loaded.
  const bool refers = value.is_array() && value.array().is_atomic_ref();
  if (!refers && !is_comparable(value, wanted)) return Value::boolean(false);
  return compare(ctx, CompareOp::Eq, value, wanted, pattern);
}

// None, True and False are themselves alone.
static Value matches_singleton(Context& ctx, const syntax::MatchSingleton* pattern,
                               const Value& value) {
  if (pattern->value.kind == syntax::Value::Kind::None) return Value::boolean(value.is_none());
  if (!value.is_number() || !is_bool(value.code())) return Value::boolean(false);
  return compare(ctx, CompareOp::Eq, value, Value::boolean(pattern->value.boolean), pattern);
}

// All parts match; those after one that certainly does not are not looked at.
static Value all_match(Context& ctx, const Nodes& patterns, const std::vector<Value>& values,
                       Takings& taken, const Node* node) {
  Value all = Value::boolean(true);
  for (size_t i = 0; i < patterns.size(); ++i) {
    all = both(ctx, all, matches(ctx, patterns[i], values[i], taken), Op::And, node);
    if (all.exact() && all.exact()->integer == 0) break;
  }
  return all;
}

// The numbers as a tuple, where there are few and it is known how many; nothing: else.
static std::optional<Value> numbers_of(Context& ctx, const Value::Range& range, const Value& size,
                                       const Node* pattern) {
  if (!size.exact() || size.exact()->integer > kMostNumbers) return std::nullopt;
  std::vector<Value> numbers;
  numbers.reserve(static_cast<size_t>(size.exact()->integer));
  for (__int128 k = 0; k < size.exact()->integer; ++k)
    numbers.push_back(
        range_element(ctx, range, Value::constant_int(ctx.policy.int_literal(k), k), pattern));
  return Value::tuple(std::move(numbers));
}

// Whether a range has as many numbers as there are patterns, or more where one of them is a star,
// which takes a range.
static Value matches_range(Context& ctx, const syntax::MatchSequence* pattern,
                           const Value::Range& range, Takings& taken) {
  const Value size = range_size(ctx, range, pattern);
  if (size.is_unknown()) return size;
  if (const std::optional<Value> numbers = numbers_of(ctx, range, size, pattern))
    return matches_sequence(ctx, pattern, *numbers, taken);
  const Nodes& patterns = pattern->patterns;
  const auto star = std::ranges::find_if(patterns, is_star);
  const auto before = star - patterns.begin();
  const auto after = std::max<std::ptrdiff_t>(patterns.end() - star - 1, 0);
  const auto whole = [&](__int128 k) { return Value::constant_int(ctx.policy.int_literal(k), k); };
  const bool open = star != patterns.end();
  const Value fits =
      compare(ctx, open ? CompareOp::GtE : CompareOp::Eq, size, whole(before + after), pattern);
  if (fits.is_unknown() || (fits.exact() && fits.exact()->integer == 0)) return fits;
  std::vector<Value> values;
  values.reserve(patterns.size());
  for (std::ptrdiff_t k = 0; k < before; ++k)
    values.push_back(range_element(ctx, range, whole(k), pattern));
  const Value end = arithmetic(ctx, BinaryOp::Sub, size, whole(after), pattern, pattern, pattern);
  if (open)
    values.push_back(part_of_range(ctx, range, {{whole(before), end, Value::none()}}, pattern));
  for (std::ptrdiff_t k = 0; k < after; ++k)
    values.push_back(range_element(
        ctx, range, arithmetic(ctx, BinaryOp::Add, end, whole(k), pattern, pattern, pattern),
        pattern));
  return both(ctx, fits, all_match(ctx, patterns, values, taken, pattern), Op::And, pattern);
}

static Value matches_sequence(Context& ctx, const syntax::MatchSequence* pattern,
                              const Value& value, Takings& taken) {
  if (auto* range = value.as<Value::Range>()) return matches_range(ctx, pattern, *range, taken);
  const bool sequence = (value.is_tuple() && !is_plain_object(value)) ||
                        (value.is_record() && value.record().type->is_sequence() &&
                         !value.record().type->is_vector());
  if (!sequence) return Value::boolean(false);
  const Nodes& patterns = pattern->patterns;
  std::vector<Value> values(value.parts().begin(), value.parts().end());
  const auto star = std::ranges::find_if(patterns, is_star);
  if (star == patterns.end()) {
    if (patterns.size() != values.size()) return Value::boolean(false);
    return all_match(ctx, patterns, values, taken, pattern);
  }
  if (patterns.size() > values.size() + 1) return Value::boolean(false);
  // Python makes a list of what the star takes.
  const auto first = values.begin() + (star - patterns.begin());
  const auto last = first + static_cast<std::ptrdiff_t>(values.size() + 1 - patterns.size());
  Value rest = Value::tuple(std::vector<Value>(first, last));
  values.insert(values.erase(first, last), std::move(rest));
  return all_match(ctx, patterns, values, taken, pattern);
}

// What is no object of a class with fields: `case int(x)` takes the number itself.
static Value matches_itself(Context& ctx, const syntax::MatchClass* pattern, const Value& cls,
                            const Value& value, Takings& taken) {
  if (pattern->patterns.size() > 1)
    return error(ctx, DiagCode::pattern_fields, pattern, {type_text(cls), "1"});
  if (!pattern->kwd_attrs.empty()) return Value::boolean(false);
  return all_match(ctx, pattern->patterns, {pattern->patterns.size(), value}, taken, pattern);
}

// The fields that the parts of a pattern are for; nothing after an error.
static std::optional<std::vector<std::string>> names_in(Context& ctx,
                                                        const syntax::MatchClass* pattern,
                                                        const Value& cls) {
  auto* named = cls.as<Value::Class>();
  const bool declared = named && named->type->decl;
  const std::vector<std::string> by_position =
      declared ? named->type->decl->match_args : std::vector<std::string>{};
  if (pattern->patterns.size() > by_position.size()) {
    error(ctx, DiagCode::pattern_fields, pattern,
          {type_text(cls), std::to_string(by_position.size())});
    return std::nullopt;
  }
  const auto count = static_cast<std::ptrdiff_t>(pattern->patterns.size());
  std::vector<std::string> names(by_position.begin(), by_position.begin() + count);
  for (const std::string& name : pattern->kwd_attrs) {
    if (std::ranges::find(names, name) != names.end()) {
      error(ctx, DiagCode::pattern_twice, pattern, {name});
      return std::nullopt;
    }
    names.push_back(name);
  }
  return names;
}

// A property, or what else the class defines.
static bool has_attribute(const RecordType& type, const std::string& name) {
  const bool of_members = type.kind == RecordType::Kind::Enumeration;
  return (type.decl && type.decl->attributes.contains(name)) ||
         (of_members && (name == "name" || name == "value"));
}

// `case int(x)` takes the number itself, `case Point(x, y=0)` fields by position and by name.
static Value matches_class(Context& ctx, const syntax::MatchClass* pattern, const Value& value,
                           Takings& taken) {
  const Value cls = expr(ctx, pattern->cls);
  if (cls.is_unknown()) return cls;
  const std::optional<bool> is = is_instance(ctx, value, cls);
  if (!is) return error(ctx, DiagCode::isinstance_class, pattern->cls, {type_text(cls)});
  if (!*is) return Value::boolean(false);
  const RecordRef type = class_of_instance(value);
  if (!type || type->is_vector()) return matches_itself(ctx, pattern, cls, value, taken);
  const std::optional<std::vector<std::string>> names = names_in(ctx, pattern, cls);
  if (!names) return Value::unknown();
  Nodes patterns = pattern->patterns;
  patterns.insert(patterns.end(), pattern->kwd_patterns.begin(), pattern->kwd_patterns.end());
  std::vector<Value> values;
  values.reserve(patterns.size());
  for (const std::string& name : *names) {
    if (!field_named(*type, name) && !has_attribute(*type, name)) return Value::boolean(false);
    values.push_back(attribute_named(ctx, name, value, pattern, pattern));
  }
  return all_match(ctx, patterns, values, taken, pattern);
}

// Whether two values are the same instructions and constants.
static bool is_same_value(const Value& a, const Value& b) {
  if (!same_abstract(a, b) || a.inst() != b.inst()) return false;
  return std::ranges::equal(a.parts(), b.parts(), is_same_value);
}

// The value of a name that several patterns take: that of the first one that matches. `before`: one
// of those in front did.
static Value taken_by_either(Context& ctx, const Value& before, const Taken& first,
                             const Taken& second) {
  if (is_same_value(first.value, second.value)) return first.value;
  const Value a = abstract_of(first.value), b = abstract_of(second.value);
  if (a.contains_unknown() || b.contains_unknown()) return Value::unknown();
  const std::optional<Value> common = join(ctx, a, b);
  if (!common || !is_selectable(*common))
    return error(ctx, DiagCode::no_common_choice, second.name, {type_text(a), type_text(b)});
  return select(ctx, before, first.value, second.value, *common, second.name);
}

// What the names of one more pattern take, which Python has the same in each.
static void merge(Context& ctx, const Value& before, const Takings& more, Takings& taken) {
  for (const Taken& second : more) {
    const auto first = std::ranges::find_if(taken, [&](const Taken& t) {
      return *captured_name(t.name) == *captured_name(second.name);
    });
    if (first == taken.end())
      taken.push_back(second);
    else
      first->value = taken_by_either(ctx, before, *first, second);
  }
}

// The last pattern's names are the ones whose definitions the body reads.
static void name_as_last(const syntax::MatchOr* pattern, Takings& taken) {
  for_each_captured(pattern->patterns.back(), [&](const Node* name) {
    for (Taken& t : taken)
      if (*captured_name(t.name) == *captured_name(name)) t.name = name;
  });
}

static Value matches_any(Context& ctx, const syntax::MatchOr* pattern, const Value& value,
                         Takings& taken) {
  Value any = Value::boolean(false);
  Takings all;
  for (const Node* alternative : pattern->patterns) {
    Takings own;
    const Value matched = matches(ctx, alternative, value, own);
    if (matched.is_unknown()) return matched;
    if (matched.exact() && matched.exact()->integer == 0) continue;
    merge(ctx, any, own, all);
    any = both(ctx, any, matched, Op::Or, pattern);
    if (any.exact() && any.exact()->integer != 0) break;
  }
  name_as_last(pattern, all);
  taken.insert(taken.end(), all.begin(), all.end());
  return any;
}

// A bool, known when compiling where it can be.
static Value matches(Context& ctx, const Node* pattern, const Value& value, Takings& taken) {
  const Level level(ctx.levels);
  if (too_deep(ctx, pattern) || value.is_unknown()) return Value::unknown();
  ctx.at(pattern);
  if (auto* p = syntax::as<syntax::MatchValue>(pattern)) return matches_value(ctx, p, value);
  if (auto* p = syntax::as<syntax::MatchSingleton>(pattern))
    return matches_singleton(ctx, p, value);
  if (auto* p = syntax::as<syntax::MatchSequence>(pattern))
    return matches_sequence(ctx, p, value, taken);
  if (auto* p = syntax::as<syntax::MatchClass>(pattern)) return matches_class(ctx, p, value, taken);
  if (auto* p = syntax::as<syntax::MatchOr>(pattern)) return matches_any(ctx, p, value, taken);
  auto* as = syntax::as<syntax::MatchAs>(pattern);
  if (!as && pattern->kind != syntax::NodeKind::MatchStar) return unsupported(ctx, pattern);
  const Value inner =
      as && as->pattern ? matches(ctx, as->pattern, value, taken) : Value::boolean(true);
  if (captured_name(pattern)) taken.push_back({pattern, value});
  return inner;
}

static void take(Context& ctx, const Node* pattern, const Takings& taken) {
  for (const Taken& t : taken) define(ctx, t.name, t.value, pattern);
}

// The pattern matches, and then the guard holds.
static Value guarded(Context& ctx, const syntax::match_case* one, const Value& test,
                     const Takings& taken) {
  if (!one->guard || (test.exact() && test.exact()->integer == 0)) return test;
  const auto guard = [&] {
    take(ctx, one->pattern, taken);
    return condition(ctx, one->guard);
  };
  if (test.exact()) return guard();
  Captured second = capture(ctx, guard);
  if (test.is_unknown() || second.value.is_unknown()) return Value::unknown();
  return combine(ctx, test, test, true, std::move(second), one->guard);
}

static void lower_cases(Context& ctx, const syntax::Match* node, size_t from, const Value& value,
                        bool tail) {
  const Level level(ctx.levels);
  if (from == node->cases.size() || too_deep(ctx, node)) return;
  auto* one = syntax::as<syntax::match_case>(node->cases[from]);
  Takings taken;
  const Value matched = matches(ctx, one->pattern, value, taken);
  if (matched.is_unknown())  // the body is looked at for its own mistakes
    for_each_captured(one->pattern,
                      [&](const Node* name) { define(ctx, name, Value::unknown(), one->pattern); });
  const Value test = guarded(ctx, one, matched, taken);
  branch(
      ctx, one->pattern, test,
      [&] {
        if (!one->guard && !matched.is_unknown()) take(ctx, one->pattern, taken);
        block(ctx, one->body, tail);
      },
      [&] { lower_cases(ctx, node, from + 1, value, tail); });
}

void lower_match(Context& ctx, const syntax::Match* node, bool tail) {
  lower_cases(ctx, node, 0, expr(ctx, node->subject), tail);
}

}  // namespace cuda_device::frontend
