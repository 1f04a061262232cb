// Functions that stand within others, as functions.
#include "frontend/control/scopes.h"
#include "frontend/session.h"
#include "support/render.h"
#include "syntax/walk.h"

namespace cuda_device::frontend {
namespace {

using syntax::Node;

// The line of the `def` only: a span over the whole body would not help.
Span head_of(const Span& span, const SourceMap& files) {
  if (span.end_line == span.line) return span;
  const std::string* line = line_of(files, span.file, span.line);
  Span head = span;
  head.end_line = span.line;
  head.end_column = line ? static_cast<uint32_t>(line->size()) : span.column + 1;
  return head;
}

// What the names within it mean.
void copy_bindings(const Node* node, const syntax::Function& from, syntax::Function& into) {
  const auto bound = from.bindings.find(node);
  if (bound != from.bindings.end()) into.bindings.insert(*bound);
  syntax::for_each_child(*node, [&](const Node* child) { copy_bindings(child, from, into); });
}

}  // namespace

const syntax::Function& Session::nested(const Node* node, const syntax::Function& in) {
  std::unique_ptr<syntax::Function>& made = nested_functions[node];
  if (made) return *made;
  made = std::make_unique<syntax::Function>();
  made->kind = in.kind == syntax::FunctionKind::Func ? in.kind : syntax::FunctionKind::Plain;
  made->of_language = in.of_language;
  made->in_library = in.in_library;
  made->options = in.options;
  made->options.inlining = Inlining::Automatic;
  made->options.signature.clear();  // of the function around it
  made->span = head_of(node->span, request.program->files);
  made->args = const_cast<syntax::arguments*>(arguments_of(node));
  copy_bindings(node, in, *made);
  if (auto* def = syntax::as<syntax::FunctionDef>(node)) {
    made->name = def->name;
    made->body = def->body;
    made->returns = def->returns;
    return *made;
  }
  auto result = std::make_unique<syntax::Return>();
  result->span = node->span;
  result->value = syntax::as<syntax::Lambda>(node)->body;
  made->name = "<lambda>";
  made->body = {result.get()};
  lambda_bodies.push_back(std::move(result));
  return *made;
}

}  // namespace cuda_device::frontend
