// Square roots, and functions that a library computes.
#include "codegen/host/lowering/host_arithmetic.h"
#include "codegen/host/lowering/math.h"
#include "support/check.h"

namespace cuda_device::codegen::host {

using ir::Op;
using llvm::Value;
namespace id = llvm::Intrinsic;

// It reads no memory, always returns, and clobbers every vector register.
llvm::Function* HostArithmetic::declare(const std::string& name, llvm::Type* result,
                                        size_t operands) {
  llvm::SmallVector<llvm::Type*, 2> types(operands, result);
  auto callee = module_.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotAccessMemory();
  function->setDoesNotThrow();
  function->setWillReturn();
  function->addFnAttr(llvm::Attribute::NonLazyBind);  // through the import table
  return function;
}

Value* HostArithmetic::piece(Value* vector, unsigned first, unsigned count) {
  llvm::SmallVector<int, kMostLanes> lanes;
  for (unsigned i = 0; i < count; ++i) lanes.push_back(static_cast<int>(first + i));
  return b_.CreateShuffleVector(vector, lanes);
}

static Value* concatenate(llvm::IRBuilder<>& b, llvm::SmallVector<Value*, 16> parts) {
  while (parts.size() > 1) {
    llvm::SmallVector<Value*, 16> wider;
    for (size_t i = 0; i < parts.size(); i += 2) {
      const unsigned lanes =
          llvm::cast<llvm::FixedVectorType>(parts[i]->getType())->getNumElements();
      llvm::SmallVector<int, kMostLanes> both;
      for (unsigned lane = 0; lane < 2 * lanes; ++lane) both.push_back(static_cast<int>(lane));
      wider.push_back(b.CreateShuffleVector(parts[i], parts[i + 1], both));
    }
    parts = wider;
  }
  return parts[0];
}

// A uniform value goes through the same function as a varying one, so that both have the same bits.
Value* HostArithmetic::call_vector(Op op, ScalarKind kind, Values operands) {
  const auto function = vector_function(op, kind, target_);
  CD_CHECK(function, "no vector function for " + std::string(ir::info(op).text));
  if (operands[0]->getType()->isVectorTy()) return call_vector(*function, operands);
  llvm::SmallVector<Value*, 2> vectors;
  for (Value* x : operands) vectors.push_back(b_.CreateVectorSplat(function->lanes, x));
  return b_.CreateExtractElement(call_vector(*function, vectors), uint64_t{0});
}

Value* HostArithmetic::call_vector(const VectorFunction& function, Values operands) {
  const unsigned lanes = lanes_of(operands[0]->getType());
  llvm::Type* type =
      llvm::FixedVectorType::get(operands[0]->getType()->getScalarType(), function.lanes);
  llvm::Function* callee = declare(function.symbol, type, operands.size());
  llvm::SmallVector<Value*, 16> results;
  for (unsigned first = 0; first < lanes; first += function.lanes) {
    llvm::SmallVector<Value*, 2> arguments;
    for (Value* x : operands) arguments.push_back(piece(x, first, function.lanes));
    results.push_back(b_.CreateCall(callee, arguments));
  }
  return concatenate(b_, results);
}

// For what is exact in the C library alone. LLVM is not to take it for the function that it knows:
// of fmod(0, x / 0) version 22 concludes that it is never a NaN.
Value* HostArithmetic::call_each_lane(const std::string& name, Values operands) {
  llvm::Type* type = operands[0]->getType();
  llvm::Function* callee = declare(name, type->getScalarType(), operands.size());
  const auto call = [&](Values arguments) {
    llvm::CallInst* made = b_.CreateCall(callee, arguments);
    made->addFnAttr(llvm::Attribute::NoBuiltin);
    return made;
  };
  if (!type->isVectorTy()) return call(operands);
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::Function* function = before->getParent();
  auto* loop = llvm::BasicBlock::Create(b_.getContext(), "each_lane", function);
  auto* after = llvm::BasicBlock::Create(b_.getContext(), "all_done", function);
  b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* lane = b_.CreatePHI(b_.getInt32Ty(), 2);
  llvm::PHINode* results = b_.CreatePHI(type, 2);
  lane->addIncoming(b_.getInt32(0), before);
  results->addIncoming(llvm::Constant::getNullValue(type), before);
  llvm::SmallVector<Value*, 2> arguments;
  for (Value* x : operands) arguments.push_back(b_.CreateExtractElement(x, lane));
  Value* updated = b_.CreateInsertElement(results, call(arguments), lane);
  Value* next = b_.CreateAdd(lane, b_.getInt32(1));
  lane->addIncoming(next, loop);
  results->addIncoming(updated, loop);
  b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt32(lanes_of(type))), loop, after);
  b_.SetInsertPoint(after);
  return updated;
}

