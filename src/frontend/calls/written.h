// Texts with the numbers of a thread in them: what print writes, f-strings, and the messages of
// assert and raise. The text is known when compiling, the numbers are when it is told.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "frontend/context.h"
#include "frontend/operators/exact.h"

namespace cuda_device::frontend {

// A string, whether it is known when compiling or not.
inline bool is_text(const Value& v) { return v.is<Value::Text>() || v.is<Value::FString>(); }

struct Written {        // being put together
  std::string_view by;  // "print()", for errors
  PrintFormat format = {};
  std::vector<Inst*> values = {};
};

// Adds the value as print writes it; false after an error.
bool write(Context& ctx, Written& to, const Value& value, const Node* node);
// Whether there are not too many values; false after an error.
bool check_count(Context& ctx, const Written& written, const Node* node);

// One text of two, one after the other. Nothing: they are no texts, or too long.
std::optional<Value> text_operation(BinaryOp op, const Value& a, const Value& b, const Node* left,
                                    const Node* right);

}  // namespace cuda_device::frontend
