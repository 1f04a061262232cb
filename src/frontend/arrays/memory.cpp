// local_array, shared_array, dynamic_shared_array (DEV-MEM).
#include "frontend/arrays/arrays.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "frontend/calls/calls.h"
#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"

namespace cuda_device::frontend {
namespace {

using ir::AddressSpace;

constexpr uint64_t kMaxStaticShared = 48 * 1024;
constexpr uint64_t kMaxLocal = 512 * 1024;  // of a thread, as CUDA has it
constexpr int kMaxAlign = 1024;
constexpr size_t kMaxDims = 32;
constexpr int64_t kTooMany = int64_t{1} << 40;  // bytes, beyond every limit

bool is_int_constant(const Value& v) { return v.is_constant() && is_int(v.code()); }

// Strides in bytes: the last axis closest together (C), or the first (F).
std::vector<int64_t> packed_strides(const ir::Allocation& array, bool first_is_inner) {
  const size_t ndim = array.shape.size();
  std::vector<int64_t> strides(ndim);
  int64_t step = array.type.element_bytes();
  for (size_t k = 0; k < ndim; ++k) {
    const size_t axis = first_is_inner ? k : ndim - 1 - k;
    strides[axis] = step;
    const __int128 next = __int128{step} * std::max(array.shape[axis], int64_t{1});
    step = next < kTooMany ? static_cast<int64_t>(next) : kTooMany;
  }
  return strides;
}

}  // namespace

static bool read_extent(Context& ctx, const Value& extent, const Node* node,
                        const std::string& name, ir::Allocation& array) {
  if (!extent.is_number() || !is_int(extent.code())) {
    wrong_kind(ctx, DiagCode::array_shape_type, node, extent, {name, type_text(extent)});
    return false;
  }
  // A shape is of names that are assigned once, though a read of another one may be known too.
  if (!extent.exact() || reads_reassigned(ctx, node)) {
    error(ctx, DiagCode::array_shape_constant, node, {name, with_article(type_text(extent))});
    return false;
  }
  if (extent.exact()->integer < 0) {
    error(ctx, DiagCode::array_shape_negative, node, {name, to_text(extent.exact()->integer)});
    return false;
  }
  array.shape.push_back(
      static_cast<int64_t>(std::min(extent.exact()->integer, static_cast<__int128>(kTooMany))));
  return true;
}

static bool read_shape(Context& ctx, const Given& given, const std::string& name,
                       ir::Allocation& array) {
  if (!given.value->is_tuple()) return read_extent(ctx, *given.value, given.node, name, array);
  const std::vector<Value>& elements = given.value->elements();
  if (elements.size() > kMaxDims) {
    error(ctx, DiagCode::array_shape_dims, given.node, {name, std::to_string(elements.size())});
    return false;
  }
  auto* display = syntax::as<syntax::Tuple>(given.node);
  bool fine = true;
  for (size_t k = 0; k < elements.size(); ++k)
    fine &= read_extent(ctx, elements[k], display ? display->elts[k] : given.node, name, array);
  return fine;
}

std::optional<DataType> read_dtype(Context& ctx, const Given& given, const std::string& name) {
  const Value& v = *given.value;
  auto* entity = v.as<Value::Entity>();
  const std::string* text = v.string();
  if (text)
    if (const std::optional<TypeCode> code = type_of_text(*text)) return DataType::number(*code);
  if (auto type = data_type_of(v); type && !v.is_none()) {
    if (holds_arrays(*type)) {
      error(ctx, DiagCode::array_of_arrays, given.node, {name, type_text(*type)});
      return std::nullopt;
    }
    if (type->is_number()) type->code = ctx.policy.constructed(type->code);
    return type;
  }
  const std::string found = text     ? "'" + *text + "'"
                            : entity ? "'" + public_name(entity->name) + "'"
                                     : type_text(v);
  error(ctx, DiagCode::array_dtype, given.node, {name, found});
  return std::nullopt;
}

// Whether the first axis is the inner one.
static std::optional<bool> read_order(Context& ctx, const Given& given, const std::string& name) {
  if (!given.value) return false;
  const Value& v = *given.value;
  const std::string* text = v.string();
  if (text && (*text == "C" || *text == "F")) return *text == "F";
  const std::string found = text              ? "'" + *text + "'"
                            : v.is_constant() ? to_text(v.code(), *v.exact())
                                              : type_text(v);
  error(ctx, DiagCode::array_order, given.node, {name, found});
  return std::nullopt;
}

std::optional<uint32_t> read_alignment(Context& ctx, const Given& given, const std::string& name) {
  if (!given.value || given.value->is_none()) return 1;
  const Value& v = *given.value;
  const bool known = is_int_constant(v);
  const __int128 wanted = known ? v.exact()->integer : 0;
  if (wanted < 1 || wanted > kMaxAlign || !std::has_single_bit(static_cast<uint32_t>(wanted))) {
    const bool plain = v.is_constant();
    error(ctx, DiagCode::array_align, given.node,
          {name, plain ? to_text(v.code(), *v.exact()) : type_text(v)});
    return std::nullopt;
  }
  return static_cast<uint32_t>(wanted);
}

// device.align(t, n): the alignment is that of arrays of the type, and of atomics of it.
Value call_align(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const auto given = named_arguments(ctx, a, i);
  if (!given) return Value::unknown();
  for (size_t k : {0, 1})
    if (!(*given)[k].value)
      return error(
          ctx, DiagCode::missing_argument, a.node,
          {i.short_name(), k == 0 ? "t" : "n", "for example device.align(device.int32, 16)"});
  const std::optional<DataType> type = data_type_of(*(*given)[0].value);
  if (!type)
    return error(ctx, DiagCode::aligned_type, (*given)[0].node, {type_text(*(*given)[0].value)});
  const std::optional<uint32_t> align = read_alignment(ctx, (*given)[1], i.short_name());
  if (!align) return Value::unknown();
  if (is_atomic(*type))
    return Value::Class{
        atomic_type(ctx.session, value_of_atomic(*type), std::max(*align, align_of(*type)))};
  return Value::Class{alias_of(ctx.session, *type, std::max(*align, align_of(*type)))};
}

// Checks the memory of all arrays met so far in this pass together.
static bool check_memory(Context& ctx, const ir::Allocation& array, const Node* node) {
  const AddressSpace space = array.type.space;
  const bool shared = space == AddressSpace::Shared;
  const uint64_t bytes = ir::memory_layout(*ctx.function, space).bytes;
  const uint64_t limit = shared ? kMaxStaticShared : kMaxLocal;
  if (bytes <= limit) return true;
  bool& met = shared ? ctx.diagnosis.met_too_much_shared : ctx.diagnosis.met_too_much_local;
  if (std::exchange(met, true)) {
    silent(ctx);  // it is the sum that is too large
    return false;
  }
  error(ctx, shared ? DiagCode::shared_too_large : DiagCode::local_too_large, node,
        {std::to_string(bytes), std::to_string(array.bytes()), std::to_string(limit)});
  return false;
}

static uint32_t allocation(Context& ctx, const ir::Allocation& array, const DataType& element,
                           const Node* call) {
  AllocationSite place{{}, type_text(element), array.shape, array.strides, array.align};
  for (Instance* i = ctx.instance; i; i = i->begins_function ? nullptr : i->parent) {
    place.calls.push_back(i->call);
    i->is_one_of_a_kind = true;
  }
  place.calls.push_back(ctx.place(call));
  const auto next = static_cast<uint32_t>(ctx.session.allocations.size());
  const auto [at, is_new] = ctx.session.allocation_at.emplace(std::move(place), next);
  if (is_new) {
    ctx.session.allocations.push_back(array);
    ctx.session.allocated_in.push_back(ctx.instance);
  }
  return at->second;
}

uint32_t number_of_array(Context& ctx, uint32_t allocation) {
  const auto next = static_cast<uint32_t>(ctx.function->arrays.size());
  const auto [at, is_new] = ctx.arrays.emplace(allocation, next);
  if (is_new) ctx.function->arrays.push_back(ctx.session.allocations.at(allocation));
  return at->second;
}

Value::Array local_element(Context& ctx, const DataType& element, const Node* call) {
  ir::Allocation array;
  array.span = call->span;
  array.name = ctx.assigned.name;
  array.type = array_type(element, 0, AddressSpace::Local);
  array.align = align_of(element);
  const uint32_t index = allocation(ctx, array, element, call);
  number_of_array(ctx, index);
  return {array.name, element, array.type, Value::Allocation{index}};
}

static Value array_in(Context& ctx, AddressSpace space, const Arguments& a, const Intrinsic& i) {
  const std::string name = i.short_name();
  auto given = named_arguments(ctx, a, i);
  if (!given) return Value::unknown();
  for (size_t k : {0, 1})
    if (!(*given)[k].value)
      return error(ctx, DiagCode::missing_argument, a.node,
                   {name, k == 0 ? "shape" : "dtype",
                    "for example " + public_name(i.name) + "(16, device.float32)"});
  ir::Allocation array;
  array.span = a.node->span;
  array.name = ctx.assigned.value == a.node ? ctx.assigned.name : name;
  given->resize(4);  // a dialect's has neither order nor align
  const bool shaped = read_shape(ctx, (*given)[0], name, array);
  const std::optional<DataType> dtype = read_dtype(ctx, (*given)[1], name);
  const std::optional<bool> order = read_order(ctx, (*given)[2], name);
  array.type = array_type(dtype.value_or(DataType::number(TypeCode::u1)),
                          static_cast<int>(array.shape.size()), space);
  const std::optional<uint32_t> align = read_alignment(ctx, (*given)[3], name);
  if (!align || !shaped || !dtype || !order) return Value::unknown();
  array.align = std::max(
      {array.type.element_align(), align_of(*dtype), *align, least_align(*(*given)[1].value)});
  array.strides = packed_strides(array, *order);
  const uint32_t index = allocation(ctx, array, *dtype, a.node);
  number_of_array(ctx, index);
  if (!check_memory(ctx, array, a.node)) return Value::unknown();
  return Value::Array{array.name, *dtype, array.type, Value::Allocation{index}};
}

Value call_local_array(Context& ctx, const Arguments& a, const Intrinsic& i) {
  return array_in(ctx, AddressSpace::Local, a, i);
}

Value call_shared_array(Context& ctx, const Arguments& a, const Intrinsic& i) {
  return array_in(ctx, AddressSpace::Shared, a, i);
}

Value call_dynamic_shared(Context&, const Arguments&, const Intrinsic& i) {
  return Value::Array{i.short_name(), DataType::number(TypeCode::u1), ir::kDynamicShared,
                      Value::DynamicShared{}};
}

}  // namespace cuda_device::frontend
