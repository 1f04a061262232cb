#include "unit/codegen/nvptx_assembled.h"

#include <regex>

#include "unit/codegen/op_cases.h"

namespace cuda_device::codegen::test {
namespace {

int number_before(const std::string& log, const std::string& words) {
  std::smatch found;
  return std::regex_search(log, found, std::regex("([0-9]+) " + words)) ? std::stoi(found[1]) : -1;
}

}  // namespace

std::string ptx_of(const ir::Function& f, int sm) {
  PtxOptions options;
  options.sm = sm;
  options.libdevice = cuda::find_libdevice();
  options.verify_llvm = true;
  const abi::KernelImage image = compile_ptx(*legalised(f), options);
  return std::string(image.code.begin(), image.code.end() - 1);
}

std::string ptx_of(const std::string& ir_text, int sm) { return ptx_of(*ir::parse(ir_text), sm); }

Usage expect_assembles(const ir::Function& f) {
  Usage usage;
  EXPECT_FALSE(cuda::find_ptxas().empty()) << "a test that assembles begins with CD_NEED_PTXAS";
  for (int sm : ptx_architectures()) {
    const std::string ptx = ptx_of(f, sm);
    if (cuda::find_ptxas().empty()) continue;
    const cuda::Assembled assembled = cuda::assemble(ptx, sm);
    EXPECT_TRUE(assembled.ok) << "sm_" << sm << "\n" << assembled.log << ptx << ir::print(f);
    usage = {number_before(assembled.log, "registers"),
             number_before(assembled.log, "bytes spill stores"),
             number_before(assembled.log, "bytes stack frame")};
  }
  return usage;
}

Usage expect_assembles(const std::string& ir_text) { return expect_assembles(*ir::parse(ir_text)); }

}  // namespace cuda_device::codegen::test
