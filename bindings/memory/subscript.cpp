#include "bindings/memory/subscript.h"

namespace cuda_device::bindings {
namespace {

bool takes_axis(nb::handle entry) { return !entry.is_none() && entry.ptr() != Py_Ellipsis; }

// Reads the entries one by one, and the axes that they take.
class Reader {
 public:
  Reader(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides,
         const nb::tuple& index)
      : shape_(shape), strides_(strides), index_(index) {}

  Part read() {
    count();
    for (nb::handle entry : index_) {
      if (entry.is_none())
        add(1, 0);
      else if (entry.ptr() == Py_Ellipsis)
        skip(shape_.size() - taken_);
      else if (PySlice_Check(entry.ptr()))
        slice(entry);
      else
        integer(entry);
    }
    skip(shape_.size() - axis_);
    return std::move(part_);
  }

 private:
  void count() {
    size_t ellipses = 0;
    for (nb::handle entry : index_) {
      taken_ += takes_axis(entry);
      ellipses += entry.ptr() == Py_Ellipsis;
    }
    if (ellipses > 1) throw nb::index_error("an index can have one ellipsis ('...') only");
    if (taken_ > shape_.size())
      throw nb::index_error(("too many indices: the array has " + std::to_string(shape_.size()) +
                             " dimensions, but " + std::to_string(taken_) + " were given")
                                .c_str());
  }

  void add(int64_t extent, int64_t stride) {
    part_.shape.push_back(extent);
    part_.strides.push_back(stride);
  }

  void skip(size_t axes) {
    for (; axes > 0; --axes, ++axis_) add(shape_[axis_], strides_[axis_]);
  }

  void slice(nb::handle entry) {
    Py_ssize_t start = 0, stop = 0, step = 0;
    checked(PySlice_Unpack(entry.ptr(), &start, &stop, &step));
    const Py_ssize_t extent = PySlice_AdjustIndices(shape_[axis_], &start, &stop, step);
    if (extent > 0) part_.offset += start * strides_[axis_];
    add(extent, step * strides_[axis_]);
    ++axis_;
  }

  void integer(nb::handle entry) {
    if (!PyIndex_Check(entry.ptr()) || PyBool_Check(entry.ptr()))
      throw nb::type_error(("an index is an int, a slice, None or '...', found '" +
                            type_text(entry) + "'; device.to_host(a) takes others")
                               .c_str());
    const int64_t extent = shape_[axis_];
    int64_t i = PyNumber_AsSsize_t(entry.ptr(), PyExc_IndexError);
    if (i == -1 && PyErr_Occurred()) throw nb::python_error();
    if (i < -extent || i >= extent)
      throw nb::index_error(("index " + std::to_string(i) + " is out of bounds for axis " +
                             std::to_string(axis_) + " with size " + std::to_string(extent))
                                .c_str());
    part_.offset += (i < 0 ? i + extent : i) * strides_[axis_];
    ++axis_;
  }

  const std::vector<int64_t>& shape_;
  const std::vector<int64_t>& strides_;
  const nb::tuple& index_;
  size_t axis_ = 0, taken_ = 0;
  Part part_;
};

}  // namespace

Part part_of(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides,
             nb::handle index) {
  const nb::tuple entries =
      PyTuple_Check(index.ptr()) ? nb::borrow<nb::tuple>(index) : nb::make_tuple(index);
  return Reader(shape, strides, entries).read();
}

}  // namespace cuda_device::bindings
