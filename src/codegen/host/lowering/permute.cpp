#include "codegen/host/lowering/permute.h"

#include <numeric>

namespace cuda_device::codegen::host {

using llvm::Value;

namespace {

constexpr unsigned kLanes = 32;

class Permutation {
 public:
  Permutation(EmitContext& c, Value* lanes) : c_(c), lanes_(lanes) {}

  Value* of(Value* vector) {
    llvm::Type* type = vector->getType();
    const unsigned bits = type->getScalarSizeInBits();
    if (!by_instructions(bits)) return by_memory(vector);
    Value* numbers = c_.b.CreateBitCast(vector, of_integers(bits));
    if (bits > 32) return c_.b.CreateBitCast(of_64_bits(numbers), type);
    Value* wide = bits < 32 ? c_.b.CreateZExt(numbers, of_integers(32)) : numbers;
    Value* moved = of_32_bits(wide);
    if (bits < 32) moved = c_.b.CreateTrunc(moved, of_integers(bits));
    return c_.b.CreateBitCast(moved, type);
  }

 private:
  MaskForm form() const { return c_.source.target.form; }
  bool by_instructions(unsigned bits) const {
    return bits <= 64 && (form() == MaskForm::Avx512 || form() == MaskForm::Avx2);
  }
  llvm::Type* of_integers(unsigned bits) const {
    return llvm::FixedVectorType::get(c_.b.getIntNTy(bits), kLanes);
  }

  Value* part(Value* vector, unsigned first, unsigned count) {
    llvm::SmallVector<int, kLanes> lanes;
    for (unsigned i = 0; i < count; ++i) lanes.push_back(static_cast<int>(first + i));
    return c_.b.CreateShuffleVector(vector, lanes);
  }
  llvm::SmallVector<Value*, 4> parts(Value* vector, unsigned count) {
    llvm::SmallVector<Value*, 4> all;
    for (unsigned first = 0; first < kLanes; first += count)
      all.push_back(part(vector, first, count));
    return all;
  }

  // Those lanes whose numbers have a bit set take the second.
  Value* by_bit(Value* lanes, unsigned bit, Value* without, Value* with) {
    llvm::Type* type = lanes->getType();
    Value* at_sign =
        c_.b.CreateShl(lanes, llvm::ConstantInt::get(type, type->getScalarSizeInBits() - 1 - bit));
    Value* set = c_.b.CreateICmpSLT(at_sign, llvm::Constant::getNullValue(type));
    return c_.b.CreateSelect(set, with, without);
  }

  template <class Part>
  Value* each_part(unsigned count, Part&& permute) {
    llvm::SmallVector<Value*, 4> done;
    for (Value* lanes : parts(lanes_, count)) done.push_back(permute(lanes));
    return joined(done);
  }

  Value* joined(llvm::SmallVector<Value*, 4> all) {
    while (all.size() > 1) {
      llvm::SmallVector<Value*, 4> pairs;
      for (size_t i = 0; i < all.size(); i += 2) {
        llvm::SmallVector<int, kLanes> lanes(2 * lanes_of(all[i]->getType()));
        std::iota(lanes.begin(), lanes.end(), 0);
        pairs.push_back(c_.b.CreateShuffleVector(all[i], all[i + 1], lanes));
      }
      all = pairs;
    }
    return all[0];
  }

  Value* of_32_bits(Value* vector) {
    if (form() == MaskForm::Avx2) return of_four_registers(vector);
    const auto halves = parts(vector, 16);
    return each_part(16, [&](Value* lanes) {
      return c_.b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_d_512,
                                  {halves[0], lanes, halves[1]});
    });
  }

  // An instruction takes the low bits of a lane's number: which register it is, the high ones say.
  Value* of_four_registers(Value* vector) {
    const auto quarters = parts(vector, 8);
    return each_part(8, [&](Value* lanes) {
      llvm::SmallVector<Value*, 4> from;
      for (Value* quarter : quarters)
        from.push_back(c_.b.CreateIntrinsic(llvm::Intrinsic::x86_avx2_permd, {quarter, lanes}));
      return by_bit(lanes, 4, by_bit(lanes, 3, from[0], from[1]),
                    by_bit(lanes, 3, from[2], from[3]));
    });
  }

  Value* of_64_bits(Value* vector) {
    if (form() == MaskForm::Avx2) return in_halves(vector);
    const auto quarters = parts(vector, 8);
    return each_part(8, [&](Value* numbers) {
      Value* lanes = c_.b.CreateZExt(numbers, quarters[0]->getType());
      const auto of_two = [&](unsigned first) {
        return c_.b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_q_512,
                                    {quarters[first], lanes, quarters[first + 1]});
      };
      return by_bit(lanes, 4, of_two(0), of_two(2));
    });
  }

  Value* in_halves(Value* vector) {
    llvm::Type *wide = of_integers(64), *half = of_integers(32);
    Value* shift = llvm::ConstantInt::get(wide, 32);
    Value* low = of_32_bits(c_.b.CreateTrunc(vector, half));
    Value* high = of_32_bits(c_.b.CreateTrunc(c_.b.CreateLShr(vector, shift), half));
    return c_.b.CreateOr(c_.b.CreateZExt(low, wide),
                         c_.b.CreateShl(c_.b.CreateZExt(high, wide), shift));
  }

  Value* by_memory(Value* vector) {
    const bool one_bit = vector->getType()->getScalarSizeInBits() == 1;  // not addressable
    if (one_bit) vector = c_.b.CreateZExt(vector, of_integers(8));
    llvm::Type* element = vector->getType()->getScalarType();
    llvm::AllocaInst* place = c_.masks.scratch(vector->getType(), kPlace);
    c_.b.CreateStore(vector, place);
    Value* result = llvm::PoisonValue::get(vector->getType());
    for (uint64_t lane = 0; lane < kLanes; ++lane) {
      Value* number =
          c_.b.CreateAnd(c_.b.CreateExtractElement(lanes_, lane), c_.b.getInt32(kLanes - 1));
      Value* from = c_.b.CreateZExt(number, c_.b.getInt64Ty());
      Value* value = c_.b.CreateLoad(element, c_.b.CreateGEP(element, place, from));
      result = c_.b.CreateInsertElement(result, value, lane);
    }
    return one_bit ? c_.b.CreateTrunc(result, of_integers(1)) : result;
  }

  static constexpr unsigned kPlace = 8;  // of MaskOps::scratch

  EmitContext& c_;
  Value* lanes_;
};

}  // namespace

Value* permuted(EmitContext& c, Value* vector, Value* lanes) {
  return Permutation(c, lanes).of(vector);
}

}  // namespace cuda_device::codegen::host
