// Accesses to whole records: of up to eight bytes as one integer a lane, of more as vectors of
// memory that all scalars of the records share.
#include <algorithm>
#include <bit>

#include "codegen/host/control/emit_branch.h"
#include "codegen/host/memory/access.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Inst;
using llvm::Value;

namespace {

ScalarKind kind_of(const Inst& store) { return store.operands.back()->type.scalar(); }

// Zeros that LLVM does not see through: from others it makes zero extensions, and LLVM 22 cannot
// select every one of which it needs four of eight lanes, with AVX-512.
Value* hidden(llvm::IRBuilder<>& b, Value* zeros) {
  const unsigned bits = zeros->getType()->getScalarSizeInBits();
  if (bits != 32 && bits != 64) return zeros;
  llvm::Type* floats =
      with_lanes_of(zeros->getType(), bits == 32 ? b.getFloatTy() : b.getDoubleTy());
  Value* fenced = b.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {floats},
                                    {llvm::Constant::getNullValue(floats)});
  return b.CreateBitCast(fenced, zeros->getType());
}

// Integers of twice the bits, whose low halves are the one vector's and high halves the other's.
Value* joined(llvm::IRBuilder<>& b, Value* low, Value* high) {
  const unsigned width = lanes_of(low->getType());
  const auto* zeros = llvm::dyn_cast<llvm::Constant>(high);
  if (zeros && zeros->isNullValue()) high = hidden(b, high);
  llvm::SmallVector<int, 2 * kMostLanes> order;
  for (unsigned i = 0; i < width; ++i)
    order.insert(order.end(), {static_cast<int>(i), static_cast<int>(width + i)});
  llvm::Type* wide = b.getIntNTy(2 * low->getType()->getScalarSizeInBits());
  return b.CreateBitCast(b.CreateShuffleVector(low, high, order),
                         with_lanes_of(low->getType(), wide));
}

// The fields of a record in order, where they have one size and fill it; else nothing.
std::vector<const Inst*> fields_of_one_size(std::vector<const Inst*> stores, unsigned bytes) {
  std::ranges::sort(stores, {}, &Inst::imm);
  const auto size = static_cast<int64_t>(bytes / stores.size());
  if (!std::has_single_bit(stores.size()) || bytes % stores.size() != 0) return {};
  for (size_t k = 0; k < stores.size(); ++k) {
    if (bytes_of(kind_of(*stores[k])) != size || stores[k]->imm != static_cast<int64_t>(k) * size)
      return {};
  }
  return stores;
}

}  // namespace

// The scalar of a record that was loaded as an integer.
Value* Access::unpacked(Value* record, const Inst& load, uint64_t into) {
  llvm::Type* memory = memory_type(c_.llvm(), load.type.scalar());
  const unsigned bits = memory->getScalarSizeInBits();
  Value* shifted =
      into == 0 ? record
                : c_.b.CreateLShr(record, llvm::ConstantInt::get(record->getType(), into * 8));
  Value* part = c_.b.CreateTrunc(
      shifted, with_lanes_of(record->getType(), llvm::Type::getIntNTy(c_.llvm(), bits)));
  return c_.b.CreateBitCast(part, with_lanes_of(record->getType(), memory));
}

// What a store of a scalar writes, as an integer of its bits in each lane.
Value* Access::stored_bits(const Inst& store) {
  const ScalarKind kind = kind_of(store);
  Value* all = values_.vector(*store.operands.back(), kind);
  llvm::Type* memory = memory_type(c_.llvm(), kind);
  if (is_bool(kind)) all = c_.b.CreateZExt(all, with_lanes_of(all->getType(), memory));
  return c_.b.CreateBitCast(all, integer_like(all->getType()));
}

// Shuffles where they do, which need no zero extensions.
Value* Access::packed(const std::vector<const Inst*>& stores, llvm::Type* record) {
  const auto fields = fields_of_one_size(stores, record->getScalarSizeInBits() / 8);
  std::vector<Value*> parts;
  for (const Inst* store : fields) parts.push_back(stored_bits(*store));
  for (; parts.size() > 1; parts.resize(parts.size() / 2))
    for (size_t k = 0; k < parts.size() / 2; ++k)
      parts[k] = joined(c_.b, parts[2 * k], parts[2 * k + 1]);
  if (!parts.empty()) return parts[0];
  Value* all = nullptr;
  for (const Inst* store : stores) {
    Value* bits = stored_bits(*store);
    llvm::Type* wide = with_lanes_of(bits->getType(), record);
    const auto shift = static_cast<uint64_t>(store->imm) * 8;
    bits = c_.b.CreateShl(c_.b.CreateZExt(bits, wide), llvm::ConstantInt::get(wide, shift));
    all = all ? c_.b.CreateOr(all, bits) : bits;
  }
  return all;
}

