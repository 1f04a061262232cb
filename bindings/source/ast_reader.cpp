#include "bindings/source/ast_reader.h"

#include <algorithm>
#include <unordered_map>

#include "bindings/source/bound_names.h"
#include "bindings/source/value.h"
#include "support/diagnostic.h"

namespace cuda_device::bindings {
namespace {

using syntax::Node;

// "Add" of an ast.Add object.
std::string class_name(nb::handle ast) {
  std::string name = Py_TYPE(ast.ptr())->tp_name;
  size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

std::string text_of(nb::handle text) { return text.is_none() ? "" : to_string(text); }

std::vector<std::string> texts_of(nb::handle list) {
  std::vector<std::string> texts;
  for (nb::handle item : list) texts.push_back(to_string(item));
  return texts;
}

std::vector<std::string> class_names(nb::handle list) {
  std::vector<std::string> names;
  for (nb::handle item : list) names.push_back(class_name(item));
  return names;
}

syntax::Value literal(nb::handle object) {
  if (std::optional<syntax::Value> value = constant_of(object)) return *value;
  syntax::Value value;
  value.kind = syntax::Value::Kind::Other;
  value.text = Py_TYPE(object.ptr())->tp_name;  // bytes
  return value;
}

[[noreturn]] void nested_too_deep(Span span) {
  Diagnostic diagnostic;
  diagnostic.code = DiagCode::nested_too_deep;
  diagnostic.span = span;
  diagnostic.args = {std::to_string(syntax::kMaxNesting)};
  throw DiagnosticError(std::move(diagnostic));
}

bool is_text(nb::handle ast) {
  static PyObject* const constant =
      nb::object(nb::module_::import_("ast").attr("Constant")).release().ptr();
  return Py_TYPE(ast.ptr()) == reinterpret_cast<PyTypeObject*>(constant) &&
         PyUnicode_Check(nb::object(ast.attr("value")).ptr());
}

nb::object without_quotes(nb::handle ast);

// The node itself, or a copy with another field where that says something else without its quotes.
nb::object with_field(nb::handle ast, const char* name, const nb::object& now) {
  if (now.is(nb::object(ast.attr(name)))) return nb::borrow(ast);
  nb::object copy = nb::module_::import_("copy").attr("copy")(ast);
  copy.attr(name) = now;
  return copy;
}

// ConstExpr["device.float32"], tuple["device.float32", int]
nb::object without_quotes_inside(nb::handle ast) {
  if (const nb::object slice = optional_attr(ast, nb::str("slice")))
    return with_field(ast, "slice", without_quotes(slice));
  if (class_name(ast) != "Tuple") return nb::borrow(ast);
  nb::list elements;
  bool same = true;
  for (nb::handle element : nb::object(ast.attr("elts"))) {
    elements.append(without_quotes(element));
    same &= elements[elements.size() - 1].is(element);
  }
  return same ? nb::borrow(ast) : with_field(ast, "elts", elements);
}

// The expression in an annotation's quotes, at their place; what is none stays text.
nb::object without_quotes(nb::handle ast) {
  if (ast.is_none()) return nb::borrow(ast);
  if (!is_text(ast)) return without_quotes_inside(ast);
  nb::module_ module = nb::module_::import_("ast");
  try {
    nb::object text = nb::object(ast.attr("value")).attr("strip")();
    nb::object inner = module.attr("parse")(text, "<annotation>", "eval").attr("body");
    for (nb::handle node : module.attr("walk")(inner)) module.attr("copy_location")(node, ast);
    return without_quotes(inner);
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_SyntaxError) && !error.matches(PyExc_ValueError)) throw;
    return nb::borrow(ast);
  }
}

// A field of a node.
nb::object child_of(nb::handle ast, const char* name) {
  const nb::object child = ast.attr(name);
  const std::string_view field = name;
  return field == "annotation" || field == "returns" ? without_quotes(child) : child;
}

}  // namespace

Node* AstReader::read_hint(nb::handle ast) { return read(without_quotes(ast)); }

Span AstReader::span_of(nb::handle ast) const {
  Span span;
  span.file = file_;
  nb::object line = optional_attr(ast, nb::str("lineno"));
  if (!line) return span;
  span.line = static_cast<uint32_t>(nb::cast<int>(line) + line_shift_);
  span.column = nb::cast<uint32_t>(ast.attr("col_offset"));
  span.end_line = static_cast<uint32_t>(nb::cast<int>(ast.attr("end_lineno")) + line_shift_);
  span.end_column = nb::cast<uint32_t>(ast.attr("end_col_offset"));
  return span;
}

std::vector<Node*> AstReader::read_list(nb::handle list) {
  std::vector<Node*> nodes;
  nodes.reserve(nb::len(list));
  for (nb::handle item : list) nodes.push_back(read(item));
  return nodes;
}

Node* AstReader::unsupported(nb::handle ast) {
  auto* node = program_.make<syntax::Unsupported>(span_of(ast));
  node->what = class_name(ast);
  const std::set<std::string> names = names_bound_in(ast);
  node->binds.assign(names.begin(), names.end());
  return node;
}

