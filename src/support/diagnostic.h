// A user's mistake as data: code, place, arguments. Rendering is separate (render.h).
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "support/span.h"

namespace cuda_device {

// Which Python exception a diagnostic becomes.
enum class ErrorClass : uint8_t { Compile, Type, Value, Overflow, Runtime, Buffer, NotImplemented };

enum class DiagCode : uint16_t {
#define DIAG(name, error_class, message, hint) name,
#include "support/diagnostics.def"
};

struct DiagInfo {
  const char* name;
  ErrorClass error_class;
  const char* message;  // "{0}" ... are the arguments
  const char* hint;     // what to do; may be empty
};
const DiagInfo& info(DiagCode code);
bool is_code(uint16_t number);

struct Note {
  Span span;  // may be unknown: then only the text is shown
  std::string text;
};

struct Diagnostic {
  DiagCode code;
  Span span;
  std::vector<std::string> args;
  std::vector<Note> notes;
  std::string context;  // "in kernel 'vec_add', specialised for (...)"; filled in by the driver
  Span caret{};         // the sign of an operator within span, if known: shown as ^ among ~
  std::string hint{};   // in place of the code's, where a language has words of its own
};

// Message with the arguments filled in, one line, no place.
std::string message_of(const Diagnostic& d);
std::string hint_of(const Diagnostic& d);
// A text with the arguments in place of "{0}" ...
std::string filled(const char* text, const std::vector<std::string>& args);

// What compiles, and may not be what was meant. Lines count from that of the function's definition:
// a kernel from the disk may stand elsewhere by now.
struct Warning {
  DiagCode code{};
  uint32_t function = 0;  // of the program
  Span span{};            // in that function's file; line 0 is the definition
  std::vector<std::string> args{};
  friend bool operator==(const Warning&, const Warning&) = default;
};

// The same mistake at the same place, wherever it was met from.
bool is_same(const Diagnostic& a, const Diagnostic& b);
// The places of the notes, outermost call first, and its own.
std::vector<Span> way_to(const Diagnostic& d);

// Thrown where a stage stops at once; stages that can go on collect Diagnostics instead.
struct DiagnosticError : std::exception {
  explicit DiagnosticError(Diagnostic d) : diagnostics{std::move(d)} {}
  explicit DiagnosticError(std::vector<Diagnostic> ds) : diagnostics(std::move(ds)) {}
  const char* what() const noexcept override { return "diagnostic"; }
  std::vector<Diagnostic> diagnostics;
};

}  // namespace cuda_device