void Access::store_records(const std::vector<const Inst*>& stores, const Mask& mask) {
  const Inst& last = *stores.back();
  // Lanes of a thread's own array have the same scalars side by side, not records.
  if (arrays_.accessed_record(last).interleaved) return store_scalars(stores, mask);
  const auto with = [&](bool unclamped) {
    store_records(stores, addresses_.of_record(last, unclamped), mask);
  };
  if (Value* unclamped = addresses_.may_be_unclamped(last))
    return emit_branch(
        c_.b, unclamped, [&] { with(true); }, [&] { with(false); }, "unclamped_index", "any_index");
  with(false);
}

// One by one, as if they stood alone.
void Access::store_scalars(const std::vector<const Inst*>& stores, const Mask& mask) {
  for (const Inst* store : stores) Access::store(*store, mask);
}

void Access::store_records(const std::vector<const Inst*>& stores, const Address& address,
                           const Mask& mask) {
  if (address.is_whole_record()) {
    Value* record = packed(stores, address.element.type);
    const AccessPlan plan = planner_.plan(*stores.back(), address, mask);
    c_.notes.add(*stores.back(), mask, describe(plan));
    if (address.kind != Lanes::Kind::Uniform) return store_lanes(plan, record, mask);
    return memory_->store_one(address.element, c_.masks.last_of(record, mask), address.pointer);
  }
  if (!address.has_records_side_by_side() || mask.none) return store_scalars(stores, mask);
  const char* streaming =
      streams_records(stores, address) ? ", streaming stores if lines begin there" : "";
  c_.notes.add(*stores.back(), mask,
               std::string("whole records by vectors and shuffles") + streaming);
  if (mask.all()) return store_interleaved(stores, address);
  emit_branch(
      c_.b, c_.b.CreateAndReduce(c_.masks.lanes(mask)), [&] { store_interleaved(stores, address); },
      [&] { store_scalars(stores, mask); });
}

// The scalars of a record in units of the smallest of them, unit after unit: a vector of lanes
// each.
std::vector<Value*> Access::units_of(const std::vector<const Inst*>& stores, uint64_t unit) {
  std::vector<Value*> units;
  llvm::Type* number = llvm::Type::getIntNTy(c_.llvm(), static_cast<unsigned>(unit) * 8);
  for (const Inst* store : stores) {
    Value* bits = stored_bits(*store);
    const auto times =
        static_cast<unsigned>(bytes_of(kind_of(*store))) / static_cast<unsigned>(unit);
    Value* all = times == 1 ? bits
                            : c_.b.CreateBitCast(
                                  bits, llvm::FixedVectorType::get(number, times * c_.width()));
    for (unsigned k = 0; k < times; ++k) {
      llvm::SmallVector<int, kMostLanes> lanes;
      for (unsigned lane = 0; lane < c_.width(); ++lane)
        lanes.push_back(static_cast<int>(lane * times + k));
      units.push_back(times == 1 ? all : c_.b.CreateShuffleVector(all, lanes));
    }
  }
  return units;
}

// The records of all lanes make whole lines, and streaming stores write them where they begin with
// one.
bool Access::streams_records(const std::vector<const Inst*>& stores, const Address& address) const {
  return c_.analysis().nontemporal_stores[stores.back()->id] &&
         address.lanes * address.record_bytes % kLineBytes == 0;
}

void Access::store_interleaved(const std::vector<const Inst*>& stores, const Address& address) {
  uint64_t unit = address.record_bytes;
  for (const Inst* store : stores)
    unit = std::min(unit, static_cast<uint64_t>(bytes_of(kind_of(*store))));
  Element element = address.element;
  element.type = llvm::Type::getIntNTy(c_.llvm(), static_cast<unsigned>(unit) * 8);
  const std::vector<Value*> units = units_of(stores, unit);
  const auto by = [&](MemoryForm::Stores kind) {
    memory_->store_interleaved(element, units, address.pointer, kind);
  };
  if (!streams_records(stores, address)) return by(MemoryForm::Stores::Plain);
  c_.has_nontemporal_stores = true;
  Value* begins = begins_line(c_.b.CreatePtrToInt(address.pointer, c_.b.getInt64Ty()));
  emit_branch(
      c_.b, begins, [&] { by(MemoryForm::Stores::Streaming); },
      [&] { by(MemoryForm::Stores::Plain); }, "streamed_records", "records");
}

}  // namespace cuda_device::codegen::host
