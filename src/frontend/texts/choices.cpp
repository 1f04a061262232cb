// One of several texts, chosen at run time: its first value is the number of the one, those of all
// of them follow.
#include <algorithm>
#include <functional>

#include "frontend/control/variables.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/tuples.h"
#include "frontend/texts/texts.h"
#include "support/print_format.h"

namespace cuda_device::frontend {
namespace {

// A loop that adds to a text makes another one in each pass.
constexpr size_t kMostTexts = 64;

Value number_of(size_t k) { return Value::constant_int(TypeCode::u4, static_cast<__int128>(k)); }

bool are_alike(const Text& a, const Text& b) {
  return a.text == b.text && std::ranges::equal(a.values, b.values, {}, &Value::code, &Value::code);
}

}  // namespace

Text choice_of(Value number, const std::vector<Text>& texts) {
  if (texts.size() == 1) return texts[0];
  Text out{"{?", {std::move(number)}};
  for (const Text& one : texts) {
    out.text += "|" + format_in(one);
    out.values.insert(out.values.end(), one.values.begin(), one.values.end());
  }
  out.text += "}";
  return out;
}

// A constant and a choice are a choice: what can be asked of one can be asked of the other.
static bool append_to_each(Text& to, const Text& more) {
  const std::vector<Text> begins = texts_in(to), ends = texts_in(more);
  const bool plain =
      (begins.size() > 1 && more.values.empty()) || (ends.size() > 1 && to.values.empty());
  if (!plain) return false;
  std::vector<Text> all;
  for (const Text& begin : begins)
    for (const Text& end : ends) append(all.emplace_back(begin), end);
  to = choice_of((begins.size() > 1 ? to : more).values[0], all);
  return true;
}

void append(Text& to, const Text& more) {
  const bool constant = to.values.empty() && more.values.empty();
  if (!constant && append_to_each(to, more)) return;
  to.text = constant ? to.text + more.text : format_in(to) + format_in(more);
  to.values.insert(to.values.end(), more.values.begin(), more.values.end());
}

std::vector<Text> texts_in(const Text& text) {
  std::vector<Text> out;
  auto at = text.values.begin();
  if (at != text.values.end())
    for (const std::string_view format : alternatives_of(text.text)) {
      if (out.empty()) ++at;  // the number
      const auto end = at + static_cast<ptrdiff_t>(values_in(format));
      out.push_back({std::string(format), {at, end}});
      if (at == end)
        out.back().text = PrintFormatter({out.back().text}).text([](size_t) { return 0; });
      at = end;
    }
  return out.empty() ? std::vector<Text>{text} : out;
}

const Text* text_like(const std::vector<Text>& texts, const Text& text) {
  const auto found =
      std::ranges::find_if(texts, [&](const Text& one) { return are_alike(one, text); });
  return found == texts.end() ? nullptr : &*found;
}

std::optional<Value> join_texts(const Context&, const Text& a, const Text& b) {
  std::vector<Text> texts = texts_in(a);
  for (const Text& other : texts_in(b))
    if (!text_like(texts, other)) texts.push_back(other);
  if (texts.size() > kMostTexts) return std::nullopt;
  if (texts.size() == 1) return texts[0];
  return choice_of(Value::number(TypeCode::u4, nullptr), texts);
}

Value number_among(Context& ctx, const std::vector<Text>& texts, const Text& value,
                   const Node* node) {
  std::vector<Value> numbers;
  const std::vector<Text> given = texts_in(value);
  for (const Text& one : given) {
    const Text* like = text_like(texts, one);
    if (!like) return Value::unknown();
    numbers.push_back(number_of(static_cast<size_t>(like - texts.data())));
  }
  if (numbers.size() == 1) return numbers[0];
  return element_at(ctx, std::move(numbers), value.values[0], node, "");
}

Value chosen_text(Context& ctx, const std::vector<Value>& elements, const Text& common,
                  const Value& index, const Node* node) {
  std::vector<Text> texts = texts_in(common);
  std::vector<Value> numbers;
  numbers.reserve(elements.size());
  for (const Value& element : elements)
    numbers.push_back(number_among(ctx, texts, *element.as<Text>(), node));
  for (Text& text : texts) {
    // Where another text is meant, the values of any like it serve.
    std::vector<std::vector<Value>> given;
    for (const Value& element : elements) {
      const std::vector<Text> some = texts_in(*element.as<Text>());
      const Text* like = text_like(some, text);
      given.push_back(like ? like->values : std::vector<Value>());
    }
    for (size_t k = 0; k < text.values.size(); ++k) {
      const auto any = std::ranges::find_if(given, std::not_fn(&std::vector<Value>::empty));
      std::vector<Value> all;
      all.reserve(given.size());
      for (const std::vector<Value>& values : given)
        all.push_back((values.empty() ? *any : values)[k]);
      text.values[k] = element_at(ctx, std::move(all), index, node, "");
    }
  }
  if (texts.size() == 1) return texts[0];
  const Value number = element_at(ctx, std::move(numbers), index, node, "");
  if (number.exact()) return texts[static_cast<size_t>(number.exact()->integer)];
  return choice_of(number, texts);
}

}  // namespace cuda_device::frontend
