// Strings in kernels: constant ones, and those with numbers in them that are known at run time
// only. These are nowhere in memory: `print` and messages of failures write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/context.h"

namespace cuda_device::frontend {

using Text = Value::Text;
struct Arguments;

inline bool is_text(const Value& v) { return v.is<Text>(); }
Text text_with(std::string text);
// As support/print_format.h has it.
std::string format_in(const Text& text);
void append(Text& to, const Text& more);
// Whether it is not too long to be compiled; false after an error.
bool check_length(Context& ctx, const Text& text, const Node* node);

// What writes a value, for errors: "print()"; and where it stands.
struct Writing {
  std::string_view by;
  const Node* node;
};

// --- written.cpp --- Nothing: after an error, or where something is not known yet.
// As str() writes the value, which print does, and as repr() does.
std::optional<Text> str_of(Context& ctx, const Value& value, const Writing& to);
std::optional<Text> repr_of(Context& ctx, const Value& value, const Writing& to);
// As format() does.
std::optional<Text> formatted(Context& ctx, const Value& value, const std::string& spec,
                              const Writing& to);

// A text that a thread tells.
struct Told {
  PrintFormat format;
  std::vector<Inst*> values;
};
// Nothing: after an error, it has too many values.
std::optional<Told> told(Context& ctx, const Text& text, const Writing& to);

// --- fields.cpp ---
Value f_string(Context& ctx, const syntax::JoinedStr* node);

// --- choices.cpp --- A text that is one of several, chosen at run time.
// The one of these texts that has the number, a uint32 below their count.
Text choice_of(Value number, const std::vector<Text>& texts);
// The texts that it may be: of any other text that one.
std::vector<Text> texts_in(const Text& text);
// One of both abstract texts, or of those that they may be; nothing: they are too many.
std::optional<Value> join_texts(const Context& ctx, const Text& a, const Text& b);
// The number among the texts that the value, one of them or a choice of some, has.
Value number_among(Context& ctx, const std::vector<Text>& texts, const Text& value,
                   const Node* node);
// The one of `texts` that is put together in the same way; null: none is.
const Text* text_like(const std::vector<Text>& texts, const Text& text);
// The element of a tuple of texts whose number is the index; `common` is what they all are.
Value chosen_text(Context& ctx, const std::vector<Value>& elements, const Text& common,
                  const Value& index, const Node* node);

// --- operations.cpp ---
// Nothing: the operands are no texts.
std::optional<Value> text_operation(Context& ctx, BinaryOp op, const Value& a, const Value& b,
                                    const Node* node);
std::optional<Value> text_compare(Context& ctx, CompareOp op, const Value& a, const Value& b,
                                  const Node* node);
Value text_length(Context& ctx, const Text& text, const Node* node);
Value text_truth(Context& ctx, const Text& text, const Node* node);

}  // namespace cuda_device::frontend
