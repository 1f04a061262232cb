// Classes whose values kernels take apart → syntax::TypeDecl: structs, and structured dtypes of
// NumPy.
#pragma once

#include <functional>
#include <vector>

#include "bindings/python.h"
#include "bindings/source/guard.h"
#include "syntax/tree.h"

namespace cuda_device::bindings {

// A class made by @device.struct.
bool is_struct_class(nb::handle object);
// device.Atomic(T) as a type; nothing: the object is no Atomic.
nb::object atomic_type_of(nb::handle object);
bool is_atomic_type(nb::handle object);   // what atomic_type_of gives
bool is_aligned_type(nb::handle object);  // device.align(T, n)
// What NDArray[float32] and its like say of an array; null: another hint.
nb::object form_of_arrays(nb::handle hint);
bool is_struct(PyObject* object);              // an instance of one
nb::object field_values(nb::handle instance);  // a tuple, in the order of the fields

// What has names in a kernel, and fields of any type: named tuples, frozen dataclasses.
bool is_named_tuple(PyObject* object);
bool is_frozen_dataclass(PyObject* object);  // not a struct
bool is_named_class(nb::handle object);
std::vector<std::string> field_names(nb::handle object);  // of one of those, or of its class

// A class of an enumeration whose members kernels know as such: not those that are strings, floats
// or instances of another class too.
bool is_enumeration(nb::handle object);
bool is_flag(nb::handle member);

uint32_t align_of_struct(nb::handle cls);
bool has_atomics(nb::handle struct_class);

// The dtype that stands for all structured dtypes equal to this one; those of structs and vectors
// are known by their class and have none.
nb::object canonical_dtype(nb::handle dtype);

// Gathers the types of one program. An index is asked for before its type is read, so that a class
// may name itself.
class Classes {
 public:
  // Gives a Python function its index in the program.
  using FunctionIndex = std::function<uint32_t(nb::handle function)>;
  // What an object means to the frontend.
  using Meaning = std::function<syntax::Binding(nb::handle object)>;

  Classes(syntax::Program& program, std::vector<Guard>& guards, FunctionIndex function,
          Meaning meaning);

  // The index of a class, or of a canonical dtype.
  uint32_t index_of(nb::handle type);
  // By index; null where nothing outside of the program can name the type.
  std::vector<nb::object> take() { return std::move(objects_); }

 private:
  uint32_t add(nb::handle identity, syntax::TypeDecl decl);
  uint32_t add_struct(nb::handle cls);
  uint32_t add_named(nb::handle cls);
  uint32_t add_enumeration(nb::handle cls);
  uint32_t add_dtype(nb::handle dtype);
  uint32_t add_tuple(nb::handle layout);
  uint32_t add_atomic(nb::handle type);
  uint32_t add_alias(nb::handle type, nb::handle field, nb::handle align);
  uint32_t add_sub_array(nb::handle dtype);
  void read_layout(nb::handle layout, syntax::TypeDecl& decl);
  syntax::FieldType field_type(nb::handle hint);
  syntax::FieldType array_type(nb::handle hint);
  syntax::FieldType field_of_dtype(nb::handle dtype);
  void guard_comparisons(nb::handle cls, const syntax::TypeDecl& decl);
  void read_attributes(nb::handle cls, syntax::TypeDecl& decl);
  void guard_attribute(nb::handle cls, const std::string& name, const std::string& as,
                       const syntax::TypeDecl& decl);
  void read_supers(nb::handle cls, syntax::TypeDecl& decl);
  void read_super(nb::handle order, size_t from, const std::string& name, uint32_t method,
                  syntax::TypeDecl& decl);
  void read_attribute(const std::string& name, nb::handle value, syntax::TypeDecl& decl);

  syntax::Program& program_;
  std::vector<Guard>& guards_;
  FunctionIndex function_;
  Meaning meaning_;
  std::vector<nb::object> objects_;
};

}  // namespace cuda_device::bindings
