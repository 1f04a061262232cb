// A place in a text being read: skips blanks and `//` comments, counts lines, fails with
// ParseError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuda_device::ir {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  int line() const { return line_; }
  bool at_end();       // of the text
  bool at_line_end();  // nothing but blanks and a comment up to the next line
  char peek();         // next character, 0 at the end

  bool accept(char c);
  bool accept_word(std::string_view word);
  void expect(char c);
  void expect_word(std::string_view word);

  std::string_view word();      // letters, digits, '_', '.', other than ASCII
  std::string_view constant();  // up to a blank or ':'
  uint64_t number();            // decimal
  int64_t integer();            // decimal with an optional sign
  std::string quoted();

  [[noreturn]] void fail(const std::string& message) const;

 private:
  void skip_blanks();  // and comments, on this line
  void skip();         // and line ends
  char escape();
  char hex_digit();
  char next(const char* inside);

  std::string_view text_;
  size_t at_ = 0;
  int line_ = 1;
};

}  // namespace cuda_device::ir
