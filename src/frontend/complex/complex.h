// Complex numbers in expressions: two parts that are numbers of their own, known or computed.
#pragma once

#include <complex>
#include <optional>

#include "frontend/calls/calls.h"
#include "frontend/complex/complex_parts.h"
#include "frontend/context.h"
#include "frontend/operators/exact.h"

namespace cuda_device::frontend {

// Real or complex.
inline bool is_any_number(const Value& v) { return v.is_number() || v.is_complex(); }
// One of two numbers is complex.
inline bool are_complex(const Value& a, const Value& b) {
  return (a.is_complex() || b.is_complex()) && is_any_number(a) && is_any_number(b);
}

Value complex_constant(TypeCode code, double real, double imag);
// The number, where it is known and has no format yet: it is computed with in full precision.
std::optional<std::complex<double>> known_complex(const Value& v);
// The instructions of the parts, in the type of `code`, and a value of them.
Parts parts_of(Context& ctx, const Value& v, TypeCode code, const Node* node);
Value complex_of(TypeCode code, Parts parts);

// ---- operators ----
Value complex_binary(Context& ctx, BinaryOp op, const Value& a, const Value& b, const Node* node,
                     const Node* left, const Node* right);
Value complex_unary(Context& ctx, const std::string& op, const Value& v, const Node* node);
// == and !=; the others have no meaning.
Value complex_compare(Context& ctx, CompareOp op, const Value& a, const Value& b, const Node* node,
                      const Node* left, const Node* right);
Value complex_truth(Context& ctx, const Value& v, const Node* node);

// ---- calls ----
Value complex_abs(Context& ctx, const Value& v, const Node* node);
// complex(), complex(x), complex(x, y), device.complex64(x).
Value construct_complex(Context& ctx, TypeCode code, const Arguments& a);
// z.real, z.imag, z.conjugate and what numbers have; nothing: it has no such attribute.
std::optional<Value> complex_attribute(Context& ctx, const std::string& name, const Value& v);

// ---- cmath.cpp ----
Value call_conjugate(Context& ctx, const Value& v, const Node* node);
Parts complex_exp(ComplexEmitter& e, Parts z);
Parts complex_log(ComplexEmitter& e, Parts z);

}  // namespace cuda_device::frontend
