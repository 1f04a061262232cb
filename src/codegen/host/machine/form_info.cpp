#include "codegen/host/machine/form_info.h"

#include <algorithm>
#include <iterator>

namespace cuda_device::codegen {
namespace {

constexpr const char* kAvx512[] = {"avx512f", "avx512bw", "avx512dq", "avx512vl", "fma", "bmi2"};
constexpr const char* kAvx2[] = {"avx2", "fma", "f16c", "bmi", "bmi2"};
constexpr const char* kSse4[] = {"sse4.2", "popcnt"};

bool allows_all(std::string_view /*feature*/) { return true; }

bool allows_up_to_avx2(std::string_view feature) {
  for (const char* prefix : {"avx512", "avx10", "evex512", "amx", "egpr", "push2pop2", "ppx", "ndd",
                             "ccmp", "nf", "cf", "zu", "jmpabs"})
    if (feature.starts_with(prefix)) return false;
  return true;
}

bool allows_baseline(std::string_view feature) {
  constexpr std::string_view kBaseline[] = {"64bit", "cmov",   "cx8",    "cx16",  "fxsr",
                                            "mmx",   "popcnt", "sahf",   "sse",   "sse2",
                                            "sse3",  "ssse3",  "sse4.1", "sse4.2"};
  return std::ranges::find(kBaseline, feature) != std::end(kBaseline);
}

// Indexed by MaskForm.
//
// slow_gathers: eight lanes take AVX2 11 cycles, by loads 4 (Zen 3); many of Intel's gather as
// slowly. SSE4 has none. AVX-512's are slow on AMD's CPUs alone (machine/target.cpp).
// narrow_gangs_pay: AVX-512 has four times AVX2's room and vectors of half a warp: it gains
// nothing.
constexpr FormInfo kForms[] = {
    {.form = MaskForm::Avx512,
     .name = "avx512",
     .generic_cpu = "x86-64-v4",
     .features = kAvx512,
     .allows = allows_all,
     .emulated_on = MaskForm::Avx2,
     .sleef = "avx512f",
     .registers = 32,
     .vector_bytes = 64,
     .mask_registers = true,
     .fma = true,
     .exponents = true,
     .unsigned_conversions = true,
     .float16_conversions = true,
     .shuffles_of_two_vectors = true,
     .slow_gathers = false,
     .narrow_gangs_pay = false,
     .masked = 1,
     .gathered = 4,
     .scattered = 4,
     .windowed = 4,
     .scatter = {.halves = 1, .more = 4}},
    {.form = MaskForm::Avx2,
     .name = "avx2",
     .generic_cpu = "x86-64-v3",
     .features = kAvx2,
     .allows = allows_up_to_avx2,
     .emulated_on = std::nullopt,
     .sleef = "avx2",
     .registers = 16,
     .vector_bytes = 32,
     .mask_registers = false,
     .fma = true,
     .exponents = false,
     .unsigned_conversions = false,
     .float16_conversions = true,
     .shuffles_of_two_vectors = false,
     .slow_gathers = true,
     .narrow_gangs_pay = true,
     .masked = 4,
     .gathered = 4,
     .scattered = 0,
     .windowed = 4,
     .scatter = {.halves = 4, .more = 0}},
    {.form = MaskForm::Sse4,
     .name = "sse4",
     .generic_cpu = "x86-64-v2",
     .features = kSse4,
     .allows = allows_baseline,
     .emulated_on = std::nullopt,
     .sleef = "sse4",
     .registers = 16,
     .vector_bytes = 16,
     .mask_registers = false,
     .fma = false,
     .exponents = false,
     .unsigned_conversions = false,
     .float16_conversions = false,
     .shuffles_of_two_vectors = false,
     .slow_gathers = true,
     .narrow_gangs_pay = true,
     .masked = 0,
     .gathered = 0,
     .scattered = 0,
     .windowed = 0,
     .scatter = {.halves = 0, .more = 0}},
};

constexpr bool in_order() {
  for (size_t i = 0; i < std::size(kForms); ++i)
    if (static_cast<size_t>(kForms[i].form) != i) return false;
  return std::size(kForms) == std::size(kMaskForms);
}
static_assert(in_order());

}  // namespace

const FormInfo& info_of(MaskForm form) { return kForms[static_cast<size_t>(form)]; }

const char* name_of(MaskForm form) { return info_of(form).name; }
const char* generic_cpu(MaskForm form) { return info_of(form).generic_cpu; }
uint32_t vector_bytes(MaskForm form) { return info_of(form).vector_bytes; }
uint32_t register_bytes(MaskForm form) {
  return info_of(form).registers * info_of(form).vector_bytes;
}

}  // namespace cuda_device::codegen
