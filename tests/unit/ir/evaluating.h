// Evaluates an operation on C++ values.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>

#include "ir/evaluate.h"

namespace cuda_device::ir {

template <class T>
constexpr ScalarKind kind_of() {
  using enum ScalarKind;
  if constexpr (std::is_same_v<T, bool>) return Bool;
  if constexpr (std::is_same_v<T, float>) return F32;
  if constexpr (std::is_same_v<T, double>) return F64;
  if constexpr (std::is_same_v<T, int8_t>) return I8;
  if constexpr (std::is_same_v<T, int16_t>) return I16;
  if constexpr (std::is_same_v<T, int32_t>) return I32;
  if constexpr (std::is_same_v<T, int64_t>) return I64;
  if constexpr (std::is_same_v<T, uint8_t>) return U8;
  if constexpr (std::is_same_v<T, uint16_t>) return U16;
  if constexpr (std::is_same_v<T, uint32_t>) return U32;
  if constexpr (std::is_same_v<T, uint64_t>) return U64;
}

// The conventions of Inst::imm, stated here independently.
template <class T>
int64_t to_imm(T value) {
  if constexpr (std::is_same_v<T, float>)
    return int64_t{std::bit_cast<uint32_t>(value)};
  else if constexpr (std::is_same_v<T, double>)
    return std::bit_cast<int64_t>(value);
  else
    return static_cast<int64_t>(value);
}

template <class T>
T from_imm(int64_t imm) {
  if constexpr (std::is_same_v<T, float>) {
    EXPECT_EQ(imm >> 32, 0) << "a float32 has nothing above its bits";
    return std::bit_cast<float>(static_cast<uint32_t>(imm));
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<double>(imm);
  } else {
    EXPECT_EQ(imm, static_cast<int64_t>(static_cast<T>(imm))) << "a canonical value";
    return static_cast<T>(imm);
  }
}

// R(op(operands)); the first operand states the type, of select the last.
template <class R, class A, class... More>
R eval(Op op, A a, More... more) {
  const int64_t imm[] = {to_imm(a), to_imm(more)..., 0, 0};
  ScalarKind kind = kind_of<A>();
  if (op == Op::Select) ((kind = kind_of<More>()), ...);
  const Evaluator f = evaluator(op, kind, kind_of<R>());
  if (!f) {
    ADD_FAILURE() << info(op).text << " is not for " << name_of(kind);
    return R{};
  }
  return from_imm<R>(f(imm[0], imm[1], imm[2]));
}

}  // namespace cuda_device::ir
