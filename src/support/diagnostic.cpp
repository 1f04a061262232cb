#include "support/diagnostic.h"

namespace cuda_device {
namespace {

constexpr DiagInfo kDiagInfo[] = {
#define DIAG(name, error_class, message, hint) {#name, ErrorClass::error_class, message, hint},
#include "support/diagnostics.def"
};

std::string fill(const char* text, const std::vector<std::string>& args) {
  std::string out;
  for (const char* p = text; *p; ++p) {
    if (p[0] == '{' && p[1] >= '0' && p[1] <= '9' && p[2] == '}') {
      size_t i = static_cast<size_t>(p[1] - '0');
      out += i < args.size() ? args[i] : std::string("?");
      p += 2;
    } else {
      out += *p;
    }
  }
  return out;
}

}  // namespace

const DiagInfo& info(DiagCode code) { return kDiagInfo[static_cast<size_t>(code)]; }
std::string message_of(const Diagnostic& d) { return fill(info(d.code).message, d.args); }
std::string hint_of(const Diagnostic& d) { return fill(info(d.code).hint, d.args); }

bool is_same(const Diagnostic& a, const Diagnostic& b) {
  return a.code == b.code && a.span == b.span && a.args == b.args;
}

std::vector<Span> way_to(const Diagnostic& d) {
  std::vector<Span> way{d.span};
  for (const Note& call : d.notes) way.insert(way.begin(), call.span);
  return way;
}

}  // namespace cuda_device
