#include "codegen/host/memory_avx.h"

#include "support/check.h"

namespace cuda_device::codegen::host {

using llvm::Value;
namespace id = llvm::Intrinsic;

// -------------------------------------------------------------------------------------------- AVX-512

static bool is_word(const Element& e) { return e.bytes() >= 4; }

Value* Avx512Memory::load_part(const Element& e, unsigned lanes, Value pointer, Value mask,
                               Value before) {
  if (!mask) return MemoryForm::load_part(e, lanes, pointer, mask, before);
  if (!before) before = llvm::Constant::getNullValue(vector(e, lanes));
  return note(e, b_.CreateMaskedLoad(vector(e, lanes), pointer, e.align, mask, before));
}

void Avx512Memory::store_part(const Element& e, Value value, Value pointer, Value mask) {
  if (!mask) return MemoryForm::store_part(e, value, pointer, mask);
  note(e, b_.CreateMaskedStore(value, pointer, e.align, mask));
}

Value* Avx512Memory::load(const Element& e, Value pointer, const Mask& mask) {
  return load_part(e, kWidth, pointer, mask.all() ? nullptr : masks_.lanes(mask), nullptr);
}

void Avx512Memory::store(const Element& e, Value value, Value pointer, const Mask& mask) {
  store_part(e, value, pointer, mask.all() ? nullptr : masks_.lanes(mask));
}

Value* Avx512Memory::gather(const Element& e, Value pointer, Value offsets, const Mask& mask) {
  if (!is_word(e)) return MemoryForm::gather(e, pointer, offsets, mask);
  Value places = b_.CreateGEP(b_.getInt8Ty(), pointer, offsets);
  return note(e, b_.CreateMaskedGather(vector(e), places, e.align, masks_.lanes(mask),
                                       llvm::Constant::getNullValue(vector(e))));
}

void Avx512Memory::scatter(const Element& e, Value value, Value pointer, Value offsets,
                           const Mask& mask) {
  if (!is_word(e)) return MemoryForm::scatter(e, value, pointer, offsets, mask);
  Value places = b_.CreateGEP(b_.getInt8Ty(), pointer, offsets);
  note(e, b_.CreateMaskedScatter(value, places, e.align, masks_.lanes(mask)));
}

bool Avx512Memory::takes_rows(const Element&, unsigned count, const Mask&) const {
  return count >= 4;
}

// ---------------------------------------------------------------------------------------------- AVX2

Value* Avx2Memory::sign_mask(const Element& e, Value mask) {
  llvm::Type* type = llvm::Type::getIntNTy(b_.getContext(), e.bytes() * 8);
  return b_.CreateSExt(mask, with_lanes_of(mask->getType(), type));
}

static llvm::Intrinsic::ID masked(const Element& e, bool load, bool wide) {
  if (e.bytes() == 4)
    return load ? (wide ? id::x86_avx2_maskload_d_256 : id::x86_avx2_maskload_d)
                : (wide ? id::x86_avx2_maskstore_d_256 : id::x86_avx2_maskstore_d);
  return load ? (wide ? id::x86_avx2_maskload_q_256 : id::x86_avx2_maskload_q)
              : (wide ? id::x86_avx2_maskstore_q_256 : id::x86_avx2_maskstore_q);
}

Value* Avx2Memory::load_part(const Element& e, unsigned lanes, Value pointer, Value mask,
                             Value before) {
  if (!mask) return MemoryForm::load_part(e, lanes, pointer, mask, before);
  const unsigned native = target_.native_lanes(e.bytes());
  if (lanes > native) {
    const unsigned half = lanes / 2;
    auto part = [&](unsigned first) {
      return load_part(e, half, at(pointer, first * e.bytes()), slice(mask, first, half),
                       before ? slice(before, first, half) : nullptr);
    };
    llvm::SmallVector<int, kWidth> both;
    for (unsigned i = 0; i < lanes; ++i) both.push_back(static_cast<int>(i));
    return b_.CreateShuffleVector(part(0), part(half), both);
  }
  Value signs = sign_mask(e, mask);
  Value loaded = note(e, b_.CreateIntrinsic(masked(e, true, lanes == native), {}, {pointer, signs}));
  if (before) loaded = b_.CreateOr(loaded, b_.CreateBitCast(before, signs->getType()));
  return b_.CreateBitCast(loaded, vector(e, lanes));
}

void Avx2Memory::store_part(const Element& e, Value value, Value pointer, Value mask) {
  if (!mask) return MemoryForm::store_part(e, value, pointer, mask);
  const unsigned native = target_.native_lanes(e.bytes());
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements();
  if (lanes > native) {
    const unsigned half = lanes / 2;
    store_part(e, slice(value, 0, half), pointer, slice(mask, 0, half));
    return store_part(e, slice(value, half, half), at(pointer, half * e.bytes()),
                      slice(mask, half, half));
  }
  Value bits = b_.CreateBitCast(value, integer_like(value->getType()));
  note(e, b_.CreateIntrinsic(masked(e, false, lanes == native), {},
                             {pointer, sign_mask(e, mask), bits}));
}

Value* Avx2Memory::load(const Element& e, Value pointer, const Mask& mask) {
  if (mask.all() || !is_word(e)) return MemoryForm::load(e, pointer, mask);
  return load_part(e, kWidth, pointer, masks_.lanes(mask), nullptr);
}

void Avx2Memory::store(const Element& e, Value value, Value pointer, const Mask& mask) {
  if (mask.all() || !is_word(e)) return MemoryForm::store(e, value, pointer, mask);
  store_part(e, value, pointer, masks_.lanes(mask));
}

// Of 32-bit elements, or 64-bit ones, with 32-bit or 64-bit offsets.
static llvm::Intrinsic::ID gather_of(const Element& e, bool wide_offsets) {
  if (e.bytes() == 4)
    return wide_offsets ? id::x86_avx2_gather_q_d_256 : id::x86_avx2_gather_d_d_256;
  return wide_offsets ? id::x86_avx2_gather_q_q_256 : id::x86_avx2_gather_d_q_256;
}

Value* Avx2Memory::gather(const Element& e, Value pointer, Value offsets, const Mask& mask) {
  if (!is_word(e)) return MemoryForm::gather(e, pointer, offsets, mask);
  const bool wide_offsets = offsets->getType()->getScalarSizeInBits() == 64;
  const unsigned lanes = e.bytes() == 4 && !wide_offsets ? 8 : 4;
  Value signs = sign_mask(e, masks_.lanes(mask));
  Value result = llvm::Constant::getNullValue(signs->getType());
  for (unsigned first = 0; first < kWidth; first += lanes) {
    Value zero = llvm::Constant::getNullValue(slice(signs, first, lanes)->getType());
    Value part = note(e, b_.CreateIntrinsic(gather_of(e, wide_offsets), {},
                                            {zero, pointer, slice(offsets, first, lanes),
                                             slice(signs, first, lanes), b_.getInt8(1)}));
    llvm::SmallVector<int, kWidth> widen, merge;
    for (unsigned i = 0; i < kWidth; ++i) {
      const bool mine = i >= first && i < first + lanes;
      widen.push_back(mine ? static_cast<int>(i - first) : -1);
      merge.push_back(static_cast<int>(mine ? kWidth + i : i));
    }
    result = b_.CreateShuffleVector(result, b_.CreateShuffleVector(part, widen), merge);
  }
  return b_.CreateBitCast(result, vector(e));
}

bool Avx2Memory::takes_rows(const Element& e, unsigned count, const Mask& mask) const {
  if (!is_word(e)) return MemoryForm::takes_rows(e, count, mask);
  return count >= 4;
}

}  // namespace cuda_device::codegen::host
