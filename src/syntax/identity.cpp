#include "syntax/identity.h"

#include "support/bytes.h"
#include "support/render.h"

namespace cuda_device::syntax {
namespace {

class IdentityWriter {
 public:
  std::string write(const Program& program) {
    files_ = &program.files;
    out_.number<uint64_t>(program.functions.size());
    for (const Function& function : program.functions) write(function);
    out_.number<uint64_t>(program.types.size());
    for (const TypeDecl& type : program.types) write(type);
    write(program.modules);
    return out_.take();
  }

 private:
  void write(const Function& function) {
    function_ = &function;
    out_.text(function.name);
    out_.number(function.kind);
    out_.number<bool>(function.of_language);
    out_.text(function.in_library);
    out_.number<bool>(function.refusal != nullptr);
    out_.number(function.options.fmad);
    for (const FastMathPart& part : kFastMathParts)
      out_.number(function.options.fast_math.*part.member);
    out_.number(function.options.bounds.max_registers);
    out_.number(function.options.bounds.min_blocks);
    out_.number(function.options.execution);
    out_.number(function.options.inlining);
    out_.number(function.options.wide_builtins);
    out_.number<uint64_t>(function.options.signature.size());
    for (const std::string& type : function.options.signature) out_.text(type);
    write_all(function.defaults);
    write_all(function.kw_defaults);
    out_.number<uint64_t>(function.constant_arguments.size());
    for (const auto& [parameter, binding] : function.constant_arguments) {
      out_.number(parameter);
      write(binding);
    }
    out_.number<uint64_t>(function.body.size());
    tree(function.args);
    for (const Node* node : function.body) tree(node);
    tree(function.returns);
  }

  // Nodes before their children. A node's own bytes say how many children follow, so no two trees
  // give the same bytes.
  void tree(const Node* root) {
    std::vector<const Node*> waiting{root};
    while (!waiting.empty()) {
      const Node* node = waiting.back();
      waiting.pop_back();
      out_.number<bool>(node != nullptr);
      if (!node) continue;
      children_.clear();
      write(*node);
      waiting.insert(waiting.end(), children_.rbegin(), children_.rend());
    }
  }

  void write(const Node& node) {
    out_.number(node.kind);
    fields_of(node);
    if (node.kind == NodeKind::Assert || node.kind == NodeKind::Raise) place_of(node);
    const auto bound = function_->bindings.find(&node);
    out_.number<bool>(bound != function_->bindings.end());
    if (bound != function_->bindings.end()) write(bound->second);
  }

  // Where a kernel fails is in what it says then, and so is the text of what does not hold.
  void place_of(const Node& node) {
    out_.number(node.span.line - function_->span.line);
    const auto* assertion = as<Assert>(&node);
    if (assertion) out_.text(source_text(*files_, assertion->test->span));
  }

  void fields_of(const Node& node);

  void write_all(const std::vector<Binding>& bindings) {
    out_.number<uint64_t>(bindings.size());
    for (const Binding& binding : bindings) write(binding);
  }

  void write(const Binding& binding) {
    out_.number(binding.kind);
    write(binding.value);
    out_.text(binding.name);
    out_.number(binding.function);
    out_.number(binding.type);
    out_.number(binding.of_constant);
    out_.number(binding.is_hint);
    write_all(binding.parts);
    out_.number<uint64_t>(binding.names.size());
    for (const std::string& name : binding.names) out_.text(name);
  }

  void write(const std::map<std::string, std::map<std::string, Binding>>& modules) {
    out_.number<uint64_t>(modules.size());
    for (const auto& [module, attributes] : modules) {
      out_.text(module);
      out_.number<uint64_t>(attributes.size());
      for (const auto& [name, binding] : attributes) {
        out_.text(name);
        write(binding);
      }
    }
  }

  void write(const TypeDecl& type) {
    out_.number(type.kind);
    out_.text(type.name);
    out_.number(type.size);
    out_.number(type.align);
    write(type.shape);
    out_.number<uint64_t>(type.fields.size());
    for (const Field& field : type.fields) {
      out_.text(field.name);
      out_.number(field.type.kind);
      out_.text(field.type.name);
      out_.number(field.type.type);
      out_.number(field.type.ndim);
      out_.number(field.offset);
      out_.number(field.has_default);
      for (const bool flag :
           {field.is_given, field.is_positional, field.in_equality, field.in_order, field.in_repr})
        out_.number(flag);
      write(field.default_value);
    }
    out_.number<uint64_t>(type.attributes.size());
    for (const auto& [name, binding] : type.attributes) {
      out_.text(name);
      out_.number(type.properties.contains(name));
      out_.number(type.static_methods.contains(name));
      out_.number(type.class_methods.contains(name));
      write(binding);
    }
    out_.number<uint64_t>(type.members.size());
    for (const Value& member : type.members) write(member);
    out_.number<uint64_t>(type.members_by_name.size());
    for (const auto& [name, member] : type.members_by_name) {
      out_.text(name);
      write(member);
    }
    out_.text(type.boundary);
    out_.number<uint64_t>(type.match_args.size());
    for (const std::string& name : type.match_args) out_.text(name);
    out_.text(type.repr_name);
    out_.number(type.is_tuple);
    out_.number(type.is_ordered);
    out_.number(type.has_equality);
    out_.number(type.has_own_iter);
    out_.text(type.made_by);
    out_.number<uint64_t>(type.bases.size());
    for (const uint32_t base : type.bases) out_.number(base);
  }

  void write(const std::vector<int64_t>& shape) {
    out_.number<uint64_t>(shape.size());
    for (const int64_t extent : shape) out_.number(extent);
  }

  // Tuples lie in one another 32 deep at most.
  void write(const Value& value) {
    out_.number(value.kind);
    out_.number(value.boolean);
    out_.number(value.integer);
    out_.number(value.real);
    out_.number(value.imag);
    out_.text(value.text);
    out_.number(value.typed);
    out_.number(value.format);
    out_.number(value.record);
    out_.number(value.named);
    out_.text(value.owner);
    out_.text(value.str);
    out_.text(value.repr);
    out_.number(value.flag);
    write(value.shape);
    out_.number<uint64_t>(value.elements.size());
    for (const Value& element : value.elements) write(element);
  }

  ByteWriter out_;
  const SourceMap* files_ = nullptr;
  const Function* function_ = nullptr;
  std::vector<const Node*> children_;  // of the node being written
};

#define CHILD(f) children_.push_back(n.f);
#define OPT(f) CHILD(f)
#define CHILDREN(f)                  \
  out_.number<uint64_t>(n.f.size()); \
  children_.insert(children_.end(), n.f.begin(), n.f.end());
#define TEXT(f) out_.text(n.f);
#define TEXT_AS(f, p) TEXT(f)
#define OPER(f) out_.text(n.f);
#define OPERS(f)                     \
  out_.number<uint64_t>(n.f.size()); \
  for (const std::string& op : n.f) out_.text(op);
#define TEXTS(f)                     \
  out_.number<uint64_t>(n.f.size()); \
  for (const std::string& text : n.f) out_.text(text);
#define VALUE(f) write(n.f);
#define NODE(name, fields)                                                   \
  case NodeKind::name: {                                                     \
    [[maybe_unused]] const auto& n = static_cast<const syntax::name&>(node); \
    fields break;                                                            \
  }

void IdentityWriter::fields_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::Unsupported:
      out_.text(static_cast<const Unsupported&>(node).what);
      break;
#include "syntax/node.def"
  }
}

}  // namespace

std::string identity_of(const Program& program) { return IdentityWriter().write(program); }

}  // namespace cuda_device::syntax
