// Operators, comparisons, conditions and conditional expressions.
#pragma once

#include "frontend/context.h"

namespace cuda_device::frontend {

Value binary(Context& ctx, BinaryOp op, const Value& a, const Value& b, const Node* node,
             const Node* left, const Node* right);
Value unary(Context& ctx, const syntax::UnaryOp* node);
// `op` as Python's syntax tree calls it.
Value unary(Context& ctx, const std::string& op, const Value& v, const Node* node);
// The operator on a number.
Value unary_number(Context& ctx, const std::string& op, const Value& v, const Node* node);
Value compare(Context& ctx, const syntax::Compare* node);
Value compare(Context& ctx, CompareOp op, const Value& a, const Value& b, const Node* node);
Value bool_op(Context& ctx, const syntax::BoolOp* node);
Value if_exp(Context& ctx, const syntax::IfExp* node);
// The expression as a condition: a bool.
Value condition(Context& ctx, const Node* node);
// A condition where both sides of a constant one are to be looked at, because they decide types.
Value as_test(Context& ctx, const Value& condition, const Node* node);

// --- on values, numbers where nothing else is said ---
Value arithmetic(Context& ctx, BinaryOp op, Value a, Value b, const Node* node, const Node* left,
                 const Node* right);
// Both operands in `code`, which the result has too.
Value same_type(Context& ctx, BinaryOp op, TypeCode code, const Value& a, const Value& b,
                const Node* node);
// `promoted`: the type that the operands meet in.
Value floor_divide(Context& ctx, BinaryOp op, TypeCode promoted, const Value& a, const Value& b,
                   const Node* node);
Value power(Context& ctx, const Value& a, const Value& b, TypeCode promoted, const Node* node);
Value min_max(Context& ctx, const Value& a, const Value& b, Op op, const Node* node);
// The integer or bool as one of the integer type, or the nearest number that the type has.
Value clamped(Context& ctx, const Value& v, TypeCode code, const Node* node);
Value negative(Context& ctx, const Value& v, const Node* node);
// The truth of a value of any kind, as bool() gives it.
Value truth(Context& ctx, const Value& v, const Node* node);
// Whether the value can be chosen by `select`, both sides evaluated.
bool is_selectable(const Value& v);
// `joined`: what both have in common.
Value select(Context& ctx, const Value& test, const Value& then, const Value& otherwise,
             const Value& joined, const Node* node);
// One of two values as a conditional expression gives it, each evaluated in a block of its own.
Value choose(Context& ctx, const Value& test, Captured then, Captured otherwise, const Node* node);
// Combines two bools, both evaluated.
Value both(Context& ctx, const Value& a, const Value& b, Op op, const Node* node);
// The negation of a bool.
Value negated(Context& ctx, const Value& v, const Node* node);
// The operands from `next` on, which another one may leave out.
Captured rest_of(Context& ctx, const Node* next, const std::function<Value()>& evaluate);
// `first and second` or `first or second`, second evaluated only where it decides. `next`: what
// `second` is the rest_of, if it may assign.
Value combine(Context& ctx, const Value& first, const Value& test, bool is_and, Captured second,
              const Node* node, const Node* next = nullptr);

}  // namespace cuda_device::frontend
