#include "ir/cursor.h"

#include <charconv>

#include "ir/ir.h"

namespace cuda_device::ir {
namespace {

bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

void Cursor::fail(const std::string& message) const { throw ParseError(line_, message); }

void Cursor::skip_blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) {
    ++at_;
  }
  if (text_.substr(at_, 2) != "//") return;
  while (at_ < text_.size() && text_[at_] != '\n') ++at_;
}

void Cursor::skip() {
  for (skip_blanks(); at_ < text_.size() && text_[at_] == '\n'; skip_blanks()) {
    ++at_;
    ++line_;
  }
}

bool Cursor::at_end() {
  skip();
  return at_ == text_.size();
}

bool Cursor::at_line_end() {
  skip_blanks();
  return at_ == text_.size() || text_[at_] == '\n';
}

char Cursor::peek() { return at_end() ? '\0' : text_[at_]; }

bool Cursor::accept(char c) {
  if (peek() != c || at_ == text_.size()) return false;
  ++at_;
  return true;
}

bool Cursor::accept_word(std::string_view word) {
  skip();
  const size_t end = at_ + word.size();
  if (text_.substr(at_, word.size()) != word) return false;
  if (end < text_.size() && is_word_char(text_[end])) return false;
  at_ = end;
  return true;
}

void Cursor::expect(char c) {
  if (!accept(c)) fail(std::string("expected '") + c + "'");
}

void Cursor::expect_word(std::string_view word) {
  if (!accept_word(word)) fail("expected '" + std::string(word) + "'");
}

std::string_view Cursor::word() {
  skip();
  const size_t begin = at_;
  while (at_ < text_.size() && is_word_char(text_[at_])) ++at_;
  if (at_ == begin) fail("expected a name");
  return text_.substr(begin, at_ - begin);
}

std::string_view Cursor::constant() {
  skip();
  const size_t begin = at_;
  at_ = std::min(text_.find_first_of(" \t\r\n:", at_), text_.size());
  if (at_ == begin) fail("expected a constant");
  return text_.substr(begin, at_ - begin);
}

uint64_t Cursor::number() {
  const std::string_view digits = word();
  uint64_t value = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    fail("expected a number, found '" + std::string(digits) + "'");
  }
  return value;
}

int64_t Cursor::integer() {
  const bool negative = accept('-');
  const uint64_t magnitude = number();
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

char Cursor::next(const char* inside) {
  if (at_ == text_.size() || text_[at_] == '\n') fail(std::string("unfinished ") + inside);
  return text_[at_++];
}

char Cursor::hex_digit() {
  const char c = next("escape");
  if (c >= '0' && c <= '9') return static_cast<char>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<char>(c - 'a' + 10);
  fail("expected a hexadecimal digit");
}

char Cursor::escape() {
  const char c = next("escape");
  if (c == '"' || c == '\\') return c;
  if (c != 'x') fail("unknown escape");
  const int high = hex_digit();
  return static_cast<char>(high * 16 + hex_digit());
}

std::string Cursor::quoted() {
  expect('"');
  std::string out;
  for (char c = next("name"); c != '"'; c = next("name")) out += c == '\\' ? escape() : c;
  return out;
}

}  // namespace cuda_device::ir
