// How values are gone through, element by element: by loops, by unpacking, by builtins.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

struct Iteration {
  // Its elements may have types of their own: loops over it are unrolled, a copy for each of
  // at most `most` elements.
  bool unrolled = false;
  size_t most = 0;
  Value length;  // a constant, or a number of run time; not above zero: there is no element
  TypeCode index = TypeCode::weak_int;  // type of positions, as enumerate() gives them
  // The element at a position, from 0; a constant one where it is unrolled.
  std::function<Value(const Value& position)> element;
};

// Nothing: it cannot be gone through; the caller says so. Of unknown length: there was an error, or
// another pass will know more.
std::optional<Iteration> iteration_of(Context& ctx, const Value& sequence, const Node* node);

// All elements, where their number is a constant. Else reports, and gives nothing.
std::optional<std::vector<Value>> all_elements(Context& ctx, const Value& sequence,
                                               const Node* node);
// Reports what cannot be gone through.
Value not_iterable(Context& ctx, const Node* node, const Value& value);

// The numbers of a range: how many they are, and the one at a position.
Value range_length(Context& ctx, const Value::Range& range, const Node* node);
Value range_element(Context& ctx, const Value::Range& range, const Value& position,
                    const Node* node);

// Whether the analysis of webs knows of so many copies of the loop's body. If not, another pass
// will, and in this one there is nothing to lower.
bool knows_copies(Context& ctx, const Node* loop, UnrolledLoop copies);

// Whether an unrolled loop whose length is not constant has that element.
Inst* has_element(Context& ctx, const Iteration& it, size_t element, const Node* node);
// Calls f with the constant position of an element of an unrolled loop, under the condition that
// there is one.
void if_there(Context& ctx, const Iteration& it, size_t element, const Node* node,
              const std::function<void(const Value& position)>& f);

// `for counter in range(length)`: the body gets the counter.
void counted(Context& ctx, const Value& length, const Node* node,
             const std::function<void(const Value& position)>& body);

}  // namespace cuda_device::frontend
