// Fields that are arrays, as values: their elements, rows and other parts. Where such a field lies
// in memory, places.cpp reaches its parts there.
#include <algorithm>
#include <span>

#include "frontend/arrays/arrays.h"
#include "frontend/arrays/layout.h"
#include "frontend/arrays/slices.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/operators/convert.h"
#include "frontend/operators/tuples.h"
#include "frontend/parameters.h"
#include "frontend/records/records.h"

namespace cuda_device::frontend {
namespace {

using Extents = std::span<const int64_t>;

size_t size_of(Extents shape) {
  size_t size = 1;
  for (const int64_t extent : shape) size *= static_cast<size_t>(extent);
  return size;
}

// Elements in C order.
struct Part {
  std::vector<int64_t> shape;
  std::vector<Value> elements;
};

Value value_of(Context& ctx, const DataType& element, Part part) {
  if (part.shape.empty()) return part.elements[0];
  return Value::Record{sub_array_type(ctx.session, element, std::move(part.shape)),
                       std::move(part.elements)};
}

}  // namespace

RecordRef sub_array_type(Session& session, const DataType& element, std::vector<int64_t> shape) {
  const auto known = std::ranges::find_if(session.sub_arrays, [&](const RecordRef& type) {
    return type->element == element && type->shape == shape;
  });
  if (known != session.sub_arrays.end()) return *known;
  auto type = std::make_shared<RecordType>();
  type->kind = RecordType::Kind::SubArray;
  type->name = "sub-array";
  const uint32_t step = bytes_of(element);
  for (size_t i = 0; i < size_of(shape); ++i)
    type->fields.push_back({"", element, static_cast<uint32_t>(i) * step});
  type->size = static_cast<uint32_t>(type->fields.size()) * step;
  type->align = align_of(element);
  type->element = element;
  type->shape = std::move(shape);
  return session.sub_arrays.emplace_back(std::move(type));
}

std::vector<Value> rows_of(Context& ctx, const Value& sub_array) {
  const Value::Record& record = sub_array.record();
  const std::vector<int64_t>& shape = record.type->shape;
  if (shape.size() == 1) return record.fields;
  const std::vector<int64_t> inner(shape.begin() + 1, shape.end());
  const auto step = static_cast<std::ptrdiff_t>(size_of(inner));
  std::vector<Value> rows;
  for (std::ptrdiff_t i = 0; i < shape[0]; ++i) {
    const auto begin = record.fields.begin() + i * step;
    rows.push_back(value_of(ctx, record.type->element, {inner, {begin, begin + step}}));
  }
  return rows;
}

Value transposed_sub_array(Context& ctx, const Value::Record& sub_array) {
  const std::vector<int64_t>& from = sub_array.type->shape;
  std::vector<int64_t> shape(from.rbegin(), from.rend());
  std::vector<Value> elements;
  elements.reserve(sub_array.fields.size());
  for (size_t number = 0; number < sub_array.fields.size(); ++number) {
    // Where the element at the same indices, back to front, stands in C order.
    size_t rest = number, place = 0, step = sub_array.fields.size();
    for (size_t axis = shape.size(); axis-- > 0;) {
      const auto extent = static_cast<size_t>(shape[axis]);
      step /= extent;
      place += rest % extent * step;
      rest /= extent;
    }
    elements.push_back(sub_array.fields[place]);
  }
  return value_of(ctx, sub_array.type->element, {std::move(shape), std::move(elements)});
}

static void outside_of_axis(Context& ctx, const std::string& index, int64_t extent,
                            const Node* node) {
  error(ctx, DiagCode::vector_index_range, node,
        {index, "an axis of a sub-array", count_text(static_cast<size_t>(extent), "element")});
}

// An integer that is known, within the axis; reports others.
static std::optional<size_t> position_on(Context& ctx, const Value& index, int64_t extent,
                                         const Node* node) {
  const __int128 given = index.exact()->integer;
  const __int128 at = given < 0 ? given + extent : given;
  if (at >= 0 && at < extent) return static_cast<size_t>(at);
  outside_of_axis(ctx, to_text(given), extent, node);
  return std::nullopt;
}

std::optional<size_t> element_of_sub_array(Context& ctx, const RecordType& type, const Value& index,
                                           const Node* node) {
  const std::vector<Value> indices =
      index.is_tuple() ? index.elements() : std::vector<Value>{index};
  if (indices.size() != type.shape.size()) return std::nullopt;
  size_t number = 0;
  for (size_t axis = 0; axis < indices.size(); ++axis) {
    if (!indices[axis].exact() || !is_int(indices[axis].code())) return std::nullopt;
    const auto at = position_on(ctx, indices[axis], type.shape[axis], node);
    if (!at) return std::nullopt;
    number = number * static_cast<size_t>(type.shape[axis]) + *at;
  }
  return number;
}

// The number of an element in C order, by an integer on each axis, as an int64.
static Value number_of_element(Context& ctx, const RecordType& type,
                               const std::vector<Value>& indices, const Node* node) {
  Value number = int64_constant(0);
  for (size_t axis = 0; axis < type.shape.size(); ++axis) {
    const Value extent = int64_constant(type.shape[axis]);
    const Value at = counted_from_start(ctx, indices[axis], node, [&] { return extent; });
    number =
        sum(ctx, product(ctx, number, extent, node), convert(ctx, at, TypeCode::i8, node), node);
  }
  return number;
}

namespace {

// Takes a part of a sub-array axis by axis.
class Parts {
 public:
  using Indexed = std::span<const std::pair<Value, const Node*>>;

