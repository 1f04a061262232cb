// Plain values as bytes and back. A reader never goes beyond what it was given: what it misses
// reads as zero and makes it not ok, so that a caller asks once, at the end.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace cuda_device {

class ByteWriter {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, __int128>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  // The length stands in front: strings one after the other are never confused.
  void text(std::string_view text) {
    number<uint64_t>(text.size());
    bytes_.append(text);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}
  template <class T>
  T number() {
    static_assert(std::is_integral_v<T>);
    T value{};
    const std::string_view raw = bytes(sizeof value);
    if (raw.size() == sizeof value) std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }
  std::string_view text() { return bytes(number<uint64_t>()); }
  std::string_view bytes(uint64_t count) {
    if (count > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  size_t left() const { return rest_.size(); }
  bool ok() const { return ok_; }
  // Everything was there, and nothing is left over.
  bool ended_well() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace cuda_device
