// How mistakes are reported.
#include <algorithm>

#include "frontend/lowerer.h"
#include "frontend/suggest.h"

namespace cuda_device::frontend {
namespace {

// Where the operator's sign stands: after the left operand, past blanks and closing brackets, if on
// the same line.
Span operator_place(const SourceMap& files, const Span& left, const Span& right,
                    std::string_view sign) {
  if (!left.known() || left.file >= files.size() || left.end_line != right.line) return {};
  const SourceFile& file = files[left.file];
  if (left.end_line < file.first_line || left.end_line - file.first_line >= file.lines.size())
    return {};
  const std::string& line = file.lines[left.end_line - file.first_line];
  const size_t at = line.find(sign, left.end_column);
  if (at == std::string::npos || at >= right.column) return {};
  const auto column = static_cast<uint32_t>(at);
  return {left.file, left.end_line, column, left.end_line,
          column + static_cast<uint32_t>(sign.size())};
}

// Of a chain of comparisons only the pair in question.
Span operation_place(const syntax::Node* node, const syntax::Node* left,
                     const syntax::Node* right) {
  auto* chain = syntax::as<syntax::Compare>(node);
  if (!chain || chain->comparators.size() < 2 || !left || !right) return node->span;
  return {left->span.file, left->span.line, left->span.column, right->span.end_line,
          right->span.end_column};
}

}  // namespace

Value Lowerer::error_at(DiagCode code, Span span, std::vector<std::string> args, Span caret) {
  Diagnostic d{code, span, std::move(args), {}, "", caret};
  for (const Instance* i = instance_; i && i->call; i = i->parent)
    d.notes.push_back({i->call->span, "in '" + i->function->name + "', called here"});
  const auto is_it = [&](const Diagnostic& o) { return is_same(o, d); };
  if (std::ranges::none_of(diagnostics_, is_it)) diagnostics_.push_back(std::move(d));
  return silent();
}

// What was reported already, or follows from it.
Value Lowerer::silent() {
  ++blamed_;
  return Value::unknown();
}

// Only once types stand still: before, much is unknown that will be known.
void Lowerer::fail(WebState& state) {
  if (!session_.explaining || state.failed || blamed_ == began_.blamed) return;
  state.failed = failed_more_ = true;
  const auto first = diagnostics_.begin() + static_cast<std::ptrdiff_t>(began_.diagnostics);
  session_.causes.insert(session_.causes.end(), first, diagnostics_.end());
}

Value Lowerer::error(DiagCode code, const Node* node, std::vector<std::string> args) {
  return error_at(code, node->span, std::move(args));
}

Value Lowerer::operator_error(DiagCode code, const Node* node, const Node* left, const Node* right,
                              std::string_view sign, std::vector<std::string> args) {
  Span caret;
  if (left && right) caret = operator_place(program_.files, left->span, right->span, sign);
  return error_at(code, operation_place(node, left, right), std::move(args), caret);
}

Value Lowerer::wrong_kind(DiagCode code, const Node* node, const Value& value,
                          std::vector<std::string> args) {
  if (value.contains_unknown()) return Value::unknown();
  if (value.kind == Value::Kind::Object) return error(DiagCode::foreign_object, node, {value.name});
  return error(code, node, std::move(args));
}

// Calls add up: a function deep in an expression may call another one deep in one of its own.
bool Lowerer::too_deep(const Node* node) {
  if (levels_ <= syntax::kMaxNesting) return false;
  if (!met_too_deep_) error(DiagCode::nested_too_deep, node, {std::to_string(syntax::kMaxNesting)});
  met_too_deep_ = true;  // once is enough
  silent();
  return true;
}

Value Lowerer::array_choice(const std::string& what, const ArrayPair& arrays, const Node* node) {
  if (arrays.first->name.empty() || arrays.second->name.empty())
    return error(DiagCode::two_arrays, node, {what});
  return error(DiagCode::array_choice, node, {what, arrays.first->name, arrays.second->name});
}

Value Lowerer::not_implemented(const Node* node, const std::string& what) {
  return error(DiagCode::not_implemented, node, {what});
}

Value Lowerer::not_implemented(const Node* node, const std::string& what,
                               const std::string& instead) {
  return error(DiagCode::not_implemented_but, node, {what, instead});
}

Value Lowerer::unknown_name(const Node* node, const std::string& name) {
  if (instance_->webs->is_hidden(name)) return silent();
  if (const std::string ours = habit_of(name); !ours.empty())
    return error(DiagCode::foreign_name, node, {name, ours});
  if (const std::string ours = name_in_module(name); !ours.empty())
    return error(DiagCode::name_of_module, node, {name, ours});
  if (const std::string statement = import_of(name); !statement.empty())
    return error(DiagCode::unknown_module, node, {name, statement});
  std::vector<std::string> candidates;
  candidates.reserve(instance_->webs->webs.size());
  for (const Web& web : instance_->webs->webs) candidates.push_back(web.name);
  for (const auto& [bound, binding] : instance_->function->bindings)
    if (auto* n = syntax::as<syntax::Name>(bound);
        n && binding.kind != syntax::Binding::Kind::Undefined)
      candidates.push_back(n->id);
  const std::string close = closest(name, candidates);
  if (close.empty()) return error(DiagCode::unknown_name, node, {name});
  return error(DiagCode::unknown_name_close, node, {name, close});
}

std::string Lowerer::described(const Node* node, const Value& value) const {
  if (auto* name = syntax::as<syntax::Name>(node)) return name->id + " is " + type_text(value);
  return type_text(value);
}

bool Lowerer::in_func() const {
  for (const Instance* i = instance_; i; i = i->parent)
    if (i->function->kind == syntax::FunctionKind::Func) return true;
  return false;
}

}  // namespace cuda_device::frontend
