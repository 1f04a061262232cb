#include "codegen/host/memory/memory_form.h"

#include <algorithm>

#include "codegen/host/control/loop_hints.h"
#include "codegen/host/lowering/slices.h"
#include "codegen/host/memory/memory_avx.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using llvm::Value;

std::unique_ptr<MemoryForm> MemoryForm::create(llvm::IRBuilder<>& builder, const Target& target,
                                               unsigned width) {
  switch (target.form) {
    case MaskForm::Avx512:
      return std::make_unique<Avx512Memory>(builder, target, width);
    case MaskForm::Avx2:
      return std::make_unique<Avx2Memory>(builder, target, width);
    case MaskForm::Sse4:
      return std::make_unique<Sse4Memory>(builder, target, width);
  }
  CD_UNREACHABLE("unknown mask form");
}

llvm::FixedVectorType* MemoryForm::vector(const Element& e, unsigned lanes) {
  return llvm::FixedVectorType::get(e.type, lanes);
}

Value* MemoryForm::at(Value* pointer, int64_t bytes) {
  return bytes == 0
             ? pointer
             : b_.CreateGEP(b_.getInt8Ty(), pointer, b_.getInt64(static_cast<uint64_t>(bytes)));
}

Value* MemoryForm::slice(Value* vector, unsigned first, unsigned count) {
  return slice_of(b_, vector, first, count);
}

Value* MemoryForm::insert(Value* whole, Value* part, unsigned first) {
  return with_slice(b_, whole, part, first);
}

// ------------------------------------------------------------------------------------------------
// without masks

Value* MemoryForm::load_one(const Element& e, Value* pointer) {
  return note(e, b_.CreateAlignedLoad(e.type, pointer, e.align));
}

void MemoryForm::store_one(const Element& e, Value* value, Value* pointer) {
  note(e, b_.CreateAlignedStore(value, pointer, e.align));
}

Value* MemoryForm::plain_load(const Element& e, unsigned lanes, Value* pointer) {
  return note(e, b_.CreateAlignedLoad(vector(e, lanes), pointer, e.align));
}

void MemoryForm::plain_store(const Element& e, Value* value, Value* pointer) {
  note(e, b_.CreateAlignedStore(value, pointer, e.align));
}

Value* MemoryForm::load_part(const Element& e, unsigned lanes, Value* pointer, Value* mask,
                             Value*) {
  CD_CHECK(!mask, "this form has no masked loads");
  return plain_load(e, lanes, pointer);
}

void MemoryForm::store_part(const Element& e, Value* value, Value* pointer, Value* mask) {
  CD_CHECK(!mask, "this form has no masked stores");
  plain_store(e, value, pointer);
}

// ------------------------------------------------------------------------------------------------
// lane by lane

// `numbers` are the offsets in memory.
Value* MemoryForm::place_of(Value* pointer, const Offsets& offsets, Value* numbers, Value* lane) {
  llvm::Type* type = offsets.numbers->getType()->getScalarType();
  Value* number = b_.CreateLoad(type, b_.CreateGEP(type, numbers, lane));
  Value* bytes = b_.CreateMul(b_.CreateSExt(number, b_.getInt64Ty()), b_.getInt64(offsets.scale));
  return b_.CreateGEP(b_.getInt8Ty(), pointer, bytes);
}

Value* MemoryForm::load_scalarized(const Element& e, Value* pointer, const Offsets& offsets,
                                   const Mask& mask) {
  llvm::AllocaInst* results = masks_.scratch(vector(e), 0);
  llvm::AllocaInst* numbers = masks_.scratch(offsets.numbers->getType(), 1);
  b_.CreateStore(llvm::Constant::getNullValue(vector(e)), results);
  b_.CreateStore(offsets.numbers, numbers);
  masks_.for_each_lane(mask, [&](Value* lane) {
    Value* element = load_one(e, place_of(pointer, offsets, numbers, lane));
    b_.CreateStore(element, b_.CreateGEP(e.type, results, lane));
  });
  return b_.CreateLoad(vector(e), results);
}

void MemoryForm::store_scalarized(const Element& e, Value* value, Value* pointer,
                                  const Offsets& offsets, const Mask& mask) {
  llvm::AllocaInst* values = masks_.scratch(vector(e), 0);
  llvm::AllocaInst* numbers = masks_.scratch(offsets.numbers->getType(), 1);
  b_.CreateStore(value, values);
  b_.CreateStore(offsets.numbers, numbers);
  masks_.for_each_lane(mask, [&](Value* lane) {
    Value* element = b_.CreateLoad(e.type, b_.CreateGEP(e.type, values, lane));
    store_one(e, element, place_of(pointer, offsets, numbers, lane));
  });
}

Offsets MemoryForm::consecutive(const Element& e) {
  llvm::SmallVector<uint32_t, kMostLanes> lanes;
  for (uint32_t lane = 0; lane < masks_.width(); ++lane) lanes.push_back(lane);
  return {llvm::ConstantDataVector::get(b_.getContext(), lanes), e.bytes()};
}

