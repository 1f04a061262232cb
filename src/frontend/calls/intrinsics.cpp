#include "frontend/calls/intrinsics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace cuda_device::frontend {
namespace {

using Table = std::unordered_map<std::string, Intrinsic>;
using Role = Intrinsic::Role;

Intrinsic& entry(Table& table, const std::string& name, Role role) {
  Intrinsic& i = table[name];
  i.name = name;
  i.role = role;
  return i;
}

void add_call(Table& table, const char* name, Intrinsic::Handler handler, int min, int max,
              ir::Op op = ir::Op::Const) {
  Intrinsic& i = entry(table, name, Role::Call);
  i.handler = handler;
  i.min_arguments = min;
  i.max_arguments = max;
  i.op = op;
}

void add_named(Table& table, const char* name, Intrinsic::Handler handler, int required, int max,
               ir::Op op, std::string_view parameters) {
  add_call(table, name, handler, 0, max, op);
  table[name].required = required;
  table[name].parameters = parameters;
}

void add_math(Table& table, const char* name, ir::Op op, Intrinsic::Fold fold) {
  add_call(table, name, &call_math, 1, 1, op);
  table[name].fold = fold;
}

void add_math2(Table& table, const char* name, ir::Op op, Intrinsic::Fold2 fold) {
  add_call(table, name, &call_math2, 2, 2, op);
  table[name].fold2 = fold;
}

void add_number(Table& table, const char* name, TypeCode code, ir::Op op) {
  Intrinsic& i = entry(table, name, Role::Number);
  i.code = code;
  i.op = op;
}

void add_constant(Table& table, const char* name, TypeCode code, Exact value) {
  Intrinsic& i = entry(table, name, Role::Constant);
  i.code = code;
  i.constant = value;
}

// Constructor, dtype and annotation.
void add_types(Table& table) {
  for (int n = 0; n <= static_cast<int>(TypeCode::weak_complex); ++n) {
    const auto code = static_cast<TypeCode>(n);
    entry(table, entity_of_type(code), Role::Type).code = code;
  }
}

Table make_table() {
  Table table;
  add_types(table);
#define POSITION(name, operation) entry(table, name, Role::Position).op = ir::Op::operation;
#define NUMBER(name, type, operation) add_number(table, name, TypeCode::type, ir::Op::operation);
#define CONSTANT(name, type, value) add_constant(table, name, TypeCode::type, value);
#define MATH(name, operation, function) \
  add_math(table, name, ir::Op::operation, static_cast<Intrinsic::Fold>(function));
#define MATH2(name, operation, function) \
  add_math2(table, name, ir::Op::operation, static_cast<Intrinsic::Fold2>(function));
#define CALL(name, handler, min, max) add_call(table, name, &handler, min, max);
#define CALL_OP(name, handler, min, max, operation) \
  add_call(table, name, &handler, min, max, ir::Op::operation);
#define NAMED(name, handler, required, max, operation, parameters) \
  add_named(table, name, &handler, required, max, ir::Op::operation, parameters);
#define DEVICE_ONLY(name) table[name].device_only = true;
#define READS_KEYWORDS(name) table[name].reads_keywords = true;
#define LATER(name) entry(table, name, Role::Later);
#include "frontend/calls/intrinsics.def"
  return table;
}

const Table& table() {
  static const Table made = make_table();
  return made;
}

}  // namespace

// A dialect's names are spoken of as its programs write them.
std::string Intrinsic::short_name() const {
  const std::string spoken = public_name(name);
  return spoken == name ? name.substr(name.rfind('.') + 1) : spoken;
}

std::string Intrinsic::parameter_names() const {
  std::string names(parameters);
  for (size_t at = 0; (at = names.find(' ', at)) != std::string::npos; at += 2)
    names.replace(at, 1, ", ");
  return names;
}

const Intrinsic* find_intrinsic(const std::string& entity) {
  const auto at = table().find(entity);
  return at == table().end() ? nullptr : &at->second;
}

std::vector<std::string> names_of(const std::string& prefix) {
  std::vector<std::string> names;
  for (const auto& [name, intrinsic] : table())
    if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
  return names;
}

std::optional<TypeCode> type_entity(const std::string& entity) {
  const Intrinsic* i = find_intrinsic(entity);
  if (!i || i->role != Role::Type) return std::nullopt;
  return i->code;
}

// Types that NumPy has no letter and size for.
static bool is_of_ml_dtypes(const NumericInfo& type) {
  return type.kind == Kind::Float && type.code != "f2" && type.bits <= 16;
}

// Formats as other modules name them, without the module.
static constexpr std::pair<std::string_view, ScalarKind> kDtypeNames[] = {
#define FLOAT(name, text, bytes, significand, exponent, specials, overflow, dlpack, numpy, ...) \
  {std::string_view(numpy).substr(std::string_view(numpy).find('.') + 1), ScalarKind::name},
#define STORED_FLOAT FLOAT
#include "support/scalar.def"
};

std::optional<TypeCode> type_of_text(std::string_view text) {
  if (!text.empty() && (text[0] == '<' || text[0] == '=' || text[0] == '|')) text.remove_prefix(1);
  for (int i = 0; i < kFixedCount; ++i) {
    const NumericInfo& type = kNumericInfo[i];
    const bool numpy_has = !is_of_ml_dtypes(type);
    if (type.name == text || (numpy_has && type.code == text)) return static_cast<TypeCode>(i);
  }
  for (const auto& [name, kind] : kDtypeNames)
    if (name == text) return code_of(kind);
  return std::nullopt;
}

std::string entity_of_type(TypeCode code) {
  const bool builtin = is_weak(code) || is_bool(code);
  return (builtin ? "builtins." : "device.") + std::string(name_of(code));
}

bool is_position(const Value& value) {
  auto* entity = value.as<Value::Entity>();
  const Intrinsic* intrinsic = entity ? find_intrinsic(entity->name) : nullptr;
  return intrinsic && intrinsic->role == Intrinsic::Role::Position;
}

}  // namespace cuda_device::frontend
