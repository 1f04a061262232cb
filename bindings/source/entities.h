// Things the frontend knows by name, found by identity: whatever name the user's module gives them.
#pragma once

#include <string>
#include <unordered_map>

#include "bindings/python.h"

namespace cuda_device::bindings {

// The public objects of cuda.device ("device.thread_idx"), the functions of math ("math.exp"), the
// builtins
// ("builtins.range"), and the modules among whose attributes nothing is ever rebound.
class Entities {
 public:
  Entities();
  const std::string* find(nb::handle object) const;
  // Gives an object of a dialect's module a name of the frontend.
  void add(nb::handle object, std::string name);
  // The Python function that kernels compile in place of this one; null: there is none.
  nb::handle in_kernels(nb::handle object) const;
  // Attributes of these modules need no guard.
  bool is_fixed_module(nb::handle module) const;

 private:
  void add_operators();
  void add_module(const char* module, const std::string& prefix, bool functions_only);

  std::unordered_map<PyObject*, std::string>
      names_;  // the objects live as long as their modules, which we hold
  std::unordered_map<PyObject*, std::string> fixed_modules_;
  std::unordered_map<PyObject*, PyObject*> in_kernels_;
};

const Entities& entities();
// For captures from now on. The object lives as long as the process.
void name_entity(nb::handle object, const std::string& name);

}  // namespace cuda_device::bindings
