#include "frontend/diagnosis/unsupported.h"

#include "frontend/diagnosis/diagnosis.h"
#include "frontend/language_names.h"

namespace cuda_device::frontend {
namespace {

struct Entry {
  const char* ast_class;
  const char* name;
  const char* hint;
};

constexpr const char* kNoObjects = "kernels have numbers, tuples, structs and arrays only";
constexpr const char* kNoComprehensions =
    "tuple(... for ...) makes a tuple, and sum(... for ...) a sum";
constexpr const char* kNoDicts = "use a tuple, its elements by index, or 'match' on the key";
constexpr const char* kNoExceptions =
    "kernels catch nothing: test with 'if' before what may fail, and write the lines of 'finally' "
    "after it";
constexpr const char* kTopLevel = "do it outside of the kernel";
constexpr const char* kNoCoroutines = "kernels are plain functions";

// Not implemented yet.
constexpr Entry kPlanned[] = {
    {"MatchMapping", "a pattern of a mapping", "kernels have tuples and structs: match these"},
};

constexpr Entry kRefused[] = {
    {"With", "the 'with' statement", "kernels have no context managers"},
    {"AsyncWith", "the 'async with' statement", kNoCoroutines},
    {"Try", "the 'try' statement", kNoExceptions},
    {"TryStar", "the 'try' statement", kNoExceptions},
    {"ClassDef", "a class inside of a kernel", kTopLevel},
    {"Import", "'import'", kTopLevel},
    {"ImportFrom", "'import'", kTopLevel},
    {"Global", "'global'", "globals are constants in kernels; pass an array to change values"},
    {"Nonlocal", "'nonlocal'",
     "outer variables are constants in kernels; pass an array to change values"},
    {"Delete", "'del'", "a name needs no deletion in a kernel"},
    {"Yield", "'yield'", kNoCoroutines},
    {"YieldFrom", "'yield from'", kNoCoroutines},
    {"Await", "'await'", kNoCoroutines},
    {"AsyncFor", "the 'async for' statement", kNoCoroutines},
    {"AsyncFunctionDef", "an 'async def' inside of a kernel", kNoCoroutines},
    {"TypeAlias", "a type alias inside of a kernel", kTopLevel},
    {"ListComp", "a list comprehension", kNoComprehensions},
    {"SetComp", "a set comprehension", kNoComprehensions},
    {"DictComp", "a dict comprehension", kNoDicts},
    {"List", "a list", "use a tuple, or device.local_array(shape, dtype) for elements that change"},
    {"Dict", "a dict", kNoDicts},
    {"Set", "a set", "use a tuple"},
    {"TemplateStr", "a t-string", kNoObjects},
};

}  // namespace

bool lacks(Context& ctx, std::string_view ast_class, const Node* node) {
  for (const RefusedSyntax& own : language_names(ctx.policy).refused_syntax) {
    if (ast_class != own.ast_class) continue;
    error(ctx, DiagCode::unsupported_syntax, node, {own.name, own.hint});
    return true;
  }
  return false;
}

bool lacks(Context& ctx, const Node* node) {
  return lacks(ctx, syntax::class_name(node->kind), node);
}

Refusal refusal_of(const Policy& policy, const std::string& ast_class) {
  for (const RefusedSyntax& own : language_names(policy).refused_syntax)
    if (ast_class == own.ast_class) return {own.name, own.hint, false};
  for (const Entry& e : kPlanned)
    if (ast_class == e.ast_class) return {e.name, e.hint, true};
  for (const Entry& e : kRefused)
    if (ast_class == e.ast_class) return {e.name, e.hint, false};
  return {"'" + ast_class + "'", kNoObjects, false};
}

}  // namespace cuda_device::frontend
