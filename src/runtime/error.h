// Why something that was run failed, for whoever waits for it.
#pragma once

#include <string>
#include <string_view>
#include <utility>

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
};

}  // namespace cuda_device::runtime