// float32 without the instruction: the product is exact in float64; the sum is rounded to odd
// there, so that rounding it once more, to float32, is as rounding once (Boldo and Melquiond,
// "Emulation of FMA and correctly rounded sums").
static Value* fma_through_float64(llvm::IRBuilder<>& b, llvm::ArrayRef<Value*> operands) {
  llvm::Type* single = operands[0]->getType();
  llvm::Type* real = with_lanes_of(single, b.getDoubleTy());
  llvm::Type* integers = integer_like(real);
  auto wide = [&](Value* x) { return b.CreateFPExt(x, real); };
  Value* product = b.CreateFMul(wide(operands[0]), wide(operands[1]));
  Value* addend = wide(operands[2]);
  Value* sum = b.CreateFAdd(product, addend);
  Value* from_addend = b.CreateFSub(sum, product);
  Value* error = b.CreateFAdd(b.CreateFSub(product, b.CreateFSub(sum, from_addend)),
                              b.CreateFSub(addend, from_addend));
  // An even sum with an error steps one unit towards it; infinities and NaN make the error a NaN.
  Value* bits = b.CreateBitCast(sum, integers);
  auto number = [&](int64_t v) { return llvm::ConstantInt::getSigned(integers, v); };
  Value* zero = llvm::Constant::getNullValue(real);
  Value* even = b.CreateICmpEQ(b.CreateAnd(bits, number(1)), number(0));
  Value* adjust = b.CreateAnd(even, b.CreateFCmpONE(error, zero));
  Value* away = b.CreateICmpEQ(b.CreateFCmpOGT(error, zero), b.CreateFCmpOGT(sum, zero));
  Value* step = b.CreateSelect(away, number(1), number(-1));
  Value* odd = b.CreateSelect(adjust, b.CreateAdd(bits, step), bits);
  return b.CreateFPTrunc(b.CreateBitCast(odd, real), single);
}

Value* HostArithmetic::fma(ScalarKind kind, Value* a, Value* b, Value* c) {
  if (target_.info().fma) return Arithmetic::fma(kind, a, b, c);
  switch (compute_format(kind)) {
    case ComputeFormat::F32:
      return fma_through_float64(b_, {a, b, c});
    case ComputeFormat::F64:
      return call_each_lane("fma", {a, b, c});
  }
  CD_UNREACHABLE("unknown float");
}

// What AVX-512 has an instruction for, which defines the operation's corner cases.
struct Avx512Functions {
  id::ID scale, exponent, significand;
};
static Avx512Functions avx512_functions(ScalarKind kind) {
  switch (compute_format(kind)) {
    case ComputeFormat::F32:
      return {id::x86_avx512_mask_scalef_ps_512, id::x86_avx512_mask_getexp_ps_512,
              id::x86_avx512_mask_getmant_ps_512};
    case ComputeFormat::F64:
      return {id::x86_avx512_mask_scalef_pd_512, id::x86_avx512_mask_getexp_pd_512,
              id::x86_avx512_mask_getmant_pd_512};
  }
  CD_UNREACHABLE("unknown float");
}

Value* HostArithmetic::each_register(ScalarKind kind, Values operands,
                                     llvm::function_ref<Value*(Values, Value*)> call) {
  const unsigned count = target_.native_lanes(static_cast<unsigned>(bytes_of(kind)));
  llvm::SmallVector<Value*, 16> results;
  for (unsigned first = 0; first < lanes_of(operands[0]->getType()); first += count) {
    llvm::SmallVector<Value*, 2> parts;
    for (Value* x : operands) parts.push_back(piece(x, first, count));
    results.push_back(call(parts, llvm::Constant::getAllOnesValue(b_.getIntNTy(count))));
  }
  return concatenate(b_, results);
}

