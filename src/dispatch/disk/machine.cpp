#include "dispatch/disk/machine.h"

#include <array>

#include "support/bytes.h"
#include "support/fork.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace cuda_device::dispatch {

#if defined(__x86_64__)
namespace {

struct Registers {
  uint32_t a = 0, b = 0, c = 0, d = 0;
};

// The part of CPUID that LLVM's detection reads. Each leaf is asked for once: in a virtual machine
// it costs more than 10 us.
class Cpuid {
 public:
  Cpuid() {
    const Registers zero = read(0, 0);
    highest_ = zero.a;
    vendor = {zero.b, zero.c, zero.d};
    highest_extended_ = read(kExtended, 0).a;
  }
  std::array<uint32_t, 3> vendor;
  // Zeros where this CPU has no such leaf.
  Registers leaf(uint32_t number, uint32_t part) const {
    return number <= (number < kExtended ? highest_ : highest_extended_) ? read(number, part)
                                                                         : Registers();
  }

 private:
  static constexpr uint32_t kExtended = 0x80000000;
  static Registers read(uint32_t number, uint32_t part) {
    Registers r;
    __cpuid_count(number, part, r.a, r.b, r.c, r.d);
    return r;
  }
  uint32_t highest_, highest_extended_;
};

// Which registers the system saves for its programs.
uint64_t saved_state(const Registers& first_leaf) {
  constexpr uint32_t kSavesExtendedState = uint32_t{1} << 27;
  if (!(first_leaf.c & kSavesExtendedState)) return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

}  // namespace

// Features and the model; nothing that tells one core from another. The leaves and registers that
// getHostCPUFeatures and getHostCPUName of LLVM 22 use; another LLVM may use more.
std::string read_machine_identity() {
  const Cpuid cpuid;
  ByteWriter out;
  for (const uint32_t value : cpuid.vendor) out.number(value);
  const Registers first = cpuid.leaf(1, 0);
  for (const uint32_t value : {first.a, first.c, first.d}) out.number(value);  // b: number of core
  out.number(saved_state(first));
  constexpr uint32_t kWhole[][2] = {{7, 0}, {7, 1}, {0x80000001, 0}};
  for (const auto& [number, part] : kWhole) {
    const Registers r = cpuid.leaf(number, part);
    for (const uint32_t value : {r.a, r.b, r.c, r.d}) out.number(value);
  }
  out.number(cpuid.leaf(0xd, 1).a);   // xsave and its kin
  out.number(cpuid.leaf(0x14, 0).b);  // ptwrite
  out.number(cpuid.leaf(0x19, 0).b);  // key locker
  out.number(cpuid.leaf(0x1e, 1).a);  // amx
  out.number(cpuid.leaf(0x24, 0).b);  // avx10
  out.number(cpuid.leaf(0x80000008, 0).b);
  out.number(cpuid.leaf(0x80000021, 0).a);
  return out.take();
}
#else
std::string read_machine_identity() { return ""; }
#endif

const std::string& machine_identity() {
  static constinit MadeOnce<std::string> once;
  return once.get(read_machine_identity);
}

}  // namespace cuda_device::dispatch
