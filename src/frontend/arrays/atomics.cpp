// atomic_ref, the methods of what it gives, threadfence (DEV-ATOM, DEV-ORDER, DEV-SCOPE,
// DEV-FENCE). A reference is a view of one element, so it goes through variables and calls as
// arrays do. An element of a local array has no other thread to meet: loads and stores do.
#include "ir/atomic.h"

#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/layout.h"
#include "frontend/arrays/slices.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

using ir::AtomicKind;
using ir::AtomicSpec;
using ir::MemoryOrder;

constexpr Method kMethods[] = {Method::Load,  Method::Store, Method::Exch, Method::Cas,
                               Method::Add,   Method::Sub,   Method::And,  Method::Or,
                               Method::Xor,   Method::Max,   Method::Min,  Method::NanMax,
                               Method::NanMin};

bool is_rmw(Method m) { return m >= Method::Exch && m != Method::Cas; }

AtomicKind kind_of(Method method) {
  if (!is_rmw(method) || method == Method::Exch) return AtomicKind::Exch;
  return static_cast<AtomicKind>(static_cast<int>(method) - static_cast<int>(Method::Add) +
                                 static_cast<int>(AtomicKind::Add));
}
static_assert(static_cast<int>(Method::NanMin) - static_cast<int>(Method::Add) ==
              static_cast<int>(AtomicKind::NanMin) - static_cast<int>(AtomicKind::Add));

std::string found_text(const Value& v) {
  if (auto* text = v.as<Value::Text>()) return "'" + text->text + "'";
  return v.is_constant() ? to_text(v.code(), *v.exact()) : type_text(v);
}

const std::vector<std::pair<std::string_view, MemoryOrder>> kOrders = {
    {"relaxed", MemoryOrder::Relaxed}, {"consume", MemoryOrder::Acquire},
    {"acquire", MemoryOrder::Acquire}, {"release", MemoryOrder::Release},
    {"acq_rel", MemoryOrder::AcqRel},  {"seq_cst", MemoryOrder::SeqCst}};

// ISO C++: a load does not release, a store does not acquire.
bool has_order(std::optional<Method> method, std::string_view order) {
  if (method == Method::Load) return order != "release" && order != "acq_rel";
  if (method == Method::Store)
    return order == "relaxed" || order == "release" || order == "seq_cst";
  return true;
}

std::string orders_text(std::optional<Method> method) {
  std::string text;
  for (const auto& [name, order] : kOrders)
    if (has_order(method, name)) text += (text.empty() ? "'" : ", '") + std::string(name) + "'";
  return text;
}

}  // namespace

// What memory= and scope= say; nothing after an error.
static std::optional<AtomicSpec> spec_of(Context& ctx, const std::string& name,
                                         std::optional<Method> method, const Given& memory,
                                         const Given& scope) {
  AtomicSpec spec{method ? kind_of(*method) : AtomicKind::Exch};
  bool fine = true;
  if (memory.value) {
    auto* text = memory.value->as<Value::Text>();
    const auto at = std::ranges::find_if(
        kOrders, [&](const auto& order) { return text && order.first == text->text; });
    fine = at != kOrders.end() && has_order(method, at->first);
    if (fine)
      spec.order = at->second;
    else
      error(ctx, DiagCode::atomic_order, memory.node,
            {name, orders_text(method), found_text(*memory.value)});
  }
  if (scope.value) {
    auto* text = scope.value->as<Value::Text>();
    const auto at =
        text ? std::ranges::find(ir::kThreadScopes, text->text) : ir::kThreadScopes.end();
    if (at == ir::kThreadScopes.end()) {
      error(ctx, DiagCode::atomic_scope, scope.node, {name, found_text(*scope.value)});
      return std::nullopt;
    }
    spec.scope = static_cast<ir::ThreadScope>(at - ir::kThreadScopes.begin());
  }
  return fine ? std::optional(spec) : std::nullopt;
}

Value call_threadfence(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const auto given = named_arguments(ctx, a, i);
  if (!given) return Value::unknown();
  const auto spec = spec_of(ctx, i.short_name(), std::nullopt, (*given)[0], (*given)[1]);
  if (!spec) return Value::unknown();
  ctx.at(a.node);
  if (spec->orders()) ctx.builder.op(Op::Fence, {}, spec->encoded());
  return Value::none();
}

// ------------------------------------------------------------------------------------ atomic_ref

