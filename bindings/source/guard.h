// What a captured program read from Python, so that a launch can tell cheaply whether it still
// holds.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "bindings/python.h"
#include "syntax/tree.h"

namespace cuda_device::bindings {

struct Guard {
  enum class Kind : uint8_t {
    Dict,         // owner[name]: globals, a module's attributes
    Cell,         // contents of a closure cell
    Attribute,    // owner.name: a class or namespace
    ClassMethod,  // owner.name.__func__: Python binds it anew at each look
    Code,         // owner.__code__: tools that reload modules replace it in place
    Defaults,     // owner.__defaults__
    Argument,     // what a launch gives to the parameter `position`; none: its default
  };
  Kind kind;
  nb::object owner;
  nb::object name;
  nb::object expected;  // null: there was none
  // Set where the thing read is a constant: then an equal one will do as well.
  std::shared_ptr<const syntax::Value> constant;
  uint32_t position = 0;
};

// The arguments of a launch, by position.
using Given = std::span<PyObject* const>;

// True when everything is as it was read. May exchange `expected` for an equal constant. `types`:
// the classes behind the program's types.
bool all_hold(std::vector<Guard>& guards, const std::vector<nb::object>& types, Given given);

}  // namespace cuda_device::bindings
