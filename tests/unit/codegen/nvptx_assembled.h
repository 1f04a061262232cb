// PTX of a kernel given as IR text, put through ptxas where there is one.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "codegen/codegen.h"
#include "ir/ir.h"
#include "runtime/cuda/toolkit.h"

namespace cuda_device::codegen::test {

std::string ptx_of(const ir::Function& f, int sm = 90);
std::string ptx_of(const std::string& ir_text, int sm = 90);

// Before the part of a test that assembles: without ptxas there is nothing that it could show.
#define CD_NEED_PTXAS()           \
  if (cuda::find_ptxas().empty()) \
  GTEST_SKIP() << "waits for ptxas: install a CUDA toolkit or the PyPI package nvidia-cuda-nvcc"

struct Usage {
  int registers = -1;
  int spilled_bytes = -1;
  int stack_bytes = -1;
};
// EXPECTs that there is a ptxas and that it takes the kernel for every architecture; what the last
// one needs.
Usage expect_assembles(const ir::Function& f);
Usage expect_assembles(const std::string& ir_text);

}  // namespace cuda_device::codegen::test