static const syntax::Subscript* referred_element(Session& session, const syntax::Call* call,
                                                 const Node* array, const Node* index) {
  auto& made = session.referred_elements[call];
  if (!made) {
    made = std::make_unique<syntax::Subscript>();
    made->span = call->span;
    made->value = const_cast<Node*>(array);  // the tree is read only
    made->slice = const_cast<Node*>(index);
  }
  return made.get();
}

static bool names_one_element(const Value::Array& array, const Value& index) {
  const std::vector<Value> all = index.is_tuple() ? index.elements() : std::vector<Value>{index};
  return all.size() == array.type.ndim && std::ranges::none_of(all, [](const Value& v) {
           return v.is_none() || v.is<Value::Slice>();
         });
}

Value call_atomic_ref(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const auto given = named_arguments(ctx, a, i);
  if (!given) return Value::unknown();
  const auto& [of, at] = std::pair{(*given)[0], (*given)[1]};
  for (size_t k : {0, 1})
    if (!(*given)[k].value)
      return error(
          ctx, DiagCode::missing_argument, a.node,
          {i.short_name(), k == 0 ? "array" : "index", "for example device.atomic_ref(a, i)"});
  if (!of.value->is_array() || of.value->array().atomic)
    return wrong_kind(ctx, DiagCode::atomic_array, of.node, *of.value, {type_text(*of.value)});
  const Value::Array& array = of.value->array();
  if (!names_one_element(array, *at.value))
    return error(ctx, DiagCode::atomic_array, at.node,
                 {"the index " + found_text(*at.value) + " of an " + type_text(*of.value)});
  if (!array.element.is_number() || is_complex(array.element.code) || array.type.has_records() ||
      is_bool(array.element.code) || is_storage_only(array.type.scalar()))
    return not_implemented(ctx, of.node, "atomic_ref() on elements of " + type_text(array.element),
                           "elements can be integers, float32 and float64");
  auto* parameter = std::get_if<Value::Parameter>(&array.base);
  if (parameter && !ctx.function->params[parameter->index].facts.element_aligned)
    return error(ctx, DiagCode::atomic_aligned, of.node, {array.name});
  const Value view =
      sliced(ctx, array, *at.value, referred_element(ctx.session, a.node, of.node, at.node));
  if (!view.is_array()) return view;
  Value::Array ref = view.array();
  ref.atomic = true;
  return ref;
}

Value atomic_attribute(Context& ctx, const syntax::Attribute* node, const Value::Array& ref) {
  if (node->attr == "dtype") return Value::Entity{entity_of_type(ref.element.code)};
  std::vector<std::string> names = {"dtype"};
  for (const Method method : kMethods) {
    if (node->attr == name_of(method))
      return Value::BoundMethod{method, std::make_shared<Value>(ref)};
    names.emplace_back(name_of(method));
  }
  for (const char* later : {"wait", "notify_one", "notify_all"})
    if (node->attr == later)
      return not_implemented(ctx, node, std::string(later) + "() of an atomic");
  return no_attribute(ctx, node, ref, names);
}

// --------------------------------------------------------------------------------------- methods

static std::string_view parameters_of(Method method) {
  if (method == Method::Load) return "memory scope";
  return method == Method::Cas ? "old val memory scope" : "val memory scope";
}

static bool check_dtype(Context& ctx, const Value::Array& ref, Method method, const Node* node) {
  if (!is_rmw(method) || method == Method::Exch) return true;
  const TypeCode code = ref.element.code;
  const bool bits = method == Method::And || method == Method::Or || method == Method::Xor;
  const bool wide = bits_of(code) >= 32;
  if (wide && (is_int(code) || !bits)) return true;
  error(ctx, DiagCode::atomic_dtype, node,
        {std::string(name_of(method)), type_text(ref.element),
         std::string("uint32, int32, uint64, int64") + (bits ? "" : ", float32, float64")});
  return false;
}

// One of the value operands, as what the memory holds.
static Inst* stored_bits(Context& ctx, const Value::Array& ref, Method method, const Given& given,
                         ir::Type stored) {
  if (!given.value->is_number()) {
    wrong_kind(ctx, DiagCode::atomic_value, given.node, *given.value,
               {std::string(name_of(method)), type_text(ref.element), type_text(*given.value)});
    return nullptr;
  }
  const Value converted = convert(ctx, *given.value, ref.element.code, given.node);
  if (converted.is_unknown()) return nullptr;
  Inst* value = inst_of(ctx, converted, given.node);
  return value->type == stored ? value : ctx.builder.typed(Op::Bitcast, stored, {value});
}

