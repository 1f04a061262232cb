// Conversion from one numeric type to another, and from numbers to instructions.
#pragma once

#include <string>

#include "frontend/context.h"

namespace cuda_device::frontend {

// Whether a declaration of the one type takes a value of the other without loss; a builtin number
// takes any format of its kind or above.
bool converts_silently(TypeCode to, TypeCode from);
// Whether it is an int that is known at run time only and may not fit a format that is narrower
// than its own; floats of another format are rounded, as everywhere.
bool may_be_cut(const Value& value, TypeCode code);
// A constant that does not fit is an error.
Value convert(Context& ctx, const Value& v, TypeCode to, const Node* node);
// The same where nothing in the source says so: warns of what was rounded, or may have wrapped
// around, in 32 bits and meets a format of 64.
Value implicitly_converted(Context& ctx, const Value& v, TypeCode to, const Node* node);
void warn_of_precision(Context& ctx, const Value& v, TypeCode to, const Node* node);
// A builtin number that a struct keeps in 32 bits, as the kernel's own builtins are.
Value in_builtins(Context& ctx, const Value& v, const Node* node);
// device.T(x), int(x), float(x), bool(x).
Value constructed(Context& ctx, const Value& v, TypeCode to, const Node* node);
// A number that is said to be what Python has, whatever it was made of.
Value as_intact(const Value& v);
// Warns of int(x) and round(x), which give a builtin int.
void warn_of_narrow_int(Context& ctx, const Value& v, TypeCode to, const Node* node);
// The instruction that gives the number; a constant takes its format here.
Inst* inst_of(Context& ctx, const Value& number, const Node* node);
Inst* constant_inst(Context& ctx, ir::Type type, double value);

// Whether a weak constant has a value in the format, and not another one altogether.
bool literal_fits(const Context& ctx, const Value& v, TypeCode to);
bool check_literal(Context& ctx, const Value& v, TypeCode to, const Node* node);
// What to do about a literal that does not fit in the format.
std::string range_hint(const Value& literal, TypeCode to);
// Whether a constant that has kept its full value so far fits the 32-bit format of its builtin.
bool fits_builtin(const Value& v);

// `what` needs a number here.
bool require_number(Context& ctx, const Value& v, const Node* node, const std::string& what);

}  // namespace cuda_device::frontend