constexpr uint32_t kCurrentRounding = 4;

Value* HostArithmetic::scale(ScalarKind kind, Value* x, Value* exponent) {
  if (!target_.info().exponents || !x->getType()->isVectorTy())
    return Arithmetic::scale(kind, x, exponent);
  const id::ID instruction = avx512_functions(kind).scale;
  return each_register(kind, {x, exponent}, [&](Values v, Value* all) {
    return b_.CreateIntrinsic(instruction, {},
                              {v[0], v[1], v[0], all, b_.getInt32(kCurrentRounding)});
  });
}

Value* HostArithmetic::scale_unit(ScalarKind kind, Value* x, Value* exponent) {
  const bool own = target_.info().exponents && x->getType()->isVectorTy();
  return own ? scale(kind, x, exponent) : Arithmetic::scale_unit(kind, x, exponent);
}

Value* HostArithmetic::ldexp(ScalarKind kind, Value* x, Value* exponent) {
  if (!target_.info().exponents || !x->getType()->isVectorTy())
    return Arithmetic::ldexp(kind, x, exponent);
  return scale(kind, x, b_.CreateSIToFP(exponent, x->getType()));
}

Value* HostArithmetic::logb(ScalarKind kind, Value* x) {
  if (!target_.info().exponents || !x->getType()->isVectorTy()) return Arithmetic::logb(kind, x);
  const id::ID instruction = avx512_functions(kind).exponent;
  return each_register(kind, {x}, [&](Values v, Value* all) {
    return b_.CreateIntrinsic(instruction, {}, {v[0], v[0], all, b_.getInt32(kCurrentRounding)});
  });
}

Value* HostArithmetic::significand(ScalarKind kind, Value* x) {
  if (!target_.info().exponents || !x->getType()->isVectorTy())
    return Arithmetic::significand(kind, x);
  constexpr uint32_t kFromOneToTwo = 0, kNanOfNegative = 2 << 2;
  const id::ID instruction = avx512_functions(kind).significand;
  return each_register(kind, {x}, [&](Values v, Value* all) {
    return b_.CreateIntrinsic(instruction, {},
                              {v[0], b_.getInt32(kFromOneToTwo | kNanOfNegative), v[0], all,
                               b_.getInt32(kCurrentRounding)});
  });
}

// In float64 for float32 too: SLEEF's float32 lgamma overflows below the end of the format, and
// loses bits near the function's zeros; its gamma loses those of subnormal results.
Value* HostArithmetic::gamma_function(Op op, ScalarKind kind, Value* x) {
  const bool log = op == Op::Lgamma;
  switch (compute_format(kind)) {
    case ComputeFormat::F32: {
      Value* wide = b_.CreateFPExt(x, lanes(x, ScalarKind::F64));
      return b_.CreateFPTrunc(call_vector(op, ScalarKind::F64, {wide}), x->getType());
    }
    case ComputeFormat::F64:
      return log ? log_gamma_of_float64(x) : gamma_of_float64(x);
  }
  CD_UNREACHABLE("unknown float");
}

Value* HostArithmetic::function(Op op, ScalarKind kind, Values operands) {
  switch (op) {
    case Op::Sqrt:
      return unary(id::sqrt, operands[0]);
    case Op::Fmod:
      return call_each_lane(std::string("fmod") + c_suffix(kind), operands);
    case Op::Remainder:
      return call_each_lane(std::string("remainder") + c_suffix(kind), operands);
    case Op::Asinh:
    case Op::Acosh:
    case Op::Log1p:
      return through_log_where_large(op, kind, operands[0]);
    case Op::Sinh:
    case Op::Cosh:
      return through_exp_where_large(op, kind, operands[0]);
    case Op::Tgamma:
    case Op::Lgamma:
      return gamma_function(op, kind, operands[0]);
    case Op::Pow: {
      // SLEEF's gives infinity for the largest number to the power of one.
      Value* one = llvm::ConstantFP::get(operands[1]->getType(), 1.0);
      Value* power = call_vector(op, kind, operands);
      return b_.CreateSelect(b_.CreateFCmpOEQ(operands[1], one), operands[0], power);
    }
    default:
      return call_vector(op, kind, operands);
  }
}

}  // namespace cuda_device::codegen::host
