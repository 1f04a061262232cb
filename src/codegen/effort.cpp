#include "codegen/effort.h"

#include <algorithm>

#include "ir/effects.h"
#include "ir/visitor.h"

namespace cuda_device::codegen {
namespace {

bool is_long(const ir::Function& f) {
  constexpr size_t kLong = 4000;  // instructions, of about a thousand lines; LLVM takes a second
  // Function::inst_count() counts those that passes have removed as well.
  return ir::count_insts(f.body) > kLong;
}

// On the host: control, and accesses of which each lane has its own element. Those become several
// blocks (an index that is clamped, a mask that is full or not) and calls.
bool makes_blocks(const ir::Inst& inst, const analysis::Analysis& analysis) {
  if (!inst.regions.empty()) return true;
  const auto access = ir::access_of(inst);
  if (!access || !access->array) return false;
  if (access->array->type.space == ir::AddressSpace::Local) return true;
  return std::ranges::any_of(access->indices, [&](const ir::Inst* index) {
    return analysis.shape(*index).level > analysis::Level::GangUniform;
  });
}

}  // namespace

Effort effort_for(const ir::Function& f) { return is_long(f) ? Effort::Bounded : Effort::Full; }

Effort effort_for(const ir::Function& f, const analysis::Analysis& analysis) {
  constexpr size_t kManyBlocks = 400;  // so many take LLVM a second as well
  const auto makes = [&](const ir::Inst& i) { return makes_blocks(i, analysis); };
  return is_long(f) || ir::count_insts(f.body, makes) > kManyBlocks ? Effort::Bounded
                                                                    : Effort::Full;
}

}  // namespace cuda_device::codegen
