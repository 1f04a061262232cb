#include "codegen/host/memory/memory_avx.h"

#include "codegen/host/control/emit_branch.h"

namespace cuda_device::codegen::host {

using llvm::Value;
namespace id = llvm::Intrinsic;

// --------------------------------------------------------------------------------------------
// AVX-512

Value* Avx512Memory::load_part(const Element& e, unsigned lanes, Value* pointer, Value* mask,
                               Value* before) {
  if (!mask) return MemoryForm::load_part(e, lanes, pointer, mask, before);
  if (!before) before = llvm::Constant::getNullValue(vector(e, lanes));
  return note(e, b_.CreateMaskedLoad(vector(e, lanes), pointer, e.align, mask, before));
}

void Avx512Memory::store_part(const Element& e, Value* value, Value* pointer, Value* mask) {
  if (!mask) return MemoryForm::store_part(e, value, pointer, mask);
  note(e, b_.CreateMaskedStore(value, pointer, e.align, mask));
}

// The instruction for this element and width of offsets: the one address in a register and a vector
// of offsets. As LLVM's own gather of pointers, the offsets would end up added to the address, in
// 64-bit lanes.
static llvm::Intrinsic::ID gather_of(const Element& e, bool wide) {
  if (e.type->isFloatTy())
    return wide ? id::x86_avx512_mask_gather_qps_512 : id::x86_avx512_mask_gather_dps_512;
  if (e.type->isDoubleTy())
    return wide ? id::x86_avx512_mask_gather_qpd_512 : id::x86_avx512_mask_gather_dpd_512;
  if (e.bytes() == 4)
    return wide ? id::x86_avx512_mask_gather_qpi_512 : id::x86_avx512_mask_gather_dpi_512;
  return wide ? id::x86_avx512_mask_gather_qpq_512 : id::x86_avx512_mask_gather_dpq_512;
}

static llvm::Intrinsic::ID scatter_of(const Element& e, bool wide) {
  if (e.type->isFloatTy())
    return wide ? id::x86_avx512_mask_scatter_qps_512 : id::x86_avx512_mask_scatter_dps_512;
  if (e.type->isDoubleTy())
    return wide ? id::x86_avx512_mask_scatter_qpd_512 : id::x86_avx512_mask_scatter_dpd_512;
  if (e.bytes() == 4)
    return wide ? id::x86_avx512_mask_scatter_qpi_512 : id::x86_avx512_mask_scatter_dpi_512;
  return wide ? id::x86_avx512_mask_scatter_qpq_512 : id::x86_avx512_mask_scatter_dpq_512;
}

static bool is_wide(const Offsets& offsets) {
  return offsets.numbers->getType()->getScalarSizeInBits() == 64;
}

Value* Avx512Memory::gather(const Element& e, Value* pointer, const Offsets& offsets,
                            const Mask& mask) {
  Value* lanes_on = masks_.lanes(mask);
  const bool wide = is_wide(offsets);
  const unsigned lanes = e.bytes() == 4 && !wide ? 16 : 8;
  Value* result = llvm::Constant::getNullValue(vector(e));
  for (unsigned first = 0; first < masks_.width(); first += lanes) {
    Value* zero = llvm::Constant::getNullValue(vector(e, lanes));
    Value* part =
        note(e, b_.CreateIntrinsic(gather_of(e, wide), {},
                                   {zero, pointer, slice(offsets.numbers, first, lanes),
                                    slice(lanes_on, first, lanes), b_.getInt32(offsets.scale)}));
    result = insert(result, part, first);
  }
  return result;
}

// Within an instruction the last lane wins, and the instructions are in order.
void Avx512Memory::scatter(const Element& e, Value* value, Value* pointer, const Offsets& offsets,
                           const Mask& mask) {
  Value* lanes_on = masks_.lanes(mask);
  const bool wide = is_wide(offsets);
  const unsigned lanes = e.bytes() == 4 && !wide ? 16 : 8;
  for (unsigned first = 0; first < masks_.width(); first += lanes)
    note(e, b_.CreateIntrinsic(
                scatter_of(e, wide), {},
                {pointer, slice(lanes_on, first, lanes), slice(offsets.numbers, first, lanes),
                 slice(value, first, lanes), b_.getInt32(offsets.scale)}));
}

// ----------------------------------------------------------------------------------------------
// AVX2

Value* Avx2Memory::sign_mask(const Element& e, Value* mask) {
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

Value* Avx2Memory::load_part(const Element& e, unsigned lanes, Value* pointer, Value* mask,
                             Value* before) {
  if (!mask) return MemoryForm::load_part(e, lanes, pointer, mask, before);
  const unsigned native = target_.native_lanes(e.bytes());
  if (lanes > native) {
    const unsigned half = lanes / 2;
    auto part = [&](unsigned first) {
      return load_part(e, half, at(pointer, first * e.bytes()), slice(mask, first, half),
                       before ? slice(before, first, half) : nullptr);
    };
    llvm::SmallVector<int, kMostLanes> both;
    for (unsigned i = 0; i < lanes; ++i) both.push_back(static_cast<int>(i));
    return b_.CreateShuffleVector(part(0), part(half), both);
  }
  Value* signs = sign_mask(e, mask);
  Value* loaded =
      note(e, b_.CreateIntrinsic(masked(e, true, lanes == native), {}, {pointer, signs}));
  if (before) loaded = b_.CreateOr(loaded, b_.CreateBitCast(before, signs->getType()));
  return b_.CreateBitCast(loaded, vector(e, lanes));
}

void Avx2Memory::store_part(const Element& e, Value* value, Value* pointer, Value* mask) {
  if (!mask) return MemoryForm::store_part(e, value, pointer, mask);
  const unsigned native = target_.native_lanes(e.bytes());
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements();
  if (lanes > native) {
    const unsigned half = lanes / 2;
    store_part(e, slice(value, 0, half), pointer, slice(mask, 0, half));
    return store_part(e, slice(value, half, half), at(pointer, half * e.bytes()),
                      slice(mask, half, half));
  }
  const auto under_mask = [&] {
    Value* bits = b_.CreateBitCast(value, integer_like(value->getType()));
    note(e, b_.CreateIntrinsic(masked(e, false, lanes == native), {},
                               {pointer, sign_mask(e, mask), bits}));
  };
  if (!target_.slow_masked_stores || llvm::isa<llvm::Constant>(mask)) return under_mask();
  emit_branch(
      b_, b_.CreateAndReduce(mask), [&] { plain_store(e, value, pointer); },
      [&] { emit_branch(b_, b_.CreateOrReduce(mask), under_mask, [] {}); });
}

// A row that fills no vector: where all of it is stored, by plain stores of its pieces, each a
// power of two long. The whole gang's mask is asked: LLVM's answer for a slice of 33 lanes was
// wrong.
void Avx2Memory::store_row(const Element& e, Value* value, const RowPiece& row, const Mask& mask) {
  const auto in_parts = [&] { MemoryForm::store_row(e, value, row, mask); };
  if (!target_.slow_masked_stores || fills_a_vector(e, row.count)) return in_parts();
  const auto plain = [&] {
    for (unsigned done = 0; done < row.count;) {
      const unsigned count = llvm::bit_floor(row.count - done);
      plain_store(e, slice(value, row.first + done, count), at(row.pointer, done * e.bytes()));
      done += count;
    }
  };
  if (mask.all()) return plain();
  if (llvm::isa<llvm::Constant>(mask.lanes)) return in_parts();
  llvm::SmallVector<llvm::Constant*, kMostLanes> elsewhere;
  for (unsigned lane = 0; lane < masks_.width(); ++lane)
    elsewhere.push_back(b_.getInt1(lane < row.first || lane >= row.first + row.count));
  Value* own = b_.CreateOr(mask.lanes, llvm::ConstantVector::get(elsewhere));
  emit_branch(b_, b_.CreateAndReduce(own), plain, in_parts);
}

static llvm::Intrinsic::ID gather_avx2(const Element& e, bool wide) {
  if (e.bytes() == 4) return wide ? id::x86_avx2_gather_q_d_256 : id::x86_avx2_gather_d_d_256;
  return wide ? id::x86_avx2_gather_q_q_256 : id::x86_avx2_gather_d_q_256;
}

Value* Avx2Memory::gather(const Element& e, Value* pointer, const Offsets& offsets,
                          const Mask& mask) {
  const bool wide = is_wide(offsets);
  const unsigned lanes = e.bytes() == 4 && !wide ? 8 : 4;
  Value* signs = sign_mask(e, masks_.lanes(mask));
  Value* result = llvm::Constant::getNullValue(signs->getType());
  for (unsigned first = 0; first < masks_.width(); first += lanes) {
    Value* own = slice(signs, first, lanes);
    Value* zero = llvm::Constant::getNullValue(own->getType());
    Value* numbers = slice(offsets.numbers, first, lanes);
    const auto scale = static_cast<uint8_t>(offsets.scale);
    Value* part = note(e, b_.CreateIntrinsic(gather_avx2(e, wide), {},
                                             {zero, pointer, numbers, own, b_.getInt8(scale)}));
    result = insert(result, part, first);
  }
  return b_.CreateBitCast(result, vector(e));
}

}  // namespace cuda_device::codegen::host
