// What can be asked of strings: of constant ones, and of those that are one of several.
#include <algorithm>
#include <functional>

#include "frontend/diagnosis/diagnosis.h"
#include "frontend/diagnosis/operator_names.h"
#include "frontend/operators/exact.h"
#include "frontend/operators/operators.h"
#include "frontend/operators/tuples.h"
#include "frontend/texts/texts.h"

namespace cuda_device::frontend {
namespace {

bool has_pieces(const Text& text) { return !text.values.empty(); }

}  // namespace

// What f gives for the string, or for each of those that it may be, of which the result is chosen
// as the string is.
static Value of_each_string(Context& ctx, const Text& text, const std::string& what,
                            const Node* node, const std::function<Value(const std::string&)>& f) {
  const std::vector<Text> texts = texts_in(text);
  if (std::ranges::any_of(texts, has_pieces))
    return error(ctx, DiagCode::text_values, node, {what});
  if (texts.size() == 1) return f(texts[0].text);
  std::vector<Value> results;
  results.reserve(texts.size());
  for (const Text& one : texts) results.push_back(f(one.text));
  return element_at(ctx, std::move(results), text.values[0], node, "");
}

static bool holds(CompareOp op, const std::string& a, const std::string& b) {
  if (op == CompareOp::In || op == CompareOp::NotIn)
    return (b.find(a) != b.npos) == (op == CompareOp::In);
  return fold(op, TypeCode::i4, {a.compare(b), 0}, {0, 0});
}

std::optional<Value> text_compare(Context& ctx, CompareOp op, const Value& a, const Value& b,
                                  const Node* node) {
  auto *x = a.as<Text>(), *y = b.as<Text>();
  if (!x || !y || op == CompareOp::Is || op == CompareOp::IsNot) return std::nullopt;
  const std::string what = "'" + std::string(sign_of(op)) + "'";
  return of_each_string(ctx, *x, what, node, [&](const std::string& first) {
    return of_each_string(ctx, *y, what, node, [&](const std::string& second) {
      return Value::boolean(holds(op, first, second));
    });
  });
}

static Value repeated(Context& ctx, const Text& text, const Value& times, const Node* node) {
  if (!times.exact())
    return error(ctx, DiagCode::text_repeat, node, {with_article(type_text(times))});
  Text out;
  for (__int128 i = 0; i < times.exact()->integer && !text.text.empty(); ++i) {
    append(out, text);
    if (!check_length(ctx, out, node)) return Value::unknown();
  }
  return out;
}

std::optional<Value> text_operation(Context& ctx, BinaryOp op, const Value& a, const Value& b,
                                    const Node* node) {
  auto *x = a.as<Text>(), *y = b.as<Text>();
  const auto is_whole = [](const Value& v) { return v.is_number() && !is_float(v.code()); };
  if (op == BinaryOp::Mult && x && is_whole(b)) return repeated(ctx, *x, b, node);
  if (op == BinaryOp::Mult && y && is_whole(a)) return repeated(ctx, *y, a, node);
  if (op != BinaryOp::Add || !x || !y) return std::nullopt;
  Text both = *x;
  append(both, *y);
  return check_length(ctx, both, node) ? Value(std::move(both)) : Value::unknown();
}

Value text_length(Context& ctx, const Text& text, const Node* node) {
  return of_each_string(ctx, text, "len()", node, [](const std::string& one) {
    const auto begins = [](char c) { return (c & 0xC0) != 0x80; };
    return Value::constant_int(TypeCode::weak_int, std::ranges::count_if(one, begins));
  });
}

// A number is never written as nothing.
Value text_truth(Context& ctx, const Text& text, const Node* node) {
  std::vector<Value> results;
  const std::vector<Text> texts = texts_in(text);
  results.reserve(texts.size());
  for (const Text& one : texts)
    results.push_back(Value::boolean(!one.values.empty() || !one.text.empty()));
  return results.size() == 1 ? results[0]
                             : element_at(ctx, std::move(results), text.values[0], node, "");
}

}  // namespace cuda_device::frontend
