// PTX of a kernel given as IR text, put through ptxas where there is one.
#pragma once

#include <string>

#include "codegen/codegen.h"
#include "ir/ir.h"

namespace cuda_device::codegen::test {

std::string ptx_of(const ir::Function& f, int sm = 90);
std::string ptx_of(const std::string& ir_text, int sm = 90);

struct Usage {
  int registers = -1;  // -1: ptxas was not found
  int spilled_bytes = -1;
  int stack_bytes = -1;
};
// EXPECTs that ptxas takes the kernel for every architecture; what the last one needs.
Usage expect_assembles(const ir::Function& f);
Usage expect_assembles(const std::string& ir_text);

}  // namespace cuda_device::codegen::test
