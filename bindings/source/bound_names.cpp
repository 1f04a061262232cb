#include "bindings/source/bound_names.h"

namespace cuda_device::bindings {
namespace {

// Fields of Python's syntax tree that hold a bound name, or a list of them.
struct BindingField {
  const char* ast_class;
  const char* field;
};
constexpr BindingField kFields[] = {
    {"arg", "arg"},          {"ExceptHandler", "name"},    {"ClassDef", "name"},
    {"FunctionDef", "name"}, {"AsyncFunctionDef", "name"}, {"MatchAs", "name"},
    {"MatchStar", "name"},   {"MatchMapping", "rest"},     {"Global", "names"},
    {"Nonlocal", "names"},
};

// `import a.b` binds a, `import a.b as c` binds c.
std::string name_of_alias(nb::handle alias) {
  nb::object as = alias.attr("asname");
  if (!as.is_none()) return to_string(as);
  const std::string name = to_string(alias.attr("name"));
  return name.substr(0, name.find('.'));
}

void add_names(nb::handle names, std::set<std::string>& into) {
  if (PyUnicode_Check(names.ptr())) into.insert(to_string(names));
  if (!PyList_Check(names.ptr())) return;
  for (nb::handle name : names) into.insert(to_string(name));
}

}  // namespace

std::set<std::string> names_bound_in(nb::handle ast) {
  std::set<std::string> names;
  nb::module_ module = nb::module_::import_("ast");
  nb::object store = module.attr("Store");
  for (nb::handle node : module.attr("walk")(ast)) {
    const std::string kind = to_string(node.type().attr("__name__"));
    if (kind == "Name" && node.attr("ctx").type().is(store)) add_names(node.attr("id"), names);
    if (kind == "alias") names.insert(name_of_alias(node));
    for (const BindingField& f : kFields)
      if (kind == f.ast_class) add_names(node.attr(f.field), names);
  }
  return names;
}

}  // namespace cuda_device::bindings