  Parts(Context& ctx, const syntax::Subscript* node) : ctx_(ctx), node_(node) {}

  // Nothing: an error was reported.
  std::optional<Part> at(std::span<const Value> elements, Extents shape, Indexed indices) {
    if (indices.empty())
      return Part{{shape.begin(), shape.end()}, {elements.begin(), elements.end()}};
    const auto& [index, place] = indices[0];
    if (index.is_none()) {
      std::optional<Part> part = at(elements, shape, indices.subspan(1));
      if (part) part->shape.insert(part->shape.begin(), 1);
      return part;
    }
    const auto inner = [&](size_t i) {
      const size_t step = size_of(shape.subspan(1));
      return at(elements.subspan(i * step, step), shape.subspan(1), indices.subspan(1));
    };
    if (shape[0] == 0 && index.is_number() && !index.exact()) {
      outside_of_axis(ctx_, written(place, "it"), 0, place);
      return std::nullopt;
    }
    if (auto* slice = index.as<Value::Slice>()) return sliced(*slice, shape, indices, inner);
    if (!index.exact()) return chosen(index, shape[0], inner);
    const std::optional<size_t> i = position_on(ctx_, index, shape[0], place);
    return i ? inner(*i) : std::nullopt;
  }

 private:
  template <class F>
  std::optional<Part> sliced(const Value::Slice& slice, Extents shape, Indexed indices,
                             const F& inner) {
    const Node* place = indices[0].second;
    std::vector<Value> positions;
    positions.reserve(static_cast<size_t>(shape[0]));
    for (int64_t i = 0; i < shape[0]; ++i) positions.push_back(int64_constant(i));
    const Value taken = syntax::as<syntax::Slice>(place)
                            ? tuple_slice(ctx_, positions, slice, place)
                            : Value::tuple(std::move(positions));  // of an ellipsis
    if (taken.is_unknown()) return std::nullopt;
    Part all;
    if (taken.elements().empty()) {
      std::optional<Part> part = without_elements(shape.subspan(1), indices.subspan(1));
      if (!part) return std::nullopt;
      all.shape = std::move(part->shape);
    }
    for (const Value& position : taken.elements()) {
      std::optional<Part> part = inner(static_cast<size_t>(position.exact()->integer));
      if (!part) return std::nullopt;
      all.shape = std::move(part->shape);
      all.elements.insert(all.elements.end(), part->elements.begin(), part->elements.end());
    }
    all.shape.insert(all.shape.begin(), static_cast<int64_t>(taken.elements().size()));
    return all;
  }

  // The axes that a part of a row has, where there are no rows.
  std::optional<Part> without_elements(Extents row, Indexed indices) {
    const std::vector<Value> made(size_of(row), int64_constant(0));
    return at(made, row, indices);
  }

  // Which of the rows an index says at run time.
  template <class F>
  std::optional<Part> chosen(const Value& index, int64_t extent, const F& inner) {
    std::vector<Value> rows;
    std::vector<int64_t> shape;
    for (int64_t i = 0; i < extent; ++i) {
      std::optional<Part> part = inner(static_cast<size_t>(i));
      if (!part) return std::nullopt;
      rows.push_back(Value::tuple(std::move(part->elements)));
      shape = std::move(part->shape);
    }
    const Value row = element_at(ctx_, rows, index, node_, written(node_->value, "r"));
    if (row.is_unknown()) return std::nullopt;
    return Part{std::move(shape), row.elements()};
  }

  Context& ctx_;
  const syntax::Subscript* node_;
};

}  // namespace

Value part_of_sub_array(Context& ctx, const Value& sub_array, const Value& index,
                        const syntax::Subscript* node) {
  const RecordType& type = *sub_array.record().type;
  const auto text = [&] { return with_article(type.name); };
  const auto indices = indices_of(ctx, text, type.shape.size(), index, node);
  if (!indices) return Value::unknown();
  const auto is_integer = [](const auto& one) { return one.first.is_number(); };
  ctx.at(node);
  if (indices->size() == type.shape.size() && std::ranges::all_of(*indices, is_integer) &&
      !std::ranges::all_of(*indices, [](const auto& one) { return one.first.is_constant(); })) {
    std::vector<Value> at;
    for (size_t axis = 0; axis < indices->size(); ++axis) {
      const auto& [value, place] = (*indices)[axis];
      if (type.shape[axis] == 0) outside_of_axis(ctx, written(place, "it"), 0, place);
      at.push_back(value);
    }
    if (sub_array.record().fields.empty()) return Value::unknown();
    return element_at(ctx, sub_array.record().fields, number_of_element(ctx, type, at, node), node,
                      written(node->value, "r"));
  }
  std::optional<Part> part = Parts(ctx, node).at(sub_array.record().fields, type.shape, *indices);
  return part ? value_of(ctx, type.element, std::move(*part)) : Value::unknown();
}

}  // namespace cuda_device::frontend
