// What the mask forms of the host have: one table.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "codegen/codegen.h"

namespace cuda_device::codegen {

struct FormInfo {
  MaskForm form;
  const char* name;
  const char* generic_cpu;                   // the least CPU that has it
  std::span<const char* const> features;     // that a CPU must have, as LLVM names them
  bool (*allows)(std::string_view feature);  // whether code may use it where a CPU has it
  std::optional<MaskForm> emulated_on;       // the form in whose code it can be shown
  const char* sleef;                         // how SLEEF names functions for it
  uint32_t registers;                        // for vectors
  uint32_t vector_bytes;                     // of each

  bool mask_registers;        // else a mask is a vector of numbers
  bool fma;                   // rounds once
  bool exponents;             // instructions for vectors that scale, take exponents, significands
  bool unsigned_conversions;  // from floats to unsigned integers
  bool float16_conversions;   // from and to float32
  bool shuffles_of_two_vectors;  // by one instruction, any element from either
  bool slow_gathers;             // on every CPU: more than twice the time of a load a lane
  bool narrow_gangs_pay;         // a gang of half a warp spills less than one of a warp

  // The least bytes of an element that instructions for vectors take under a mask; 0: none do.
  uint32_t masked;     // loads and stores
  uint32_t gathered;   // gathers
  uint32_t scattered;  // scatters
  // The least bytes of an element for which whole vectors and shuffles (memory/window.h) are worth
  // a thought; 0: none.
  uint32_t windowed;
  // What a scatter of n elements takes, where gathers take n / 2: n * halves / 2 + more
  // instructions' time. AVX-512 gathers two elements a cycle and scatters one, and takes as much
  // again to begin with; AVX2 stores lane by lane.
  struct Scatter {
    uint32_t halves, more;
  } scatter;

  static bool takes(uint32_t least, uint32_t bytes) { return least != 0 && bytes >= least; }
  bool masks(uint32_t bytes) const { return takes(masked, bytes); }
  bool gathers(uint32_t bytes) const { return takes(gathered, bytes); }
  bool scatters(uint32_t bytes) const { return takes(scattered, bytes); }
  uint32_t lanes(uint32_t bytes) const { return vector_bytes / bytes; }  // of a vector
  uint32_t window_lanes(uint32_t bytes) const { return takes(windowed, bytes) ? lanes(bytes) : 0; }
  uint32_t scatter_cost(uint32_t n) const { return n * scatter.halves / 2 + scatter.more; }
};

const FormInfo& info_of(MaskForm form);

}  // namespace cuda_device::codegen
