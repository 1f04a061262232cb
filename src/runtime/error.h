// Why something that was run failed, for the caller that waits for it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuda_device::runtime {

// Empty: all went well.
struct Error {
  Error() = default;
  Error(std::string what) : text(std::move(what)) {}
  Error(const char* what) : text(what) {}
  bool empty() const { return text.empty(); }
  friend bool operator==(const Error& error, std::string_view text) { return error.text == text; }

  std::string text;
  // A builtin exception class of Python that it is of, "AssertionError", where a thread of a kernel
  // says so; empty: none.
  std::string raises;
  // What failed after it and before either was reported: so many messages, and how many more.
  static constexpr size_t kMost = 16;
  std::vector<std::string> later;
  size_t left_out = 0;

  void add(Error error) {
    if (error.empty()) return;
    if (empty()) return static_cast<void>(*this = std::move(error));
    keep(std::move(error.text));
    for (std::string& one : error.later) keep(std::move(one));
    left_out += error.left_out;
  }

 private:
  void keep(std::string one) {
    if (later.size() < kMost)
      later.push_back(std::move(one));
    else
      ++left_out;
  }
};

}  // namespace cuda_device::runtime
