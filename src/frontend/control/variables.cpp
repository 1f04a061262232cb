// Webs while they are lowered: the joined type of their definitions, their slots, loads and stores.
#include "frontend/control/variables.h"

#include <algorithm>

#include "frontend/arrays/layout.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/lent.h"
#include "frontend/choices.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"
#include "frontend/texts/texts.h"
#include "frontend/warps/warps.h"
#include "support/check.h"
#include "syntax/walk.h"

namespace cuda_device::frontend {
namespace {

bool has_constants(const Value& v) {
  if (v.is_constant()) return true;
  for (const Value& e : v.parts())
    if (has_constants(e)) return true;
  return false;
}

bool is_all_constant(const Value& v) {
  return v.is_constant() || (v.is_aggregate() && std::ranges::all_of(v.parts(), is_all_constant));
}

bool has_leaves(const Value& v) {
  bool found = false;
  for_each_leaf(v, [&](TypeCode) { found = true; });
  return found;
}

// A web of several assignments is a variable; reads that only one of them reaches are looked up by
// read_of_one. What a view keeps is no number of the program.
bool can_be_constant(const Web& web, const Value& value) {
  return value.is_array() || (!web.may_be_undefined && !web.several);
}

}  // namespace

// A complex number, and one that is or becomes one.
static std::optional<Value> join_complex(const Context& ctx, const Value& a, const Value& b) {
  const auto is_any_number = [](const Value& v) { return v.is_number() || v.is_complex(); };
  if (!is_any_number(a) || !is_any_number(b)) return std::nullopt;
  const std::optional<TypeCode> code = ctx.policy.unify(a.code(), b.code());
  if (!code) return std::nullopt;
  const Value part = Value::number(component_of(*code), nullptr);
  return Value::Complex{*code, {part, part}};
}

static std::optional<Value> join_parts(const Context& ctx, const Value& a, const Value& b) {
  std::vector<Value> parts;
  for (size_t i = 0; i < a.parts().size(); ++i) {
    std::optional<Value> part = join(ctx, a.parts()[i], b.parts()[i]);
    if (!part) return std::nullopt;
    parts.push_back(std::move(*part));
  }
  return a.with_parts(std::move(parts));
}

// Views of one array that lie in it alike: with the numbers of one or the other.
static std::optional<Value> join_views(const Context& ctx, const Value::Array& a,
                                       const Value::Array& b) {
  if (a.type != b.type || a.element != b.element) return std::nullopt;
  if (a.reference != b.reference) return std::nullopt;
  if (a.form == b.form) return join_parts(ctx, a, b);
  const Value own_a = with_own_extents(nullptr, a), own_b = with_own_extents(nullptr, b);
  if (own_a.array().form != own_b.array().form) return std::nullopt;
  return join_parts(ctx, own_a, own_b);
}

// Whether a number that is intact is so in another builtin format: a large int is rounded by float.
static bool joins_intact(const Value& v, TypeCode code) {
  return v.is_intact() && (v.is_constant() || v.code() == code || is_bool(v.code()));
}

// One function that stands within another, in two copies of an unrolled loop: what it reads there
// are the same variables, as they are when it is called.
static bool is_same_closure(const Value& a, const Value& b) {
  auto *one = a.as<Value::Closure>(), *other = b.as<Value::Closure>();
  return one && other && one->node == other->node && one->instance == other->instance &&
         one->defaults.size() == other->defaults.size();
}

std::optional<Value> join_as_one(const Context& ctx, const Value& a, const Value& b) {
  if (same_abstract(a, b)) return a;
  if (a.is_array() && b.is_array())
    return a.array().base == b.array().base ? join_views(ctx, a.array(), b.array()) : std::nullopt;
  return is_same_closure(a, b) || same_form(a, b) ? join_parts(ctx, a, b) : std::nullopt;
}

// Whether b is a builtin int that stands for a mask where a is one.
static bool is_mask_like(const Value& a, const Value& b) {
  return is_mask(a) && b.is_number() && is_weak(b.code()) && is_int(b.code());
}

std::optional<Value> join(const Context& ctx, const Value& a, const Value& b) {
  if (!a.is_storable() || !b.is_storable()) return std::nullopt;
  if (same_abstract(a, b)) return a;
  if (is_mask_like(a, b)) return without_constants(a);
  if (is_mask_like(b, a)) return without_constants(b);
  if (a.is_number() && b.is_number()) {
    const std::optional<TypeCode> code = ctx.policy.unify(a.code(), b.code());
    if (!code) return std::nullopt;
    const bool intact = joins_intact(a, *code) && joins_intact(b, *code);
    return Value::Scalar{*code, nullptr, intact && is_weak(*code),
                         a.enumeration() == b.enumeration() ? a.enumeration() : nullptr};
  }
  if (a.is_array() && b.is_array() && a.array().base == b.array().base)
    return join_views(ctx, a.array(), b.array());
  if (!alternatives_of(a).empty() && !alternatives_of(b).empty()) return join_choices(ctx, a, b);
  if (is_text(a) && is_text(b)) return join_texts(ctx, *a.as<Text>(), *b.as<Text>());
  if (a.is_complex() || b.is_complex()) return join_complex(ctx, a, b);
  if (!a.is_tuple() && a.is_composite() && same_form(a, b)) return join_parts(ctx, a, b);
  if (class_of(a) != class_of(b)) return std::nullopt;
  const bool records = a.is_record() && b.is_record();
  if (!((a.is_tuple() && b.is_tuple()) || records) || a.parts().size() != b.parts().size())
    return std::nullopt;
  return join_parts(ctx, a, b);
}

// "'x'", or "the result" where a return gives the value.
static std::string variable_text(const std::string& name, const Node* source) {
  return source->kind == syntax::NodeKind::Return ? "the " + name : "'" + name + "'";
}

// What to do about values of two types.
static std::string one_type(const Value& a, const Value& b, const Node* source) {
  if (a.is_none() == b.is_none()) return "give the two values one type, or use two names";
  const std::string typed = "a value of type " + type_text(a.is_none() ? b : a);
  if (source->kind == syntax::NodeKind::Return)
    return "None is of a type of its own: return " + typed + " everywhere, and beside it a flag";
  return "None is of a type of its own: begin with " + typed +
         ", and ask a flag, such as found = False, whether it is set";
}

static void type_conflict(Context& ctx, const Value& abstract, const Value& value,
                          const std::string& name, const Node* source) {
  const auto arrays = different_arrays(abstract, value);
  if (arrays) {
    array_choice(ctx, variable_text(name, source), *arrays, source);
    return;
  }
  if (abstract.is_array() && value.is_array() && type_text(abstract) == type_text(value)) {
    error(ctx, DiagCode::view_choice, source, {variable_text(name, source), abstract.array().name});
    return;
  }
  if (is_text(abstract) && is_text(value)) {
    error(ctx, DiagCode::text_choice, source, {variable_text(name, source)});
    return;
  }
  if (is_callable(abstract) && is_callable(value)) {
    function_choice(ctx, variable_text(name, source), source);
    return;
  }
  error(ctx, DiagCode::no_common_type, source,
        {variable_text(name, source), type_text(abstract), type_text(value),
         one_type(abstract, value, source)});
}

// NumbaPro's types do not only grow from pass to pass: `y = x // 1` is an int64 while x is one, and
// an int32 once x is a float32.
static void join_of_this_pass(const Context& ctx, WebState& state, const Value& value) {
  if (ctx.policy.loop_rule == LoopRule::Join) return;
  if (state.of_this_pass.is_unknown())
    state.of_this_pass = value;
  else if (std::optional<Value> joined = join(ctx, state.of_this_pass, value))
    state.of_this_pass = *std::move(joined);
}

void join_into(Context& ctx, WebState& state, const Node* definition, Value value,
               bool may_be_constant, const std::string& name, const Node* source) {
  if (!may_be_constant || state.never_constant) value = without_constants(value);
  join_of_this_pass(ctx, state, value);
  if (state.abstract.is_unknown()) {
    state.abstract = std::move(value);
    state.constant_definition = definition;
    state.forget_slots();
    ctx.inference.changed = true;
    return;
  }
  const bool differs =
      definition != state.constant_definition || !same_abstract(state.abstract, value);
  // What all views have in common stays constant, which join() sees to.
  const bool views = state.abstract.is_array() && value.is_array();
  if (differs && !views && (has_constants(state.abstract) || has_constants(value))) {
    state.never_constant = ctx.inference.demoted = true;
    state.abstract = without_constants(state.abstract);
    value = without_constants(value);
    state.forget_slots();
  }
  std::optional<Value> joined = join(ctx, state.abstract, value);
  if (!joined) {
    type_conflict(ctx, state.abstract, value, name, source);
    fail(ctx, state);
    return;
  }
  if (same_abstract(*joined, state.abstract)) return;
  state.abstract = std::move(*joined);
  state.forget_slots();
  ctx.inference.changed = true;
}

// What both have in common, in the numbers' types of the first: which array it is belongs to no
// type.
static Value in_types_of(const Value& kept, const Value& joined) {
  if (kept.is_number()) return kept;
  if (!kept.is_composite() || kept.parts().size() != joined.parts().size()) return joined;
  std::vector<Value> parts;
  parts.reserve(kept.parts().size());
  for (size_t i = 0; i < kept.parts().size(); ++i)
    parts.push_back(in_types_of(kept.parts()[i], joined.parts()[i]));
  return joined.with_parts(std::move(parts));
}

static void loop_conflict(Context& ctx, const Value& kept, const Value& value,
                          const std::string& name, const Node* source) {
  if (kept.is_array() && value.is_array() && type_text(kept) == type_text(value))
    return type_conflict(ctx, kept, value, name, source);
  error(ctx, DiagCode::loop_keeps_type, source,
        {variable_text(name, source), type_text(kept), type_text(value)});
}

// A value of a variable whose type a loop keeps: others say it, and its slots are made for it.
// Whether it can be converted.
static bool keep_type(Context& ctx, WebState& state, const Value& value, const std::string& name,
                      const Node* source) {
  if (!state.never_constant) state.never_constant = ctx.inference.demoted = true;
  if (state.abstract.is_unknown()) return true;
  const Value kept = without_constants(state.abstract);
  const std::optional<Value> joined = join(ctx, kept, without_constants(abstract_of(value)));
  if (!joined) {
    loop_conflict(ctx, kept, value, name, source);
    fail(ctx, state);
    return false;
  }
  Value wider = in_types_of(kept, *joined);
  if (same_abstract(wider, kept)) return true;
  state.abstract = std::move(wider);
  state.forget_slots();
  ctx.inference.changed = true;
  return true;
}

void define(Context& ctx, const Node* target, const Value& value, const Node* source) {
  const Webs& webs = *ctx.instance->webs;
  const auto at = webs.definition_at.find(ctx.place(target));
  CD_CHECK(at != webs.definition_at.end(), "an assignment that the web analysis has not seen");
  const Definition& definition = webs.definitions[at->second];
  const Web& web = webs.webs[definition.web];
  WebState& state = ctx.instance->states[definition.web];
  if (value.contains_unknown()) fail(ctx, state);
  if (web.several && is_all_constant(value)) ctx.instance->constants[at->second] = value;
  // What another function reads later it reads from a slot.
  const bool read_later = web.captured && has_leaves(value);
  if (target->kind == syntax::NodeKind::arg && web.definition_count == 1 && !state.changes &&
      !read_later) {
    state.direct = value;
    state.source = source;
    return;
  }
  state.defined = true;
  if (value.contains_unknown()) return;
  if (!ctx.policy.has_objects && is_python_object(value)) {
    error(ctx, DiagCode::no_objects, source, {type_text(value)});
    fail(ctx, state);
    return;
  }
  if (!value.is_storable()) {
    not_implemented(ctx, source, "keeping " + with_article(type_text(value)) + " in a variable");
    fail(ctx, state);
    return;
  }
  if (!join_definition(ctx, at->second, value, source)) return;
  ctx.at(source);
  store_web(ctx, state, definition.name, value, source);
}

// The definition at fault is the one that is later in the source.
static void meeting_conflict(Context& ctx, const WebState& into, const Value& value,
                             const WebState& from, const std::string& name) {
  const auto place = [](const Node* node) { return std::pair(node->span.line, node->span.column); };
  if (place(into.source) > place(from.source))
    type_conflict(ctx, value, into.abstract, name, into.source);
  else
    type_conflict(ctx, into.abstract, value, name, from.source);
}

static void carry(Context& ctx, const Copy& copy, const Node* node) {
  const std::string& name = ctx.instance->webs->webs[copy.from].name;
  WebState& from = ctx.instance->states[copy.from];
  WebState& into = ctx.instance->states[copy.into];
  if (from.failed) return fail(ctx, into);
  into.defined |= from.defined || from.direct;
  ctx.at(node);
  const Value value = load_web(ctx, from, name);
  if (value.contains_unknown()) return;
  const Value type = without_constants(abstract_of(value));
  if (copy.keeps_type) {
    if (!keep_type(ctx, into, type, name, from.source)) return;
  } else if (!into.abstract.is_unknown() && !join(ctx, into.abstract, type)) {
    meeting_conflict(ctx, into, type, from, name);
    return fail(ctx, into);
  } else {
    join_into(ctx, into, node, type, false, name, from.source);
  }
  store_web(ctx, into, name, value, from.source);
  into.source = from.source;
}

void carry(Context& ctx, const Node* node, PathEnd end) {
  if (!ctx.reachable) return;
  const auto& all = ctx.instance->webs->copies_at;
  const auto copies = all.find({node, end});
  if (copies == all.end()) return;
  for (const Copy& copy : copies->second) carry(ctx, copy, node);
}

bool join_definition(Context& ctx, uint32_t index, const Value& value, const Node* source) {
  const Definition& definition = ctx.instance->webs->definitions[index];
  const Web& web = ctx.instance->webs->webs[definition.web];
  WebState& state = ctx.instance->states[definition.web];
  state.source = source;
  if (definition.keeps_type) return keep_type(ctx, state, value, definition.name, source);
  join_into(ctx, state, definition.node, abstract_of(value), can_be_constant(web, value),
            definition.name, source);
  return true;
}

uint32_t make_slot(Context& ctx, const std::string& name, TypeCode code) {
  ctx.function->slots.push_back({name, ir::Type::of(*scalar_of(code))});
  return static_cast<uint32_t>(ctx.function->slots.size() - 1);
}

void make_slots(Context& ctx, WebState& state, const std::string& name) {
  if (state.has_slots) return;
  state.has_slots = true;
  for_each_leaf(state.abstract,
                [&](TypeCode code) { state.slots.push_back(make_slot(ctx, name, code)); });
}

// Whether a variable takes a number that is complex, or one in place of a complex one.
static bool takes(const Context& ctx, const Value& abstract, const Value& value) {
  const auto is_any_number = [](const Value& v) { return v.is_number() || v.is_complex(); };
  if (!is_any_number(abstract) || !is_any_number(value)) return true;
  if (!abstract.is_complex() && !value.is_complex()) return true;
  return ctx.policy.unify(abstract.code(), value.code()).has_value();
}

// Made of as many parts, in the same way.
static bool has_same_form(const Value& a, const Value& b) {
  if (a.is_array() && b.is_array() && a.array().form != b.array().form) return false;
  return a.alternatives().index() == b.alternatives().index() && a.is_view() == b.is_view() &&
         a.parts().size() == b.parts().size();
}

// The mask that a builtin int stands for. One out of range is reported.
static Value in_form_of_mask(Context& ctx, const Value& number, const Node* node) {
  Value mask = as_mask(ctx, number, node, "the variable");
  return mask.is_unknown() ? mask_of_bits(Value::constant_int(TypeCode::u4, 0)) : mask;
}

Value in_form_of(Context& ctx, const Value& abstract, const Value& value, const Node* node) {
  if (is_mask_like(abstract, value)) return in_form_of_mask(ctx, value, node);
  if (abstract.is_complex() && value.is_number())
    return convert(ctx, value, abstract.code(), nullptr);
  const bool views = abstract.is_view() && value.is_array();
  return views && value.array().form != abstract.array().form
             ? with_own_extents(&ctx, value.array())
             : value;
}

static void store_leaves(Context& ctx, const Value& abstract, const Value& given,
                         const std::vector<uint32_t>& slots, size_t& next, const std::string& name,
                         const Node* source);

// The number among the values that the variable may be, and the numbers of the one that it is.
static void store_choice(Context& ctx, const Value::Choice& abstract, const Value& value,
                         const std::vector<uint32_t>& slots, size_t& next, const std::string& name,
                         const Node* source) {
  const Value number = number_among(ctx, abstract, value, source);
  if (number.is_number() && !alternatives_of(value).empty())
    ctx.builder.slot_store(slots.at(next), inst_of(ctx, number, source));
  ++next;
  const std::vector<Value> given = alternatives_of(value);
  for (const Value& alternative : alternatives_of(abstract)) {
    if (const Value* like = alternative_like(ctx, given, alternative))
      store_leaves(ctx, alternative, *like, slots, next, name, source);
    else
      for_each_leaf(alternative, [&](TypeCode) { ++next; });
  }
}

// The same of a text among those that the variable may be, and its values.
static void store_text(Context& ctx, const Text& abstract, const Text& given,
                       const std::vector<uint32_t>& slots, size_t& next, const Node* source) {
  const std::vector<Text> texts = texts_in(abstract), some = texts_in(given);
  const auto store = [&](const Value& number) {
    if (number.is_number()) ctx.builder.slot_store(slots.at(next), inst_of(ctx, number, source));
    ++next;
  };
  if (texts.size() > 1) store(number_among(ctx, texts, given, source));
  for (const Text& text : texts) {
    const Text* like = text_like(some, text);
    for (size_t k = 0; k < text.values.size(); ++k)
      store(like ? like->values[k] : Value::unknown());
  }
}

static void store_leaves(Context& ctx, const Value& abstract, const Value& given,
                         const std::vector<uint32_t>& slots, size_t& next, const std::string& name,
                         const Node* source) {
  if (is_text(abstract) && is_text(given))
    return store_text(ctx, *abstract.as<Text>(), *given.as<Text>(), slots, next, source);
  if (!takes(ctx, abstract, given)) return type_conflict(ctx, abstract, given, name, source);
  if (auto* choice = abstract.as<Value::Choice>(); choice && !alternatives_of(given).empty())
    return store_choice(ctx, *choice, given, slots, next, name, source);
  const Value value = in_form_of(ctx, abstract, given, source);
  if (abstract.is_array() ? abstract.is_view() : abstract.is_composite()) {
    if (!has_same_form(value, abstract)) {
      if (!value.is_unknown()) type_conflict(ctx, abstract, value, name, source);
      return;
    }
    for (size_t i = 0; i < abstract.parts().size(); ++i)
      store_leaves(ctx, abstract.parts()[i], value.parts()[i], slots, next, name, source);
    return;
  }
  if (!abstract.is_number() || abstract.exact()) return;
  const uint32_t slot = slots.at(next++);
  if (!value.is_number()) {
    if (!value.is_unknown()) type_conflict(ctx, abstract, value, name, source);
    return;
  }
  if (value.exact() && !literal_fits(ctx, value, abstract.code())) {
    error(ctx, DiagCode::variable_range, source,
          {to_text(value.code(), *value.exact()), std::string(name_of(abstract.code())),
           range_hint(value, abstract.code()), variable_text(name, source)});
    return;
  }
  const Value stored = implicitly_converted(ctx, value, abstract.code(), source);
  if (stored.is_number()) ctx.builder.slot_store(slot, inst_of(ctx, stored, source));
}

void store_web(Context& ctx, WebState& state, const std::string& name, const Value& value,
               const Node* source) {
  if (state.abstract.is_unknown()) return;
  make_slots(ctx, state, name);
  size_t next = 0;
  store_leaves(ctx, state.abstract, value, state.slots, next, name, source);
}

static Value load_leaves(Context& ctx, const Value& abstract, const std::vector<uint32_t>& slots,
                         size_t& next) {
  if (abstract.is<Value::Scalar>())
    return abstract.computed_by(ctx.builder.slot_load(slots.at(next++)));
  if (!abstract.is_composite()) return abstract;
  std::vector<Value> parts;
  parts.reserve(abstract.parts().size());
  for (const Value& part : abstract.parts()) parts.push_back(load_leaves(ctx, part, slots, next));
  return abstract.with_parts(std::move(parts));
}

Value load_web(Context& ctx, WebState& state, const std::string& name) {
  if (state.failed) return silent(ctx);
  if (state.direct) return *state.direct;
  if (state.abstract.is_unknown()) return Value::unknown();
  make_slots(ctx, state, name);
  size_t next = 0;
  return load_leaves(ctx, state.abstract, state.slots, next);
}

namespace {

// A web of a function that is being lowered.
struct Variable {
  Instance* instance;
  uint32_t web;  // Webs::kNone: nothing is assigned to it
};

}  // namespace

// The variable of this function, or of one around it, that the name reads; nothing: it reads none.
static std::optional<Variable> variable_at(const Context& ctx, const syntax::Name* node) {
  uint32_t copy = ctx.copy;
  for (Instance* i = ctx.instance; i; copy = i->enclosing_copy, i = i->enclosing) {
    const auto used = i->webs->use_at.find({node, copy});
    if (used != i->webs->use_at.end()) return Variable{i, used->second};
  }
  return std::nullopt;
}

// Nothing seen so far says why: lower.cpp asks for one after the other once types stand still.
static Value unresolved(Context& ctx, const syntax::Name* node, const Variable& variable) {
  WebState& state = variable.instance->states[variable.web];
  if (variable.instance->webs->is_hidden(node->id)) return silent(ctx);
  if (!ctx.inference.unresolved) ctx.inference.unresolved = Unresolved{node, &state};
  return Value::unknown();
}

// What the only definition that reaches the read has given, where that is a constant.
static std::optional<Value> read_of_one(Context& ctx, const syntax::Name* node,
                                        const WebState& state) {
  const auto& only = ctx.instance->webs->only_definition_at;
  const auto definition = only.find(ctx.place(node));
  if (state.changes || definition == only.end()) return std::nullopt;
  const auto value = ctx.instance->constants.find(definition->second);
  return value == ctx.instance->constants.end() ? std::nullopt : std::optional(value->second);
}

Value captured_type(const Context&, const Instance& owner, uint32_t web) {
  const WebState& state = owner.states[web];
  if (state.failed) return Value::unknown();
  return state.direct ? abstract_of(*state.direct) : state.abstract;
}

// A variable of a function around the one that is called: that one is given it by its callers.
Value read_captured(Context& ctx, Instance& owner, uint32_t web, const std::string& name) {
  if (owner.function_root() == ctx.instance->function_root())
    return load_web(ctx, owner.states[web], name);
  std::vector<Capture>& known = ctx.lowering->captures;
  const auto is_it = [&](const Capture& one) { return one.owner == &owner && one.web == web; };
  const auto found = std::ranges::find_if(known, is_it);
  if (found != known.end()) return found->value;
  known.push_back({&owner, web, name});
  ctx.inference.changed = true;
  return Value::unknown();
}

static Value read_variable(Context& ctx, const syntax::Name* node, const Variable& variable) {
  ctx.at(node);
  WebState& state = variable.instance->states[variable.web];
  if (state.mistaken_read == node) return error(ctx, state.mistake, node, {node->id});
  if (std::optional<Value> one = state.failed ? std::nullopt : read_of_one(ctx, node, state))
    return *std::move(one);
  const bool elsewhere = variable.instance->function_root() != ctx.instance->function_root();
  const Value held = state.direct.value_or(state.abstract);
  if (elsewhere && !state.failed && (has_leaves(held) || holds_local(held)))
    return across_call(ctx, read_captured(ctx, *variable.instance, variable.web, node->id));
  if (state.failed || state.direct || !state.abstract.is_unknown()) {
    const Value value = load_web(ctx, state, node->id);
    return variable.instance == ctx.instance ? value : across_call(ctx, value);
  }
  return unresolved(ctx, node, variable);
}

bool reads_reassigned(const Context& ctx, const Node* node) {
  bool found = false;
  if (auto* name = syntax::as<syntax::Name>(node)) {
    const Webs& webs = *ctx.instance->webs;
    const auto used = webs.use_at.find(ctx.place(name));
    found = used != webs.use_at.end() && used->second != Webs::kNone &&
            webs.webs[used->second].reassigned;
  }
  syntax::for_each_child(*node, [&](const Node* child) { found |= reads_reassigned(ctx, child); });
  return found;
}

void change_variable(Context& ctx, const syntax::Name* node, const Value& value,
                     const Node* target) {
  const auto used = ctx.instance->webs->use_at.find(ctx.place(node));
  if (used == ctx.instance->webs->use_at.end() || used->second == Webs::kNone) {
    const std::string part = is_mask(value) ? "a lane" : "a component";
    const std::optional<Variable> variable = variable_at(ctx, node);
    if (variable && variable->web != Webs::kNone)
      error(ctx, DiagCode::outer_changed, target, {part, node->id});
    else
      error(ctx, DiagCode::not_assignable, target, {part + " of the global '" + node->id + "'"});
    return;
  }
  WebState& state = ctx.instance->states[used->second];
  if (!state.changes || !state.never_constant) {
    // The variable needs slots, from its definition on.
    state.changes = state.never_constant = ctx.inference.demoted = true;
    return;
  }
  store_web(ctx, state, node->id, value, target);
}

Value read_name(Context& ctx, const syntax::Name* node) {
  const std::optional<Variable> variable = variable_at(ctx, node);
  if (variable && variable->web != Webs::kNone) return read_variable(ctx, node, *variable);
  const auto binding = ctx.instance->function->bindings.find(node);
  if (!variable && binding != ctx.instance->function->bindings.end())
    return binding_value(ctx, binding->second, node, node->id);
  const Webs& webs = variable ? *variable->instance->webs : *ctx.instance->webs;
  if (webs.is_hidden(node->id)) return silent(ctx);
  // No definition reaches it, or it stands where the web analysis sees no way to.
  if (webs.is_local(node->id)) return error(ctx, DiagCode::used_before_assigned, node, {node->id});
  return unknown_name(ctx, node, node->id);
}

}  // namespace cuda_device::frontend
