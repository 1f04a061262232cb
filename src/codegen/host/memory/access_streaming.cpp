// Stores of whole lines past the cache: without them, every line of an output is read before it is
// written. A line that is written in part that way costs more than it saves, so all lanes must be
// on and rows begin with lines; what is not known when compiling, a branch asks.
#include "codegen/host/memory/access.h"

namespace cuda_device::codegen::host {

using llvm::Value;

// Of each run of consecutive elements.
bool Access::fills_lines(const Address& address) const {
  const unsigned bytes = address.element.bytes();
  if (is_linear(address)) return c_.width() * bytes % kLineBytes == 0;
  return is_in_rows(address) && fills_rows(address) && address.period * bytes % kLineBytes == 0;
}

// The pointer is that of the array and, for each axis, the index of lane 0 by the stride; strides
// are multiples of elements.
bool Access::begins_lines(const ir::Inst& store, const Address& address) const {
  const ir::Inst& array = *store.operands[0];
  const ArrayFacts& facts = c_.source.function.params[static_cast<size_t>(array.imm)].facts;
  if (!facts.aligned || !facts.element_aligned || !is_linear(address)) return false;
  for (size_t axis = 0; axis < array.type.ndim; ++axis) {
    const uint64_t factor = c_.analysis().congruences[store.operands[1 + axis]->id].factor();
    if (factor * address.element.bytes() % kLineBytes != 0) return false;
  }
  return true;
}

// i1; null: certainly.
Value* Access::lines_all_on(const ir::Inst& store, const Address& address, const Mask& mask) {
  Value all = mask.all() ? nullptr : c_.b.CreateAndReduce(c_.masks.lanes(mask));
  if (begins_lines(store, address)) return all;
  Value at = c_.b.CreatePtrToInt(address.pointer, c_.b.getInt64Ty());
  if (!is_linear(address)) at = c_.b.CreateOr(at, address.s1);
  Value within = c_.b.CreateAnd(at, c_.b.getInt64(kLineBytes - 1));
  Value begins = c_.b.CreateICmpEQ(within, c_.b.getInt64(0));
  return all ? c_.b.CreateAnd(begins, all) : begins;
}

std::vector<RowPiece> Access::runs(const Address& address) {
  if (is_linear(address)) return {{0, c_.width(), address.pointer}};
  return pieces(address);
}

void Access::store_nontemporal(const ir::Inst& inst, const Address& address, Value value,
                               const Mask& mask) {
  c_.has_nontemporal_stores = true;
  Value whole = lines_all_on(inst, address, mask);
  if (!whole) return memory_->store_lines(address.element, value, runs(address));
  llvm::BasicBlock *lines = c_.new_block("whole_lines"), *parts = c_.new_block("parts_of_lines"),
                   *done = c_.new_block("stored");
  c_.b.CreateCondBr(whole, lines, parts);
  c_.notes.when(begins_lines(inst, address) ? "all lanes are on"
                : mask.all()                ? "lines begin there"
                                            : "all lanes are on and lines begin there");
  c_.start(lines);
  memory_->store_lines(address.element, value, runs(address));
  c_.b.CreateBr(done);
  c_.notes.otherwise();
  c_.start(parts);
  store_lanes(address, value, mask);
  c_.b.CreateBr(done);
  c_.start(done);
}

}  // namespace cuda_device::codegen::host
