// local_array, shared_array, dynamic_shared_array (DEV-MEM).
#include <algorithm>
#include <bit>
#include <utility>

#include "frontend/intrinsics.h"
#include "frontend/parameters.h"

namespace cuda_device::frontend {
namespace {

using ir::AddressSpace;

constexpr uint64_t kMaxStaticShared = 48 * 1024;
constexpr uint64_t kMaxLocal = 512 * 1024;  // of a thread, as CUDA has it
constexpr int kMaxAlign = 1024;
constexpr size_t kMaxDims = 32;
constexpr int64_t kTooMany = int64_t{1} << 40;  // bytes, beyond every limit

bool is_int_constant(const Value& v) { return v.is_constant() && is_int(v.code); }

// "float32", "f4", "<f4" as NumPy reads them; weak types and "int" have other names there.
std::optional<TypeCode> type_of_text(std::string_view text) {
  if (!text.empty() && (text[0] == '<' || text[0] == '=' || text[0] == '|')) text.remove_prefix(1);
  for (int i = 0; i < kFixedCount; ++i)
    if (kNumericInfo[i].name == text || kNumericInfo[i].code == text)
      return static_cast<TypeCode>(i);
  return std::nullopt;
}

// Strides in bytes: the last axis closest together (C), or the first (F).
std::vector<int64_t> packed_strides(const ir::Allocation& array, bool first_is_inner) {
  const size_t ndim = array.shape.size();
  std::vector<int64_t> strides(ndim);
  int64_t step = bytes_of(array.type.scalar);
  for (size_t k = 0; k < ndim; ++k) {
    const size_t axis = first_is_inner ? k : ndim - 1 - k;
    strides[axis] = step;
    const __int128 next = __int128{step} * std::max(array.shape[axis], int64_t{1});
    step = next < kTooMany ? static_cast<int64_t>(next) : kTooMany;
  }
  return strides;
}

}  // namespace

// One for each parameter of the intrinsic; what stands where no parameter does is reported.
std::optional<std::vector<Lowerer::Given>> Lowerer::named_arguments(const Arguments& a,
                                                                    const Intrinsic& i) {
  std::vector<std::string_view> names;
  for (std::string_view rest = i.parameters; !rest.empty();) {
    const size_t end = std::min(rest.find(' '), rest.size());
    names.push_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::vector<Given> out(names.size());
  for (size_t k = 0; k < a.positional.size(); ++k) out[k] = {&a.positional[k], argument_node(a, k)};
  bool fine = true;
  for (size_t k = 0; k < a.named.size(); ++k) {
    const auto& [name, value] = a.named[k];
    const auto at = std::find(names.begin(), names.end(), name);
    Given* given = at == names.end() ? nullptr : &out[static_cast<size_t>(at - names.begin())];
    if (!given || given->value) {
      error(given ? DiagCode::argument_twice : DiagCode::unexpected_keyword, a.node,
            {i.short_name(), name, "its parameters are " + i.parameter_names()});
      fine = false;
      continue;
    }
    *given = {&value, syntax::as<syntax::keyword>(a.node->keywords[k])->value};
  }
  if (!fine) return std::nullopt;
  return out;
}

bool Lowerer::read_extent(const Value& extent, const Node* node, const std::string& name,
                          ir::Allocation& array) {
  if (!extent.is_number() || !is_int(extent.code)) {
    wrong_kind(DiagCode::array_shape_type, node, extent, {name, type_text(extent)});
    return false;
  }
  if (!extent.exact) {
    error(DiagCode::array_shape_constant, node, {name, "an " + type_text(extent)});
    return false;
  }
  if (extent.exact->integer < 0) {
    error(DiagCode::array_shape_negative, node, {name, to_text(extent.exact->integer)});
    return false;
  }
  array.shape.push_back(
      static_cast<int64_t>(std::min(extent.exact->integer, static_cast<__int128>(kTooMany))));
  return true;
}

bool Lowerer::read_shape(const Given& given, const std::string& name, ir::Allocation& array) {
  if (!given.value->is_tuple()) return read_extent(*given.value, given.node, name, array);
  const std::vector<Value>& elements = given.value->elements;
  if (elements.size() > kMaxDims) {
    error(DiagCode::array_shape_dims, given.node, {name, std::to_string(elements.size())});
    return false;
  }
  auto* display = syntax::as<syntax::Tuple>(given.node);
  bool fine = true;
  for (size_t k = 0; k < elements.size(); ++k)
    fine &= read_extent(elements[k], display ? display->elts[k] : given.node, name, array);
  return fine;
}

std::optional<TypeCode> Lowerer::read_dtype(const Given& given, const std::string& name) {
  const Value& v = *given.value;
  std::optional<TypeCode> code;
  if (v.kind == Value::Kind::Entity) code = type_entity(v.name);
  if (v.kind == Value::Kind::Text) code = type_of_text(v.name);
  if (code && scalar_of(*code)) return code;
  if (code) {
    not_implemented(given.node, "'" + std::string(name_of(*code)) + "' as an element type");
    return std::nullopt;
  }
  const std::string found = v.kind == Value::Kind::Text     ? "'" + v.name + "'"
                            : v.kind == Value::Kind::Entity ? "'" + public_name(v.name) + "'"
                                                            : type_text(v);
  error(DiagCode::array_dtype, given.node, {name, found});
  return std::nullopt;
}

// Whether the first axis is the inner one.
std::optional<bool> Lowerer::read_order(const Given& given, const std::string& name) {
  if (!given.value) return false;
  const Value& v = *given.value;
  const bool text = v.kind == Value::Kind::Text;
  if (text && (v.name == "C" || v.name == "F")) return v.name == "F";
  const std::string found = text              ? "'" + v.name + "'"
                            : v.is_constant() ? to_text(v.code, *v.exact)
                                              : type_text(v);
  error(DiagCode::array_order, given.node, {name, found});
  return std::nullopt;
}

bool Lowerer::read_align(const Given& given, const std::string& name, ir::Allocation& array) {
  array.align = static_cast<uint32_t>(bytes_of(array.type.scalar));
  if (!given.value || given.value->is_none()) return true;
  const Value& v = *given.value;
  const bool known = is_int_constant(v);
  const __int128 wanted = known ? v.exact->integer : 0;
  if (wanted < 1 || wanted > kMaxAlign || !std::has_single_bit(static_cast<uint32_t>(wanted))) {
    const bool plain = v.is_constant();
    error(DiagCode::array_align, given.node,
          {name, plain ? to_text(v.code, *v.exact) : type_text(v)});
    return false;
  }
  array.align = std::max(array.align, static_cast<uint32_t>(wanted));
  return true;
}

// With all arrays met so far in this pass.
bool Lowerer::check_memory(const ir::Allocation& array, const Node* node) {
  const AddressSpace space = array.type.space;
  const bool shared = space == AddressSpace::Shared;
  const uint64_t bytes = ir::memory_layout(*function_, space).bytes;
  const uint64_t limit = shared ? kMaxStaticShared : kMaxLocal;
  if (bytes <= limit) return true;
  bool& met = shared ? met_too_much_shared_ : met_too_much_local_;
  if (std::exchange(met, true)) {
    silent();  // it is the sum that is too large
    return false;
  }
  error(shared ? DiagCode::shared_too_large : DiagCode::local_too_large, node,
        {std::to_string(bytes), std::to_string(array.bytes()), std::to_string(limit)});
  return false;
}

uint32_t Lowerer::allocation(const ir::Allocation& array, const Node* call) {
  Session::Place place{{}, array.type.scalar, array.shape, array.strides, array.align};
  for (const Instance* i = instance_; i; i = i->parent) place.calls.push_back(i->call);
  place.calls.push_back(call);
  const auto next = static_cast<uint32_t>(session_.allocations.size());
  const auto [at, is_new] = session_.allocation_at.emplace(std::move(place), next);
  if (is_new) session_.allocations.push_back(array);
  return at->second;
}

uint32_t Lowerer::number_of_array(uint32_t allocation) {
  const auto next = static_cast<uint32_t>(function_->arrays.size());
  const auto [at, is_new] = arrays_.emplace(allocation, next);
  if (is_new) function_->arrays.push_back(session_.allocations.at(allocation));
  return at->second;
}

Value Lowerer::call_array(const Arguments& a, const Intrinsic& i) {
  const std::string name = i.short_name();
  const auto given = named_arguments(a, i);
  if (!given) return Value::unknown();
  for (size_t k : {0, 1})
    if (!(*given)[k].value)
      return error(DiagCode::missing_argument, a.node,
                   {name, k == 0 ? "shape" : "dtype",
                    "for example device." + name + "(16, device.float32)"});
  ir::Allocation array;
  array.span = a.node->span;
  array.name = assigned_.value == a.node ? assigned_.name : name;
  const bool shaped = read_shape((*given)[0], name, array);
  const std::optional<TypeCode> dtype = read_dtype((*given)[1], name);
  const std::optional<bool> order = read_order((*given)[2], name);
  const AddressSpace space = name == "shared_array" ? AddressSpace::Shared : AddressSpace::Local;
  array.type = ir::Type::array(dtype ? *scalar_of(*dtype) : ScalarKind::U8,
                               static_cast<int>(array.shape.size()), space);
  if (!read_align((*given)[3], name, array) || !shaped || !dtype || !order) return Value::unknown();
  array.strides = packed_strides(array, *order);
  const uint32_t index = allocation(array, a.node);
  number_of_array(index);
  if (!check_memory(array, a.node)) return Value::unknown();
  Value v = Value::named(Value::Kind::Array, array.name);
  v.array = array.type;
  v.index = index;
  return v;
}

Value Lowerer::call_dynamic_shared(const Arguments&, const Intrinsic& i) {
  Value v = Value::named(Value::Kind::Array, i.short_name());
  v.array = ir::kDynamicShared;
  v.index = Value::kDynamicShared;
  return v;
}

}  // namespace cuda_device::frontend
