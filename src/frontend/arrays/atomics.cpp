// atomic_ref, device.Atomic, elements of arrays of it, and structs with members that are atomic
// (DEV-ATOM, DEV-STRUCT-14). A reference is a view of one element, so it goes through variables and
// calls as arrays do.
#include <algorithm>
#include <bit>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/atomic_bits.h"
#include "frontend/arrays/layout.h"
#include "frontend/arrays/slices.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/diagnosis/suggest.h"
#include "frontend/expressions.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"

namespace cuda_device::frontend {
namespace {

constexpr uint32_t kMostBytes = 16;
constexpr Method kMethods[] = {Method::Load,   Method::Store, Method::Exch,      Method::Cas,
                               Method::Add,    Method::Sub,   Method::And,       Method::Or,
                               Method::Xor,    Method::Max,   Method::Min,       Method::NanMax,
                               Method::NanMin, Method::Wait,  Method::NotifyOne, Method::NotifyAll};

// Names of other languages, such as C++'s of std::atomic and CUDA's atomicInc.
struct ForeignMethod {
  std::string_view name, ours;
};
constexpr ForeignMethod kForeignMethods[] = {
    {"fetch_add", "add"},
    {"fetch_sub", "sub"},
    {"fetch_and", "and_"},
    {"fetch_or", "or_"},
    {"fetch_xor", "xor"},
    {"fetch_max", "max"},
    {"fetch_min", "min"},
    {"exchange", "exch"},
    {"swap", "exch"},
    {"compare_exchange", "cas"},
    {"compare_exchange_strong", "cas"},
    {"compare_exchange_weak", "cas"},
    {"compare_and_swap", "cas"},
    {"inc", "add(1), or a loop around cas() where it starts again from 0,"},
    {"dec", "sub(1), or a loop around cas() where it starts again from the top,"},
    {"get", "load"},
    {"read", "load"},
    {"value", "load"},
    {"item", "load"},
    {"set", "store"},
    {"write", "store"}};

// What the name in an expression such as `ref.fetch_add` may stand for.
std::string method_meant(const std::string& name, const std::vector<std::string>& names) {
  for (const ForeignMethod& foreign : kForeignMethods) {
    if (foreign.name != name) continue;
    const bool call = foreign.ours.find('(') != std::string_view::npos;
    return std::string(foreign.ours) + (call ? "" : "()") + " does that here; ";
  }
  const std::string close = closest(name, names);
  return close.empty() ? "" : "did you mean '" + close + "'? ";
}

std::string method_names() {
  std::string text;
  for (const Method method : kMethods) {
    const bool last = method == Method::NotifyAll;
    text += (text.empty() ? "" : last ? " and " : ", ") + std::string(name_of(method));
  }
  return text;
}

}  // namespace

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

// Where a part of an element without dimensions lies, as a reference to it.
static Value part_of(Context& ctx, const Value::Array& whole, uint32_t offset, const DataType& type,
                     const Node* node) {
  Window window = window_of(ctx, whole, layout_of(whole), node);
  window.offset = sum(ctx, window.offset, int64_constant(offset), node);
  const DataType& element = is_atomic(type) ? value_of_atomic(type) : type;
  Value::Array part = view_of(whole, element, layout_of(std::move(window)));
  part.reference = true;
  return part;
}

// What is known of the place of elements that they cannot be accessed at in one step: fields of
// structs without the alignment of C++ lie anywhere.
static std::optional<std::string> misplaced_part(Context& ctx, const Value::Array& array,
                                                 uint32_t bytes) {
  const Layout layout = layout_of(array);
  if (!layout.window) return std::nullopt;
  if (auto where = misplaced(*layout.window, bytes)) return where;
  auto* parameter = std::get_if<Value::Parameter>(&array.base);
  if (!parameter) return std::nullopt;
  const ir::Type& whole = ctx.function->params[parameter->index].type;
  // A view of another type takes smaller elements together.
  if (whole.element_bytes() < bytes)
    return "the elements of the argument lie at multiples of " +
           std::to_string(whole.element_align());
  if (whole.element_bytes() % bytes == 0) return std::nullopt;
  return "the elements of the argument have " + std::to_string(whole.element_bytes()) + " bytes";
}

// Whether a part of a struct lies where its type says, wherever the struct does: in a packed one,
// as NumPy makes them, it may lie anywhere.
static bool check_part(Context& ctx, const DataType& whole, const RecordField& part,
                       const Node* node) {
  const uint32_t align = align_of(part.type);
  if (align_of(whole) >= align && part.offset % align == 0) return true;
  const std::string where =
      part.offset % align != 0
          ? "it begins at byte " + std::to_string(part.offset) + " of a struct"
          : "its struct lies at multiples of " + std::to_string(align_of(whole));
  error(ctx, DiagCode::atomic_place, node, {type_text(part.type), std::to_string(align), where});
  return false;
}

Value reference_within(Context& ctx, const Value::Array& element, const Node* node) {
  if (is_atomic(element.element)) return part_of(ctx, element, 0, element.element, node);
  Value::Array ref = element;
  ref.reference = true;
  return ref;
}

Value reference_to(Context& ctx, const Value::Array& array, const Value& index,
                   const syntax::Subscript* node) {
  const uint32_t align = align_of(array.element);
  if (const auto where = misplaced_part(ctx, array, align))
    return error(ctx, DiagCode::atomic_place, node->value,
                 {type_text(array.element), std::to_string(align), *where});
  const Value view = sliced(ctx, array, index, node);
  return view.is_array() ? reference_within(ctx, view.array(), node) : view;
}

// ------------------------------------------------------------------------------------ atomic_ref

static bool names_one_element(const Value::Array& array, const Value& index) {
  const std::vector<Value> all = index.is_tuple() ? index.elements() : std::vector<Value>{index};
  return all.size() == array.type.ndim && std::ranges::none_of(all, [](const Value& v) {
           return v.is_none() || v.is<Value::Slice>() || v.is_entity("builtins.Ellipsis");
         });
}

// Elements that memory is read and written as in one step.
static bool check_element(Context& ctx, const Value::Array& array, const Node* node) {
  const DataType& type = array.element;
  const uint32_t bytes = bytes_of(type);
  const bool one_step = std::has_single_bit(bytes) && bytes <= kMostBytes;
  if (!one_step) {
    error(ctx, DiagCode::atomic_bytes, node,
          {"atomic_ref()", "elements of 1, 2, 4, 8 or 16 bytes", type_text(type),
           std::to_string(bytes)});
    return false;
  }
  const uint32_t* own = array.allocation();
  const uint32_t align = std::max(align_of(type), own ? ctx.session.allocations.at(*own).align : 1);
  if (align < bytes) {
    error(ctx, DiagCode::atomic_align, node,
          {"elements of " + type_text(type), std::to_string(align), std::to_string(bytes)});
    return false;
  }
  const auto where = misplaced_part(ctx, array, bytes);
  if (where)
    error(ctx, DiagCode::atomic_place, node, {type_text(type), std::to_string(bytes), *where});
  return !where;
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
  if (of.value->is<Value::Choice>())
    return not_implemented(ctx, of.node,
                           "atomic_ref() of an array that is chosen when the kernel runs",
                           "write an if statement, with one of the arrays in each branch");
  if (!of.value->is_array() || of.value->array().reference)
    return wrong_kind(ctx, DiagCode::atomic_array, of.node, *of.value, {type_text(*of.value)});
  const Value::Array& array = of.value->array();
  if (!names_one_element(array, *at.value)) {
    auto* number = at.value->exact();
    const std::string index = number ? to_text(at.value->code(), *number) : type_text(*at.value);
    return error(ctx, DiagCode::atomic_array, at.node,
                 {"the index " + index + " of an " + type_text(*of.value)});
  }
  const syntax::Subscript* element = referred_element(ctx.session, a.node, of.node, at.node);
  if (holds_atomics(array.element)) return reference_to(ctx, array, *at.value, element);
  if (!check_element(ctx, array, of.node)) return Value::unknown();
  const Value view = sliced(ctx, array, *at.value, element);
  if (!view.is_array()) return view;
  Value::Array ref = view.array();
  ref.reference = true;
  return ref;
}

// An attribute of a struct that lies in memory and has atomic members.
Value struct_ref_attribute(Context& ctx, const syntax::Attribute* node, const Value::Array& ref) {
  const RecordType& type = *ref.element.record;
  const auto i = field_named(type, node->attr);
  if (!i) return member_attribute(ctx, node, type, ref);
  const RecordField& field = type.fields[*i];
  if (holds_atomics(field.type))
    return check_part(ctx, ref.element, field, node)
               ? part_of(ctx, ref, field.offset, field.type, node)
               : Value::unknown();
  const Value value =
      load_data(ctx, field.type, operands_at(ctx, ref, layout_of(ref), {}, node), field.offset);
  const bool tuple = value.is_record() && value.record().type->kind == RecordType::Kind::Tuple;
  return tuple ? Value::tuple(value.record().fields) : value;
}

Value atomic_attribute(Context& ctx, const syntax::Attribute* node, const Value::Array& ref) {
  if (node->attr == "dtype") return dtype_value(ref.element);
  std::vector<std::string> names = {"dtype"};
  for (const Method method : kMethods) {
    if (node->attr == name_of(method))
      return Value::BoundMethod{method, std::make_shared<Value>(ref)};
    names.emplace_back(name_of(method));
  }
  return error(
      ctx, DiagCode::atomic_method, node,
      {type_text(Value(ref)), node->attr, method_meant(node->attr, names), method_names()});
}

// ---------------------------------------------------------------------------------------- Atomic

Value attribute_of_atomic_type(Context& ctx, const syntax::Attribute* node, const RecordRef& type) {
  if (node->attr == "dtype") return dtype_value(type->fields[0].type);
  return error(
      ctx, DiagCode::no_attribute, node,
      {"the type " + type->name, node->attr,
       "an object has methods: `x = device.Atomic(...)` makes one in a kernel, where nothing else "
       "is assigned; one from outside, such as a global variable, is passed in an array: "
       "device.zeros(1, dtype=device." +
           type->name + ")"});
}

// A new object of the thread's own, which holds zero.
static Value zero_of(Context& ctx, const RecordRef& type, const Node* node) {
  const DataType atomic = DataType::of(type);
  const Value::Array element = local_element(ctx, atomic, node);
  for (const DataLeaf& leaf : leaves_of(atomic)) {
    std::vector<Inst*> operands = operands_at(ctx, element, layout_of(element), {}, node);
    operands.push_back(ctx.builder.typed(Op::Const, ir::Type::of(*scalar_of(leaf.code)), {}));
    ctx.builder.typed(Op::Store, ir::Type::none(), std::move(operands), leaf.offset);
  }
  return part_of(ctx, element, 0, atomic, node);
}

// Whether a name is assigned what the node gives: `x = ...`, or `x, y = ..., ...`.
static bool gets_a_name(const Context& ctx, const Node* node) {
  if (ctx.assigned.value == node) return true;
  auto* values = ctx.assigned.several ? syntax::as<syntax::Tuple>(ctx.assigned.value) : nullptr;
  return values && std::ranges::find(values->elts, node) != values->elts.end();
}

Value call_atomic(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const auto given = named_arguments(ctx, a, i);
  if (!given) return Value::unknown();
  if (!(*given)[0].value)
    return error(ctx, DiagCode::missing_argument, a.node,
                 {i.short_name(), "dtype", "for example device.Atomic(device.int32)"});
  const std::optional<DataType> dtype = read_dtype(ctx, (*given)[0], i.short_name());
  const std::optional<uint32_t> align = read_alignment(ctx, (*given)[1], i.short_name());
  if (!dtype || !align) return Value::unknown();
  if (holds_atomics(*dtype))
    return error(ctx, DiagCode::atomic_type, (*given)[0].node, {type_text(*dtype)});
  if (bytes_of(*dtype) > kMostBytes)
    return error(ctx, DiagCode::atomic_bytes, (*given)[0].node,
                 {"Atomic()", "types of at most 16 bytes", type_text(*dtype),
                  std::to_string(bytes_of(*dtype))});
  const uint32_t least = std::max(*align, least_align(*(*given)[0].value));
  const RecordRef type = atomic_type(ctx.session, *dtype, least);
  // Assigned to a name it is an object; elsewhere, as in shared_array(4, Atomic(int)), a type.
  if (!gets_a_name(ctx, a.node)) return Value::Class{type};
  return zero_of(ctx, type, a.node);
}

}  // namespace cuda_device::frontend
