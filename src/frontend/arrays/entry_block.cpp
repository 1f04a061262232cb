// cuda.shared.array(shape, dtype) of NumbaPro's dialect, which stands in the entry block and takes
// a type object.
#include <algorithm>

#include "frontend/arrays/arrays.h"
#include "frontend/calls/calls.h"
#include "frontend/calls/handlers.h"
#include "frontend/calls/intrinsics.h"
#include "frontend/control/variables.h"
#include "frontend/diagnosis/diagnosis.h"
#include "syntax/walk.h"

namespace cuda_device::frontend {

using syntax::NodeKind;

static bool contains(const Node* where, const Node* what) {
  bool found = where == what;
  syntax::for_each_child(*where,
                         [&](const Node* child) { found = found || contains(child, what); });
  return found;
}

// The word that begins a statement after which control has several ways; empty: it has one.
static std::string branch_word(const Node* statement) {
  switch (statement->kind) {
    case NodeKind::If:
      return "'if'";
    case NodeKind::For:
      return "'for'";
    case NodeKind::While:
      return "'while'";
    default:
      return "";
  }
}

static const Node* assigned_value(const Node* statement) {
  if (auto* assign = syntax::as<syntax::Assign>(statement)) return assign->value;
  if (auto* assign = syntax::as<syntax::AnnAssign>(statement)) return assign->value;
  return nullptr;
}

// Where a call stands that is not in the entry block of its function; empty: it is.
static std::string misplaced(const syntax::Function& function, const Node* call) {
  std::string branch;
  for (const Node* statement : function.body) {
    const std::string word = branch_word(statement);
    if (contains(statement, call)) {
      if (!word.empty()) return "inside of a statement " + word;
      if (!branch.empty()) return "after a statement " + branch;
      return assigned_value(statement) == call ? "" : "within another expression";
    }
    if (branch.empty()) branch = word;
  }
  return "in a lambda";
}

// Whether a shape has an extent of 0, written as a constant.
static bool is_empty(Context& ctx, const Given& shape) {
  if (!shape.value || reads_reassigned(ctx, shape.node)) return false;
  const auto is_zero = [](const Value& extent) {
    return extent.is_constant() && is_int(extent.code()) && extent.exact()->integer == 0;
  };
  return shape.value->is_tuple() ? std::ranges::any_of(shape.value->elements(), is_zero)
                                 : is_zero(*shape.value);
}

// As in Numba, a shape of 0 or (0,) means the shared memory that the launch gives: as many elements
// as fit. All such arrays of a kernel are the same memory.
static Value dynamic_array(Context& ctx, const Arguments& a, const Given& shape, const Given& dtype,
                           const Intrinsic& i) {
  if (shape.value->is_tuple() && shape.value->elements().size() > 1)
    return error(ctx, DiagCode::unsupported_syntax, shape.node,
                 {"a shared array without elements",
                  "give it positive extents; 0 or (0,) alone is the shared memory of the launch, "
                  "kernel[grid, block, stream, bytes]"});
  const std::string name = ctx.assigned.value == a.node ? ctx.assigned.name : i.short_name();
  const Value::Array bytes{name, DataType::number(TypeCode::u1), ir::kDynamicShared,
                           Value::DynamicShared{}};
  Arguments as_dtype;
  as_dtype.node = a.node;
  as_dtype.positional = {*dtype.value};
  as_dtype.sources = {dtype.node};
  return call_array_method(ctx, bytes, Method::View, as_dtype);
}

Value call_entry_block_array(Context& ctx, const Arguments& a, const Intrinsic& i) {
  const std::string where = misplaced(*ctx.instance->function, a.node);
  if (!where.empty()) return error(ctx, DiagCode::entry_block, a.node, {i.short_name(), where});
  const auto given = named_arguments(ctx, a, i);
  if (!given) return Value::unknown();
  const Given& dtype = (*given)[1];
  const auto* entity = dtype.value ? dtype.value->as<Value::Entity>() : nullptr;
  if (dtype.value && !(entity && type_entity(entity->name)))
    return error(
        ctx, DiagCode::dialect_dtype, dtype.node,
        {i.short_name(), entity ? "'" + public_name(entity->name) + "'" : type_text(*dtype.value)});
  const Given& shape = (*given)[0];
  if (dtype.value && is_empty(ctx, shape)) return dynamic_array(ctx, a, shape, dtype, i);
  return call_shared_array(ctx, a, i);
}

}  // namespace cuda_device::frontend
