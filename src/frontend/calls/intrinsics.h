// The table made from intrinsics.def.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/calls/handlers.h"

namespace cuda_device::frontend {

struct Intrinsic {
  enum class Role : uint8_t { Call, Type, Position, Number, Constant, Later };
  using Handler = HandlerSignature*;
  using Fold = double (*)(double);
  using Fold2 = double (*)(double, double);

  Role role = Role::Call;
  std::string name;  // "device.popc"
  Handler handler = nullptr;
  int min_arguments = 0;
  int max_arguments = 0;        // -1: any number
  std::string_view parameters;  // names, with a blank between; empty: by position only
  int required = 0;             // how many of the parameters have no default
  ir::Op op = ir::Op::Const;
  TypeCode code = TypeCode::b1;
  Exact constant;
  Fold fold = nullptr;
  Fold2 fold2 = nullptr;
  bool device_only = false;
  bool reads_keywords = false;  // its handler does

  bool takes_keywords() const { return reads_keywords || !parameters.empty(); }
  std::string short_name() const;       // "popc"
  std::string parameter_names() const;  // "shape, dtype"; empty where none has a name
};

const Intrinsic* find_intrinsic(const std::string& entity);
// Those that begin with a module's prefix, such as "math.", without it.
std::vector<std::string> names_of(const std::string& prefix);
// Whether it is one of those with three components, such as thread_idx.
bool is_position(const Value& value);
// The numeric type that an entity names.
std::optional<TypeCode> type_entity(const std::string& entity);
// The numeric type that a string names where a dtype is wanted: "float32", "f4", "<f4" as NumPy
// reads them. Weak types and "int" have other names there.
std::optional<TypeCode> type_of_text(std::string_view text);
// "device.int32" of i4, "builtins.int" of weak_int.
std::string entity_of_type(TypeCode code);

}  // namespace cuda_device::frontend
