#include "support/sha256.h"

#include <bit>
#include <cstring>

namespace cuda_device {
namespace {

using Wide = unsigned __int128;

template <size_t kCount>
constexpr std::array<uint32_t, kCount> first_primes() {
  std::array<uint32_t, kCount> primes{};
  size_t count = 0;
  for (uint32_t n = 2; count < kCount; ++n) {
    bool prime = true;
    for (size_t i = 0; i < count; ++i) prime = prime && n % primes[i];
    if (prime) primes[count++] = n;
  }
  return primes;
}

// The largest x with x to this power <= n.
constexpr uint64_t integer_root(Wide n, int power) {
  uint64_t root = 0;
  for (int bit = 36; bit >= 0; --bit) {
    const Wide x = root | uint64_t{1} << bit;
    if ((power == 2 ? x * x : x * x * x) <= n) root = static_cast<uint64_t>(x);
  }
  return root;
}

// The first 32 bits after the point of the square or cube roots of the first primes.
template <size_t kCount>
constexpr std::array<uint32_t, kCount> fractions_of_roots(int power) {
  std::array<uint32_t, kCount> bits{};
  const auto primes = first_primes<kCount>();
  for (size_t i = 0; i < kCount; ++i)
    bits[i] = static_cast<uint32_t>(integer_root(Wide{primes[i]} << (32 * power), power));
  return bits;
}

constexpr auto kStart = fractions_of_roots<8>(2);
constexpr auto kRounds = fractions_of_roots<64>(3);
static_assert(kStart[0] == 0x6a09e667 && kRounds[63] == 0xc67178f2);

constexpr size_t kBlock = 64;

uint32_t big_endian(const uint8_t* at) {
  return uint32_t{at[0]} << 24 | uint32_t{at[1]} << 16 | uint32_t{at[2]} << 8 | at[3];
}

// Names of the standard: sigma 0 and 1, its capital Sigmas, Ch and Maj.
void add_block(std::array<uint32_t, 8>& hash, const uint8_t* block) {
  using std::rotr;
  uint32_t w[64];
  for (int t = 0; t < 16; ++t) w[t] = big_endian(block + 4 * t);
  for (int t = 16; t < 64; ++t) {
    const uint32_t sigma0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
    const uint32_t sigma1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;
    w[t] = sigma1 + w[t - 7] + sigma0 + w[t - 16];
  }
  auto [a, b, c, d, e, f, g, h] = hash;
  for (int t = 0; t < 64; ++t) {
    const uint32_t sum1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
    const uint32_t choice = (e & f) ^ (~e & g);
    const uint32_t t1 = h + sum1 + choice + kRounds[static_cast<size_t>(t)] + w[t];
    const uint32_t sum0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
    const uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + sum0 + majority;
  }
  const uint32_t end[] = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < hash.size(); ++i) hash[i] += end[i];
}

}  // namespace

Digest sha256(std::string_view bytes) {
  std::array<uint32_t, 8> hash = kStart;
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t left = bytes.size();
  for (; left >= kBlock; left -= kBlock, at += kBlock) add_block(hash, at);
  // A one bit, zeros, and the length in bits fill the last block or two.
  uint8_t last[2 * kBlock] = {};
  if (left) std::memcpy(last, at, left);
  last[left] = 0x80;
  const size_t end = left < kBlock - 8 ? kBlock : 2 * kBlock;
  const uint64_t bits = uint64_t{bytes.size()} * 8;
  for (size_t i = 0; i < 8; ++i) last[end - 1 - i] = static_cast<uint8_t>(bits >> (8 * i));
  for (size_t i = 0; i < end; i += kBlock) add_block(hash, last + i);
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<uint8_t>(hash[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

std::string hex(const Digest& digest) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace cuda_device
