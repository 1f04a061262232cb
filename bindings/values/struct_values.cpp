#include "bindings/values/struct_values.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "bindings/numpy.h"
#include "bindings/values/component.h"
#include "bindings/values/vector_object.h"
#include "support/record_layout.h"

namespace cuda_device::bindings {
namespace {

using Sizes = std::vector<std::pair<uint64_t, uint64_t>>;

// (size, align, offsets) of a class with members of these sizes and alignments.
nb::tuple record_layout(const Sizes& members, uint64_t align) {
  MemberLayout layout;
  layout.align_to(align);
  nb::list offsets;
  for (const auto& [size, alignment] : members) offsets.append(layout.add(size, alignment));
  return nb::make_tuple(layout.size(), layout.align(), nb::tuple(offsets));
}

nb::object lossless(nb::handle dtype, nb::handle value, const std::string& place) {
  const int number = reinterpret_cast<PyArray_Descr*>(dtype.ptr())->type_num;
  const ScalarKind format = scalar_of_type_number(number).value();
  alignas(8) unsigned char at[8] = {};
  store_lossless(format, at, value.ptr(), {"", 0, place.c_str()});
  return load_component(format, at);
}

// A new vector of that type.
nb::object lossless_vector(nb::handle type, nb::handle value, const std::string& place) {
  auto* to = reinterpret_cast<PyTypeObject*>(type.ptr());
  const int lanes = lanes_of_vector(to);
  const std::string name = short_name(to);
  if (!is_vector(value.ptr()) || vector_of(value.ptr()).lanes != lanes)
    throw nb::type_error((place + " is a " + name + ", found '" + type_text(value) + "'").c_str());
  const VectorObject& from = vector_of(value.ptr());
  if (!holds_every_value(scalar_of_vector(to), from.scalar))
    throw nb::type_error((place + " is a " + name + ", found '" + short_name(Py_TYPE(value.ptr())) +
                          "', which does not convert without loss; convert it: device." + name +
                          "(*v)")
                             .c_str());
  nb::object made = make_vector(to, nullptr);
  VectorObject& vector = vector_of(made.ptr());
  for (int i = 0; i < lanes; ++i)
    store_component(vector.scalar, vector.component(i),
                    load_component(from.scalar, from.component(i)).ptr(), {name.c_str(), i});
  return made;
}

}  // namespace

void register_struct_values(nb::module_& module) {
  module.def("record_layout", record_layout, nb::arg("members"), nb::arg("align"));
  module.def(
      "is_kernel_format",
      [](nb::handle dtype) {
        const int number = reinterpret_cast<PyArray_Descr*>(dtype.ptr())->type_num;
        return scalar_of_type_number(number).has_value();
      },
      nb::arg("dtype"));
  module.def("lossless", lossless, nb::arg("dtype"), nb::arg("value").none(), nb::arg("place"));
  module.def("lossless_vector", lossless_vector, nb::arg("type"), nb::arg("value").none(),
             nb::arg("place"));
}

}  // namespace cuda_device::bindings
