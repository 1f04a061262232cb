// Slices, rows and transposes: the axes of the same memory in another way.
#include "frontend/arrays/arrays.h"

#include <algorithm>

#include "frontend/arrays/layout.h"
#include "frontend/arrays/slices.h"
#include "frontend/diagnosis/diagnosis.h"
#include "frontend/records/records.h"

namespace cuda_device::frontend {
namespace {

// ":", "0:" or "::1"
bool is_whole(const Value::Slice& slice) {
  const Value &lower = slice.bounds[0], &step = slice.bounds[2];
  return (lower.is_none() || is_exactly(lower, 0)) && slice.bounds[1].is_none() &&
         (step.is_none() || is_exactly(step, 1));
}

// Builds a layout axis by axis from another one.
class Slicing {
 public:
  Slicing(Context& ctx, const Value::Array& array, const Node* node)
      : ctx_(ctx), from_(layout_of(array)), node_(node) {
    to_.window = from_.window;
    for (const MemoryAxis& axis : from_.memory) to_.memory.push_back({axis.start, {}});
  }

  const Layout& from() const { return from_; }
  Layout take() { return std::move(to_); }

  void new_axis() { to_.axes.push_back({Value::kOwnExtent, int64_constant(1)}); }

  // The axis ends at an index.
  void at(size_t axis, const Value& index) {
    for (size_t k = 0; k < from_.memory.size(); ++k)
      for (const MemoryAxis::Step& step : from_.memory[k].steps)
        if (step.axis == axis) move_start(k, product(ctx_, index, step.by, node_));
  }

  void keep(size_t axis) {
    add_steps(axis, int64_constant(1));
    to_.axes.push_back(from_.axes[axis]);
  }

  void slice(size_t axis, const SliceOfAxis& slice) {
    at(axis, slice.start);
    add_steps(axis, slice.step);
    to_.axes.push_back({Value::kOwnExtent, slice.extent});
  }

 private:
  void move_start(size_t k, const Value& by) {
    to_.memory[k].start = sum(ctx_, to_.memory[k].start, by, node_);
  }

  void add_steps(size_t axis, const Value& by) {
    const auto number = static_cast<uint8_t>(to_.axes.size());
    for (size_t k = 0; k < from_.memory.size(); ++k)
      for (const MemoryAxis::Step& step : from_.memory[k].steps)
        if (step.axis == axis)
          to_.memory[k].steps.push_back({number, product(ctx_, step.by, by, node_)});
  }

  Context& ctx_;
  const Layout from_;
  Layout to_;
  const Node* node_;
};

}  // namespace

Value sliced(Context& ctx, const Value::Array& array, const Value& index,
             const syntax::Subscript* node) {
  const std::optional<Indices> indices =
      indices_of(ctx, [&] { return type_text(array); }, array.type.ndim, index, node);
  if (!indices) return Value::unknown();
  ctx.at(node);
  Slicing slicing(ctx, array, node);
  size_t axis = 0;
  for (const auto& [value, place] : *indices) {
    if (value.is_none()) {
      slicing.new_axis();
    } else if (auto* slice = value.as<Value::Slice>()) {
      const auto extent = [&] { return extent_in(ctx, array, slicing.from(), axis); };
      if (is_whole(*slice)) {
        slicing.keep(axis++);
        continue;
      }
      const std::optional<SliceOfAxis> part = slice_of_axis(ctx, *slice, extent, place);
      if (!part) return Value::unknown();
      slicing.slice(axis++, *part);
    } else {
      const Value at = counted_index(ctx, array, slicing.from(), value, axis, place);
      if (at.is_unknown()) return at;
      slicing.at(axis++, at);
    }
  }
  return view_of(array, array.element, slicing.take());
}

Value at_first_axis(Context& ctx, const Value::Array& array, const Value& place, const Node* node) {
  if (array.type.ndim == 1 && !holds_atomics(array.element))
    return load_element(ctx, array, operands_at(ctx, array, layout_of(array), {place}, node));
  Slicing slicing(ctx, array, node);
  slicing.at(0, place);
  for (size_t axis = 1; axis < array.type.ndim; ++axis) slicing.keep(axis);
  Value::Array part = view_of(array, array.element, slicing.take());
  return part.type.ndim == 0 ? reference_within(ctx, part, node) : part;
}

// The axes of a sub-array, or the one of a vector; each element of these is of the type that is
// left.
static DataType add_axes(Window& window, const DataType& type) {
  const RecordType& record = *type.record;
  const std::vector<int64_t> shape = record.kind == RecordType::Kind::SubArray
                                         ? record.shape
                                         : std::vector{static_cast<int64_t>(record.fields.size())};
  const DataType element =
      record.kind == RecordType::Kind::SubArray ? record.element : record.fields[0].type;
  std::vector<int64_t> strides(shape.size());
  int64_t stride = bytes_of(element);
  for (size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) strides[axis] = stride;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    window.shape.push_back(int64_constant(shape[axis]));
    window.strides.push_back(int64_constant(strides[axis]));
  }
  return element;
}

Value::Array part_of_elements(Context& ctx, const Value::Array& array, uint32_t offset,
                              const DataType& type, const Node* node) {
  Window window = window_of(ctx, array, layout_of(array), node);
  window.offset = sum(ctx, window.offset, int64_constant(offset), node);
  const DataType element = add_axes(window, type);
  return view_of(array, element, layout_of(std::move(window)));
}

Value field_of_elements(Context& ctx, const Value::Array& array, const std::string& name,
                        const syntax::Subscript* node) {
  const RecordType& record = *array.element.record;
  const auto i = field_named(record, name);
  if (!i)
    return error(ctx, DiagCode::no_attribute, node->slice,
                 {"an element of '" + array.name + "'", name, "it has " + fields_text(record)});
  const DataType type = record.fields[*i].type;
  if (type.kind == DataType::Kind::None)
    return error(ctx, DiagCode::no_attribute, node->slice,
                 {"the memory of '" + array.name + "'", name, "the field is None in each element"});
  if (type.is_record() && type.record->kind == RecordType::Kind::SubArray)
    return part_of_elements(ctx, array, record.fields[*i].offset, type, node);
  Window window = window_of(ctx, array, layout_of(array), node);
  window.offset = sum(ctx, window.offset, int64_constant(record.fields[*i].offset), node);
  return view_of(array, type, layout_of(std::move(window)));
}

Value transposed(const Value::Array& array) {
  Layout layout = layout_of(array);
  const auto last = static_cast<uint8_t>(layout.axes.size() - 1);
  std::ranges::reverse(layout.axes);
  for (MemoryAxis& axis : layout.memory)
    for (MemoryAxis::Step& step : axis.steps) step.axis = static_cast<uint8_t>(last - step.axis);
  layout.packed = false;
  return view_of(array, array.element, std::move(layout));
}

}  // namespace cuda_device::frontend
