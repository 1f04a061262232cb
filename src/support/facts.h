// What is known of a launch beyond the types of its arguments. Facts are established at launch, are
// part of the specialisation key, and are the only things codegen may assume. Every fact has a
// generic fallback.
#pragma once

#include <array>
#include <cstdint>

namespace cuda_device {

// Facts of one array argument: see facts.def. All false is always correct.
struct ArrayFacts {
#define ARRAY_FACT(name, words) bool name = false;
#include "support/facts.def"
  friend bool operator==(const ArrayFacts&, const ArrayFacts&) = default;
};

struct LaunchFacts {
  // Block shape as compile-time constants; all zero = unknown (generic version).
  std::array<uint32_t, 3> block{0, 0, 0};
#define LAUNCH_FACT(name) bool name = false;
#include "support/facts.def"
  bool has_block() const { return block[0] != 0; }
  friend bool operator==(const LaunchFacts&, const LaunchFacts&) = default;
};

// Facts as bits of a number, as the launch key has them.
using FactBits = uint32_t;

enum class ArrayFact : uint8_t {
#define ARRAY_FACT(name, words) name,
#include "support/facts.def"
};
enum class LaunchFact : uint8_t {
#define LAUNCH_FACT(name) name,
#include "support/facts.def"
};
static_assert(sizeof(ArrayFacts) <= 8 * sizeof(FactBits), "a bool each, a bit each");

constexpr FactBits bit(ArrayFact fact) { return FactBits{1} << static_cast<unsigned>(fact); }
constexpr FactBits bit(LaunchFact fact) { return FactBits{1} << static_cast<unsigned>(fact); }

constexpr ArrayFacts array_facts(FactBits bits) {
  ArrayFacts facts;
#define ARRAY_FACT(name, words) facts.name = (bits & bit(ArrayFact::name)) != 0;
#include "support/facts.def"
  return facts;
}

// The facts as bits, without the block's shape.
constexpr FactBits bits_of(const LaunchFacts& facts) {
  FactBits bits = 0;
#define LAUNCH_FACT(name) bits |= facts.name ? bit(LaunchFact::name) : 0;
#include "support/facts.def"
  return bits;
}
constexpr LaunchFacts launch_facts(FactBits bits, const std::array<uint32_t, 3>& block) {
  LaunchFacts facts;
  facts.block = block;
#define LAUNCH_FACT(name) facts.name = (bits & bit(LaunchFact::name)) != 0;
#include "support/facts.def"
  return facts;
}

}  // namespace cuda_device
