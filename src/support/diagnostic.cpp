#include "support/diagnostic.h"

#include <iterator>

#include "support/scalar.h"

namespace cuda_device {
namespace {

constexpr DiagInfo kDiagInfo[] = {
#define DIAG(name, error_class, message, hint) {#name, ErrorClass::error_class, message, hint},
#include "support/diagnostics.def"
};

// "int8 to int64": in the order of scalar.def.
std::string from_first_to_last(NumberClass number_class) {
  const ScalarInfo *first = nullptr, *last = nullptr;
  for (const ScalarInfo& scalar : kScalarInfo) {
    if (scalar.number_class != number_class) continue;
    if (!first) first = &scalar;
    last = &scalar;
  }
  std::string out(first->name);
  return first == last ? out : out + " to " + std::string(last->name);
}

// Those of scalar.def, floats one by one; and complex numbers.
std::string formats() {
  std::string out = from_first_to_last(NumberClass::Bool);
  for (const NumberClass integers : {NumberClass::Int, NumberClass::Uint})
    out += ", " + from_first_to_last(integers);
  for (const ScalarInfo& scalar : kScalarInfo) {
    if (scalar.number_class != NumberClass::Float) continue;
    out += ", " + std::string(scalar.name);
  }
  return out + ", complex64 and complex128";
}

}  // namespace

std::string filled(const char* text, const std::vector<std::string>& args) {
  static constexpr std::string_view kFormats = "{formats}";
  std::string out;
  for (const char* p = text; *p; ++p) {
    if (std::string_view(p).starts_with(kFormats)) {
      out += formats();
      p += kFormats.size() - 1;
    } else if (p[0] == '{' && p[1] >= '0' && p[1] <= '9' && p[2] == '}') {
      size_t i = static_cast<size_t>(p[1] - '0');
      out += i < args.size() ? args[i] : std::string("?");
      p += 2;
    } else {
      out += *p;
    }
  }
  return out;
}

bool is_code(uint16_t number) { return number < std::size(kDiagInfo); }

const DiagInfo& info(DiagCode code) { return kDiagInfo[static_cast<size_t>(code)]; }
std::string message_of(const Diagnostic& d) { return filled(info(d.code).message, d.args); }
std::string hint_of(const Diagnostic& d) {
  return d.hint.empty() ? filled(info(d.code).hint, d.args) : d.hint;
}

bool is_same(const Diagnostic& a, const Diagnostic& b) {
  return a.code == b.code && a.span == b.span && a.args == b.args;
}

std::vector<Span> way_to(const Diagnostic& d) {
  std::vector<Span> way{d.span};
  for (const Note& call : d.notes) way.insert(way.begin(), call.span);
  return way;
}

}  // namespace cuda_device
