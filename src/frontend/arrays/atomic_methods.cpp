// The methods of atomic references, and threadfence (DEV-ATOM, DEV-ORDER, DEV-SCOPE, DEV-FENCE). An
// element of a local array has no other thread to meet: loads and stores do.
#include "ir/atomic.h"

#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/atomic_bits.h"
#include "frontend/arrays/layout.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/expressions.h"
#include "frontend/operators/convert.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"
#include "frontend/warps/warps.h"

namespace cuda_device::frontend {
namespace {

using ir::AtomicKind;
using ir::AtomicSpec;
using ir::MemoryOrder;

// add and the like, which compute with the element.
bool computes(Method m) { return m >= Method::Add && m <= Method::NanMin; }
bool only_reads(Method m) { return m == Method::Load || m == Method::Wait; }
bool notifies(Method m) { return m == Method::NotifyOne || m == Method::NotifyAll; }

AtomicKind kind_of(Method method) {
  if (!computes(method)) return AtomicKind::Exch;
  return static_cast<AtomicKind>(static_cast<int>(method) - static_cast<int>(Method::Add) +
                                 static_cast<int>(AtomicKind::Add));
}
static_assert(static_cast<int>(Method::NanMin) - static_cast<int>(Method::Add) ==
              static_cast<int>(AtomicKind::NanMin) - static_cast<int>(AtomicKind::Add));

std::string found_text(const Value& v) {
  if (const std::string* text = v.string()) return "'" + *text + "'";
  return v.is_constant() ? to_text(v.code(), *v.exact()) : type_text(v);
}

const std::vector<std::pair<std::string_view, MemoryOrder>> kOrders = {
    {"relaxed", MemoryOrder::Relaxed}, {"consume", MemoryOrder::Acquire},
    {"acquire", MemoryOrder::Acquire}, {"release", MemoryOrder::Release},
    {"acq_rel", MemoryOrder::AcqRel},  {"seq_cst", MemoryOrder::SeqCst}};

// ISO C++: a load does not release, a store does not acquire.
bool has_order(std::optional<Method> method, std::string_view order) {
  if (method && only_reads(*method)) return order != "release" && order != "acq_rel";
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
    const std::string* text = memory.value->string();
    const auto at = std::ranges::find_if(
        kOrders, [&](const auto& order) { return text && order.first == *text; });
    fine = at != kOrders.end() && has_order(method, at->first);
    if (fine)
      spec.order = at->second;
    else
      error(ctx, DiagCode::atomic_order, memory.node,
            {name, orders_text(method), found_text(*memory.value)});
  }
  if (scope.value) {
    const std::string* text = scope.value->string();
    const auto at = text ? std::ranges::find(ir::kThreadScopes, *text) : ir::kThreadScopes.end();
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

// --------------------------------------------------------------------------------------- methods

static std::string_view parameters_of(Method method) {
  if (notifies(method)) return "scope";
  if (method == Method::Load) return "memory scope";
  if (method == Method::Wait) return "old memory scope";
  return method == Method::Cas ? "old val memory scope" : "val memory scope";
}

static bool check_dtype(Context& ctx, const DataType& type, Method method, const Node* node) {
  const std::string name = std::string(name_of(method)) + "()";
  if (method == Method::Exch || method == Method::Cas) {
    if (atomic_bytes(type) <= 8) return true;
    error(ctx, DiagCode::atomic_bytes, node,
          {name, "elements of at most 8 bytes", type_text(type), std::to_string(bytes_of(type))});
    return false;
  }
  if (!computes(method)) return true;
  const bool bits = method == Method::And || method == Method::Or || method == Method::Xor;
  if (type.is_number() && bits_of(type.code) >= 32)
    if (is_int(type.code) || (is_float(type.code) && !bits)) return true;
  error(ctx, DiagCode::atomic_dtype, node,
        {std::string(name_of(method)), type_text(type),
         std::string("uint32, int32, uint64, int64") + (bits ? "" : ", float32, float64")});
  return false;
}

namespace {

// The element as what it is accessed as: operands of one access.
class Element {
 public:
  Element(Context& ctx, const Value::Array& ref, const Node* node)
      : ctx_(ctx), type_(ref.element), carrier_(carrier_of(type_)) {
    place_ = operands_at(ctx, ref, layout_of(ref), {}, node);
    // view() of another type of the same size leaves the memory its own.
    if (carrier_ != Carrier::Number || place_[0]->type.scalar() != ref.type.scalar()) {
      const Value::Array memory =
          view_of(ref, carrier_type(type_), layout_of(window_of(ctx, ref, layout_of(ref), node)));
      place_ = operands_at(ctx, memory, layout_of(memory), {}, node);
    }
    alone_ = ref.type.space == ir::AddressSpace::Local;
    held_ = ir::Type::of(carrier_ == Carrier::Pair ? ScalarKind::I64 : place_[0]->type.scalar());
  }

  bool is_alone() const { return alone_; }

  // One of the value operands, as what the memory holds; empty after an error.
  std::vector<Inst*> bits_of(const Given& given, Method method) {
    const Value value =
        type_.is_number() ? number_of_mask(ctx_, *given.value, given.node) : *given.value;
    const std::string name(name_of(method));
    Value converted;
    if (!type_.is_number() || is_complex(type_.code)) {
      converted = as_data(ctx_, value, type_, Conversion::Stored, given.node,
                          "the value of " + name + "()");
    } else if (!value.is_number()) {
      converted = wrong_kind(
          ctx_, DiagCode::atomic_value, given.node, value,
          {name, type_text(type_), type_text(value), read_it_hint(value, "convert it explicitly")});
    } else {
      converted = implicitly_converted(ctx_, value, type_.code, given.node);
    }
    if (converted.contains_unknown()) return {};
    return bits_of_value(ctx_, type_, converted, given.node);
  }

  Value value_of(const std::vector<Inst*>& bits) { return value_of_bits(ctx_, type_, bits); }

  std::vector<Inst*> load(const AtomicSpec& spec) {
    if (carrier_ == Carrier::Pair && alone_) return {plain_load(0), plain_load(8)};
    if (alone_) return {plain_load(0)};
    if (carrier_ != Carrier::Pair) return {emit(Op::AtomicLoad, held_, {}, spec)};
    Inst* first = emit(Op::AtomicLoadPair, ir::kI64, {}, spec);
    return {first, ctx_.builder.typed(Op::AtomicSecond, ir::kI64, {first})};
  }

  void store(const std::vector<Inst*>& bits, const AtomicSpec& spec) {
    if (alone_) {
      for (size_t k = 0; k < bits.size(); ++k) plain_store(bits[k], 8 * static_cast<int64_t>(k));
      return;
    }
    emit(carrier_ == Carrier::Pair ? Op::AtomicStorePair : Op::AtomicStore, ir::Type::none(), bits,
         spec);
  }

  Inst* update(Inst* operand, const AtomicSpec& spec) {
    if (!alone_) return emit(Op::AtomicRmw, held_, {operand}, spec);
    Inst* old = plain_load(0);
    // An atomic addition is not contracted, wherever its element lies: the value is rounded before.
    if (held_.is_float()) operand = ctx_.builder.typed(Op::Convert, operand->type, {operand});
    Inst* next = operand;
    if (spec.kind != AtomicKind::Exch) next = ctx_.builder.op(ir::op_of(spec.kind), {old, operand});
    if (ir::replaces_nan(spec.kind) && held_.is_float())
      next = ctx_.builder.op(Op::Select, {ctx_.builder.op(Op::IsNan, {old}), operand, next});
    plain_store(next, 0);
    return old;
  }

  Inst* swap(Inst* expected, Inst* wanted, const AtomicSpec& spec) {
    if (!alone_ && has_padding(type_)) return swap_beside_padding(expected, wanted, spec);
    if (!alone_) return emit(Op::AtomicCas, held_, {expected, wanted}, spec);
    Inst* old = plain_load(0);
    plain_store(ctx_.builder.op(Op::Select, {equal({old}, {expected}), wanted, old}), 0);
    return old;
  }

  // Bit by bit, but for padding.
  Inst* equal(const std::vector<Inst*>& a, const std::vector<Inst*>& b) {
    Inst* all = nullptr;
    for (size_t k = 0; k < a.size(); ++k) {
      Inst* same = ctx_.builder.op(Op::Eq, {number(a[k], k), number(b[k], k)});
      all = all ? ctx_.builder.op(Op::And, {all, same}) : same;
    }
    return all;
  }

 private:
  // What is compared of one of the halves.
  Inst* number(Inst* bits, size_t half) {
    Inst* raw = raw_bits(ctx_, bits);
    return has_padding(type_) ? ctx_.builder.op(Op::And, {raw, mask(raw->type, half)}) : raw;
  }
  Inst* mask(ir::Type type, size_t half) {
    return ctx_.builder.const_int(type, value_bits(type_, static_cast<uint32_t>(half)));
  }

  // What lies between the numbers is what plain stores have left there. It is expected as it is
  // found, until it, too, has not changed, or the numbers are others. (carrier_ is Integer.)
  Inst* swap_beside_padding(Inst* expected, Inst* wanted, const AtomicSpec& spec) {
    ir::Builder& e = ctx_.builder;
    const uint32_t found = make_slot(ctx_, "", carrier_type(type_).code);
    Inst* loop = e.control(Op::While, {}, 3);
    ir::Block* outer = &e.block();
    e.set_block(loop->regions[0]);
    const AtomicSpec relaxed{AtomicKind::Exch, MemoryOrder::Relaxed, spec.scope};
    Inst* padding =
        e.op(Op::And, {emit(Op::AtomicLoad, held_, {}, relaxed), e.op(Op::Not, {mask(held_, 0)})});
    Inst* whole = e.op(Op::Or, {expected, padding});
    Inst* old = emit(Op::AtomicCas, held_, {whole, wanted}, spec);
    e.slot_store(found, old);
    Inst* same = equal({old}, {expected});
    e.op(Op::Yield, {e.op(Op::And, {same, e.op(Op::Ne, {old, whole})})});
    e.set_block(*outer);
    return e.slot_load(found);
  }

  Inst* emit(Op op, ir::Type result, const std::vector<Inst*>& values, const AtomicSpec& spec) {
    std::vector<Inst*> operands = place_;
    operands.insert(operands.end(), values.begin(), values.end());
    return ctx_.builder.typed(op, result, std::move(operands), spec.encoded());
  }
  Inst* plain_load(int64_t offset) { return ctx_.builder.typed(Op::Load, held_, place_, offset); }
  void plain_store(Inst* value, int64_t offset) {
    std::vector<Inst*> operands = place_;
    operands.push_back(value);
    ctx_.builder.typed(Op::Store, ir::Type::none(), std::move(operands), offset);
  }

  Context& ctx_;
  const DataType type_;
  const Carrier carrier_;
  std::vector<Inst*> place_;
  bool alone_ = false;
  ir::Type held_;
};

}  // namespace

// A loop that ends when the element is no longer what it was.
static Value emit_wait(Context& ctx, Element& element, const std::vector<Inst*>& old,
                       AtomicSpec spec, const Node* node) {
  if (element.is_alone()) return error(ctx, DiagCode::atomic_waits_alone, node);
  spec.waits = true;
  Inst* loop = ctx.builder.control(Op::While, {}, 3);
  ir::Block* outer = &ctx.builder.block();
  ctx.builder.set_block(loop->regions[0]);
  ctx.builder.op(Op::Yield, {element.equal(element.load(spec), old)});
  ctx.builder.set_block(*outer);
  return Value::none();
}

static Value emit_method(Context& ctx, Element& element, Method method,
                         const std::vector<std::vector<Inst*>>& values, const AtomicSpec& spec,
                         const Node* node) {
  switch (method) {
    case Method::Load:
      return element.value_of(element.load(spec));
    case Method::Store:
      element.store(values[0], spec);
      return Value::none();
    case Method::Cas:
      return element.value_of({element.swap(values[0][0], values[1][0], spec)});
    case Method::Wait:
      return emit_wait(ctx, element, values[0], spec, node);
    default:
      return element.value_of({element.update(values[0][0], spec)});
  }
}

// The elements of an argument lie where their type says, and accesses of 16 bytes, which end the
// process elsewhere, at multiples of that.
static bool check_aligned(Context& ctx, const Value::Array& ref, const Node* node) {
  auto* parameter = std::get_if<Value::Parameter>(&ref.base);
  if (!parameter) return true;
  const ir::Param& given = ctx.function->params[parameter->index];
  if (!given.facts.element_aligned) {
    error(ctx, DiagCode::atomic_aligned, node, {ref.name});
    return false;
  }
  const uint32_t bytes = atomic_bytes(ref.element), known = given.type.element_align();
  if (bytes <= 8 || known >= bytes) return true;
  error(ctx, DiagCode::atomic_place, node,
        {type_text(ref.element), std::to_string(bytes),
         "the elements of the argument lie at multiples of " + std::to_string(known)});
  return false;
}

// The arguments by their names, all that are needed; nothing after an error.
static std::optional<std::vector<Given>> method_arguments(Context& ctx, const Intrinsic& signature,
                                                          size_t values, const Arguments& a) {
  const auto most = static_cast<size_t>(std::ranges::count(signature.parameters, ' ') + 1);
  const std::string hint = "its parameters are " + signature.parameter_names();
  if (a.positional.size() > most) {
    error(ctx, DiagCode::intrinsic_count, a.node,
          {signature.name, "at most " + count_text(most, "argument"),
           were_given(a.positional.size()), hint});
    return std::nullopt;
  }
  auto given = named_arguments(ctx, a, signature);
  for (size_t k = 0; given && k < values; ++k) {
    if ((*given)[k].value) continue;
    const std::string_view all = signature.parameters;
    const std::string_view from = k == 0 ? all : all.substr(all.find(' ') + 1);
    error(ctx, DiagCode::missing_argument, a.node,
          {signature.name, std::string(from.substr(0, from.find(' '))), hint});
    return std::nullopt;
  }
  return given;
}

static size_t values_of(Method method) {
  if (method == Method::Load || notifies(method)) return 0;
  return method == Method::Cas ? 2 : 1;
}

Value call_atomic_method(Context& ctx, const Value::Array& ref, Method method, const Arguments& a) {
  Intrinsic signature;
  signature.name = name_of(method);
  signature.parameters = parameters_of(method);
  const size_t count = values_of(method);
  const auto given = method_arguments(ctx, signature, count, a);
  if (!given || !check_dtype(ctx, ref.element, method, a.node)) return Value::unknown();
  if (!only_reads(method) && !notifies(method) && !check_writable(ctx, ref, a.node))
    return Value::unknown();
  if (!check_aligned(ctx, ref, a.node)) return Value::unknown();
  const Given order = notifies(method) ? Given{} : (*given)[count];
  const auto spec = spec_of(ctx, signature.name, method, order, given->back());
  if (!spec) return Value::unknown();
  if (notifies(method)) return Value::none();  // those that wait look again by themselves
  ctx.at(a.node);
  Element element(ctx, ref, a.node);
  std::vector<std::vector<Inst*>> values;
  for (size_t k = 0; k < count; ++k) {
    values.push_back(element.bits_of((*given)[k], method));
    if (values.back().empty()) return Value::unknown();
  }
  ctx.at(a.node);
  return emit_method(ctx, element, method, values, *spec, a.node);
}

}  // namespace cuda_device::frontend