Value* MemoryForm::load_each(const Element& e, Value* pointer, const Offsets& constants) {
  const auto* numbers = llvm::cast<llvm::Constant>(constants.numbers);
  Value* result = llvm::PoisonValue::get(vector(e));
  for (unsigned lane = 0; lane < masks_.width(); ++lane) {
    const auto* number = llvm::cast<llvm::ConstantInt>(numbers->getAggregateElement(lane));
    Value* element = load_one(e, at(pointer, number->getSExtValue() * constants.scale));
    result = b_.CreateInsertElement(result, element, lane);
  }
  return result;
}

// ------------------------------------------------------------------------------------------------
// by instructions of the form

Value* MemoryForm::load(const Element& e, Value* pointer, const Mask& mask) {
  Value* lanes = mask.all() ? nullptr : masks_.lanes(mask);
  return load_part(e, masks_.width(), pointer, lanes, nullptr);
}

void MemoryForm::store(const Element& e, Value* value, Value* pointer, const Mask& mask) {
  store_part(e, value, pointer, mask.all() ? nullptr : masks_.lanes(mask));
}

Value* MemoryForm::gather(const Element&, Value*, const Offsets&, const Mask&) {
  CD_UNREACHABLE("this form has no gathers");
}

void MemoryForm::scatter(const Element&, Value*, Value*, const Offsets&, const Mask&) {
  CD_UNREACHABLE("this form has no scatters");
}

// ------------------------------------------------------------------------------------------------
// rows

// Lanes that one instruction moves: `lanes` of them from lane `first` on, the lane `first` at
// `pointer`; where the row does not cover them all, the mask says so.
struct MemoryForm::Part {
  unsigned first;
  unsigned lanes;
  Value* pointer;
  Value* mask;  // null: all
};

std::vector<MemoryForm::Part> MemoryForm::parts_of(const Element& e, const RowPiece& row,
                                                   const Mask& mask) {
  if (fills_a_vector(e, row.count))
    return {{row.first, row.count, row.pointer,
             mask.all() ? nullptr : slice(mask.lanes, row.first, row.count)}};
  // The row among the native vectors that it touches: its lanes stay where they are, the pointer
  // moves back.
  std::vector<Part> parts;
  const unsigned lanes = std::min(masks_.width(), target_.native_lanes(e.bytes()));
  for (unsigned first = row.first / lanes * lanes; first < row.first + row.count; first += lanes) {
    llvm::SmallVector<llvm::Constant*, kMostLanes> inside;
    for (unsigned i = first; i < first + lanes; ++i)
      inside.push_back(b_.getInt1(i >= row.first && i < row.first + row.count));
    Value* own = llvm::ConstantVector::get(inside);
    if (!mask.all()) own = b_.CreateAnd(own, slice(mask.lanes, first, lanes));
    const int64_t back = (static_cast<int64_t>(first) - row.first) * e.bytes();
    parts.push_back({first, lanes, at(row.pointer, back), own});
  }
  return parts;
}

Value* MemoryForm::load_rows(const Element& e, llvm::ArrayRef<RowPiece> rows, const Mask& mask) {
  Value* result = llvm::Constant::getNullValue(vector(e));
  for (const RowPiece& row : rows)
    for (const Part& part : parts_of(e, row, mask)) {
      Value* before =
          fills_a_vector(e, row.count) ? nullptr : slice(result, part.first, part.lanes);
      Value* loaded = load_part(e, part.lanes, part.pointer, part.mask, before);
      result = insert(result, loaded, part.first);
    }
  return result;
}

void MemoryForm::store_rows(const Element& e, Value* value, llvm::ArrayRef<RowPiece> rows,
                            const Mask& mask) {
  for (const RowPiece& row : rows) store_row(e, value, row, mask);
}

void MemoryForm::store_row(const Element& e, Value* value, const RowPiece& row, const Mask& mask) {
  for (const Part& part : parts_of(e, row, mask))
    store_part(e, slice(value, part.first, part.lanes), part.pointer, part.mask);
}

// One store a row: what the machine needs several for stands together, so that no line is left half
// written.
void MemoryForm::store_lines(const Element& e, Value* value, llvm::ArrayRef<RowPiece> rows) {
  for (const RowPiece& row : rows) {
    Value* lines = row.count == masks_.width() ? value : slice(value, row.first, row.count);
    streaming_store(e, lines, row.pointer, kLineBytes);
  }
}

// `alignment`: bytes, as many as the value has or a whole line.
void MemoryForm::streaming_store(const Element& e, Value* value, Value* pointer,
                                 unsigned alignment) {
  llvm::Metadata* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
  llvm::StoreInst* store = b_.CreateAlignedStore(value, pointer, llvm::Align(alignment));
  note(e, store)->setMetadata(llvm::LLVMContext::MD_nontemporal,
                              llvm::MDNode::get(b_.getContext(), one));
}

void MemoryForm::prefetch(Value* pointer, unsigned bytes) {
  constexpr unsigned kRead = 0, kSecondCache = 2, kData = 1;
  for (unsigned line = 0; line < bytes; line += kLineBytes)
    b_.CreateIntrinsic(
        b_.getVoidTy(), llvm::Intrinsic::prefetch,
        {at(pointer, line), b_.getInt32(kRead), b_.getInt32(kSecondCache), b_.getInt32(kData)});
}

}  // namespace cuda_device::codegen::host
