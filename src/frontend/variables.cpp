// Webs while they are lowered: the joined type of their definitions, their slots, loads and stores.
#include "frontend/convert.h"
#include "frontend/lowerer.h"
#include "support/check.h"

namespace cuda_device::frontend {
namespace {

bool has_constants(const Value& v) {
  if (v.is_constant()) return true;
  for (const Value& e : v.elements)
    if (has_constants(e)) return true;
  return false;
}

// A name that is assigned more than once is a variable everywhere, so that its numbers have their
// format in straight code as they have it in a loop. What a view keeps is no number of the program.
bool can_be_constant(const Web& web, const Value& value) {
  return !web.may_be_undefined && (!web.reassigned || value.is_array());
}

// The NumbaPro rule: inside a loop the type is that from before it, or of the first assignment
// where there is none.
bool decides_type(LoopRule rule, const Web& web, const Definition& d, uint32_t index) {
  if (rule == LoopRule::Join) return true;
  if (web.min_loop_depth == 0) return d.loop_depth == 0;
  return index == web.first_definition;
}

}  // namespace

std::optional<Value> Lowerer::join(const Value& a, const Value& b) const {
  if (!a.is_storable() || !b.is_storable()) return std::nullopt;
  if (same_abstract(a, b)) return a;
  if (a.kind != b.kind) return std::nullopt;
  if (a.is_number()) {
    const std::optional<TypeCode> code = policy_.promote(a.code, b.code);
    if (!code) return std::nullopt;
    return Value::number(*code, nullptr);
  }
  // Views of one base: with the numbers of one or the other.
  const bool views = a.is_view() && b.is_view() && a.index == b.index && a.array == b.array;
  if (!(a.is_tuple() || views) || a.elements.size() != b.elements.size()) return std::nullopt;
  std::vector<Value> elements;
  for (size_t i = 0; i < a.elements.size(); ++i) {
    std::optional<Value> e = join(a.elements[i], b.elements[i]);
    if (!e) return std::nullopt;
    elements.push_back(std::move(*e));
  }
  Value joined = a;
  joined.elements = std::move(elements);
  return joined;
}

void Lowerer::join_into(WebState& state, const Node* definition, Value value, bool may_be_constant,
                        const std::string& name, const Node* source) {
  if (!may_be_constant || state.never_constant) value = without_constants(std::move(value));
  if (state.abstract.is_unknown()) {
    state.abstract = std::move(value);
    state.constant_definition = definition;
    state.forget_slots();
    changed_ = true;
    return;
  }
  const bool differs =
      definition != state.constant_definition || !same_abstract(state.abstract, value);
  if (differs && (has_constants(state.abstract) || has_constants(value))) {
    state.never_constant = demoted_ = true;
    state.abstract = without_constants(std::move(state.abstract));
    value = without_constants(std::move(value));
    state.forget_slots();
  }
  std::optional<Value> joined = join(state.abstract, value);
  if (!joined) {
    type_conflict(state.abstract, value, name, source);
    fail(state);
    return;
  }
  if (same_abstract(*joined, state.abstract)) return;
  state.abstract = std::move(*joined);
  state.forget_slots();
  changed_ = true;
}

// "'x'", or "the result" where a return gives the value.
static std::string variable_text(const std::string& name, const syntax::Node* source) {
  return source->kind == syntax::NodeKind::Return ? "the " + name : "'" + name + "'";
}

void Lowerer::type_conflict(const Value& abstract, const Value& value, const std::string& name,
                            const Node* source) {
  if (const auto arrays = different_arrays(abstract, value)) {
    array_choice(variable_text(name, source), *arrays, source);
    return;
  }
  error(DiagCode::no_common_type, source,
        {variable_text(name, source), type_text(abstract), type_text(value)});
}

void Lowerer::define(const Node* target, const Value& value, const Node* source) {
  const Webs& webs = *instance_->webs;
  const auto at = webs.definition_at.find(target);
  CD_CHECK(at != webs.definition_at.end(), "an assignment that the web analysis has not seen");
  const Definition& definition = webs.definitions[at->second];
  const Web& web = webs.webs[definition.web];
  WebState& state = instance_->states[definition.web];
  const bool variable = web.reassigned && value.is_storable() && has_constants(value);
  if (value.contains_unknown()) fail(state);
  if (target->kind == syntax::NodeKind::arg && web.definition_count == 1 && !variable) {
    state.direct = value;
    return;
  }
  state.defined = true;
  if (value.contains_unknown()) return;
  if (!value.is_storable()) {
    not_implemented(source, "keeping a " + type_text(value) + " in a variable");
    fail(state);
    return;
  }
  join_definition(at->second, value, source);
  this->at(source);
  store_web(state, definition.name, value, source);
}

void Lowerer::join_definition(uint32_t index, const Value& value, const Node* source) {
  const Definition& definition = instance_->webs->definitions[index];
  const Web& web = instance_->webs->webs[definition.web];
  if (!decides_type(policy_.loop_rule, web, definition, index)) {
    WebState& state = instance_->states[definition.web];
    if (!state.never_constant) state.never_constant = demoted_ = true;
    return;
  }
  join_into(instance_->states[definition.web], definition.node, abstract_of(value),
            can_be_constant(web, value), definition.name, source);
}

uint32_t Lowerer::make_slot(const std::string& name, TypeCode code) {
  function_->slots.push_back({name, ir::Type::of(*scalar_of(code))});
  return static_cast<uint32_t>(function_->slots.size() - 1);
}

void Lowerer::make_slots(WebState& state, const std::string& name) {
  if (state.has_slots) return;
  state.has_slots = true;
  for_each_leaf(state.abstract,
                [&](const Value& leaf) { state.slots.push_back(make_slot(name, leaf.code)); });
}

void Lowerer::store_web(WebState& state, const std::string& name, const Value& value,
                        const Node* source) {
  if (state.abstract.is_unknown()) return;
  make_slots(state, name);
  size_t next = 0;
  store_leaves(state.abstract, value, state.slots, next, name, source);
}

void Lowerer::store_leaves(const Value& abstract, const Value& value,
                           const std::vector<uint32_t>& slots, size_t& next,
                           const std::string& name, const Node* source) {
  if (abstract.is_tuple() || abstract.is_view()) {
    if (value.kind != abstract.kind || value.elements.size() != abstract.elements.size()) {
      if (!value.is_unknown()) type_conflict(abstract, value, name, source);
      return;
    }
    for (size_t i = 0; i < abstract.elements.size(); ++i)
      store_leaves(abstract.elements[i], value.elements[i], slots, next, name, source);
    return;
  }
  if (!abstract.is_number() || abstract.exact) return;
  const uint32_t slot = slots.at(next++);
  if (!value.is_number()) {
    if (!value.is_unknown()) type_conflict(abstract, value, name, source);
    return;
  }
  if (value.exact && !literal_fits(value, abstract.code)) {
    error(DiagCode::variable_range, source,
          {to_text(value.code, *value.exact), std::string(name_of(abstract.code)),
           range_hint(value, abstract.code), variable_text(name, source)});
    return;
  }
  const Value stored = convert(value, abstract.code, source);
  if (stored.is_number()) builder_.slot_store(slot, inst_of(stored, source));
}

Value Lowerer::load_leaves(const Value& abstract, const std::vector<uint32_t>& slots,
                           size_t& next) {
  Value v = abstract;
  if (v.is_number() && !v.exact) v.inst = builder_.slot_load(slots.at(next++));
  if (v.is_tuple() || v.is_view())
    for (Value& e : v.elements) e = load_leaves(e, slots, next);
  return v;
}

Value Lowerer::load_web(WebState& state, const std::string& name) {
  if (state.failed) return silent();
  if (state.direct) return *state.direct;
  if (state.abstract.is_unknown()) return Value::unknown();
  make_slots(state, name);
  size_t next = 0;
  return load_leaves(state.abstract, state.slots, next);
}

// Nothing seen so far says why: lower.cpp asks for one after the other once types stand still.
Value Lowerer::unresolved(const syntax::Name* node, WebState& state) {
  if (instance_->webs->is_hidden(node->id)) return silent();
  if (!unresolved_) unresolved_ = Unresolved{node, &state};
  return Value::unknown();
}

Value Lowerer::read_variable(const syntax::Name* node, uint32_t web) {
  at(node);
  WebState& state = instance_->states[web];
  if (state.mistaken_read == node) return error(state.mistake, node, {node->id});
  if (state.failed || state.direct || !state.abstract.is_unknown())
    return load_web(state, node->id);
  return unresolved(node, state);
}

Value Lowerer::read_name(const syntax::Name* node) {
  const Webs& webs = *instance_->webs;
  const auto used = webs.use_at.find(node);
  if (used != webs.use_at.end() && used->second != Webs::kNone)
    return read_variable(node, used->second);
  const auto binding = instance_->function->bindings.find(node);
  if (used == webs.use_at.end() && binding != instance_->function->bindings.end())
    return binding_value(binding->second, node, node->id);
  if (webs.is_hidden(node->id)) return silent();
  // No definition reaches it, or it stands where the web analysis sees no way to.
  if (webs.is_local(node->id)) return error(DiagCode::used_before_assigned, node, {node->id});
  return unknown_name(node, node->id);
}

}  // namespace cuda_device::frontend
