#include "support/display_width.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace cuda_device {
namespace {

struct Range {
  uint32_t first, last;
};

// The blocks of Unicode that hold such characters (East Asian Width W and F; combining marks), not
// every character of them.
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2E80, 0x303E},
    {0x3041, 0x4DBF},   {0x4E00, 0xA4C6},   {0xA960, 0xA97C},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAD9},   {0xFE10, 0xFE19},   {0xFE30, 0xFE6B},   {0xFF01, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x1B2FB}, {0x1F300, 0x1F320}, {0x1F32D, 0x1F64F},
    {0x1F680, 0x1F6FC}, {0x1F7E0, 0x1F7F0}, {0x1F90C, 0x1FAF6}, {0x20000, 0x3FFFD}};
constexpr Range kWithoutWidth[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},
                                   {0x610, 0x61A},   {0x64B, 0x65F},   {0x200B, 0x200F},
                                   {0x20D0, 0x20F0}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

bool within(const Range* begin, const Range* end, uint32_t c) {
  const Range* after =
      std::upper_bound(begin, end, c, [](uint32_t at, const Range& r) { return at < r.first; });
  return after != begin && c <= std::prev(after)->last;
}

uint32_t character_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<uint32_t>(static_cast<unsigned char>(text[i])) : 0;
  };
  const uint32_t first = byte(at);
  const int more = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  uint32_t c = more ? first & (0x3Fu >> more) : first;
  for (int k = 1; k <= more; ++k) c = c << 6 | (byte(at + static_cast<size_t>(k)) & 0x3F);
  return c;
}

}  // namespace

int display_width(std::string_view text, size_t at) {
  const uint32_t c = character_at(text, at);
  if (c < 0x300) return 1;
  if (within(std::begin(kWithoutWidth), std::end(kWithoutWidth), c)) return 0;
  return within(std::begin(kWide), std::end(kWide), c) ? 2 : 1;
}

}  // namespace cuda_device