void AstReader::notify(const Node* node) {
  if (auto* name = syntax::as<syntax::Name>(node)) names_.on_name(name);
  if (auto* attribute = syntax::as<syntax::Attribute>(node)) names_.on_attribute(attribute);
}

Node* AstReader::read(nb::handle ast) {
  Node* node = nullptr;
  steps_.clear();
  steps_.push_back({Step::Kind::Read, nb::borrow(ast), &node, nullptr, 1});
  while (!steps_.empty()) {
    Step step = std::move(steps_.back());
    steps_.pop_back();
    take(step);
  }
  return node;
}

// The steps of a node's children are pushed after that of the node itself, in order: turned
// around, they come first.
void AstReader::take(const Step& step) {
  if (step.kind == Step::Kind::Notify) return notify(step.node);
  if (step.kind == Step::Kind::Suspend) return names_.suspend_scope();
  if (step.kind == Step::Kind::Resume) return names_.resume_scope();
  if (step.kind == Step::Kind::LeaveScope) {
    --scopes_;
    return names_.leave_scope();
  }
  if (step.ast.is_none()) return;
  depth_ = step.depth;
  program_.depth = std::max(program_.depth, depth_);
  if (depth_ > syntax::kMaxNesting) nested_too_deep(span_of(step.ast));
  Method method = method_of(Py_TYPE(step.ast.ptr()));
  if (!method) {
    *step.place = unsupported(step.ast);
    return;
  }
  bool scope = method == &AstReader::read_Lambda || method == &AstReader::read_FunctionDef ||
               method == &AstReader::read_GeneratorExp;
  if (scope) {
    ++scopes_;
    names_.enter_scope(step.ast);
  }
  const size_t own = steps_.size();
  steps_.push_back({Step::Kind::Notify, {}, nullptr, nullptr, 0});
  if (scope) steps_.push_back({Step::Kind::LeaveScope, {}, nullptr, nullptr, 0});
  const size_t children = steps_.size();
  *step.place = (this->*method)(step.ast);
  steps_[own].node = *step.place;
  if (auto* node = syntax::as<syntax::arguments>(*step.place); node && scopes_ > 0)
    read_outside_of_scope(*node, children);
  std::reverse(steps_.begin() + static_cast<std::ptrdiff_t>(children), steps_.end());
}

// Puts the steps of the defaults, from one on, between Suspend and Resume.
void AstReader::read_outside_of_scope(const syntax::arguments& node, size_t from) {
  const auto is_in = [](Node** place, const std::vector<Node*>& places) {
    return !places.empty() && place >= places.data() && place < places.data() + places.size();
  };
  std::vector<Step> steps;
  for (size_t i = from; i < steps_.size(); ++i) {
    Step& step = steps_[i];
    const bool outside = is_in(step.place, node.defaults) || is_in(step.place, node.kw_defaults);
    if (outside) steps.push_back({Step::Kind::Suspend, {}, nullptr, nullptr, 0});
    steps.push_back(std::move(step));
    if (outside) steps.push_back({Step::Kind::Resume, {}, nullptr, nullptr, 0});
  }
  steps_.resize(from);
  std::move(steps.begin(), steps.end(), std::back_inserter(steps_));
}

void AstReader::read_child(Node** place, nb::object ast) {
  steps_.push_back({Step::Kind::Read, std::move(ast), place, nullptr, depth_ + 1});
}

void AstReader::read_child_list(std::vector<Node*>& places, nb::handle list) {
  places.resize(nb::len(list));
  size_t i = 0;
  for (nb::handle item : list) read_child(&places[i++], nb::borrow(item));
}

#define NODE(name, fields)                                  \
  Node* AstReader::read_##name(nb::handle ast) {            \
    auto* node = program_.make<syntax::name>(span_of(ast)); \
    fields return node;                                     \
  }
#define CHILD(f) read_child(&node->f, child_of(ast, #f));
#define OPT(f) CHILD(f)
#define CHILDREN(f) read_child_list(node->f, ast.attr(#f));
#define TEXT(f) node->f = text_of(ast.attr(#f));
#define TEXT_AS(f, name) node->f = text_of(ast.attr(#name));
#define OPER(f) node->f = class_name(ast.attr(#f));
#define OPERS(f) node->f = class_names(ast.attr(#f));
#define TEXTS(f) node->f = texts_of(ast.attr(#f));
#define VALUE(f) node->f = literal(ast.attr(#f));
#include "syntax/node.def"

AstReader::Method AstReader::method_of(PyTypeObject* kind) {
  using Table = std::unordered_map<PyTypeObject*, Method>;
  static const Table* table = nullptr;
  if (!table) {
    nb::module_ ast = nb::module_::import_("ast");
    auto* made = new Table();
    auto add = [&](const char* name, Method method) {
      made->emplace(reinterpret_cast<PyTypeObject*>(ast.attr(name).ptr()), method);
    };
#define NODE(name, fields) add(#name, &AstReader::read_##name);
#define TEXT_AS(f, name)
#include "syntax/node.def"
    table = made;
  }
  auto at = table->find(kind);
  return at == table->end() ? nullptr : at->second;
}

}  // namespace cuda_device::bindings
