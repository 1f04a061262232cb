// Which control instructions are left early, and by what: decided before emission, so that masks
// are kept only where something reads them.
#pragma once

#include <vector>

#include "ir/ir.h"

namespace cuda_device::codegen::host {

struct Exits {
  bool breaks = false;     // a loop: a break ends it
  bool continues = false;  // a loop
  bool leaves = false;     // a scope: a leave ends it
  bool escapes = false;    // something inside goes to a place outside of this instruction
};

// The exits of each control instruction, by Inst::id.
std::vector<Exits> find_exits(const ir::Function& f);

}  // namespace cuda_device::codegen::host
