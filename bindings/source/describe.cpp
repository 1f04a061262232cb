#include "bindings/source/describe.h"

#include "support/render.h"

namespace cuda_device::bindings {
namespace {

using syntax::Binding;
using syntax::Value;

nb::object number_text(const Value& value) {
  std::string digits;
  __int128 rest = value.integer;
  bool negative = rest < 0;
  do {
    int digit = static_cast<int>(rest % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (negative ? -digit : digit)));
    rest /= 10;
  } while (rest);
  if (negative) digits.insert(digits.begin(), '-');
  return nb::steal(PyLong_FromString(digits.c_str(), nullptr, 10));
}

nb::object untyped(const Value& value) {
  switch (value.kind) {
    case Value::Kind::None:
      return nb::none();
    case Value::Kind::Bool:
      return nb::bool_(value.boolean);
    case Value::Kind::Int:
      return number_text(value);
    case Value::Kind::Float:
      return nb::float_(value.real);
    case Value::Kind::Complex:
      return nb::steal(PyComplex_FromDoubles(value.real, value.imag));
    case Value::Kind::Ellipsis:
      return nb::ellipsis();
    case Value::Kind::BigInt:
    case Value::Kind::String:
    case Value::Kind::BrokenString:
    case Value::Kind::Type:
    case Value::Kind::Other:
      return nb::str(value.text.c_str());
    case Value::Kind::Array:
      return nb::bytes(value.text.data(), value.text.size());
    case Value::Kind::Enum:
      return nb::str((value.owner + "." + value.text).c_str());
    case Value::Kind::Vector:
    case Value::Kind::Record:
    case Value::Kind::Tuple:
      break;
  }
  nb::list elements;
  for (const Value& element : value.elements) elements.append(untyped(element));
  return nb::tuple(elements);
}

nb::object describe(const Binding& binding) {
  if (binding.of_constant) {
    Binding type = binding;
    type.of_constant = false;
    return nb::make_tuple("ConstExpr", describe(type));
  }
  switch (binding.kind) {
    case Binding::Kind::Undefined:
      return nb::make_tuple("undefined", nb::none());
    case Binding::Kind::Constant:
      return nb::make_tuple(
          binding.value.typed ? std::string(name_of(binding.value.format)).c_str() : "constant",
          untyped(binding.value));
    case Binding::Kind::Entity:
      return nb::make_tuple("entity", binding.name.c_str());
    case Binding::Kind::Function:
      return nb::make_tuple("function", binding.function);
    case Binding::Kind::Class:
      return nb::make_tuple("class", binding.name.c_str());
    case Binding::Kind::Module:
      return nb::make_tuple("module", binding.name.c_str());
    case Binding::Kind::Tuple:
      return nb::make_tuple("tuple", binding.parts.size());
    case Binding::Kind::Partial:
      return nb::make_tuple("partial", binding.parts.size() - 1);
    case Binding::Kind::Object:
      return nb::make_tuple("object", binding.name.c_str());
  }
  return nb::none();
}

// What stands in the source at a node on one line.
std::string text_at(const Span& span, const SourceMap& files) {
  const std::string* line = line_of(files, span.file, span.line);
  return line ? line->substr(span.column, span.end_column - span.column) : "";
}

const char* kind_of(syntax::FunctionKind kind) {
  switch (kind) {
    case syntax::FunctionKind::Kernel:
      return "kernel";
    case syntax::FunctionKind::Func:
      return "func";
    case syntax::FunctionKind::Plain:
      return "plain";
  }
  return "";
}

}  // namespace

nb::list describe(const syntax::Program& program) {
  nb::list functions;
  for (const syntax::Function& function : program.functions) {
    nb::dict names, entry;
    for (const auto& [node, binding] : function.bindings) {
      // In a quoted annotation all nodes have one text: that of the name is kept, whatever comes
      // first.
      const nb::str text(text_at(node->span, program.files).c_str());
      if (node->kind == syntax::NodeKind::Name || !names.contains(text))
        names[text] = describe(binding);
    }
    entry["name"] = function.name.c_str();
    entry["kind"] = kind_of(function.kind);
    const bool is_read = !function.refusal;
    entry["file"] = is_read ? program.files[function.span.file].name.c_str() : "";
    entry["line"] = function.span.line;
    entry["text"] = text_at(function.span, program.files).c_str();
    entry["names"] = names;
    functions.append(entry);
  }
  return functions;
}

}  // namespace cuda_device::bindings
