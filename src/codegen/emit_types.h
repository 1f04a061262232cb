// Scalar kinds as LLVM types and constants, for one lane or for a vector of them.
#pragma once

#include "codegen/llvm.h"
#include "support/scalar.h"

namespace cuda_device::codegen {

inline llvm::Type* float_type(llvm::LLVMContext& context, ComputeFormat format) {
  switch (format) {
    case ComputeFormat::F32:
      return llvm::Type::getFloatTy(context);
    case ComputeFormat::F64:
      return llvm::Type::getDoubleTy(context);
  }
  CD_UNREACHABLE("unknown float");
}

// The type of a value in registers: bool is i1; signed and unsigned integers share one type, and a
// float that is only stored is its bits there.
inline llvm::Type* register_type(llvm::LLVMContext& context, ScalarKind kind) {
  if (is_bool(kind)) return llvm::Type::getInt1Ty(context);
  if (is_float(kind) && !is_storage_only(kind)) return float_type(context, compute_format(kind));
  return llvm::Type::getIntNTy(context, static_cast<unsigned>(bits_of(kind)));
}

// The type of an element in memory: bool is a byte.
inline llvm::Type* memory_type(llvm::LLVMContext& context, ScalarKind kind) {
  return is_bool(kind) ? llvm::Type::getInt8Ty(context) : register_type(context, kind);
}

inline unsigned lanes_of(llvm::Type* vector) {
  return llvm::cast<llvm::FixedVectorType>(vector)->getNumElements();
}

// `type`, with the lanes of `like`.
inline llvm::Type* with_lanes_of(llvm::Type* like, llvm::Type* type) {
  auto* vector = llvm::dyn_cast<llvm::VectorType>(like);
  return vector ? llvm::VectorType::get(type->getScalarType(), vector->getElementCount())
                : type->getScalarType();
}

// The value of Inst::imm of an ir constant.
inline llvm::Constant* constant_of(llvm::LLVMContext& context, ScalarKind kind, int64_t imm) {
  llvm::Type* type = register_type(context, kind);
  const auto bits = llvm::APInt(64, static_cast<uint64_t>(imm)).trunc(type->getScalarSizeInBits());
  if (type->isFloatingPointTy())
    return llvm::ConstantFP::get(type, llvm::APFloat(type->getFltSemantics(), bits));
  return llvm::ConstantInt::get(context, bits);
}

// The integer type of the same width.
inline llvm::Type* integer_like(llvm::Type* type) {
  return with_lanes_of(type,
                       llvm::Type::getIntNTy(type->getContext(), type->getScalarSizeInBits()));
}

}  // namespace cuda_device::codegen