// Of a thread's own array.
static Inst* emit_alone(Context& ctx, Method method, std::vector<Inst*> place,
                        const std::vector<Inst*>& values) {
  const ir::Type type = ir::Type::of(place[0]->type.scalar());
  Inst* old = method == Method::Store ? nullptr : ctx.builder.typed(Op::Load, type, place);
  if (method == Method::Load) return old;
  Inst* next = values.back();
  if (method == Method::Cas) {
    const ScalarKind bits = type.bits() == 64 ? ScalarKind::U64 : ScalarKind::U32;
    const auto raw = [&](Inst* i) {
      return type.is_float() ? ctx.builder.typed(Op::Bitcast, ir::Type::of(bits), {i}) : i;
    };
    Inst* equal = ctx.builder.op(Op::Eq, {raw(old), raw(values[0])});
    next = ctx.builder.op(Op::Select, {equal, next, old});
  } else if (is_rmw(method) && method != Method::Exch) {
    const AtomicKind kind = kind_of(method);
    next = ctx.builder.op(ir::op_of(kind), {old, next});
    if (ir::replaces_nan(kind) && type.is_float())
      next = ctx.builder.op(Op::Select, {ctx.builder.op(Op::IsNan, {old}), values.back(), next});
  }
  place.push_back(next);
  ctx.builder.typed(Op::Store, ir::Type::none(), std::move(place));
  return old;
}

static Inst* emit_shared(Context& ctx, Method method, std::vector<Inst*> operands,
                         const std::vector<Inst*>& values, const AtomicSpec& spec) {
  const ir::Type type = ir::Type::of(operands[0]->type.scalar());
  operands.insert(operands.end(), values.begin(), values.end());
  const Op op = method == Method::Load    ? Op::AtomicLoad
                : method == Method::Store ? Op::AtomicStore
                : method == Method::Cas   ? Op::AtomicCas
                                          : Op::AtomicRmw;
  return ctx.builder.typed(op, method == Method::Store ? ir::Type::none() : type,
                           std::move(operands), spec.encoded());
}

Value call_atomic_method(Context& ctx, const Value::Array& ref, Method method, const Arguments& a) {
  Intrinsic signature;
  signature.name = name_of(method);
  signature.parameters = parameters_of(method);
  const auto most = static_cast<size_t>(std::ranges::count(signature.parameters, ' ') + 1);
  if (a.positional.size() > most)
    return error(
        ctx, DiagCode::intrinsic_count, a.node,
        {signature.name, "at most " + count_text(most, "argument"), were_given(a.positional.size()),
         "its parameters are " + signature.parameter_names()});
  const auto given = named_arguments(ctx, a, signature);
  if (!given) return Value::unknown();
  const size_t values = most - 2;
  for (size_t k = 0; k < values; ++k)
    if (!(*given)[k].value)
      return error(ctx, DiagCode::missing_argument, a.node,
                   {signature.name, values == 2 && k == 0 ? "old" : "val",
                    "its parameters are " + signature.parameter_names()});
  if (!check_dtype(ctx, ref, method, a.node)) return Value::unknown();
  if (method != Method::Load && ref.read_only) {
    if (ref.allocation()) return error(ctx, DiagCode::store_constant, a.node, {ref.name});
    return error(ctx, DiagCode::store_read_only, a.node, {ref.name});
  }
  const auto spec = spec_of(ctx, signature.name, method, (*given)[values], (*given)[values + 1]);
  if (!spec) return Value::unknown();
  ctx.at(a.node);
  std::vector<Inst*> place = operands_at(ctx, ref, layout_of(ref), {}, a.node);
  const ir::Type type = ir::Type::of(ref.type.scalar());
  const ir::Type stored = ir::Type::of(place[0]->type.scalar());
  // view() of another type of the same size: the memory's own type is what is accessed.
  if (stored != type && is_rmw(method) && method != Method::Exch)
    return not_implemented(ctx, a.node, signature.name + "() of elements that a view() retypes");
  std::vector<Inst*> operands;
  for (size_t k = 0; k < values; ++k) {
    operands.push_back(stored_bits(ctx, ref, method, (*given)[k], stored));
    if (!operands.back()) return Value::unknown();
  }
  ctx.at(a.node);
  Inst* old = ref.type.space == ir::AddressSpace::Local
                  ? emit_alone(ctx, method, std::move(place), operands)
                  : emit_shared(ctx, method, std::move(place), operands, *spec);
  if (method == Method::Store) return Value::none();
  if (stored != type) old = ctx.builder.typed(Op::Bitcast, type, {old});
  return Value::number(ref.element.code, old);
}

}  // namespace cuda_device::frontend
