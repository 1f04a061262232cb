// What differs between the dialects of CUDA Python, as one value. Only the frontend consults it.
#pragma once

#include <string_view>

#include "frontend/frontend.h"
#include "frontend/operators/numeric.h"

namespace cuda_device::frontend {

// How the type of a variable follows from its definitions.
enum class LoopRule : uint8_t {
  Join,        // those that reach common uses unify
  BeforeLoop,  // each has its own until paths meet; a loop keeps the one before it, and converts
};

struct LanguageNames;

struct Policy {
  const LanguageNames* names;  // language_names.h

  // Types of literals. A weak literal stays exact until it meets a fixed format.
  TypeCode (*int_literal)(__int128 value);
  TypeCode float_literal;
  TypeCode complex_literal;
  // A literal that does not fit where it is converted to is an error; otherwise it wraps.
  bool literals_must_fit;

  // The type of a place that holds one value or the other: a variable with several definitions, the
  // result of a conditional expression, of a function with several returns. Nothing: there is none.
  std::optional<TypeCode> (*unify)(TypeCode a, TypeCode b);
  // An element of a tuple that is chosen at run time must keep its value in the type that all
  // elements have in common; otherwise it is converted, as a variable of all of them would be.
  bool chosen_elements_keep_values;
  // The type that the two operands of an operator meet in; nothing: the pair does not mix.
  std::optional<TypeCode> (*operator_type)(TypeCode a, TypeCode b);
  // Result types of the operators that do not give the promoted type. P is never bool here.
  TypeCode (*true_divide)(TypeCode a, TypeCode b, TypeCode promoted);
  TypeCode (*floor_divide)(TypeCode promoted);
  // An integer to the power of a negative constant is a fraction; otherwise of the promoted type.
  bool has_fractional_powers;
  // Integers are compared as the numbers they are; otherwise in the type that they meet in.
  bool compares_exactly;
  // What a constant condition excludes is not typed; otherwise types are those of both sides.
  bool constants_prune;
  // What arithmetic on two bools computes in; on a bool and a number, too, or else a bool has no
  // width of its own there.
  TypeCode bool_arithmetic;
  bool lone_bools_are_ints;
  // The floating type that a function of `math` computes in.
  TypeCode (*math_argument)(TypeCode argument);

  // What a call of a type gives, and an annotation means; int, float and complex are also what
  // Python's own numbers become as arguments.
  TypeCode (*constructed)(TypeCode type);
  TypeCode weakest_complex;  // makes any real number complex without changing its format

  TypeCode array_ndim;     // ndim of an array
  TypeCode range_minimum;  // a loop variable is promoted with this; weak_int changes nothing
  TypeCode thread_index;   // components of thread_idx and the like
  LoopRule loop_rule;      // which definitions share a type
  bool can_fail;           // there are assert and raise

  // --- what a language has that another one leaves out ---
  bool has_objects;  // None, text, structs and print; otherwise numbers, arrays and tuples of them
  bool has_views;    // arrays have rows, slices and methods; otherwise elements and four attributes
  bool has_sequences;          // 'for' goes over anything; otherwise over ranges alone
  bool has_complex_operators;  // all that there are; otherwise + - *
  // Beside a complex operand a real one stays real; otherwise it is converted, with a zero.
  bool keeps_real_operands;
  // The entity that a name of the language means which Python does not have; empty: none.
  std::string_view (*own_name)(std::string_view name);
};

const Policy& policy_of(DialectName name);

}  // namespace cuda_device::frontend
